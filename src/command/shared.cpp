#include "command/shared.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/names.h"
#include "base/text.h"
#include "judge/norm.h"
#include "stimuli/stimuli.h"
#include "suite/filter.h"

namespace minpair::command {
namespace {

std::vector<judge::View> views_in(const std::string& norm) {
  std::vector<judge::View> views;
  for (const std::string& name : names_in(norm)) {
    if (judge::is_norm(name))
      throw wrong_call("'" + name + "' is no view over tokens alone")
          .hint("it has a table of its own: minpair norms RESULTS " + name);
    views.push_back(judge::find_view(name));
  }
  return views;
}

}  // namespace

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  for (std::string_view name : split(list, ','))
    if (!trim(name).empty()) names.emplace_back(trim(name));
  return names;
}

Option& add_results(Command& app, std::string& results) {
  return app.add_option("RESULTS", results, "a results file of 'minpair run'").required();
}

Option& add_output(Command& app, std::string& output) {
  return app.add_option("-o,--output", output, "a file").shows_default();
}

void add_format(Command& app, std::string& format) {
  app.add_option("--format", format, "of the tables")
      .one_of({"table", "json", "csv", "markdown", "latex"})
      .shows_default();
}

std::vector<Option*> add_runs(Command& app, judge::Wanted& wanted) {
  return {&app.add_option("-s,--suite", wanted.suites, "only this suite (repeatable)"),
          &app.add_option("-m,--model", wanted.models, "only this model (repeatable)"),
          &app.add_option("--method", wanted.methods, "only this method (repeatable)")};
}

Option& add_where(Command& app, std::string& where) {
  return app
      .add_option("--where", where,
                  "only items for which this holds: comparisons of id, test, condition, language, "
                  "cluster and features, as \"attractors > 0 and not animacy in (human, animal)\"")
      .understood_by([](const std::string& text) { suite::Filter{text}; });
}

std::vector<Option*> add_items(Command& app, report::ReportOptions& options) {
  return {&app.add_option("--test", options.tests, "only this test (repeatable)"),
          &app.add_option("--condition", options.conditions, "only this condition (repeatable)"),
          &app.add_option("--language", options.languages, "only this language (repeatable)"),
          &add_where(app, options.where)};
}

void add_selection(Command& app, engine::Selection& selection, bool seed_is_for_more) {
  app.add_option("--test", selection.tests, "only this test (repeatable)");
  app.add_option("--condition", selection.conditions, "only this condition (repeatable)");
  app.add_option("--language", selection.languages, "only items of this language (repeatable)");
  add_where(app, selection.where);
  app.add_option("--limit", selection.limit,
                 "only the first N items, be they all of one test; --sample draws from all")
      .whole_number(1);
  Option& sample = app.add_option("--sample", selection.sample,
                                  "only N items, drawn at random from those selected")
                       .whole_number(1);
  app.add_option("--per", selection.per, "of --sample: N items of each test, or each condition")
      .one_of({"test", "condition"})
      .only_with(sample);
  Option& seed = app.add_option("--seed", selection.seed,
                                seed_is_for_more ? "seed of --sample, of folds and control labels"
                                                 : "seed of --sample")
                     .whole_number(0, INT64_MAX)
                     .shows_default();
  if (!seed_is_for_more) seed.only_with(sample);
}

void add_cluster(Command& app, std::string& cluster) {
  app.add_option("--cluster", cluster,
                 "what items that are not independent share: suite (what it states), template, "
                 "lexical, item (nothing), or a feature")
      .shows_default();
}

void add_average(Command& app, std::string& average) {
  app.add_option(
         "--average", average,
         "what counts the same in a mean: items (default), tests (as papers often print it) or "
         "languages; and seeds: one column for NAME/seed1, NAME/seed2, ...; several "
         "comma-separated")
      .understood_by([](const std::string& text) {
        report::ReportOptions options;
        set_average(text, options);
      });
}

void set_average(const std::string& average, report::ReportOptions& options) {
  bool said = false;
  for (const std::string& name : names_in(average)) {
    if (name == "seeds") {
      options.aggregate_seeds = true;
      continue;
    }
    if (said) throw wrong_call("--average takes one of items, tests and languages");
    said = true;
    if (name == "tests")
      options.average = report::Average::tests;
    else if (name == "languages")
      options.average = report::Average::languages;
    else if (name != "items")
      throw unknown_name(fmt::format("there is no average over '{}'", name), name,
                         {"items", "tests", "languages", "seeds"});
  }
}

