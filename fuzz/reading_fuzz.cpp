// Reading times beside the words that a model read: two tables, divided by a line of dashes; a
// third one has frequencies. They are refused, or the gains are computed.

#include "base/error.h"
#include "base/text.h"
#include "file.h"
#include "reading/reading.h"

using namespace minpair;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string_view> tables;
  for (;;) {
    const size_t end = text.find("\n---\n");
    tables.push_back(text.substr(0, end));
    if (end == text.npos) break;
    text.remove_prefix(end + 5);
  }
  if (tables.size() < 2) return 0;
  auto table = [](std::string_view t, std::string name) {
    const bool tabs = t.substr(0, t.find('\n')).find('\t') != t.npos;
    name += t.starts_with('{') ? ".jsonl" : tabs ? ".tsv" : ".csv";
    return fuzzing::file(t, name);
  };
  reading::Question question;
  question.times = table(tables[0], "times");
  question.words = {table(tables[1], "words")};
  question.log = tables[0].size() % 2;
  question.by_text = tables[1].size() % 2;
  question.spillover = uint32_t(tables[0].size() % 3);
  question.mismatches = tables[1].size() % 3;
  question.folds = 2;
  if (tables.size() > 2) question.unigrams = fuzzing::file(tables[2], "counts.tsv");
  try {
    const reading::Joined joined = reading::join(question);
    reading::joined_csv(joined);
    reading::gains(joined, question);
  } catch (const Error&) {
  }
  return 0;
}
