#pragma once
// Tables of stored runs: policies (judge/policy.h) are applied here, never while scoring.
//
//   store::Store store("results.db", store::Store::Mode::read);
//   std::vector<Table> tables = make_tables(store, options);   // one per suite
//   fmt::print("{}", text_tables(tables, {.width = 80}));
//
// Every table accounts for every item: scored, tied, of unequal lengths, or excluded for a
// reason.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "judge/judge.h"
#include "stats/stats.h"
#include "store/store.h"

namespace minpair::report {

// The intervals of tables: calibrated (stats/share.h) where they are of accuracies and their
// differences, else Student's t over clusters; or, asked for, Student's t everywhere, or the
// bootstrap's (BCa).
struct Intervals {
  enum class Way { calibrated, student, bootstrap };
  Way way = Way::calibrated;
  stats::BootstrapOptions resampling;
};

struct ReportOptions {
  // "suite", "test", "condition" or "criterion" (which bring their test), "language", or any
  // feature of the items.
  std::vector<std::string> by = {"test"};
  std::vector<judge::View> views;  // empty: each run's own
  bool all_views = false;
  judge::Policy policy;
  bool aggregate_seeds = false;   // mean and deviation over NAME/seed1, NAME/seed2, ...
  std::string cluster = "suite";  // of `--stats` and the page's intervals; see clusters.h
  Intervals intervals;            // of `--stats`, margins and regions
  bool clustered = false;         // those of a table's cells over clusters, too, where that can be
  size_t bins = 10;               // for features with more distinct numbers than that
  judge::Wanted wanted;           // which runs
  std::vector<std::string> tests, conditions, languages;  // empty: all
  bool by_default =
      false;  // nobody asked for `by`: a suite of several languages is cut by them, too
};

// How many items, and what happened to them.
struct Tally {
  uint64_t items = 0;    // all of them
  uint64_t pairs = 0;    // counted in the accuracy
  uint64_t correct = 0;  // strictly
  uint64_t ties = 0;
  double points = 0;  // correct and what the ties are worth
  std::map<judge::Reason, uint64_t> excluded;

  double accuracy() const { return pairs ? points / double(pairs) : 0; }
};

struct Column {
  std::string model, method;
  std::string norm;     // the name of the view
  std::string lengths;  // "equal", "all", or "" where they do not differ
  bool published = false;
  bool released = false;  // made from scores that somebody released, not by running a model
  size_t seeds = 0;       // more than 0: a mean over so many
  std::string key() const;
};

struct Cell {
  bool present = false;
  Tally tally;
  double accuracy = 0;
  stats::Interval interval;
  double deviation = 0;  // over seeds
  bool best = false;     // of its row
  bool low = false;      // among the five lowest of its column
  std::string source;    // of a published number
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
  std::string clusters;           // what they are, where intervals are over clusters; else empty
  std::vector<std::string> made;  // how: a line for what was run together
  struct Run {
    std::string model, method;
    store::Facts facts;
  };
  std::vector<Run> runs;
};

std::vector<Table> make_tables(store::Store& store, const ReportOptions& options);

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
  std::string label;  // "tab:de"; further tables get a number
};
std::string latex_tables(const std::vector<Table>& tables, const LatexStyle& style = {});
std::string csv_tables(const std::vector<Table>& tables);
std::string json_tables(const std::vector<Table>& tables);
// results_*.json and samples_*.jsonl as lm-evaluation-harness writes them, one folder per model.
// Gives the files written.
std::vector<std::filesystem::path> write_lm_eval(store::Store& store, const ReportOptions& options,
                                                 const std::filesystem::path& folder);

// The width of the terminal, $COLUMNS, or 100.
size_t window_width();
// `text` after `line`, broken between words so that it fits; further lines begin with `indent`.
std::string wrapped(std::string line, std::string_view text, size_t width, size_t indent);
// "0.9420"; a mean over seeds with its deviation: "0.9420 ±0.0123"; "" when absent.
std::string cell_text(const Cell& cell);

}  // namespace minpair::report
