// How a language's words are cut, and a text in which they are found: plain, or compressed with xz.

#include "base/error.h"
#include "base/text.h"
#include "corpus/endings.h"
#include "corpus/text_lines.h"
#include "corpus/words.h"
#include "file.h"

using namespace minpair;

static corpus::WordCounts count(const std::filesystem::path& file) {
  corpus::WordCounts counts;
  corpus::TextLines lines(file);
  for (std::string_view line; lines.next(line);)
    for (const std::string& language : corpus::corpus_languages())
      if (valid_utf8(line))
        for (std::string& word : corpus::split_words(line, language)) ++counts[std::move(word)];
  return counts;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(text.find("\n---\n"), size);
  corpus::WordCounts counts;
  try {
    counts = count(fuzzing::file(text.substr(std::min(size, end + 5)), "text"));
  } catch (const Error&) {
  }
  try {
    const corpus::Endings endings =
        corpus::read_endings(fuzzing::file(text.substr(0, end), "x.endings"));
    for (const auto& [word, cut] : corpus::cut_endings(counts, endings, 1))
      if (cut > word.size()) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
