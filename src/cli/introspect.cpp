#include "introspect/introspect.h"

#include <fmt/format.h>

#include "base/progress.h"
#include "cli/cli.h"
#include "cli/precision.h"

namespace minpair::cli {
namespace {

struct Options {
  std::string what, suite, model, output, by = "test", format = "table";
  engine::Selection selection;
  model::LoadOptions load;
  bool quiet = false;
};

void lens(const Options& o) {
  engine::SuiteSource suite = engine::suite_source(suite::find_suite(o.suite));
  std::unique_ptr<query::Model> model = model::load_model(o.model, o.load);
  if (!o.quiet) say_matrix_unit(*model);
  for (const std::string& note : model->info().notes)
    if (!o.quiet) fmt::print(stderr, "{}: {}\n", model->info().name, note);
  Progress progress("items", 0, o.quiet);
  introspect::LensReadings read = introspect::read_lens(
      *model, suite, o.selection, [&](uint64_t items, uint64_t) { progress.set(items); });
  if (!o.output.empty()) {
    tidy::FrameRows rows(introspect::lens_rows(read));
    tidy::write_rows(rows, tidy::format_for(o.output), o.output);
  }
  if (o.output == "-") return;
  introspect::By by = o.by == "test" ? introspect::By::test : introspect::By::condition;
  fmt::print("{}", report::render_grids({introspect::lens_table(read, by)}, o.format));
}

void add_introspect(Cli& cli) {
  auto o = std::make_shared<Options>();
  Arguments& app = cli.command(
      "introspect", "Look inside a model while it answers a suite",
      "  minpair introspect lens -s de-agreement -m de-mini --sample 1000\n"
      "  minpair introspect lens -s SUITE -m DIR --by condition -o effects.csv\n"
      "\nlens: what every layer would answer if it were the last, at the first tokens of the loci\n"
      "that differ. Pairs only; what cannot be asked is counted with its reason.\n"
      "docs/introspection.md says what each figure is.\n");
  app.add_option("WHAT", o->what, "lens").required().one_of({"lens"});
  app.add_option("-s,--suite", o->suite, "a suite file, a folder, or a shipped suite").required();
  app.add_option("-m,--model", o->model,
                 "a folder, a Hugging Face id, a .gguf file, or a shipped model")
      .required();
  app.add_option("-o,--output", o->output,
                 "a row for every item and layer, as its name ends: .csv, .tsv or .jsonl");
  app.add_option("--by", o->by, "rows of the table: test, or also condition")
      .one_of({"test", "condition"})
      .shows_default();
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
  app.add_option("--seed", o->selection.seed, "of --sample")
      .whole_number(0, INT64_MAX)
      .shows_default();
  app.add_option("--vocab", o->load.vocabulary, "the vocabulary of a recurrent model in a file");
  add_edge_options(app, o->load);
  app.add_option("--threads", o->load.threads, "how many threads; all by default").between(1, 1024);
  add_precision(app, o->load);
  app.add_flag("-q,--quiet", o->quiet, "no notes, no progress");
  cli.on_run(app, [o] { lens(*o); });
}

const Cli::Command introspect_command{78, add_introspect};

}  // namespace
}  // namespace minpair::cli
