#include "base/counts.h"
#include "engine/engine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "base/names.h"
#include "base/progress.h"
#include "base/text.h"
#include "command/all.h"
#include "command/shared.h"
#include "engine/memory.h"
#include "engine/processes/processes.h"
#include "model/model.h"
#include "report/report.h"

namespace minpair::command {
namespace {

struct RunCall {
  const Host& host;
  std::vector<std::string> suites, models, names;
  std::string methods, output = "results.db", shard, context, columns;
  model::LoadOptions load;
  engine::RunOptions run;
  bool verbose = false, no_sharing = false;
};

void say_planned(const engine::RunReport& r, const RunCall& call) {
  std::string line =
      fmt::format("{} × {} ({}): {} of {}, {}, {} of them distinct, {}", r.suite, r.model,
                  join(r.methods, ","), count_text(r.counts.items), counted(r.suite_items, "item"),
                  counted(r.counts.asked, "query", "queries"), count_text(r.counts.distinct),
                  counted(r.counts.tokens, "token"));
  if (r.stored_before > 0)
    line += fmt::format("; {} stored already", counted(r.stored_before, "score is", "scores are"));
  line += fmt::format("; about {}", duration_text(r.estimated_seconds));
  if (uint64_t bytes = engine::most_memory(call.run.plan))
    line += fmt::format("; at most {} MB of memory", bytes / 1'000'000 + 1);
  if (call.verbose)
    line += fmt::format("\n  {}, {} one by one", counted(r.counts.tokens, "token"),
                        count_text(r.counts.alone));
  call.host.print(line + "\n");
}

void say_done(const engine::RunReport& r, const RunCall& call) {
  if (call.run.quiet) return;
  fmt::print(stderr, "{} × {} ({}): {} in {}", r.suite, r.model, join(r.methods, ","),
             counted(r.counts.items, "item"), duration_text(r.seconds));
  if (r.stored_before > 0)
    fmt::print(stderr, ", {} stored", counted(r.stored_before, "score was", "scores were"));
  if (r.resumed > 0)
    fmt::print(stderr, ", {} answered before the interruption",
               counted(r.resumed, "query was", "queries were"));
  fmt::print(stderr, "\n");
  if (r.retokenized > 0)
    fmt::print(stderr, "  {} of them {} than alone\n", count_text(r.retokenized),
               plural(r.retokenized, "is cut into other pieces after its context",
                      "are cut into other pieces after their contexts"));
  if (call.verbose)
    fmt::print(stderr, "  {}, {} distinct, {}, {} one by one; model {:.2f} s, storing {:.2f} s\n",
               counted(r.counts.asked, "query", "queries"), count_text(r.counts.distinct),
               counted(r.counts.tokens, "token"), count_text(r.counts.alone), r.model_seconds,
               r.store_seconds);
}

// Which method was taken where nobody named one, and why.
void say_default(const engine::SuiteSource& suite, const method::Method& method,
                 const RunCall& call) {
  if (call.run.quiet || !call.methods.empty() || method.name() == suite.manifest.method) return;
  const std::string& stated = suite.manifest.method;
  fmt::print(stderr, "{}: {}, so {} ({}); --method takes others\n", suite.manifest.name,
             stated.empty() ? "no method is named" : stated + " is not for this kind of model",
             method.name(), method.info().explanation);
}

void show_tables(store::Store& store, const std::vector<engine::RunReport>& reports,
                 const Host& host, bool to_user) {
  report::ReportOptions options;
  options.policy.lengths = judge::Lengths::all;
  options.by_default = true;
  for (const engine::RunReport& r : reports)
    options.wanted.runs.insert(options.wanted.runs.end(), r.runs.begin(), r.runs.end());
  host.print(report::text_tables(report::make_tables(store, options),
                                 {report::window_width(), to_user && host.colors()}));
}

LoadedModel load(const RunCall& call, size_t number) {
  LoadedModel loaded = call.host.load_model(call.models[number], call.load);
  if (call.no_sharing) loaded.model = model::one_by_one(std::move(loaded.model));
  engine::self_test(*loaded.model);
  return loaded;
}

void say_notes(const query::Model& model) {
  if (!model.info().matrix_unit.empty()) fmt::print(stderr, "{}\n", model.info().matrix_unit);
  for (const std::string& note : model.info().notes)
    fmt::print(stderr, "{}: {}\n", model.info().name, note);
}

// How to resume, for the user who stops a run.
void print_resume_hint(int signal) {
  static constexpr char text[] =
      "\nminpair: stopped; nothing is lost, the same command continues from here\n";
  (void)!::write(2, text, sizeof text - 1);
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

// Nothing could be scored: a table of nothing is no answer.
void check_scored(const std::vector<engine::RunReport>& reports) {
  for (const engine::RunReport& r : reports)
    if (r.stored_before == 0 && r.excluded > 0 && r.excluded == r.counts.items * r.methods.size())
      throw bad_input(fmt::format("every item of '{}' ({} in all) was excluded for '{}'", r.suite,
                                  count_text(r.counts.items), r.model))
          .hint("the line below the table says why; another method (--method) may fit");
}

// What the models are, from their configuration: only one is in memory at a time.
std::vector<method::FittingMethods> methods_of_each(const RunCall& call) {
  std::vector<query::ModelInfo> models;
  for (const std::string& name : call.models)
    models.push_back(call.host.describe_model(name, call.load));
  return method::fitting_methods(call.methods, models);
}

void print_left_out(const query::ModelInfo& model, const std::vector<std::string>& methods) {
  if (!methods.empty())
    fmt::print(stderr, "{}: {} {} not for this model and left out\n", model.name,
               join(methods, ", "), plural(methods.size(), "is", "are"));
}

// Every model on every suite.
void score_all(RunCall& call, const std::vector<engine::SuiteSource>& suites,
               const std::vector<method::FittingMethods>& methods, store::Store* store,
               engine::Transport* transport, std::vector<engine::RunReport>& reports) {
  for (size_t number = 0; number < call.models.size(); ++number) {
    const LoadedModel loaded = load(call, number);
    query::Model& model = *loaded.model;
    call.run.load = loaded.load;
    if (!call.run.quiet) say_notes(model);
    if (!call.run.quiet) print_left_out(model.info(), methods[number].left_out);
    if (!call.names.empty()) call.run.name = call.names[number];
    std::unique_ptr<engine::Coordinator> executor;
    if (transport)
      executor = std::make_unique<engine::Coordinator>(*transport, uint32_t(number), model);
    for (const engine::SuiteSource& suite : suites) {
      const bool clozes = !suite.lexicon.empty() || !call.run.lexicon.empty();
      const std::vector<const method::Method*> chosen =
          method::methods_for(suite.manifest, methods[number].names, clozes, model.info());
      say_default(suite, *chosen.front(), call);
      reports.push_back(engine::run_suite(store, suite, model, chosen, call.run, executor.get()));
      if (call.run.dry_run)
        say_planned(reports.back(), call);
      else
        say_done(reports.back(), call);
    }
  }
}

// `transport`: to the other processes of this run; null: there are none.
void run(RunCall& call, engine::Transport* transport) {
  call.run.quiet |= call.host.silent;
  call.run.tick = call.host.tick;
  std::vector<engine::SuiteSource> suites;
  for (const std::string& name : call.suites) {
    const suite::Suite suite = suite::find_suite(name, call.columns);
    suites.push_back(engine::suite_source(suite));
    suites.back().called = name;
    if (!call.run.quiet && !transport) say_read_as(suite, *suites.back().open());
  }
  const std::vector<method::FittingMethods> methods = methods_of_each(call);
  // Whether the results can be written must not turn out after hours of work.
  std::unique_ptr<store::Store> store;
  if (!call.run.dry_run)
    store = std::make_unique<store::Store>(call.output, store::Store::Mode::write);
  // Under mpirun the process has been told what to say already.
  if (store && !call.run.quiet && !transport)
    for (int signal : {SIGINT, SIGTERM}) std::signal(signal, print_resume_hint);
  std::vector<engine::RunReport> reports;
  score_all(call, suites, methods, store.get(), transport, reports);
  // mpirun puts a terminal of its own in between, whatever becomes of the text.
  if (store) show_tables(*store, reports, call.host, transport == nullptr);
  if (store) check_scored(reports);
}

void run_alone_or_together(RunCall& call) {
  if (!call.names.empty() && call.names.size() != call.models.size())
    throw wrong_call(fmt::format("there {} {} and {}", plural(call.models.size(), "is", "are"),
                                 counted(call.models.size(), "model"),
                                 counted(call.names.size(), "name")))
        .hint("--name goes with each -m, in their order");
  if (!call.shard.empty()) call.run.shard = engine::parse_shard(call.shard);
  if (!call.context.empty()) {
    call.run.context_file = call.context;
    call.run.context = trim(read_file(call.context, 1 << 26));
    if (!valid_utf8(call.run.context)) throw bad_input("this is not UTF-8").at(call.context);
  }
  std::unique_ptr<engine::Transport> transport;
  if (!call.host.silent) transport = engine::join_processes();
  if (!transport) return run(call, nullptr);
  if (call.load.threads == 0 && !std::getenv("MINPAIR_THREADS"))
    call.load.threads = engine::threads_for(*transport);
  if (transport->rank() == 0) return engine::lead(*transport, [&] { run(call, transport.get()); });
  engine::serve(*transport, uint32_t(call.models.size()), [&](uint32_t number) {
    std::unique_ptr<query::Model> model = model::load_model(call.models[number], call.load);
    engine::self_test(*model);
    return call.no_sharing ? model::one_by_one(std::move(model)) : std::move(model);
  });
}

}  // namespace

Made run_command(const Host& host) {
  auto call = std::make_shared<RunCall>(RunCall{host});
  Made made = std::make_unique<Command>(
      "run", Group::scoring,
      "Score a suite with models; an interrupted run continues where it stopped",
      "  minpair run -s de-agreement -m models/my-bert -o results.db\n"
      "  minpair run -s gevalm.jsonl -m DIR1 -m DIR2 --method ce,masked,pll -o results.db\n"
      "  minpair run -s de-agreement -m de-mini -m de-lstm --method pll-word-l2r,lp -o results.db\n"
      "  minpair run -s de-cloze -m DIR --method feature-class,lemma-pairs -o results.db\n"
      "  minpair run -s list.xlsx -m ./checkpoint-5000 --name mine -o results.db\n"
      "  minpair run -s list.csv --columns good=Satz,bad=Falsch -m DIR -o results.db\n"
      "  minpair run -s gevalm.jsonl -m DIR --dry-run\n"
      "  minpair run -s million.jsonl -m DIR --shard 3/8 -o part3.db\n");
  Command& app = *made;
  app.add_option("-s,--suite", call->suites, "a suite file, a folder, or a shipped suite")
      .required();
  app.add_option("-m,--model", call->models, kModelHelp).required();
  add_columns(app, call->columns);
  app.add_option("--name", call->names,
                 "what the model is called in the results; with several models, one for each");
  app.add_option(
      "--method", call->methods,
      "methods, comma-separated, or 'all' ('minpair list methods'); with several models each uses "
      "those that fit it; default: the suite's, else pll-word-l2r for masked models and lp for "
      "others");
  app.add_option("-o,--output", call->output, "the results file, new or one to add to")
      .shows_default();
  add_selection(app, call->run.selection);
  app.add_option("--shard", call->shard,
                 "only this part of the work, as 3/8; 'minpair merge' puts the parts together");
  app.add_option(
         "--lexicon", call->run.lexicon,
         "words and their features for clozes and lemma-pairs: a table as 'extract' writes, "
         "or a list with the columns sing,plur; default: lexicon.tsv in the suite's folder")
      .existing_file();
  app.add_option("--min-words", call->run.min_words,
                 "clozes with fewer right or wrong words in the vocabulary are excluded")
      .whole_number(0)
      .shows_default();
  app.add_option("--context", call->context,
                 "a file with text that is read before every sentence and not scored; sentences "
                 "that have a context keep it")
      .existing_file();
  add_load_options(app, call->load);
  app.add_option("--batch", call->run.plan.batch_tokens,
                 "tokens that the model gets at once; default: what suits the model best")
      .whole_number(1);
  app.add_flag("--no-sharing", call->no_sharing,
               "one sentence at a time, for comparing speed; the scores are the same");
  app.add_flag(
      "--dry-run", call->run.dry_run,
      "only print how much there is to do, how long it would take, and the most memory it needs");
  Option& quiet = app.add_flag("-q,--quiet", call->run.quiet, "nothing on standard error");
  app.add_flag("-v,--verbose", call->verbose, "print how the time was spent").excludes(quiet);
  app.work = [call] { run_alone_or_together(*call); };
  return made;
}

}  // namespace minpair::command
