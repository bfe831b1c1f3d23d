#include "introspect/introspect.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/precision.h"
#include "introspect/attribute.h"
#include "introspect/probe.h"
#include "introspect/states_file.h"

namespace minpair::cli {
namespace {

struct Options {
  std::string what, suite, model, output, by = "test", format = "table";
  std::string label, at, layers, kind;  // of probe; empty: as usual
  std::string method, evidence;         // of attribute
  uint32_t folds = 5;
  bool erase = false;
  engine::Selection selection;
  model::LoadOptions load;
  bool quiet = false;
};

std::unique_ptr<query::Model> loaded(const Options& o) {
  std::unique_ptr<query::Model> model = model::load_model(o.model, o.load);
  if (!o.quiet) say_matrix_unit(*model);
  for (const std::string& note : model->info().notes)
    if (!o.quiet) fmt::print(stderr, "{}: {}\n", model->info().name, note);
  return model;
}

void show(const Options& o, tidy::Frame rows, const report::Grid& table) {
  if (!o.output.empty()) {
    tidy::FrameRows all(std::move(rows));
    tidy::write_rows(all, tidy::format_for(o.output), o.output);
  }
  if (o.output != "-") fmt::print("{}", report::render_grids({table}, o.format));
}

introspect::By by_of(const Options& o) {
  return o.by == "test" ? introspect::By::test : introspect::By::condition;
}

void lens(const Options& o) {
  engine::SuiteSource suite = engine::suite_source(suite::find_suite(o.suite));
  std::unique_ptr<query::Model> model = loaded(o);
  Progress progress("items", 0, o.quiet);
  introspect::LensReadings read = introspect::read_lens(
      *model, suite, o.selection, [&](uint64_t items, uint64_t) { progress.set(items); });
  show(o, introspect::lens_rows(read), introspect::lens_table(read, by_of(o)));
}

void probe(const Options& o) {
  engine::SuiteSource suite = introspect::suite_with_roles(suite::find_suite(o.suite));
  std::unique_ptr<query::Model> model = loaded(o);
  introspect::ProbeOptions options;
  options.folds = o.folds, options.erase = o.erase;
  options.seed = o.selection.seed, options.threads = o.load.threads;
  if (!o.label.empty()) options.label = o.label;
  if (o.kind == "means") options.kind = stats::Classifier::means;
  if (o.kind == "lda") options.kind = stats::Classifier::lda;
  if (!o.layers.empty()) options.layers = introspect::find_layers(o.layers, model->info());
  if (!o.at.empty()) {
    options.roles.clear();
    for (std::string_view role : split(o.at, ',')) options.roles.emplace_back(trim(role));
  }
  auto states = [&] {
    Progress progress("items", 0, o.quiet);
    return introspect::read_probe_states(*model, suite, o.selection, options,
                                         [&](uint64_t items, uint64_t) { progress.set(items); });
  }();
  Progress progress("probes", states.roles.size() * states.layers.size(), o.quiet);
  introspect::ProbeReadings read = introspect::fit_probes(
      states, options, [&](uint64_t probes, uint64_t) { progress.set(probes); });
  if (o.erase) {
    Progress again("items, read on from there", states.items.items.size(), o.quiet);
    introspect::run_on(*model, read, [&](uint64_t items, uint64_t) { again.set(items); });
  }
  show(o, introspect::probe_rows(read), introspect::probe_table(read));
}

void attribute(const Options& o) {
  engine::SuiteSource suite = introspect::suite_with_roles(suite::find_suite(o.suite));
  std::unique_ptr<query::Model> model = loaded(o);
  Progress progress("items", 0, o.quiet);
  auto tick = [&](uint64_t items, uint64_t) { progress.set(items); };
  if (o.method == "logit") {
    introspect::Direct read = introspect::read_direct(*model, suite, o.selection, tick);
    return show(o, introspect::direct_rows(read), introspect::direct_table(read, by_of(o)));
  }
  introspect::Erasure read = introspect::read_erasure(
      *model, suite, o.selection, o.evidence.empty() ? "subject" : o.evidence, tick);
  show(o, introspect::erasure_rows(read), introspect::erasure_table(read, by_of(o)));
}

void introspect_it(const Options& o) {
  const bool of_probe = !o.label.empty() || !o.at.empty() || !o.layers.empty() || !o.kind.empty() ||
                        o.folds != 5 || o.erase;
  if (of_probe && o.what != "probe")
    throw wrong_call("--label, --at, --layers, --kind, --folds and --erase belong to 'probe'");
  if ((!o.method.empty() || !o.evidence.empty()) && o.what != "attribute")
    throw wrong_call("--method and --evidence belong to 'attribute'");
  if (o.what == "lens") lens(o);
  if (o.what == "probe") probe(o);
  if (o.what == "attribute") attribute(o);
}

void add_probe_options(Arguments& app, Options& o) {
  app.add_option("--label", o.label,
                 "probe: what is looked for: number (of the subject), test, condition, or a "
                 "feature of the items [number]");
  app.add_option("--at", o.at,
                 "probe: where, with commas: subject, attractor, locus, last (the token before "
                 "the locus), or a region [all four]");
  app.add_option("--layers", o.layers, "probe: 0 (the embeddings), 1, ..., with commas [all]");
  app.add_option("--kind", o.kind, "probe: how it classifies [logistic]")
      .one_of({"means", "logistic", "lda"});
  app.add_option("--folds", o.folds, "probe: parts, each left out once").between(2, 100);
  app.add_flag(
      "--erase", o.erase,
      "probe: also after the label was erased from the states (LEACE), and the model run on "
      "from there");
}

void add_attribute_options(Arguments& app, Options& o) {
  app.add_option("--method", o.method,
                 "attribute: erasure, the question again without each word; logit, what each part "
                 "of the model says directly to its output [erasure]")
      .one_of({"erasure", "logit"});
  app.add_option("--evidence", o.evidence,
                 "attribute: the region whose words should decide [subject]");
}

void add_introspect(Cli& cli) {
  auto o = std::make_shared<Options>();
  Arguments& app = cli.command(
      "introspect", "Look inside a model while it answers a suite",
      "  minpair introspect lens -s de-agreement -m de-mini --sample 1000\n"
      "  minpair introspect lens -s SUITE -m DIR --by condition -o effects.csv\n"
      "  minpair introspect probe -s de-agreement -m de-mini --sample 600 --at subject,locus\n"
      "  minpair introspect probe -s SUITE -m DIR --label condition --kind lda --erase\n"
      "  minpair introspect attribute -s de-agreement -m de-mini --sample 200 -o words.csv\n"
      "\nlens: what every layer would answer if it were the last, at the first tokens of the loci\n"
      "that differ. probe: what a linear classifier reads off the hidden states, with controls.\n"
      "attribute: which words make the difference, and whether they are the right ones; or which\n"
      "parts of the model.\n"
      "Pairs only; what cannot be asked is counted with its reason.\n"
      "docs/introspection.md says what each figure is.\n");
  app.add_option("WHAT", o->what, "lens, probe or attribute")
      .required()
      .one_of({"lens", "probe", "attribute"});
  app.add_option("-s,--suite", o->suite, "a suite file, a folder, or a shipped suite").required();
  app.add_option("-m,--model", o->model,
                 "a folder, a Hugging Face id, a .gguf file, or a shipped model")
      .required();
  app.add_option(
      "-o,--output", o->output,
      "a row for every item and layer, word or part, as its name ends: .csv, .tsv or .jsonl");
  app.add_option("--by", o->by, "lens, attribute: rows of the table: test, or also condition")
      .one_of({"test", "condition"})
      .shows_default();
  add_probe_options(app, *o);
  add_attribute_options(app, *o);
  app.add_option("--format", o->format, "of the table")
      .one_of({"table", "markdown", "latex", "csv", "json"})
      .shows_default();
  app.add_option("--test", o->selection.tests, "only this test (repeatable)");
  app.add_option("--condition", o->selection.conditions, "only this condition (repeatable)");
  app.add_option("--language", o->selection.languages, "only items of this language (repeatable)");
  app.add_option("--limit", o->selection.limit, "only the first N items").whole_number(1);
  app.add_option("--sample", o->selection.sample,
                 "only N items, drawn at random from all that are wanted")
      .whole_number(1);
  app.add_option("--seed", o->selection.seed, "of --sample, of folds and control labels")
      .whole_number(0, INT64_MAX)
      .shows_default();
  app.add_option("--vocab", o->load.vocabulary, "the vocabulary of a recurrent model in a file");
  add_edge_options(app, o->load);
  app.add_option("--threads", o->load.threads, "how many threads; all by default").between(1, 1024);
  add_precision(app, o->load);
  app.add_flag("-q,--quiet", o->quiet, "no notes, no progress");
  cli.on_run(app, [o] { introspect_it(*o); });
}

const Cli::Command introspect_command{78, add_introspect};

}  // namespace
}  // namespace minpair::cli
