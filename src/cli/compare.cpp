#include "report/compare.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/policy.h"

namespace minpair::cli {
namespace {

struct CompareCall {
  std::string results, norm, format = "table", output = "-", html, label;
  PolicyCall policy{.lengths = "all"};
  size_t flips = 0;
  bool bootstrap = false, student = false;
  report::CompareOptions options;
};

void compare(CompareCall& call) {
  store::Store store(call.results, store::Store::Mode::read);
  if (!call.norm.empty()) call.options.view = judge::find_view(call.norm);
  call.options.policy = call.policy.policy();
  if (call.bootstrap) call.options.intervals.way = report::Intervals::Way::bootstrap;
  if (call.student) call.options.intervals.way = report::Intervals::Way::student;
  std::vector<report::Comparison> comparisons = report::compare_runs(store, call.options);
  if (!call.html.empty()) return report::write_comparisons(comparisons, call.html);
  std::vector<report::Grid> grids;
  if (call.options.sides.size() > 2) grids = report::matrices_of(comparisons);
  if (call.options.sides.size() <= 2)
    for (const report::Comparison& c : comparisons)
      for (report::Grid& g : report::grids_of(c, call.flips)) grids.push_back(std::move(g));
  if (!call.label.empty() && call.format != "latex")
    throw wrong_call("--label is for tables with --format latex");
  for (size_t i = 0; i < grids.size() && !call.label.empty(); ++i)
    grids[i].label = i ? fmt::format("{}-{}", call.label, i + 1) : call.label;
  write_file(call.output, report::render_grids(grids, call.format));
}

void add_compare(Cli& cli) {
  Arguments& app = cli.command("compare", "Two runs on the same items: models, methods or suites",
                               "  minpair compare results.db de-mini:pll-word-l2r de-lstm:lp\n"
                               "  minpair compare results.db A:ce B:ce C:lp          a matrix\n"
                               "  minpair compare results.db -m A -m B\n"
                               "  minpair compare results.db -m A --method ce --method masked\n"
                               "  minpair compare results.db -m A -m B --flips 20\n"
                               "  minpair compare results.db -s plain -s capitals --html c.html\n");
  static CompareCall call;
  app.add_option("RESULTS", call.results, "a results file of 'minpair run'").required();
  app.add_option(
      "SIDES", call.options.sides,
      "runs, each MODEL:METHOD or MODEL:METHOD:NORM; two: test by test; more: a matrix of "
      "all pairs");
  app.add_option("-m,--model", call.options.models, "a model; two: the sides");
  app.add_option("--method", call.options.methods, "a scoring method; two: the sides");
  app.add_option("-s,--suite", call.options.suites,
                 "a suite; two: the sides, items paired by their names");
  app.add_option("--test", call.options.tests, "only this test (repeatable)");
  app.add_option("--language", call.options.languages, "only this language (repeatable)");
  app.add_option("--norm", call.norm, "sum, mean, word, char, byte; default: each method's own");
  app.add_option("--lengths", call.policy.lengths,
                 "equal: only items whose sentences have the same number of tokens; or all")
      .one_of({"equal", "all"})
      .shows_default();
  add_policy_options(app, call.policy);
  app.add_option("--flips", call.flips, "show N items that one gets right and the other wrong")
      .shows_default();
  app.add_option("--match", call.options.match,
                 "how items of two suites are paired: by name, or by place in the suite")
      .one_of({"name", "place"})
      .shows_default();
  app.add_option("--cluster", call.options.cluster,
                 "what items that are not independent share: suite (what it states), template, "
                 "lexical, item (nothing), or a feature")
      .shows_default();
  app.add_option("--replicates", call.options.intervals.resampling.replicates,
                 "how often the bootstrap and the permutation test resample")
      .between(100, 10000000)
      .shows_default();
  app.add_option("--seed", call.options.intervals.resampling.seed,
                 "seed of the bootstrap and the permutation test")
      .shows_default();
  Option bootstrap =
      app.add_flag("--bootstrap", call.bootstrap,
                   "intervals from resampled clusters (BCa) instead of calibrated ones");
  app.add_flag("--student", call.student, "intervals by Student's t over clusters")
      .excludes(bootstrap);
  app.add_option("--format", call.format, "table, json, csv, markdown or latex")
      .one_of({"table", "json", "csv", "markdown", "latex"})
      .shows_default();
  app.add_option("--label", call.label, "with --format latex: for \\ref, as tab:de");
  app.add_option("--html", call.html, "write a page with all items that flipped, for a browser");
  app.add_option("-o,--output", call.output, "a file").shows_default();
  cli.on_run(app, [] { compare(call); });
}

const Cli::Command compare_command{70, add_compare};

}  // namespace
}  // namespace minpair::cli
