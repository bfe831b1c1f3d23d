#include "store/judgments.h"

#include <algorithm>
#include <memory>

#include "store/checksum.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace minpair::store {
namespace {

constexpr const char* kColumns = "source, sentence, other, person, value";

}  // namespace

void replace_judgments(const std::filesystem::path& results, const std::string& source,
                       const std::vector<Judgment>& judgments) {
  std::vector<Judgment> same = read_judgments(results);
  std::erase_if(same, [&](const Judgment& j) { return j.source != source; });
  auto alike = [](Judgment a, const Judgment& b) {
    a.source = b.source;
    return a == b;
  };
  if (std::equal(judgments.begin(), judgments.end(), same.begin(), same.end(), alike)) return;
  Database database(results, SQLITE_OPEN_READWRITE);
  create_schema(database);
  database.run("BEGIN IMMEDIATE");
  database.run(kJudgmentsTable);
  Statement(database, "DELETE FROM judgments WHERE source = ?").bind(source).run();
  Statement insert(database, "INSERT INTO judgments " + values_with_checksum(5));
  for (const Judgment& j : judgments)
    insert.bind(source).bind(j.sentence).bind(j.other).bind(j.person).bind(j.value).run();
  database.run("COMMIT");
}

std::vector<Judgment> read_judgments(const std::filesystem::path& results) {
  std::unique_ptr<Database> database = open_to_read(results);
  std::vector<Judgment> all;
  if (database->number("SELECT 1 FROM sqlite_schema WHERE name = 'judgments'") == 0) return all;
  Statement s(*database, std::string("SELECT ") + kColumns + ", row_checksum(" + kColumns +
                             ") = checksum FROM judgments ORDER BY rowid");
  while (s.step()) {
    if (s.integer(5) == 0) throw damaged(*database, "a judgment of '" + s.string(1) + "'");
    all.push_back({s.string(0), s.string(1), s.string(2), s.string(3), s.real(4)});
  }
  return all;
}

}  // namespace minpair::store
