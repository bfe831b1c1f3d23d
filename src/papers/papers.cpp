#include "papers/papers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/counts.h"
#include "base/error.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/names.h"
#include "base/paths.h"
#include "base/text.h"
#include "papers/database.h"
#include "papers/table.h"

namespace minpair::papers {
namespace {

using Texts = std::vector<std::string>;

// A comment and the statements below it.
struct Block {
  std::string kind;  // its first word: "table", "released"; else it is a comment
  uint64_t line = 0;
  std::vector<std::pair<std::string, std::string>> settings;  // "needs: a model", "[1] a slip"
  std::vector<Texts> rows;                                    // "| a | b |"
  Sql sql;

  std::string text(std::string_view name) const {
    for (const auto& [known, value] : settings)
      if (known == name) return value;
    return "";
  }
  Texts all(std::string_view name) const {
    Texts values;
    for (const auto& [known, value] : settings)
      if (known == name) values.push_back(value);
    return values;
  }
};

Texts cells_of(std::string_view row) {
  Texts cells;
  for (std::string_view cell : split(row, '|')) cells.emplace_back(trim(cell));
  return cells;
}

// One line of a comment; an indented one continues the one above.
void read_setting(std::string_view line, Block& block) {
  const bool continues = line.starts_with(' ') && !block.settings.empty();
  line = trim(line);
  const size_t colon = line.find(':'), bracket = line.find("] ");
  if (line.empty()) return;
  if (line[0] == '|' && line.back() == '|' && line.size() > 1)
    block.rows.push_back(cells_of(line.substr(1, line.size() - 2)));
  else if (line[0] == '[' && bracket != line.npos)
    block.settings.emplace_back(line.substr(0, bracket + 1), trim(line.substr(bracket + 2)));
  else if (continues)
    block.settings.back().second += " " + std::string(line);
  else if (colon != line.npos)
    block.settings.emplace_back(line.substr(0, colon), trim(line.substr(colon + 1)));
}

std::vector<Block> blocks_of(const std::string& text) {
  std::vector<Block> blocks(1);
  bool comment = false;
  uint64_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (!comment && line.starts_with("/*")) {
      comment = true;
      line.remove_prefix(2);
      blocks.emplace_back().line = number;
    }
    Block& block = blocks.back();
    if (!comment) {
      if (block.sql.text.empty()) block.sql.line = number;
      block.sql.text += std::string(line) + "\n";
      continue;
    }
    if (trim(line).ends_with("*/")) {
      comment = false;
      line = line.substr(0, line.rfind("*/"));
    }
    const bool first = block.line == number;
    read_setting(first ? trim(line) : line, block);
    if (first && !block.settings.empty()) block.kind = block.settings[0].first;
  }
  if (comment) throw bad_input("this comment has no end").at("", blocks.back().line);
  for (Block& block : blocks)
    if (trim(block.sql.text).empty()) block.sql = {};
  return blocks;
}

// "run: column | model | suite | method", and what holds for all of them.
void read_runs(const Block& block, PaperTable& table) {
  for (const std::string& text : block.all("run")) {
    const Texts cells = cells_of(text);
    const auto column = std::ranges::find(table.columns, cells[0], &Column::title);
    if (cells.size() != 4 || column == table.columns.end())
      throw bad_input(fmt::format("'{}' is not: run: COLUMN | MODEL | SUITE | METHOD", text));
    ModelRun run{cells[1], cells[2], cells[3]};
    run.rows = block.all("row");
    if (run.rows.empty()) throw bad_input("'row:' does not say which row an item belongs to");
    if (const std::string set = block.text("lengths"); !set.empty()) run.lengths = set;
    if (const std::string set = block.text("ties"); !set.empty()) run.ties = set;
    column->run = run;
  }
}

// "0.123", or "0.123 [1]" where the note says why it differs.
Printed printed_of(const std::string& cell, const Block& block) {
  const size_t bracket = cell.find(" [");
  if (bracket == cell.npos) return {cell, ""};
  const std::string why = block.text(cell.substr(bracket + 1));
  if (why.empty()) throw bad_input(fmt::format("'{}': there is no such note", cell));
  return {cell.substr(0, bracket), why};
}

PaperTable table_of(const Block& block) {
  PaperTable table;
  table.title = block.settings[0].second;
  table.needs = block.text("needs");
  table.query = block.sql;
  if (const std::string files = block.text("files"); !files.empty()) {
    const size_t space = files.find(' ');
    if (space == files.npos || !parse_number(files.substr(0, space), table.wanted_files))
      throw bad_input(fmt::format("'{}' is not: files: COUNT NAME", files));
    table.wanted = trim(files.substr(space));
  }
  if (block.rows.empty()) throw bad_input("a table has a row of column titles and rows of numbers");
  for (const std::string& title : std::span(block.rows[0]).subspan(1))
    table.columns.push_back({title});
  if (table.query.text.empty() && table.needs.empty())
    throw bad_input("a table has a query, or says what it 'needs'");
  read_runs(block, table);
  for (const Texts& cells : std::span(block.rows).subspan(1)) {
    if (cells.size() != block.rows[0].size())
      throw bad_input(fmt::format("'{}': {} for {}", cells[0], counted(cells.size() - 1, "value"),
                                  counted(table.columns.size(), "column")));
    Row& row = table.rows.emplace_back();
    const size_t sign = cells[0].find(" = ");
    row.title = cells[0].substr(0, sign);
    row.key = sign == std::string::npos ? row.title : cells[0].substr(sign + 3);
    for (const std::string& cell : std::span(cells).subspan(1))
      row.values.push_back(printed_of(cell, block));
  }
  return table;
}

}  // namespace

