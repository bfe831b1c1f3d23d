// A paper's file; after lines of dashes, the files that were released with it, each with its name
// in the first line. Its queries are refused, stopped after a moment, or numbers come of them.

#include <span>

#include "base/error.h"
#include "file.h"
#include "papers/database.h"

namespace {

using namespace minpair;

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t end; (end = text.find("\n---\n")) != text.npos; text.remove_prefix(end + 5))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

// Whatever one query does, the others run.
void run(papers::Database& database, const papers::Sql& sql) try {
  database.query(sql);
} catch (const Error&) {
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzzing::fs::path released = fuzzing::folder() / "released";
  fuzzing::fs::remove_all(released);
  fuzzing::fs::create_directory(released);
  const std::vector<std::string_view> parts = parts_of({reinterpret_cast<const char*>(data), size});
  for (const std::string_view part : std::span(parts).subspan(1)) {
    const size_t line = std::min(part.find('\n'), part.size());
    const std::string name(part.substr(0, line));
    if (!name.empty() && name.size() < 50 && name != "." && name != ".." &&
        name.find_first_of(std::string("/\0", 2)) == name.npos)
      fuzzing::put(released / name, part.substr(std::min(line + 1, part.size())));
  }
  try {
    const papers::Paper paper = papers::read_paper(fuzzing::file(parts[0], "fuzz.sql"));
    papers::Database database(released, "fuzz.sql", {std::chrono::milliseconds(200), 10'000});
    for (const papers::Sql& sql : paper.setup) run(database, sql);
    for (const papers::PaperTable& table : paper.tables) run(database, table.query);
    for (const papers::Released& query : paper.released) run(database, query.query);
    paper.numbers();
    paper.recomputed();
  } catch (const Error&) {
  }
  return 0;
}
