#pragma once
// Two runs on the same items (models, methods, preparations of a suite): which is better, by how
// much, and could it be chance? docs/statistics.md says why these tests.
//
//   for (const Comparison& c : compare_runs(store, {.sides = {"A:ce", "B:lp"}}))
//     fmt::print("{}", render_grids(grids_of(c, 10), "table"));

#include "report/grid.h"
#include "report/report.h"

namespace minpair::report {

struct CompareOptions {
  // MODEL, MODEL:METHOD or MODEL:METHOD:NORM each; more than two: every pair.
  std::vector<std::string> sides;
  // Or one of these names the two sides; the others choose among the runs. Where none names two,
  // the results must leave no choice.
  std::vector<std::string> models, methods, suites;
  std::vector<std::string> tests, languages;
  std::optional<judge::View> view;  // absent: each run's own
  judge::Policy policy;
  std::string cluster = "suite";  // clusters.h
  // How items of two suites find each other: by "name" (their ids), or by "place" in the suite.
  std::string match = "name";
  Intervals intervals;  // its resampling is the permutation test's, too
};

// All items, or those of one test, that both sides judge.
struct ComparedTest {
  std::string test;  // empty: all
  uint64_t items = 0, clusters = 0;
  double first = 0, second = 0;  // accuracies
  stats::Estimate difference;    // first minus second
  stats::PairedCounts pairs;
  double mcnemar = 1, permutation = 1;
  double holm = 1, benjamini_hochberg = 1;  // of `permutation`, over the tests
  double detectable = 0;  // the smallest difference that these clusters would show; NaN: none
};

struct Flip {
  suite::Item item;
  std::vector<suite::Sentence> second;  // where the other preparation reads differently
  bool first_right = false;
  double first_margin = 0, second_margin = 0;
};

struct Comparison {
  std::string title;  // what both sides have in common
  std::string first, second;
  std::vector<ComparedTest> tests;
  ComparedTest total;
  std::vector<Flip> flips;  // right for one, wrong for the other; the widest apart first
  std::map<std::string, std::string> titles;   // of tests, where the manifest has one
  std::string clusters;                        // what they are
  std::string intervals;                       // how they were made
  std::vector<std::string> policies;           // what an item is worth
  std::map<judge::Reason, uint64_t> left_out;  // items that only one side judges
  std::string mixed;                           // several languages are together in it
};

std::vector<Comparison> compare_runs(store::Store& store, const CompareOptions& options);

// The table, and the first `flips` items that flipped.
std::vector<Grid> grids_of(const Comparison& comparison, size_t flips);

// Every pair of several sides, one row and column each: differences over all items, corrected.
std::vector<Grid> matrices_of(const std::vector<Comparison>& comparisons);

// The same as a page: the differences with their intervals, and every item that flipped.
void write_comparisons(const std::vector<Comparison>& comparisons,
                       const std::filesystem::path& file);

}  // namespace minpair::report
