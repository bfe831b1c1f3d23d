#pragma once
// Tables of stored runs: policies (judge/policy.h) are applied here, never while scoring.
//
//   store::Store store("results.db", store::Store::Mode::read);
//   std::vector<Table> tables = make_tables(store, options);   // one per suite
//   fmt::print("{}", text_tables(tables, {.width = 80}));
//
// Every table accounts for every item: scored, tied, of unequal lengths, or excluded for a
// reason.

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "report/rows.h"

namespace minpair::report {

// What counts the same in a mean: every item, every test of every language, or every language.
enum class Average { items, tests, languages };

struct ReportOptions : Selection {
  // "suite", "test", "condition" or "criterion" (which bring their test), "language", or any
  // feature of the items.
  std::vector<std::string> by = {"test"};
  std::vector<judge::View> views;  // empty: each run's own
  bool all_views = false;
  judge::Policy policy;
  bool aggregate_seeds = false;  // mean and deviation over NAME/seed1, NAME/seed2, ...
  Average average = Average::items;
  std::string cluster = "suite";  // of `--stats` and the page's intervals; see cluster_name()
  Intervals intervals;
  bool with_values = false;  // cells have intervals, for which every item is read
  size_t bins = 10;          // for features with more distinct numbers than that
  bool by_default =
      false;  // nobody asked for `by`: a suite of several languages is cut by them, too
};

// One for every view that is asked for and that the run has: clozes have other views than
// sentences.
std::vector<Look> looks_at(const store::RunRecord& run, const ReportOptions& options);
Look look_at(const store::RunRecord& run, const ReportOptions& options);

struct Column {
  std::string model, method;
  std::string norm;     // the name of the view
  std::string lengths;  // "equal", "all", or "" where they do not differ
  bool published = false;
  bool other_items = false;  // published, and over other items than ours
  bool released = false;     // made from scores that somebody released, not by running a model
  size_t seeds = 0;          // more than 0: a mean over so many; counts are sums over them
  std::string key() const;
};

struct Cell {
  bool present = false;
  Tally tally;
  double accuracy = 0;
  stats::Interval interval = {std::nan(""), std::nan("")};  // where options ask for it
  stats::Method method = stats::Method::none;               // of the interval
  uint64_t clusters = 0;
  stats::ClusterSums sums;  // what both are made from
  double deviation = 0;     // over seeds
  bool best = false;        // of its row, or not below the best beyond chance
  bool low = false;         // among the five lowest of its column
  std::string source;       // of a published number
};

struct Row {
  std::vector<std::string> keys;    // parallel to Table::by
  std::vector<std::string> titles;  // the same, for readers
  std::string section;
  std::vector<Cell> cells;  // parallel to Table::columns
};

struct Table {
  std::string suite, title;
  std::vector<std::string> by;
  std::vector<Column> columns;
  std::vector<Row> rows;
  Row total;
  std::vector<std::string> policies;  // "ties count one half", ...
  std::vector<std::string> account;   // a line per run: where every item is
  std::vector<std::string> notes;
  bool designs = false;           // an item is right where all its criteria hold
  std::string clusters;           // what they are, where intervals are over clusters; else empty
  std::vector<std::string> made;  // how: a line for what was run together
  struct Run {
    std::string model, method;
    store::Facts facts;
  };
  std::vector<Run> runs;
};

std::vector<Table> make_tables(store::Store& store, const ReportOptions& options);

// "A is better than B on 4 of 16 tests, B on 1", after Holm's correction, for every two runs of the
// table; nothing where there are more than a few.
std::vector<std::string> findings_of(const Table& table);

// Only the columns of these models (NAME, or NAME:METHOD), published ones included, in this order.
// Throws with suggestions.
void choose_columns(std::vector<Table>& tables, const std::vector<std::string>& names);

// --- formats ---

struct TextStyle {
  size_t width = 80;
  bool color = false;
};
std::string text_tables(const std::vector<Table>& tables, const TextStyle& style);
std::string markdown_tables(const std::vector<Table>& tables);
struct LatexStyle {
  size_t digits = 4;
  bool percent = false;
  bool intervals = false;
  bool wide = false;  // over both columns of an article
  std::string label;  // "tab:de"; further tables get a number
};
std::string latex_tables(const std::vector<Table>& tables, const LatexStyle& style = {});
std::string csv_tables(const std::vector<Table>& tables);
std::string json_tables(const std::vector<Table>& tables);
// results_*.json and samples_*.jsonl as lm-evaluation-harness writes them, one folder per model.
// Gives the files written.
std::vector<std::filesystem::path> write_lm_eval(store::Store& store, const ReportOptions& options,
                                                 const std::filesystem::path& folder);

// --- small tables of values, of statistics and other views ---

struct GridColumn {
  enum class Kind { text, count, share, difference, number, p };
  std::string key;    // in CSV and JSON
  std::string title;  // for readers
  Kind kind = Kind::text;
  bool printed = true;  // also on paper, where there is less room
  bool shown = true;    // to readers, who have notes; else in CSV and JSON alone
};

// Nothing, a text or a number; what is not a number (NaN) is shown as nothing.
using GridValue = std::variant<std::monostate, std::string, double>;

struct Grid {
  std::string key, title;
  std::vector<GridColumn> columns;
  std::vector<std::vector<GridValue>> rows;
  bool total = false;  // the last row sums the others up
  std::vector<std::string> notes;
  std::map<std::string, std::string> titles;  // what texts are called on paper
  std::string label;                          // for \ref
};

// A row for every cell of every table: what CSV has, and what programs get.
Grid cells_grid(const std::vector<Table>& tables);

// "table", "markdown", "latex", "csv" or "json".
std::string render_grids(const std::vector<Grid>& grids, const std::string& format);
std::string value_text(const GridValue& value, GridColumn::Kind kind);
std::string exact_text(const GridValue& value);  // every digit; "" of what is not a number

// The width of the terminal, $COLUMNS, or 100.
size_t window_width();
// `text` after `line`, broken between words so that it fits; further lines begin with `indent`.
std::string wrapped(std::string line, std::string_view text, size_t width, size_t indent);
// "0.9420"; a mean over seeds with its deviation: "0.9420 ±0.0123"; "" when absent.
std::string cell_text(const Cell& cell);

}  // namespace minpair::report