Paper read_paper(const std::filesystem::path& file) {
  Paper paper;
  paper.name = file.stem().string();
  paper.file = file;
  bool head = true;
  uint64_t line = 0;
  try {
    for (const Block& block : blocks_of(read_file(file))) {
      line = block.line;
      if (block.kind == "table") {
        paper.tables.push_back(table_of(block));
      } else if (block.kind == "released") {
        paper.released.push_back(
            {block.text("suite"), block.text("method"), block.text("norm"), block.sql});
      } else {
        if (head && !block.settings.empty()) {
          head = false;
          paper.title = block.text("title"), paper.citation = block.text("citation");
          paper.source = block.text("source"), paper.licence = block.text("licence");
          paper.notes = block.all("note"), paper.no_items = block.text("no items");
          const Texts folder = block.all("folder");
          paper.folder = folder.empty() ? paper.name : folder[0];
        }
        if (!block.sql.text.empty()) paper.setup.push_back(block.sql);
      }
    }
    line = 1;
    if (paper.title.empty()) throw bad_input("not a paper: its first comment has no 'title:'");
  } catch (Error& e) {
    if (e.where().file.empty()) e.at(file.string(), line).hint("docs/papers.md explains the file");
    throw;
  }
  return paper;
}

std::vector<Paper> all_papers() {
  std::vector<Paper> papers;
  for (const std::filesystem::path& folder : shipped_folders("published")) {
    for (const std::filesystem::path& entry : entries_if_any(folder / "papers"))
      if (entry.extension() == ".sql") papers.push_back(read_paper(entry));
    if (!papers.empty()) break;
  }
  std::ranges::sort(papers, {}, &Paper::name);
  return papers;
}

Paper find_paper(const std::string& name) {
  if (name.ends_with(".sql")) return read_paper(name);
  Texts known;
  for (Paper& paper : all_papers()) {
    if (paper.name == name) return std::move(paper);
    known.push_back(paper.name);
  }
  throw unknown_name(fmt::format("there is no paper '{}'", name), name, known);
}

size_t PaperTable::numbers() const {
  size_t n = 0;
  for (const Row& row : rows)
    n +=
        size_t(std::ranges::count_if(row.values, [](const Printed& p) { return !p.text.empty(); }));
  return n;
}

size_t Paper::numbers() const {
  size_t n = 0;
  for (const PaperTable& table : tables) n += table.numbers();
  return n;
}

size_t Paper::recomputed() const {
  size_t n = 0;
  for (const PaperTable& table : tables) n += table.query.text.empty() ? 0 : table.numbers();
  return n;
}

std::string_view text_of(Verdict verdict) {
  constexpr std::string_view kTexts[] = {"same", "DIFFERS", "known", "not here"};
  return kTexts[size_t(verdict)];
}

