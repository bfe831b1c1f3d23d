#include "introspect/introspect.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/model_options.h"
#include "introspect/attribute.h"
#include "introspect/kept.h"
#include "introspect/patch.h"
#include "introspect/probe.h"
#include "introspect/states_file.h"

namespace minpair::cli {
namespace {

struct Options {
  std::string what, suite, model, output, by, format = "table";
  std::string label, at, layers, kind;   // empty: as usual
  std::string method, evidence;          // of attribute
  std::string site, how, swap, indices;  // of patch and ablate
  uint32_t top = 0;
  uint32_t folds = 5;
  bool erase = false;
  std::string shard;
  engine::Selection selection;
  model::LoadOptions load;
  bool quiet = false;
};

std::unique_ptr<query::Model> loaded(const Options& o) {
  return load_and_say(o.model, o.load, o.quiet);
}

void show(const Options& o, const std::function<tidy::Frame()>& rows, const report::Grid& table) {
  if (!o.output.empty() && !introspect::is_results(o.output)) {
    tidy::FrameRows all(rows());
    tidy::write_rows(all, tidy::format_for(o.output), o.output);
  }
  if (o.output != "-") fmt::print("{}", report::render_grids({table}, o.format));
}

// What was read, from the model or from the results file; `keep`: who stores it there.
template <class Readings>
Readings read_or_keep(const Options& o, const suite::Suite& suite,
                      const std::function<Readings(const introspect::Sources&, engine::Tick)>& read,
                      const std::function<Readings(const introspect::Keeping&)>& keep) {
  Progress progress("items", 0, o.quiet);
  const engine::Tick tick = [&](uint64_t items, uint64_t) { progress.set(items); };
  introspect::Sources sources = introspect::sources_of(suite);
  if (!introspect::is_results(o.output)) return read(sources, tick);
  sources.plain.called = o.suite;
  store::Store store(o.output, store::Store::Mode::write);
  const engine::Shard shard = o.shard.empty() ? engine::Shard() : engine::parse_shard(o.shard);
  return keep({store, std::move(sources), o.selection, shard, o.load, tick});
}

introspect::By by_of(const Options& o, introspect::By usual = introspect::By::test) {
  return o.by == "all"         ? introspect::By::all
         : o.by == "test"      ? introspect::By::test
         : o.by == "condition" ? introspect::By::condition
                               : usual;
}

std::vector<std::string> roles_of(const Options& o, std::vector<std::string> usual) {
  if (o.at.empty()) return usual;
  usual.clear();
  for (std::string_view role : split(o.at, ',')) usual.emplace_back(trim(role));
  return usual;
}

void lens(const Options& o) {
  const suite::Suite suite = suite::find_suite(o.suite);
  std::unique_ptr<query::Model> model = loaded(o);
  const auto read = read_or_keep<introspect::LensReadings>(
      o, suite,
      [&](const introspect::Sources& sources, const engine::Tick& tick) {
        return introspect::read_lens(*model, sources.plain, o.selection, tick);
      },
      [&](const introspect::Keeping& keeping) { return introspect::keep_lens(*model, keeping); });
  show(
      o, [&] { return lens_rows(read); }, introspect::lens_table(read, by_of(o)));
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
  options.roles = roles_of(o, options.roles);
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
  show(
      o, [&] { return probe_rows(read); }, introspect::probe_table(read));
}

void attribute(const Options& o) {
  const suite::Suite suite = suite::find_suite(o.suite);
  std::unique_ptr<query::Model> model = loaded(o);
  if (o.method == "logit") {
    const auto read = read_or_keep<introspect::Direct>(
        o, suite,
        [&](const introspect::Sources& sources, const engine::Tick& tick) {
          return introspect::read_direct(*model, sources.roles, o.selection, tick);
        },
        [&](const introspect::Keeping& k) { return introspect::keep_direct(*model, k); });
    return show(
        o, [&] { return direct_rows(read); }, introspect::direct_table(read, by_of(o)));
  }
  const std::string evidence = o.evidence.empty() ? "subject" : o.evidence;
  const bool alti = o.method == "alti";
  const auto read = read_or_keep<introspect::WordReadings>(
      o, suite,
      [&](const introspect::Sources& sources, const engine::Tick& tick) {
        return (alti ? introspect::read_alti : introspect::read_erasure)(
            *model, sources.roles, o.selection, evidence, tick);
      },
      [&](const introspect::Keeping& k) {
        return (alti ? introspect::keep_alti : introspect::keep_erasure)(*model, k, evidence);
      });
  show(
      o, [&] { return word_rows(read); }, introspect::word_table(read, by_of(o)));
}

introspect::How how_of(const Options& o, introspect::How usual) {
  return o.how == "interchange" ? introspect::How::interchange
         : o.how == "mean"      ? introspect::How::mean
         : o.how == "zero"      ? introspect::How::zero
         : o.how == "direct"    ? introspect::How::direct
                                : usual;
}

void patch(const Options& o) {
  const suite::Suite suite = suite::find_suite(o.suite);
  std::unique_ptr<query::Model> model = loaded(o);
  introspect::PatchOptions options;
  options.site = introspect::find_site(o.site.empty() ? "residual" : o.site, *model);
  options.roles = roles_of(o, options.roles);
  if (!o.layers.empty()) options.layers = introspect::find_layers(o.layers, model->info());
  if (o.swap == "attractor") options.swap = introspect::Swap::attractor;
  options.how = how_of(o, options.how);
  const auto read = read_or_keep<introspect::PatchReadings>(
      o, suite,
      [&](const introspect::Sources& sources, const engine::Tick& tick) {
        return introspect::read_patches(*model, sources.roles, sources.whole, o.selection, options,
                                        tick);
      },
      [&](const introspect::Keeping& k) { return introspect::keep_patches(*model, k, options); });
  show(
      o, [&] { return patch_rows(read); },
      introspect::patch_table(read, by_of(o, introspect::By::all), o.top ? o.top : 20));
}

void ablate(const Options& o) {
  const suite::Suite suite = suite::find_suite(o.suite);
  std::unique_ptr<query::Model> model = loaded(o);
  const bool recurrent = model->info().kind == query::ModelInfo::Kind::recurrent;
  introspect::AblateOptions options;
  options.site = introspect::find_site(!o.site.empty() ? o.site
                                       : recurrent     ? "unit"
                                                       : "head",
                                       *model);
  if (!o.layers.empty()) options.layers = introspect::find_layers(o.layers, model->info());
  if (!o.indices.empty()) options.together = introspect::find_components(o.indices);
  if (o.how == "interchange" || o.how == "direct")
    throw wrong_call("what is ablated has no counterpart").hint("--how zero or --how mean");
  options.how = how_of(o, options.how);
  const auto read = read_or_keep<introspect::AblateReadings>(
      o, suite,
      [&](const introspect::Sources& sources, const engine::Tick& tick) {
        return introspect::read_ablations(*model, sources.roles, o.selection, options, tick);
      },
      [&](const introspect::Keeping& k) { return introspect::keep_ablations(*model, k, options); });
  show(
      o, [&] { return ablate_rows(read); },
      introspect::ablate_table(read, by_of(o, introspect::By::all), o.top ? o.top : 20));
}

void check_options(const Options& o) {
  const struct {
    std::string_view option;
    bool given;
    std::string_view of;
  } all[] = {{"--label", !o.label.empty(), "probe"},
             {"--kind", !o.kind.empty(), "probe"},
             {"--folds", o.folds != 5, "probe"},
             {"--erase", o.erase, "probe"},
             {"--method", !o.method.empty(), "attribute"},
             {"--evidence", !o.evidence.empty(), "attribute"},
             {"--at", !o.at.empty(), "probe, patch"},
             {"--layers", !o.layers.empty(), "probe, patch, ablate"},
             {"--by", !o.by.empty(), "lens, attribute, patch, ablate"},
             {"--site", !o.site.empty(), "patch, ablate"},
             {"--how", !o.how.empty(), "patch, ablate"},
             {"--top", o.top > 0, "patch, ablate"},
             {"--swap", !o.swap.empty(), "patch"},
             {"--indices", !o.indices.empty(), "ablate"}};
  for (const auto& [option, given, of] : all)
    if (given && of.find(o.what) == std::string_view::npos)
      throw wrong_call(fmt::format("'introspect {}' has no {}", o.what, option))
          .hint(fmt::format("it belongs to: {}", of));
  if (o.what == "probe" && introspect::is_results(o.output))
    throw wrong_call("a probe is fitted to all items at once, and is not kept in a results file")
        .at(o.output)
        .hint("its guesses: -o guesses.csv");
  if (!introspect::is_results(o.output)) tidy::format_for(o.output);  // not after an hour's work
  if (!o.shard.empty() && !introspect::is_results(o.output))
    throw wrong_call("a shard goes into a results file").hint("as in -o part1.db");
}

void introspect_it(const Options& o) {
  check_options(o);
  if (o.what == "probe") return probe(o);
  if (o.what == "patch") return patch(o);
  if (o.what == "ablate") return ablate(o);
  if (o.what == "attribute") return attribute(o);
  lens(o);
}

void add_probe_options(Arguments& app, Options& o) {
  app.add_option("--label", o.label,
                 "probe: what is looked for: number (of the subject), test, condition, or a "
                 "feature of the items [number]");
  app.add_option(
      "--at", o.at,
      "probe, patch: where, comma-separated: subject, attractor, locus, last (the token before "
      "the locus), or a region; patch: also all [probe: these four; patch: the first three]");
  app.add_option("--layers", o.layers,
                 "probe, patch, ablate: 0 (the embeddings), 1, ..., comma-separated [all]");
  app.add_option("--kind", o.kind, "probe: how it classifies [logistic]")
      .one_of({"means", "logistic", "lda"});
  app.add_option("--folds", o.folds, "probe: parts, each left out once").between(2, 100);
  app.add_flag("--erase", o.erase,
               "probe: also with the label erased from the states (LEACE), and with the model "
               "continuing from there");
}

void add_attribute_options(Arguments& app, Options& o) {
  app.add_option("--method", o.method,
                 "attribute: erasure, the question again without each word; alti, what each word "
                 "contributes to the output through attention (ALTI-Logit); logit, what each part "
                 "of the model contributes directly to its output [erasure]")
      .one_of({"erasure", "alti", "logit"});
  app.add_option("--evidence", o.evidence,
                 "attribute: the region whose words should decide [subject]");
}

void add_patch_options(Arguments& app, Options& o) {
  app.add_option("--site", o.site,
                 "patch, ablate: what is changed; gates, cell and hidden belong to single units of "
                 "recurrent models [patch: residual; ablate: head, or unit]")
      .one_of({"residual", "attention", "head", "mlp", "neuron", "unit", "cell", "hidden",
               "input-gate", "forget-gate", "candidate", "output-gate", "update-gate",
               "reset-gate"});
  app.add_option("--how", o.how,
                 "patch: what is put there: the counterpart's value, the mean over items, or zero; "
                 "or direct, the item's own value while the model reads the counterpart "
                 "[interchange]; ablate: mean or zero [zero]")
      .one_of({"interchange", "mean", "zero", "direct"});
  app.add_option("--swap", o.swap, "patch: whose number the counterpart changes [subject]")
      .one_of({"subject", "attractor"});
  app.add_option(
      "--indices", o.indices,
      "ablate: these at once, as 1:5,2:17 (layers from 1, heads, neurons, units from 0)");
  app.add_option("--top", o.top, "patch, ablate: heads, neurons or units in the table [20]")
      .between(1, 100000);
}

void add_introspect(Cli& cli) {
  auto o = std::make_shared<Options>();
  Arguments& app = cli.command(
      "introspect", "Look inside a model while it answers a suite",
      "  minpair introspect lens -s de-agreement -m de-mini --sample 1000\n"
      "  minpair introspect lens -s SUITE -m DIR --by condition -o results.db\n"
      "  minpair introspect probe -s de-agreement -m de-mini --sample 600 --at subject,locus\n"
      "  minpair introspect probe -s SUITE -m DIR --label condition --kind lda --erase\n"
      "  minpair introspect attribute -s de-agreement -m de-mini --sample 200 -o words.csv\n"
      "  minpair introspect patch -s de-agreement -m de-mini --sample 200 --at subject,locus\n"
      "  minpair introspect patch -s SUITE -m DIR --site head --top 10 --by test -o effects.csv\n"
      "  minpair introspect ablate -s de-agreement -m de-lstm --sample 200 --site unit\n"
      "  minpair introspect ablate -s SUITE -m DIR --site head --indices 3:0,3:7 --by condition\n"
      "\nlens: what every layer would answer if it were the last, at the first tokens of the loci\n"
      "that differ. probe: what a linear classifier reads from the hidden states, with controls.\n"
      "attribute: which words make the difference, and whether they are the right ones; or which\n"
      "parts of the model. patch: how the answer changes when a value inside is taken from the\n"
      "item with the other number. ablate: accuracy without each head, neuron or unit.\n"
      "Pairs only; what cannot be asked is counted with its reason.\n"
      "'minpair report RESULTS --introspect' shows what is in a results file.\n"
      "docs/introspection.md explains each figure.\n");
  app.add_option("WHAT", o->what, "lens, probe, attribute, patch or ablate")
      .required()
      .one_of({"lens", "probe", "attribute", "patch", "ablate"});
  app.add_option("-s,--suite", o->suite, "a suite file, a folder, or a shipped suite").required();
  app.add_option("-m,--model", o->model, kModelHelp).required();
  app.add_option(
      "-o,--output", o->output,
      "a results file, new or one to add to: .db; or a row for every item and layer, word or part, "
      "as its name ends: .csv, .tsv or .jsonl");
  app.add_option(
         "--by", o->by,
         "rows of the table: test, also condition, or all together [test; patch, ablate: all]")
      .one_of({"all", "test", "condition"});
  add_probe_options(app, *o);
  add_attribute_options(app, *o);
  add_patch_options(app, *o);
  app.add_option("--format", o->format, "format of the table")
      .one_of({"table", "markdown", "latex", "csv", "json"})
      .shows_default();
  app.add_option("--test", o->selection.tests, "only this test (repeatable)");
  app.add_option("--condition", o->selection.conditions, "only this condition (repeatable)");
  app.add_option("--language", o->selection.languages, "only items of this language (repeatable)");
  app.add_option("--limit", o->selection.limit, "only the first N items").whole_number(1);
  app.add_option("--sample", o->selection.sample,
                 "only N items, drawn at random from those selected")
      .whole_number(1);
  app.add_option("--seed", o->selection.seed, "seed of --sample, of folds and control labels")
      .whole_number(0, INT64_MAX)
      .shows_default();
  app.add_option("--shard", o->shard,
                 "only this part of the items, as 3/8; 'minpair merge' puts the parts together");
  add_load_options(app, o->load);
  app.add_flag("-q,--quiet", o->quiet, "no notes, no progress");
  cli.on_run(app, [o] { introspect_it(*o); });
}

const Cli::Command introspect_command{78, add_introspect};

}  // namespace
}  // namespace minpair::cli
