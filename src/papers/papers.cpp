#include "papers/papers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/counts.h"
#include "base/error.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/names.h"
#include "base/paths.h"
#include "base/python_json.h"
#include "papers/formula.h"

namespace minpair::papers {

std::string with_row(std::string text, const std::string& key) {
  for (size_t at = 0; (at = text.find("{row}", at)) != text.npos; at += key.size())
    text.replace(at, 5, key);
  return text;
}

namespace {

using Json = nlohmann::ordered_json;

using Texts = std::vector<std::string>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs pairs_of(const Json& j) {
  Pairs pairs;
  for (const auto& [name, value] : j.items()) pairs.emplace_back(name, value.get<std::string>());
  return pairs;
}

Join join_of(const Json& j) {
  Join join;
  join.file = j.at("file");
  join.on = j.at("on").is_array() ? j.at("on").get<Texts>() : Texts{j.at("on")};
  join.prefix = j.value("prefix", "");
  if (j.contains("either")) {
    join.column = j.at("either").at(0);
    join.either = j.at("either").at(1).get<Texts>();
  }
  join.alike = j.value("alike", false);
  join.in_order = j.value("in_order", false);
  join.format = j.value("format", "");
  join.names = j.value("names", Texts());
  return join;
}

Fit fit_of(const Json& j) {
  Fit fit;
  fit.model = j.at("model");
  fit.trials = j.value("trials", "");
  fit.where = j.value("where", "");
  fit.restricted = j.value("reml", false);
  fit.without = j.value("without", Texts());
  if (j.contains("reference")) fit.reference = pairs_of(j.at("reference"));
  return fit;
}

Step step_of(const Json& j) {
  Step step;
  if (j.contains("words"))
    step.words = {j.at("words").at("token"), j.at("words").at("text"),
                  j.at("words").value("sum", Texts())};
  step.where = j.value("where", "");
  if (j.contains("derive"))
    for (const Json& d : j.at("derive"))
      step.derived.push_back({d.at(0), d.at(1), d.size() > 2 ? d.at(2).get<std::string>() : "",
                              d.size() > 3 ? d.at(3).get<std::string>() : ""});
  if (j.contains("compute"))
    for (const Json& c : j.at("compute")) step.computed.emplace_back(c.at(0), c.at(1));
  if (j.contains("join"))
    for (const Json& other : j.at("join")) step.joins.push_back(join_of(other));
  if (j.contains("before"))
    step.before = {j.at("before").at("text"), j.at("before").at("position"),
                   j.at("before").at("columns").get<Texts>()};
  if (j.contains("fit")) step.fit = fit_of(j.at("fit"));
  return step;
}

Source source_of(const Json& j) {
  Source s;
  if (j.contains("file")) s.files.push_back(j.at("file"));
  if (j.contains("files")) s.files = j.at("files").get<Texts>();
  s.format = j.value("format", "");
  s.names = j.value("names", Texts());
  s.rows = j.value("rows", "");
  s.print = j.value("print", "");
  s.pairs = j.value("pairs", false);
  if (j.contains("stack")) {
    s.stack.over = j.at("stack").value("over", Texts());
    s.stack.columns = pairs_of(j.at("stack").at("columns"));
  }
  s.repeat = j.value("repeat", "");
  Step first = step_of(j);
  s.derived = std::move(first.derived);
  s.joins = std::move(first.joins);
  first.derived.clear(), first.joins.clear();
  s.then.push_back(std::move(first));
  if (j.contains("then"))
    for (const Json& step : j.at("then")) s.then.push_back(step_of(step));
  return s;
}

// ["title", "0.123", "45", null] or ["title | key", ...]; a value that is known to differ is
// ["0.123", "why"].
Row row_of(const Json& j) {
  Row row;
  row.title = row.key = j.at(0);
  if (size_t at = row.title.find(" | "); at != std::string::npos) {
    row.key = row.title.substr(at + 3);
    row.title.resize(at);
  }
  for (size_t i = 1; i < j.size(); ++i) {
    const Json& value = j[i].is_array() ? j[i].at(0) : j[i];
    row.values.push_back(value.is_null() ? "" : value.get<std::string>());
    row.differs.push_back(j[i].is_array() ? j[i].at(1).get<std::string>() : "");
  }
  return row;
}

// "run": what holds for the whole table, and for each of its "columns" that a model can answer.
void read_run(const Json& run, PaperTable& table) {
  for (const auto& [title, own] : run.at("columns").items()) {
    auto column = std::find_if(table.columns.begin(), table.columns.end(),
                               [&, &name = title](const Column& c) { return c.title == name; });
    if (column == table.columns.end())
      throw bad_input(fmt::format("'{}' has no column '{}' to run", table.title, title));
    auto text = [&, &set = own](const char* name, const std::string& otherwise) {
      return set.value(name, run.value(name, otherwise));
    };
    column->asked = Asked{text("suite", ""),    text("method", ""), text("lengths", "all"),
                          text("ties", "half"), text("where", ""),  text("model", "")};
  }
}

PaperTable table_of(const Json& j) {
  PaperTable table;
  table.title = j.at("title");
  table.needs = j.value("needs", "");
  if (j.contains("files")) {
    table.wanted = j.at("files").at(0);
    table.wanted_files = j.at("files").at(1);
  }
  if (j.contains("from")) table.source = source_of(j.at("from"));
  for (const Json& column : j.at("columns"))
    table.columns.push_back(
        {column.at(0), column.size() > 1 ? column.at(1).get<std::string>() : "", {}});
  if (j.contains("run")) read_run(j.at("run"), table);
  for (const Json& row : j.at("rows")) {
    table.rows.push_back(row_of(row));
    if (table.rows.back().values.size() != table.columns.size())
      throw bad_input(fmt::format("'{}': {} for {}", table.rows.back().title,
                                  counted(table.rows.back().values.size(), "value"),
                                  counted(table.columns.size(), "column")));
  }
  return table;
}

Released released_of(const Json& j) {
  Released r;
  r.source = source_of(j.at("from"));
  auto text = [&](const char* name) { return j.value(name, ""); };
  r.suite = text("suite"), r.model = text("model"), r.method = j.at("method");
  r.norm = j.at("norm");
  r.id = text("id"), r.test = text("test"), r.condition = text("condition");
  r.language = text("language"), r.cluster = text("cluster"), r.context = text("context");
  r.choice = text("choice"), r.person = text("person"), r.where = text("where");
  r.people = j.contains("person");
  for (const Json& s : j.at("sentences"))
    r.sentences.push_back({s.at(0), s.at(1), s.size() > 2 ? s.at(2).get<std::string>() : ""});
  return r;
}

double number_of(const std::string& printed) {
  try {
    size_t used = 0;
    double value = std::stod(printed, &used);
    if (used == printed.size()) return value;
  } catch (const std::exception&) {
  }
  throw bad_input(fmt::format("'{}' is not a number", printed));
}

}  // namespace

// Half a unit of the last printed digit; a little more, since halves are rounded either way.
bool rounds_to(double ours, const std::string& printed) {
  size_t point = printed.find('.'), exponent = printed.find('e');
  double unit = 1;
  if (point != printed.npos)
    unit = std::pow(10.0, -double(std::min(exponent, printed.size()) - point - 1));
  if (exponent != printed.npos) unit *= std::pow(10.0, number_of(printed.substr(exponent + 1)));
  return std::abs(ours - number_of(printed)) <= unit * 0.5 * (1 + 1e-6);
}

namespace {

Checked judged(const PaperTable& table, const Row& row, size_t i, double ours) {
  Checked c{table.title, row.title, table.columns[i].title, row.values[i], ours};
  if (std::isnan(ours)) {
    c.verdict = Verdict::needs;
    c.why = table.needs;
  } else if (!rounds_to(ours, c.printed)) {
    c.verdict = row.differs[i].empty() ? Verdict::differs : Verdict::known;
    c.why = row.differs[i];
  } else if (!row.differs[i].empty()) {
    // A known disagreement that is none any more: the note is wrong.
    c.verdict = Verdict::differs;
    c.why = "they agree, but are said not to";
  }
  return c;
}

// A table as it stands in print.
Frame printed_frame(const Paper& paper, const std::string& title) {
  for (const PaperTable& table : paper.tables) {
    if (table.title != title) continue;
    Frame frame;
    frame.add_column("row");
    for (const Column& column : table.columns) frame.add_column(column.title);
    for (const Row& row : table.rows) {
      std::vector<std::string> cells = {row.title};
      cells.insert(cells.end(), row.values.begin(), row.values.end());
      frame.add_row(cells);
    }
    return frame;
  }
  throw bad_input(fmt::format("the paper has no table '{}'", title));
}

void check_table(const Paper& paper, const PaperTable& table, const std::filesystem::path& folder,
                 Frame::Tables& tables, std::vector<Checked>& out) {
  std::string read_for;
  std::optional<Frame> frame;
  if (!table.source.print.empty()) frame = printed_frame(paper, table.source.print);
  const bool enough =
      table.wanted.empty() || files_of(table.wanted, folder).size() >= table.wanted_files;
  for (const Row& row : table.rows) {
    Source source = table.source;
    std::string files;
    for (std::string& file : source.files) files += (file = with_row(file, row.key)) + "\n";
    for (Join& join : source.joins) files += (join.file = with_row(join.file, row.key)) + "\n";
    files += source.rows = with_row(source.rows, row.key);
    if (enough && !source.files.empty() && (!frame || files != read_for))
      frame = Frame::read(source, folder, tables);
    read_for = files;
    for (size_t i = 0; i < row.values.size(); ++i) {
      if (row.values[i].empty()) continue;
      const std::string& formula = table.columns[i].formula;
      double ours = std::nan("");
      if (enough && !formula.empty() && !frame)
        throw bad_input(
            fmt::format("the table '{}' has a formula, but no files for it", table.title))
            .at(paper.name);
      if (enough && !formula.empty())
        ours = Formula::parse(with_row(formula, row.key)).value(*frame);
      out.push_back(judged(table, row, i, ours));
    }
  }
}

}  // namespace

std::string_view text_of(Verdict verdict) {
  constexpr std::string_view kTexts[] = {"same", "DIFFERS", "known", "not here"};
  return kTexts[size_t(verdict)];
}

size_t Paper::numbers() const {
  size_t n = 0;
  for (const PaperTable& t : tables)
    for (const Row& r : t.rows)
      n += size_t(std::count_if(r.values.begin(), r.values.end(),
                                [](const std::string& v) { return !v.empty(); }));
  return n;
}

size_t Paper::recomputed() const {
  size_t n = 0;
  for (const PaperTable& t : tables)
    for (const Row& r : t.rows)
      for (size_t i = 0; i < r.values.size(); ++i)
        n += !r.values[i].empty() && !t.columns[i].formula.empty();
  return n;
}

Paper read_paper(const std::filesystem::path& file) try {
  const std::string text = read_file(file);
  check_json_depth(text, file.string());
  Json j = Json::parse(text);
  Paper paper{file.stem().string(),
              j.at("title"),
              j.value("citation", ""),
              j.value("source", ""),
              j.value("licence", ""),
              j.value("folder", file.stem().string()),
              j.value("notes", Texts()),
              j.value("no_items", ""),
              {},
              {}};
  for (const Json& table : j.at("tables")) paper.tables.push_back(table_of(table));
  if (j.contains("released"))
    for (const Json& r : j.at("released")) paper.released.push_back(released_of(r));
  return paper;
} catch (const nlohmann::json::exception& e) {
  throw bad_input(fmt::format("not a paper: {}", e.what()))
      .at(file.string())
      .hint("docs/papers.md explains the file");
}

std::vector<Paper> all_papers() {
  std::vector<Paper> papers;
  for (const std::filesystem::path& folder : shipped_folders("published")) {
    for (const std::filesystem::path& entry : entries_if_any(folder / "papers"))
      if (entry.extension() == ".json") papers.push_back(read_paper(entry));
    if (!papers.empty()) break;
  }
  std::sort(papers.begin(), papers.end(),
            [](const Paper& a, const Paper& b) { return a.name < b.name; });
  return papers;
}

Paper find_paper(const std::string& name) {
  std::vector<std::string> known;
  for (Paper& paper : all_papers()) {
    if (paper.name == name) return std::move(paper);
    known.push_back(paper.name);
  }
  throw unknown_name(fmt::format("there is no paper '{}'", name), name, known);
}

std::vector<Checked> check(const Paper& paper, const std::filesystem::path& folder,
                           const std::string& table) {
  std::vector<Checked> all;
  Frame::Tables tables;
  for (const PaperTable& t : paper.tables)
    if (table.empty() || t.title == table) check_table(paper, t, folder, tables, all);
  return all;
}

}  // namespace minpair::papers