// Half a unit of the last printed digit; a little more, since halves are rounded either way.
bool rounds_to(double ours, const std::string& printed) {
  double number = 0, power = 0;
  const size_t point = printed.find('.'), exponent = printed.find('e');
  if (!parse_number(printed, number) ||
      (exponent != printed.npos && !parse_number(printed.substr(exponent + 1), power)))
    throw bad_input(fmt::format("'{}' is not a number", printed));
  if (point != printed.npos) power -= double(std::min(exponent, printed.size()) - point - 1);
  return std::abs(ours - number) <= std::pow(10.0, power) * 0.5 * (1 + 1e-6);
}

namespace {

Checked judged(const PaperTable& table, const Row& row, size_t i, double ours) {
  const Printed& printed = row.values[i];
  Checked c{table.title, row.title, table.columns[i].title, printed.text, ours};
  if (std::isnan(ours)) {
    c.verdict = Verdict::needs;
    c.why = table.needs;
  } else if (!rounds_to(ours, c.printed)) {
    c.verdict = printed.differs.empty() ? Verdict::differs : Verdict::known;
    c.why = printed.differs;
  } else if (!printed.differs.empty()) {
    // A known disagreement that is none any more: the note is wrong.
    c.verdict = Verdict::differs;
    c.why = "they agree, but are said not to";
  }
  return c;
}

// What a query gives for a row and a column. The first column of a query has the rows' keys and the
// others are the columns of the table; or its columns are `row`, `column` and `value`. Where the
// printed table has only one column, without a title, the query can have a row of values instead,
// whose names are the keys.
double computed(const Result& result, const Row& row, const std::string& column) {
  const bool in_rows = result.columns == Texts{"row", "column", "value"};
  const auto place = [&](const std::string& name) {
    return size_t(std::ranges::find(result.columns, name) - result.columns.begin());
  };
  size_t at = in_rows ? 2 : place(column.empty() ? row.key : column);
  const bool by_name = !in_rows && column.empty() && at < result.columns.size();
  if (!in_rows && column.empty() && !by_name) at = 1;
  if (at >= result.columns.size())
    throw unknown_name(fmt::format("the query has no column '{}'", column), column, result.columns);
  std::vector<double> found;
  for (const std::vector<Value>& values : result.rows)
    if (by_name || (text_of(values[0]) == row.key && (!in_rows || text_of(values[1]) == column)))
      found.push_back(number_of(values[at]));
  if (found.size() != 1 || std::isnan(found[0]))
    throw bad_input(fmt::format("the query gives {} for '{}', '{}'",
                                found.size() > 1 ? "several rows" : "no number", row.key, column));
  return found[0];
}

// The printed numbers of all tables, for queries.
void add_printed(Database& database, const Paper& paper) {
  std::string sql = "create table printed(title text, row text, column text, value real);";
  const auto quoted = [](std::string text) {
    for (size_t at = 0; (at = text.find('\'', at)) != text.npos; at += 2) text.insert(at, "'");
    return "'" + text + "'";
  };
  for (const PaperTable& table : paper.tables)
    for (const Row& row : table.rows)
      for (size_t i = 0; i < row.values.size(); ++i)
        if (!row.values[i].text.empty())
          sql += fmt::format("insert into printed values({}, {}, {}, number({}));",
                             quoted(table.title), quoted(row.title), quoted(table.columns[i].title),
                             quoted(row.values[i].text));
  database.query({sql, 0});
}

}  // namespace

std::vector<Checked> check(const Paper& paper, const std::filesystem::path& folder,
                           const std::string& title) {
  Database database(folder, paper.file.string());
  add_printed(database, paper);
  for (const Sql& setup : paper.setup) database.query(setup);
  std::vector<Checked> all;
  for (const PaperTable& table : paper.tables) {
    if (!title.empty() && table.title != title) continue;
    const bool here = !table.query.text.empty() &&
                      (table.wanted.empty() ||
                       double(files_of(table.wanted, folder).size()) >= table.wanted_files);
    const Result result = here ? database.query(table.query) : Result();
    for (const Row& row : table.rows)
      for (size_t i = 0; i < row.values.size(); ++i) try {
          if (row.values[i].text.empty()) continue;
          all.push_back(judged(
              table, row, i, here ? computed(result, row, table.columns[i].title) : std::nan("")));
        } catch (Error& e) {
          throw e.at(paper.file.string(), table.query.line);
        }
  }
  return all;
}

}  // namespace minpair::papers
