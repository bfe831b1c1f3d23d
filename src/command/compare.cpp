#include "report/views.h"

#include <fmt/format.h>

#include "base/error.h"
#include "command/all.h"
#include "command/shared.h"

namespace minpair::command {
namespace {

struct CompareCall {
  std::string results, format = "table", output = "-", label, match;
  WorthCall worth;
  unsigned flips = 0;
  report::CompareOptions options;
};

std::vector<report::Comparison> comparisons(CompareCall& call) {
  store::Store store(call.results, store::Store::Mode::read);
  if (!call.worth.norm.empty()) call.options.view = judge::find_view(call.worth.norm);
  call.options.policy = call.worth.policy();
  return report::compare_runs(store, call.options);
}

void compare(CompareCall& call, const Host& host) {
  const bool page = call.format == "page";
  if (page && call.output == "-")
    throw wrong_call("a page is a file").hint("name it: -o comparison.html");
  if (!call.match.empty() && call.options.suites.size() < 2)
    throw wrong_call("--match has no effect without two suites").hint("-s ONE -s OTHER");
  if (!call.match.empty()) call.options.match = call.match;
  if (call.options.sides.size() > 2 && call.flips > 0)
    throw wrong_call("--flips has no effect on a matrix").hint("name two sides");
  const std::vector<report::Comparison> all = comparisons(call);
  if (page) return report::write_comparisons(all, call.output);
  std::vector<report::Grid> grids;
  if (call.options.sides.size() > 2) grids = report::matrices_of(all);
  if (call.options.sides.size() <= 2)
    for (const report::Comparison& c : all)
      for (report::Grid& g : report::grids_of(c, call.flips)) grids.push_back(std::move(g));
  for (size_t i = 0; i < grids.size() && !call.label.empty(); ++i)
    grids[i].label = i ? fmt::format("{}-{}", call.label, i + 1) : call.label;
  host.write(call.output, grids, call.format);
}

}  // namespace

Made compare_command(const Host& host) {
  auto call = std::make_shared<CompareCall>();
  report::CompareOptions& o = call->options;
  Made made = std::make_unique<Command>(
      "compare", Group::results, "Two runs on the same items: models, methods or suites",
      "  minpair compare results.db de-mini:pll-word-l2r de-lstm:lp\n"
      "  minpair compare results.db A:ce B:ce C:lp          a matrix\n"
      "  minpair compare results.db -m A -m B\n"
      "  minpair compare results.db -m A --method ce --method masked\n"
      "  minpair compare results.db -m A -m B --flips 20\n"
      "  minpair compare results.db -s plain -s capitals --format page -o c.html\n");
  Command& app = *made;
  add_results(app, call->results);
  app.add_option(
      "SIDES", o.sides,
      "runs, each MODEL:METHOD or MODEL:METHOD:NORM; two: test by test; more: a matrix of "
      "all pairs");
  app.add_option("-m,--model", o.models, "a model; two: the sides");
  app.add_option("--method", o.methods, "a scoring method; two: the sides");
  app.add_option("-s,--suite", o.suites, "a suite; two: the sides, items paired by their names");
  app.add_option("--test", o.tests, "only this test (repeatable)");
  app.add_option("--language", o.languages, "only this language (repeatable)");
  add_where(app, o.where);
  add_norm(app, call->worth.norm, Norms::one);
  add_policy(app, call->worth);
  Option& format =
      app.add_option("--format", call->format, "tables; or a page with all items that flipped")
          .one_of({"table", "json", "csv", "markdown", "latex", "page"})
          .shows_default();
  app.add_option("--flips", call->flips, "show N items that one gets right and the other wrong")
      .shows_default()
      .only_with(format, {"table", "json", "csv", "markdown", "latex"});
  app.add_option("--match", call->match,
                 "how items of two suites are paired: by name (default), or by place in the suite")
      .one_of({"name", "place"});
  add_cluster(app, o.cluster);
  app.add_option("--replicates", o.intervals.resampling.replicates,
                 "how often the bootstrap and the permutation test resample")
      .between(100, 10000000)
      .shows_default();
  app.add_option("--seed", o.intervals.resampling.seed,
                 "seed of the bootstrap and the permutation test")
      .shows_default();
  add_interval_kinds(app, o.intervals);
  app.add_option("--label", call->label, "for \\ref, as tab:de").only_with(format, {"latex"});
  add_output(app, call->output);
  app.moved = {{"--html", "use: minpair compare ... --format page -o FILE.html"}};
  app.work = [call, &host] { compare(*call, host); };
  return made;
}

}  // namespace minpair::command
