#include "run/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "base/error.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "cli/precision.h"
#include "crew/crew.h"
#include "model/one_by_one.h"
#include "report/report.h"

namespace minpair {
namespace {

struct RunCall {
  std::vector<std::string> suites, models;
  std::string methods, output = "results.db", shard;
  LoadOptions load;
  RunOptions run;
  bool verbose = false, no_sharing = false;
};

std::vector<const Method*> methods_for(const RunCall& call, const SuiteSource& suite,
                                       ModelInfo::Kind kind) {
  if (call.methods == "all") {
    // Clozes have methods of their own.
    bool clozes = !suite.lexicon.empty() || !call.run.lexicon.empty();
    std::vector<const Method*> fitting;
    for (const Method* m : find_methods("all", kind))
      if (m->info().cloze == clozes) fitting.push_back(m);
    return fitting;
  }
  if (!call.methods.empty()) return find_methods(call.methods, kind);
  // The suite's paper used a method; where it fits the model, so do we.
  for (const Method* m : all_methods())
    if (m->name() == suite.manifest.method && m->supports(kind)) return {m};
  return {&default_method(kind)};
}

void say_planned(const RunReport& r, const RunCall& call) {
  fmt::print("{} × {} ({}): {} of {} items, {} queries, {} of them distinct, {} tokens", r.suite,
             r.model, join(r.methods, ","), count_text(r.counts.items), count_text(r.suite_items),
             count_text(r.counts.asked), count_text(r.counts.distinct),
             count_text(r.counts.tokens));
  if (r.stored_before > 0)
    fmt::print("; {} scores are stored already", count_text(r.stored_before));
  fmt::print("; about {}\n", duration_text(r.estimated_seconds));
  if (call.verbose)
    fmt::print("  {} tokens, {} one by one\n", count_text(r.counts.tokens),
               count_text(r.counts.alone));
}

void say_done(const RunReport& r, const RunCall& call) {
  if (call.run.quiet) return;
  fmt::print(stderr, "{} × {} ({}): {} items in {}", r.suite, r.model, join(r.methods, ","),
             count_text(r.counts.items), duration_text(r.seconds));
  if (r.stored_before > 0)
    fmt::print(stderr, ", {} scores were stored", count_text(r.stored_before));
  if (r.resumed > 0)
    fmt::print(stderr, ", {} queries were answered before the interruption", count_text(r.resumed));
  fmt::print(stderr, "\n");
  if (call.verbose)
    fmt::print(
        stderr,
        "  {} queries, {} distinct, {} tokens, {} one by one; model {:.2f} s, storing {:.2f} s\n",
        count_text(r.counts.asked), count_text(r.counts.distinct), count_text(r.counts.tokens),
        count_text(r.counts.alone), r.model_seconds, r.store_seconds);
}

void say_model(const Model& model, const RunCall& call) {
  if (call.run.quiet) return;
  say_matrix_unit(model);
  for (const std::string& note : model.info().notes)
    fmt::print(stderr, "{}: {}\n", model.info().name, note);
}

void show_tables(Store& store, const std::vector<RunReport>& reports, bool to_user) {
  ReportOptions options;
  for (const RunReport& r : reports)
    options.runs.insert(options.runs.end(), r.runs.begin(), r.runs.end());
  bool color = to_user && ::isatty(1) && !std::getenv("NO_COLOR");
  fmt::print("{}", text_tables(make_tables(store, options), {window_width(), color}));
}

std::unique_ptr<Model> load(const RunCall& call, size_t number) {
  std::unique_ptr<Model> model = load_model(call.models[number], call.load);
  if (call.no_sharing) model = one_by_one(std::move(model));
  self_test(*model);
  return model;
}

// `wire`: to the other processes of this run; null: there are none.
void run(RunCall& call, Wire* wire) {
  call.run.load = call.load;
  // The results first: whether they can be written must not turn out after hours of work.
  std::unique_ptr<Store> store;
  if (!call.run.dry_run) store = std::make_unique<Store>(call.output, Store::Mode::write);
  std::vector<SuiteSource> suites;
  for (const std::string& name : call.suites) {
    suites.push_back(suite_source(find_suite(name)));
    suites.back().called = name;
  }
  std::vector<RunReport> reports;
  for (size_t number = 0; number < call.models.size(); ++number) {
    std::unique_ptr<Model> model = load(call, number);
    say_model(*model, call);
    std::unique_ptr<Foreman> crew;
    if (wire) crew = std::make_unique<Foreman>(*wire, uint32_t(number), *model);
    call.run.plan.crew = crew.get();
    for (const SuiteSource& suite : suites) {
      std::vector<const Method*> methods = methods_for(call, suite, model->info().kind);
      reports.push_back(run_suite(store.get(), suite, *model, methods, call.run));
      if (call.run.dry_run)
        say_planned(reports.back(), call);
      else
        say_done(reports.back(), call);
    }
  }
  // mpirun puts a terminal of its own in between, whatever becomes of the text.
  if (store) show_tables(*store, reports, wire == nullptr);
}

void run_alone_or_together(RunCall& call) {
  if (!call.shard.empty()) call.run.shard = parse_shard(call.shard);
  std::unique_ptr<Wire> wire = join_crew();
  if (!wire) return run(call, nullptr);
  if (call.load.threads == 0 && !std::getenv("MINPAIR_THREADS"))
    call.load.threads = threads_for(*wire);
  if (wire->rank() == 0) return lead(*wire, [&] { run(call, wire.get()); });
  serve(*wire, uint32_t(call.models.size()), [&](uint32_t number) { return load(call, number); });
}

void add_run(Cli& cli) {
  CLI::App& app = cli.command(
      "run", "Score a suite with models; an interrupted run goes on where it was",
      "  minpair run -s de-agreement -m models/my-bert -o results.db\n"
      "  minpair run -s gevalm.jsonl -m DIR1 -m DIR2 --method ce,masked,pll -o results.db\n"
      "  minpair run -s de-cloze -m DIR --method feature-class,lemma-pairs -o results.db\n"
      "  minpair run -s gevalm.jsonl -m DIR --dry-run\n"
      "  minpair run -s million.jsonl -m DIR --shard 3/8 -o part3.db\n");
  static RunCall call;
  app.add_option("-s,--suite", call.suites, "a suite file, a folder, or a shipped suite")
      ->required();
  app.add_option("-m,--model", call.models,
                 "a folder, a Hugging Face id, a .gguf file, or a shipped model")
      ->required();
  app.add_option("--method", call.methods,
                 "methods with commas, or 'all'; absent: the suite's, else the first that fits "
                 "('minpair list methods')");
  app.add_option("-o,--output", call.output, "the results file, new or one to add to")
      ->capture_default_str();
  app.add_option("--test", call.run.selection.tests, "only this test (repeatable)");
  app.add_option("--condition", call.run.selection.conditions, "only this condition (repeatable)");
  app.add_option("--limit", call.run.selection.limit, "only the first so many items");
  app.add_option("--shard", call.shard,
                 "only this part of the work, as 3/8; 'minpair merge' puts the parts together");
  app.add_option("--lexicon", call.run.lexicon,
                 "words and their features for clozes; absent: lexicon.tsv in the suite's folder")
      ->check(CLI::ExistingFile);
  app.add_option("--min-words", call.run.min_words,
                 "clozes with fewer right or wrong words in the vocabulary are excluded")
      ->capture_default_str();
  app.add_option("--vocab", call.load.vocabulary,
                 "the vocabulary of a recurrent model in a file, one word a line");
  add_edge_options(app, call.load);
  app.add_option("--threads", call.load.threads, "threads for the model; 0: all");
  add_precision(app, call.load);
  app.add_option("--batch", call.run.plan.batch_tokens, "tokens that the model gets at once")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_flag("--no-sharing", call.no_sharing,
               "one sentence at a time, for comparing speed; the scores are the same");
  app.add_flag("--dry-run", call.run.dry_run,
               "only say how much there is to do, and how long it takes");
  app.add_flag("-q,--quiet", call.run.quiet, "nothing on standard error");
  app.add_flag("-v,--verbose", call.verbose, "say how the time was spent");
  cli.on_run(app, [] { run_alone_or_together(call); });
}

const Cli::Command run_command{50, add_run};

}  // namespace
}  // namespace minpair
