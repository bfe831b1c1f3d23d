// A text or a table whose words a small model reads, and what an interrupted call left of them.

#include "base/error.h"
#include "base/text.h"
#include "engine/surprisal.h"
#include "file.h"
#include "model/model.h"

using namespace minpair;

static query::Model& small_model() {
  static const auto loaded = model::load_model(
      fuzzing::file(
          "\\data\\\nngram 1=4\nngram 2=1\n\n\\1-grams:\n-1\t<s>\t-0.3\n-1\t</s>\n-1\t<unk>\n"
          "-0.5\tab\t-0.2\n\n\\2-grams:\n-0.2\t<s> ab\n\n\\end\\\n",
          "model.arpa")
          .string(),
      {.threads = 1});
  return *loaded;
}

// The first line: the ending of the input, then the column, the format and flags, with spaces.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  if (line == text.npos) return 0;
  std::vector<std::string_view> head = split(text.substr(0, line), ' ');
  head.resize(4);
  if (head[0].size() > 8 || head[0].find('/') != head[0].npos ||
      !valid_utf8(text.substr(0, line)) || head[0].find('\0') != head[0].npos)
    return 0;
  const fuzzing::fs::path out = fuzzing::folder() / "words";
  engine::SurprisalFile how;
  how.column = head[1];
  how.format = head[2];
  how.bits = head[3].find('b') != head[3].npos;
  how.options.by_line = head[3].find('l') != head[3].npos;
  how.options.entropy = head[3].find('e') != head[3].npos;
  how.options.rank = head[3].find('r') != head[3].npos;
  try {
    engine::surprisal_of_file(small_model(),
                              fuzzing::file(text.substr(line + 1), "text" + std::string(head[0])),
                              out, how);
  } catch (const Error&) {
  }
  return 0;
}
