// A formula in the first line, a released table in the others: they are refused, or a number comes
// of them. Without a table, the whole is the description of a paper.

#include "base/error.h"
#include "file.h"
#include "json_mutation.h"
#include "papers/formula.h"
#include "papers/frame.h"
#include "papers/papers.h"

namespace {

using namespace minpair;

void compute(const std::string& formula, std::string_view table, const char* name) {
  papers::Source source;
  source.files = {name};
  papers::Frame::Tables tables;
  fuzzing::file(reinterpret_cast<const uint8_t*>(table.data()), table.size(), name);
  papers::Frame frame = papers::Frame::read(source, fuzzing::folder(), tables);
  papers::Formula::parse(formula).value(frame);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  try {
    if (text.starts_with('{') || line == text.npos) {
      papers::Paper paper = papers::read_paper(fuzzing::file(data, size, "fuzz.json"));
      papers::check(paper, fuzzing::folder() / "nothing");
    } else {
      std::string_view table = text.substr(line + 1);
      const bool json = table.starts_with('{');
      const bool tabs = table.substr(0, table.find('\n')).find('\t') != table.npos;
      compute(std::string(text.substr(0, line)), table,
              json   ? "table.jsonl"
              : tabs ? "table.tsv"
                     : "table.csv");
    }
  } catch (const Error&) {
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return minpair::fuzzing::mutate(data, size, most, seed, minpair::fuzzing::mutate_json);
}