Option& add_bootstrap(Command& app, report::Intervals& intervals) {
  return app.add_flag_callback(
      "--bootstrap", [&intervals] { intervals.way = report::Intervals::Way::bootstrap; },
      "intervals from resampled clusters (BCa)");
}

void add_interval_kinds(Command& app, report::Intervals& intervals) {
  Option& bootstrap = add_bootstrap(app, intervals);
  app.add_flag_callback(
         "--student", [&intervals] { intervals.way = report::Intervals::Way::student; },
         "intervals by Student's t over clusters, as in R's survey package")
      .excludes(bootstrap);
}

void add_columns(Command& app, std::string& columns) {
  app.add_option(
      "--columns", columns,
      "what the columns of a list are, where their names do not tell: ROLE=NAME with commas; "
      "roles: good, bad; or sentence, grammatical, item; test, condition, language, "
      "cluster, context, feature");
}

void say_read_as(const suite::Suite& suite, suite::ItemStream& items) {
  const std::string as = stimuli::read_as(suite, items);
  if (!as.empty()) fmt::print(stderr, "reading {} as {}\n", suite.path.string(), as);
}

void add_load_options(Command& app, model::LoadOptions& load) {
  app.moved.emplace_back("--revision", "a revision is part of the model's name: -m NAME@REVISION");
  app.add_option("--vocab", load.vocabulary,
                 "the vocabulary of a recurrent model in a file, one word per line");
  app.add_option("--start", load.start,
                 "causal and recurrent models: the token before the first one; 'none': the first "
                 "is not scored; 'auto': the model's own");
  app.add_option("--end", load.end,
                 "the token that is scored after the last one, 'none', or 'auto'");
  app.add_option("--as", load.as,
                 "a checkpoint that was trained as both (GPT-BERT): read as a 'masked' or as a "
                 "'causal' model, or 'auto', as its files say");
  app.add_option("--threads", load.threads, "threads for the model; 0: all").whole_number(0, 1024);
  app.add_option("--precision", load.precision,
                 "arithmetic of matrix products: fp32, fast (fp32 in two bf16 parts; quantised "
                 "weights: times 16-bit integers), bf16, or auto: fast for quantised weights and "
                 "where the processor has a matrix unit, else fp32. Only fp32, and fast for "
                 "quantised weights, give the same bytes on every machine")
      .shows_default();
}

introspect::EffectView effects_in(const report::ReportOptions& o) {
  return {o.wanted.suites, o.wanted.models, o.tests, o.conditions, o.languages};
}

Option& add_norm(Command& app, std::string& norm, Norms norms) {
  const bool several = norms == Norms::several;
  return app
      .add_option("--norm", norm,
                  std::string("sum, mean, word, char, byte, each also with -no-special; for clozes "
                              "probability, logit, equal-weight, model-weight; ") +
                      (several ? "several with commas; 'all'; " : "") + "absent: each method's own")
      .understood_by([several](const std::string& text) {
        if (text == "all" && several) return;
        if (views_in(text).size() > 1 && !several)
          throw wrong_call("'" + text + "' are several norms, and this is under one");
      });
}

judge::Policy WorthCall::policy() const {
  return {judge::find_ties(ties), judge::find_lengths(lengths), judge::find_oov(oov), pairwise};
}

void WorthCall::apply(report::ReportOptions& options) const {
  options.policy = policy();
  options.all_views = norm == "all";
  if (!options.all_views) options.views = views_in(norm);
}

std::vector<Option*> add_policy(Command& app, WorthCall& call,
                                const std::vector<std::string>& lengths) {
  std::vector<Option*> all;
  if (!lengths.empty())
    all.push_back(&app.add_option("--lengths", call.lengths,
                                  "equal: only items whose sentences have the same number of "
                                  "tokens; all; both, where they differ")
                       .one_of(lengths)
                       .shows_default());
  all.push_back(&app.add_option("--ties", call.ties,
                                "what a tie is worth: half, right, wrong, or as in the paper")
                     .one_of({"half", "right", "wrong", "paper"})
                     .shows_default());
  all.push_back(
      &app.add_option("--oov", call.oov, "words that the vocabulary lacks: excluded or wrong")
           .one_of({"excluded", "wrong"})
           .shows_default());
  all.push_back(
      &app.add_flag("--pairwise", call.pairwise,
                    "with several bad sentences: the share of pairs won, instead of beating them "
                    "all"));
  return all;
}

}  // namespace minpair::command
