#pragma once
// Views of results beside the tables: statistics, comparisons, people, pages, figures.
//
//   render_grids(statistics_grids(store, options), "table");
//   for (const Comparison& c : compare_runs(store, {.sides = {"A:ce", "B:lp"}}))
//     fmt::print("{}", render_grids(grids_of(c, 10), "table"));
//   render_grids(against_grids(store, options, read_language_numbers("complexity")), "table");

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/norm.h"
#include "report/report.h"

namespace minpair::report {

// --- statistics ---
// How far the accuracies can be trusted: clustered intervals, detectable differences, effects of
// conditions, agreement of methods. docs/statistics.md has the formulas.

// Per run: accuracy by `options.by`, and the effect of its last level within groups by the others
// (by test: of the condition); per suite and model: agreement of its methods.
std::vector<Grid> statistics_grids(store::Store& store, const ReportOptions& options);

// A regression over the rows of the runs, as R's lme4 writes and fits it: 'right ~ condition *
// model
// + (1 | item) + (condition | lemma)', logistic; 'margin ~ ...', linear.
std::vector<Grid> regression_grids(store::Store& store, const ReportOptions& options,
                                   const std::string& formula);

// "sg_pl", "sgpl": the numbers of subject and distractor; false for other names.
bool numbers_of_condition(const std::string& condition, bool& subject_plural,
                          bool& distractor_plural);

// --- comparisons ---
// Two runs on the same items (models, methods, preparations of a suite): which is better, by how
// much, and could it be chance? docs/statistics.md says why these tests.

struct CompareOptions {
  // MODEL, MODEL:METHOD or MODEL:METHOD:NORM each; more than two: every pair.
  std::vector<std::string> sides;
  // Or one of these names the two sides; the others choose among the runs. Where none names two,
  // the results must leave no choice.
  std::vector<std::string> models, methods, suites;
  std::vector<std::string> tests, languages;
  std::string where;                // suite/filter.h
  std::optional<judge::View> view;  // absent: each run's own
  judge::Policy policy;
  std::string cluster = "suite";  // cluster_name() in rows.h
  // How items of two suites find each other: by "name" (their ids), or by "place" in the suite.
  std::string match = "name";
  Intervals intervals;  // its resampling is the permutation test's, too
};

// All items, or those of one test, that both sides judge.
struct ComparedTest {
  std::string test;  // empty: all
  uint64_t items = 0, clusters = 0;
  double first = 0, second = 0;  // accuracies
  stats::Difference difference;  // first minus second
  stats::PairedCounts pairs;
  double mcnemar = 1;
  double holm = 1, benjamini_hochberg = 1;  // of `difference.p`, over the tests
  uint64_t differing = 0;                   // clusters in which the two differ
  double detectable =
      0;  // the smallest difference that the same test would find; NaN: too few differ
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

// --- margins and regions ---
// What accuracies do not say: by how much criteria hold, and how surprising each region is.

// Per run: accuracy, mean, interval and median of the margins, by test and criterion.
std::vector<Grid> margin_grids(store::Store& store, const ReportOptions& options);

// Per run: mean surprisal of every region of every sentence of the designs, with intervals.
std::vector<Grid> region_grids(store::Store& store, const ReportOptions& options);

// The same of one run; no rows where its items have no regions.
Grid margin_grid(store::Store& store, const NamedRun& named, const ReportOptions& options);
Grid region_grid(store::Store& store, const NamedRun& named, const ReportOptions& options);

// --- human judgments ---

// Judgments in the results file (store/judgments.h) and items of runs are matched by sentences.
// `accepted`: only items that people accept: where the share of choices for the good sentence, or
// the mean rating of it, is above this.
std::vector<Grid> people_grids(store::Store& store, const ReportOptions& options,
                               std::optional<double> accepted);

// --- norms with parameters or word frequencies (judge/norm.h) ---

// A table per run: its tests under its own view and these norms. `unigrams` may be null where no
// norm needs it.
std::vector<Grid> norm_grids(store::Store& store, const ReportOptions& options,
                             const std::vector<judge::Norm>& norms,
                             const judge::Unigrams* unigrams);

// --- accuracies of languages against a number for each ---
// Does a property of languages go with how well models do in them? CLAMS, section 6.3, asks it of
// morphological complexity.

struct LanguageNumbers {
  std::string name;
  std::map<std::string, double> of;  // by language
};

// Lines of a language, a tab and a number; '#' begins a comment. `name` is a file, or a table that
// ships with minpair ("complexity").
LanguageNumbers read_language_numbers(const std::string& name);

// Per suite: the accuracy in every language (the mean over those tests that all its languages have,
// as in the paper), and Spearman's correlation with the numbers.
std::vector<Grid> against_grids(store::Store& store, const ReportOptions& options,
                                const LanguageNumbers& numbers);

// --- BabyLM's leaderboard ---

// {"SUITE": {"TEST": {"predictions": [{"id": "TEST_0", "pred": " the chosen sentence"}, ...]}}}, in
// the order of the suite; a tie goes to the good sentence, as in the challenge's own program. The
// options must leave one run. Items that the run excluded have no choice: an error.
std::string babylm_predictions(store::Store& store, const ReportOptions& options);

// --- the page ---
// The results as one page that opens anywhere, without a network: the program carries the page
// (web/), and adds the data in deflated blocks. Tokens are in blocks of their own, one per run,
// which the page opens when somebody looks at an item.

bool has_page();  // was the program built with npm at hand?

struct PageBlock {
  std::string id, bytes;  // in zlib's format
};

// Runs are chosen by `options.suites`, `models` and `methods`; policies are those of the tables.
// `more`: blocks of other rooms.
void write_html(store::Store& store, const ReportOptions& options,
                const std::filesystem::path& file, const std::vector<PageBlock>& more = {});

// The same data for `serve`, which hands blocks out one by one.
std::vector<PageBlock> page_blocks(store::Store& store, const ReportOptions& options);
// A page that has no results yet.
std::vector<PageBlock> empty_page_blocks();
// The page with `scripts` where it looks for its data.
std::string page_with(const std::string& scripts);
std::string page_script(const std::string& id, const std::string& text);

std::string deflated(const std::string& bytes, bool numbers = false);
std::string base64(std::string_view bytes);

// --- figures ---

// tests, conditions, distance, distractors, margins; and curve, over the checkpoints of a model or
// of a training.
const std::vector<std::string>& figure_kinds();

std::string figure(store::Store& store, ReportOptions options, const std::string& kind,
                   const std::vector<std::string>& columns = {});
std::string curve_figure(const std::filesystem::path& folder);
// SVG as PDF or PNG, drawn by librsvg's own program where it is installed: as a library it would
// bring half of a desktop into every package of minpair.

// To `file`, as its name ends: .svg, .pdf or .png; anything without an ending is SVG.
void write_picture(const std::filesystem::path& file, const std::string& svg);
// Throws when the name ends otherwise.
void check_picture(const std::filesystem::path& file);

// --- learning curves of trainings ---
// How a training went: the curve.jsonl that 'minpair train' leaves beside a model, as a table with
// bars.

struct CurvePoint {
  uint64_t step = 0;
  double tokens = 0;
  std::optional<double> train_loss, valid_loss;  // nats a word or piece
  std::optional<double> rate, per_second;
};

std::vector<CurvePoint> read_curve(const std::filesystem::path& file);

// `folder`, or its folders (seed1, seed2, ...), where there is a curve.
std::vector<std::filesystem::path> curve_folders(const std::filesystem::path& folder);

// At most `rows` points, each the mean of the training losses since the one before it; validations
// are never left out. One grid for each of curve_folders().
std::vector<Grid> curve_grids(const std::filesystem::path& folder, size_t rows = 20);
// The same as a picture, all curves in one: a page to open in a browser.
std::string curve_html(const std::filesystem::path& folder);

}  // namespace minpair::report
