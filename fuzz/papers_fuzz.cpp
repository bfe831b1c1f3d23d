// A formula in the first line, a released table in the others: they are refused, or a number comes
// of them. What begins as an object is the description of a paper; after lines of dashes, the files
// that were released with it, each with its name in the first line.

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

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t end; (end = text.find("\n---\n")) != text.npos; text.remove_prefix(end + 5))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

void check(std::string_view text) {
  static const fuzzing::fs::path released = fuzzing::folder() / "released";
  fuzzing::fs::remove_all(released);
  fuzzing::fs::create_directory(released);
  const std::vector<std::string_view> parts = parts_of(text);
  for (size_t i = 1; i < parts.size(); ++i) {
    const size_t line = std::min(parts[i].find('\n'), parts[i].size());
    const std::string name(parts[i].substr(0, line));
    if (!name.empty() && name.size() < 50 && name != "." && name != ".." &&
        name.find_first_of(std::string("/\0", 2)) == name.npos)
      fuzzing::put(released / name, parts[i].substr(std::min(line + 1, parts[i].size())));
  }
  papers::Paper paper = papers::read_paper(fuzzing::file(parts[0], "fuzz.json"));
  papers::check(paper, released);
  paper.numbers();
  paper.recomputed();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  try {
    if (text.starts_with('{') || line == text.npos) {
      check(text);
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
  return minpair::fuzzing::mutate(
      data, size, most, seed, [](std::string s, minpair::fuzzing::Choice& choose) {
        const size_t end = std::min(s.find("\n---\n"), s.size());
        const std::string changed = minpair::fuzzing::mutate_json(s.substr(0, end), choose);
        return changed.empty() ? changed : changed + s.substr(end);
      });
}
