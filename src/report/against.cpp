#include "report/views.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/paths.h"
#include "base/text.h"

namespace minpair::report {
namespace {

namespace fs = std::filesystem;
using Kind = GridColumn::Kind;

fs::path file_of(const std::string& name) {
  if (fs::exists(name)) return name;
  if (fs::path shipped = find_shipped("published", name + ".tsv"); !shipped.empty()) return shipped;
  throw wrong_call(fmt::format("there is no table '{}'", name))
      .hint("name a file with a language, a tab and a number per line, or 'complexity'");
}

double number_of(std::string_view text, const LineReader& lines) {
  double x = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (failed != std::errc() || end != text.data() + text.size() || !std::isfinite(x))
    throw bad_input(fmt::format("'{}' is not a number", text))
        .at(fmt::format("{}:{}", lines.name(), lines.line_number()));
  return x;
}

// One column of a table by test and language.
struct Accuracies {
  std::map<std::string, std::map<std::string, double>> of;  // by language, then by test

  // Tests that every one of these languages has.
  std::set<std::string> shared_tests(const std::set<std::string>& languages) const {
    std::map<std::string, size_t> seen;
    for (const std::string& language : languages)
      for (const auto& [test, accuracy] : of.at(language)) ++seen[test];
    std::set<std::string> tests;
    for (const auto& [test, n] : seen)
      if (n == languages.size()) tests.insert(test);
    return tests;
  }

  double mean(const std::string& language, const std::set<std::string>& tests) const {
    double sum = 0;
    for (const std::string& test : tests) sum += of.at(language).at(test);
    return sum / double(tests.size());
  }
};

Accuracies accuracies_of(const Table& table, size_t column) {
  Accuracies a;
  for (const Row& row : table.rows)
    if (const Cell& cell = row.cells[column];
        cell.present && !(cell.tally.pairs == 0 && !table.columns[column].published))
      a.of[row.keys[1]][row.keys[0]] = cell.accuracy;
  return a;
}

std::string joined(const std::set<std::string>& names) {
  return join({names.begin(), names.end()}, ", ");
}

std::vector<GridValue> row_of(const Table& table, size_t column, const LanguageNumbers& numbers,
                              std::set<std::string>& without) {
  const Accuracies accuracies = accuracies_of(table, column);
  std::set<std::string> languages;
  for (const auto& [language, tests] : accuracies.of)
    (numbers.of.contains(language) ? languages : without).insert(language);
  const std::set<std::string> tests = accuracies.shared_tests(languages);
  const std::string name =
      table.columns[column].key() + (table.columns[column].published ? " (published)" : "");
  std::vector<GridValue> row = {name, double(tests.size())};
  std::vector<double> x, y;
  for (const auto& [language, number] : numbers.of) {
    if (!languages.contains(language) || tests.empty()) {
      row.emplace_back();
      continue;
    }
    x.push_back(number);
    y.push_back(accuracies.mean(language, tests));
    row.emplace_back(y.back());
  }
  row.emplace_back(double(x.size()));
  if (x.size() < 3) {
    row.insert(row.end(), 4, GridValue());
    return row;
  }
  const stats::Correlation rho = stats::spearman(x, y);
  const bool known = x.size() > 3 && std::abs(rho.r) < 1;  // else the interval says nothing
  row.emplace_back(rho.r);
  row.push_back(known ? GridValue(rho.interval.low) : GridValue());
  row.push_back(known ? GridValue(rho.interval.high) : GridValue());
  row.emplace_back(rho.p);
  return row;
}

Grid grid_of(const Table& table, const LanguageNumbers& numbers) {
  Grid g{"against", fmt::format("{}: accuracy against {}", table.title, numbers.name),
         {},        {},
         false,     {}};
  g.columns = {{"model", "model", Kind::text}, {"tests", "tests", Kind::count}};
  for (const auto& [language, number] : numbers.of)
    g.columns.push_back({language, fmt::format("{} ({})", language, number), Kind::share});
  g.columns.insert(g.columns.end(), {{"languages", "n", Kind::count},
                                     {"spearman", "rho", Kind::share},
                                     {"ci_low", "from", Kind::share},
                                     {"ci_high", "to", Kind::share},
                                     {"p", "p", Kind::p}});
  std::set<std::string> without;
  for (size_t c = 0; c < table.columns.size(); ++c)
    g.rows.push_back(row_of(table, c, numbers, without));
  g.notes.push_back(
      "means over the tests that all of a model's languages have; rho: Spearman's, p exact up to "
      "eight languages");
  if (!without.empty())
    g.notes.push_back(fmt::format("no number is known for: {}", joined(without)));
  g.notes.push_back(join(table.policies, "; "));
  return g;
}

}  // namespace

LanguageNumbers read_language_numbers(const std::string& name) {
  const fs::path file = file_of(name);
  LanguageNumbers numbers{file.stem().string(), {}};
  LineReader lines(file);
  std::string_view line;
  while (lines.next(line)) {
    if (trim(line).empty() || line.starts_with("#")) continue;
    const auto fields = split(line, '\t');
    if (fields.size() != 2)
      throw bad_input("a line is a language, a tab and a number")
          .at(fmt::format("{}:{}", lines.name(), lines.line_number()));
    numbers.of[std::string(trim(fields[0]))] = number_of(trim(fields[1]), lines);
  }
  if (numbers.of.size() < 3)
    throw bad_input("fewer than three languages cannot correlate").at(file.string());
  return numbers;
}

std::vector<Grid> against_grids(store::Store& store, const ReportOptions& options,
                                const LanguageNumbers& numbers) {
  ReportOptions by_language = options;
  by_language.by = {"test", "language"};
  std::vector<Grid> grids;
  for (const Table& table : make_tables(store, by_language))
    grids.push_back(grid_of(table, numbers));
  return grids;
}

}  // namespace minpair::report
