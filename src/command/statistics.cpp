// Tables of more than accuracies: each of these commands makes one kind.

#include <fmt/format.h>

#include "base/error.h"
#include "command/all.h"
#include "command/shared.h"
#include "judge/norm.h"
#include "report/views.h"

namespace minpair::command {
namespace {

struct TablesCall {
  std::string results, format = "table", output = "-";
  WorthCall worth;
  report::ReportOptions options;
};

using MakeTables =
    std::function<std::vector<report::Grid>(store::Store&, const report::ReportOptions&)>;

// After the command's own options: what all of these share.
void finish(Command& app, const std::shared_ptr<TablesCall>& call, const Host& host,
            MakeTables make) {
  add_runs(app, call->options.wanted);
  add_items(app, call->options);
  add_format(app, call->format);
  add_output(app, call->output);
  app.work = [call, &host, make = std::move(make)] {
    store::Store store(call->results, store::Store::Mode::read);
    call->worth.apply(call->options);
    host.write(call->output, make(store, call->options), call->format);
  };
}

std::vector<report::Grid> norm_tables(store::Store& store, const report::ReportOptions& options,
                                      const std::string& names, const std::string& file) {
  std::vector<judge::Norm> norms;
  bool counted = false;
  for (const std::string& name : names_in(names)) {
    norms.push_back(judge::find_norm(name));
    counted |= norms.back().needs_unigrams();
    if (norms.back().needs_unigrams() && file.empty())
      throw wrong_call(fmt::format("{} needs word frequencies", name))
          .hint("--unigrams FILE: a word, a tab and its count on every line");
  }
  if (!counted && !file.empty())
    throw wrong_call(fmt::format("--unigrams has no effect on {}", names))
        .hint("slor and morcela read word frequencies");
  std::optional<judge::Unigrams> unigrams;
  if (counted) unigrams = judge::Unigrams::read(file);
  return report::norm_grids(store, options, norms, unigrams ? &*unigrams : nullptr);
}

}  // namespace

Made stats_command(const Host& host) {
  auto call = std::make_shared<TablesCall>();
  struct Own {
    std::string by, formula;
  };
  auto own = std::make_shared<Own>();
  Made made = std::make_unique<Command>(
      "stats", Group::results,
      "How far accuracies can be trusted: intervals over clusters, effects, agreement of methods",
      "  minpair stats results.db\n"
      "  minpair stats results.db --by language --where 'attractors > 0'\n"
      "  minpair stats results.db --cluster lexical --bootstrap\n"
      "  minpair stats results.db --formula 'right ~ condition * model + (1 | item)'\n");
  add_results(*made, call->results);
  Option& by =
      made->add_option("--by", own->by,
                       "rows, and the effect of the last level, as in 'report'; default: test, and "
                       "the effect of the condition");
  made->add_option("--formula", own->formula,
                   "a regression over all rows, as lme4 writes it: 'right ~ ...' is logistic, "
                   "'margin ~ ...' linear; (1 | item) and (condition | lemma) are random effects")
      .excludes(by);
  add_norm(*made, call->worth.norm, Norms::one);
  add_policy(*made, call->worth);
  add_cluster(*made, call->options.cluster);
  add_interval_kinds(*made, call->options.intervals);
  finish(*made, call, host, [own](store::Store& store, report::ReportOptions options) {
    if (!own->formula.empty()) {
      if (options.intervals.way != report::Intervals().way)
        throw wrong_call("--student and --bootstrap have no effect on a regression");
      return report::regression_grids(store, options, own->formula);
    }
    if (!own->by.empty()) options.by = names_in(own->by);
    if (options.by.empty())
      throw wrong_call("--by needs a name").hint("for example: --by test,condition");
    return report::statistics_grids(store, options);
  });
  return made;
}

Made margins_command(const Host& host) {
  auto call = std::make_shared<TablesCall>();
  Made made = std::make_unique<Command>(
      "margins", Group::results,
      "By how much items are right: means, intervals and medians, by criterion",
      "  minpair margins results.db --norm mean\n");
  add_results(*made, call->results);
  add_norm(*made, call->worth.norm, Norms::one);
  add_policy(*made, call->worth, {});
  add_cluster(*made, call->options.cluster);
  add_bootstrap(*made, call->options.intervals);
  finish(*made, call, host, report::margin_grids);
  return made;
}

Made regions_command(const Host& host) {
  auto call = std::make_shared<TablesCall>();
  Made made = std::make_unique<Command>("regions", Group::results,
                                        "Mean surprisal of the regions of designs, with intervals",
                                        "  minpair regions results.db --format csv\n");
  add_results(*made, call->results);
  add_norm(*made, call->worth.norm, Norms::one);
  add_cluster(*made, call->options.cluster);
  add_bootstrap(*made, call->options.intervals);
  finish(*made, call, host, report::region_grids);
  return made;
}

Made norms_command(const Host& host) {
  auto call = std::make_shared<TablesCall>();
  struct Own {
    std::string norms, unigrams;
  };
  auto own = std::make_shared<Own>();
  Made made = std::make_unique<Command>(
      "norms", Group::results,
      "Accuracies under norms with parameters or word frequencies, beside each run's own norm",
      "  minpair norms results.db slor,power --unigrams counts.tsv\n"
      "  minpair norms results.db power:0.8,log-length\n");
  add_results(*made, call->results);
  made->add_option("NORMS", own->norms,
                   "slor, morcela:A:B (or :fit), power:A, log-length:A; comma-separated")
      .required()
      .understood_by([](const std::string& text) {
        for (const std::string& name : names_in(text))
          if (!judge::is_norm(name))
            throw wrong_call(fmt::format("'{}' is not for the table of these norms", name))
                .hint(
                    "each run's own norm is its first column; 'minpair report --norm' has sum, "
                    "mean, word, char and byte");
      });
  made->add_option("--unigrams", own->unigrams,
                   "for slor and morcela: a word, a tab and its count on every line");
  add_policy(*made, call->worth);
  finish(*made, call, host, [own](store::Store& store, const report::ReportOptions& options) {
    return norm_tables(store, options, own->norms, own->unigrams);
  });
  return made;
}

Made people_command(const Host& host) {
  auto call = std::make_shared<TablesCall>();
  auto accepted = std::make_shared<std::optional<double>>();
  Made made = std::make_unique<Command>(
      "people", Group::results,
      "People's judgments in a results file: how well people agree, and models with people",
      "  minpair people results.db\n"
      "  minpair people results.db --accepted 0.5\n");
  add_results(*made, call->results);
  made->add_option("--accepted", *accepted,
                   "only items whose good sentence people choose, or rate, above this");
  add_norm(*made, call->worth.norm, Norms::one);
  add_policy(*made, call->worth);
  add_cluster(*made, call->options.cluster);
  finish(*made, call, host, [accepted](store::Store& store, const report::ReportOptions& options) {
    return report::people_grids(store, options, *accepted);
  });
  return made;
}

Made correlate_command(const Host& host) {
  auto call = std::make_shared<TablesCall>();
  auto numbers = std::make_shared<std::string>();
  Made made = std::make_unique<Command>("correlate", Group::results,
                                        "Accuracies against a number per language",
                                        "  minpair correlate results.db complexity\n"
                                        "  minpair correlate results.db speakers.tsv\n");
  add_results(*made, call->results);
  made->add_option("NUMBERS", *numbers,
                   "a file with a language, a tab and a number on every line, or 'complexity'")
      .required();
  add_norm(*made, call->worth.norm, Norms::several);
  add_policy(*made, call->worth);
  finish(*made, call, host, [numbers](store::Store& store, const report::ReportOptions& options) {
    return report::against_grids(store, options, report::read_language_numbers(*numbers));
  });
  return made;
}

}  // namespace minpair::command
