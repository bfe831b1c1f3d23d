// The commands `introspect lens`, `probe`, `attribute`, `patch` and `ablate`: what a model does
// inside while it answers a suite.

#include "introspect/introspect.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/text.h"
#include "command/all.h"
#include "command/shared.h"
#include "introspect/attribute.h"
#include "introspect/patch.h"
#include "introspect/probe.h"
#include "introspect/states_file.h"
#include "introspect/sweep_cache.h"

namespace minpair::command {
namespace {

// What all of them are asked; each has what it alone reads beside it.
struct InsideCall {
  const Host& host;
  std::string suite, columns, model, output, format = "table", by = "test", shard;
  engine::Selection selection;
  model::LoadOptions load;
  bool quiet = false;

  bool silent() const { return quiet || host.silent; }
};

std::shared_ptr<query::Model> loaded(InsideCall& o) {
  LoadedModel it = o.host.load_model(o.model, o.load);
  o.load = it.load;
  const query::ModelInfo& info = it.model->info();
  if (!o.silent() && !info.matrix_unit.empty()) fmt::print(stderr, "{}\n", info.matrix_unit);
  if (!o.silent())
    for (const std::string& note : info.notes) fmt::print(stderr, "note: {}\n", note);
  return it.model;
}

void show(InsideCall& o, const std::function<tidy::Frame()>& rows, const report::Grid& table) {
  if (!o.output.empty() && !introspect::is_results(o.output))
    o.host.write(
        o.output,
        [frame = std::make_shared<tidy::Frame>(rows())] {
          return std::make_shared<tidy::FrameRows>(*frame);
        },
        tidy::format_for(o.output));
  if (o.output != "-") o.host.write("-", {table}, o.format);
}

// On standard error, and to the program around.
class Ticks {
 public:
  Ticks(const InsideCall& o, const char* what, uint64_t all = 0)
      : progress_(what, all, o.silent()), host_(o.host) {}
  engine::Tick tick() {
    return [this](uint64_t done, uint64_t all) {
      progress_.set_total(all);
      progress_.set(done);
      if (host_.tick) host_.tick(done, all);
    };
  }

 private:
  Progress progress_;
  const Host& host_;
};

// What was read, from the model or from the results file, through the cache.
template <class Readings>
Readings read_or_cached(
    InsideCall& o, const suite::Suite& suite,
    const std::function<Readings(const introspect::Sources&, engine::Tick)>& read,
    const std::function<Readings(const introspect::SweepRequest&)>& cached) {
  Ticks asking(o, "asking");
  introspect::Sources sources = introspect::sources_of(suite);
  if (!introspect::is_results(o.output)) return read(sources, asking.tick());
  sources.plain.called = o.suite;
  store::Store store(o.output, store::Store::Mode::write);
  const engine::Shard shard = o.shard.empty() ? engine::Shard() : engine::parse_shard(o.shard);
  return cached({store, std::move(sources), o.selection, shard, o.load, asking.tick()});
}

introspect::By by_of(const InsideCall& o) {
  return o.by == "all"         ? introspect::By::all
         : o.by == "condition" ? introspect::By::condition
                               : introspect::By::test;
}

std::vector<std::string> roles_in(const std::string& at, std::vector<std::string> usual) {
  return at.empty() ? usual : names_in(at);
}

void lens(InsideCall& o) {
  const suite::Suite suite = suite::find_suite(o.suite, o.columns);
  const std::shared_ptr<query::Model> model = loaded(o);
  const auto read = read_or_cached<introspect::LensReadings>(
      o, suite,
      [&](const introspect::Sources& sources, const engine::Tick& tick) {
        return introspect::read_lens(*model, sources.plain, o.selection, tick);
      },
      [&](const introspect::SweepRequest& request) {
        return introspect::cached_lens(*model, request);
      });
  show(
      o, [&] { return introspect::effect_rows(read); }, introspect::lens_table(read, by_of(o)));
}

struct ProbeCall : InsideCall {
  std::string at, layers, kind = "logistic";
  introspect::ProbeOptions options{};
};

void probe(ProbeCall& o) {
  if (introspect::is_results(o.output))
    throw wrong_call("a probe is fitted to all items at once, and is not kept in a results file")
        .at(o.output)
        .hint("its guesses: -o guesses.csv");
  engine::SuiteSource suite = introspect::suite_with_roles(suite::find_suite(o.suite, o.columns));
  const std::shared_ptr<query::Model> model = loaded(o);
  introspect::ProbeOptions& options = o.options;
  options.seed = o.selection.seed, options.threads = o.load.threads;
  if (o.kind == "means") options.kind = stats::Classifier::means;
  if (o.kind == "lda") options.kind = stats::Classifier::lda;
  if (!o.layers.empty()) options.layers = introspect::find_layers(o.layers, model->info());
  options.roles = roles_in(o.at, options.roles);
  auto states = [&] {
    Ticks asking(o, "asking");
    return introspect::read_probe_states(*model, suite, o.selection, options, asking.tick());
  }();
  Ticks probes(o, "probes", states.roles.size() * states.layers.size());
  introspect::ProbeReadings read = introspect::fit_probes(states, options, probes.tick());
  if (options.erase) {
    Ticks again(o, "asking, from there on");
    introspect::run_on(*model, read, again.tick());
  }
  show(
      o, [&] { return probe_rows(read); }, introspect::probe_table(read));
}

struct AttributeCall : InsideCall {
  std::string method = "erasure", evidence = "subject";
};

void attribute(AttributeCall& o) {
  const suite::Suite suite = suite::find_suite(o.suite, o.columns);
  const std::shared_ptr<query::Model> model = loaded(o);
  if (o.method == "logit") {
    const auto read = read_or_cached<introspect::Direct>(
        o, suite,
        [&](const introspect::Sources& sources, const engine::Tick& tick) {
          return introspect::read_direct(*model, sources.roles, o.selection, tick);
        },
        [&](const introspect::SweepRequest& request) {
          return introspect::cached_direct(*model, request);
        });
    return show(
        o, [&] { return introspect::effect_rows(read); }, introspect::direct_table(read, by_of(o)));
  }
  const bool alti = o.method == "alti";
  const auto read = read_or_cached<introspect::WordReadings>(
      o, suite,
      [&](const introspect::Sources& sources, const engine::Tick& tick) {
        return (alti ? introspect::read_alti : introspect::read_erasure)(
            *model, sources.roles, o.selection, o.evidence, tick);
      },
      [&](const introspect::SweepRequest& request) {
        return (alti ? introspect::cached_alti : introspect::cached_erasure)(*model, request,
                                                                             o.evidence);
      });
  show(
      o, [&] { return introspect::effect_rows(read); }, introspect::word_table(read, by_of(o)));
}

struct ChangeCall : InsideCall {
  std::string at, layers, site, how, swap = "subject", indices;
  unsigned top = 20;
};

introspect::How how_of(const ChangeCall& o) {
  return o.how == "interchange" ? introspect::How::interchange
         : o.how == "mean"      ? introspect::How::mean
         : o.how == "zero"      ? introspect::How::zero
                                : introspect::How::direct;
}

void patch(ChangeCall& o) {
  const suite::Suite suite = suite::find_suite(o.suite, o.columns);
  const std::shared_ptr<query::Model> model = loaded(o);
  introspect::PatchOptions options;
  options.site = introspect::find_site(o.site, *model);
  options.roles = roles_in(o.at, options.roles);
  if (!o.layers.empty()) options.layers = introspect::find_layers(o.layers, model->info());
  if (o.swap == "attractor") options.swap = introspect::Swap::attractor;
  options.how = how_of(o);
  const auto read = read_or_cached<introspect::PatchReadings>(
      o, suite,
      [&](const introspect::Sources& sources, const engine::Tick& tick) {
        return introspect::read_patches(*model, sources.roles, sources.whole, o.selection, options,
                                        tick);
      },
      [&](const introspect::SweepRequest& request) {
        return introspect::cached_patches(*model, request, options);
      });
  show(
      o, [&] { return introspect::effect_rows(read); },
      introspect::patch_table(read, by_of(o), o.top));
}

void ablate(ChangeCall& o) {
  const suite::Suite suite = suite::find_suite(o.suite, o.columns);
  const std::shared_ptr<query::Model> model = loaded(o);
  const bool recurrent = model->info().kind == query::ModelInfo::Kind::recurrent;
  introspect::AblateOptions options;
  options.site = introspect::find_site(!o.site.empty() ? o.site
                                       : recurrent     ? "unit"
                                                       : "head",
                                       *model);
  if (!o.layers.empty()) options.layers = introspect::find_layers(o.layers, model->info());
  if (!o.indices.empty()) options.together = introspect::find_components(o.indices);
  options.how = how_of(o);
  const auto read = read_or_cached<introspect::AblateReadings>(
      o, suite,
      [&](const introspect::Sources& sources, const engine::Tick& tick) {
        return introspect::read_ablations(*model, sources.roles, o.selection, options, tick);
      },
      [&](const introspect::SweepRequest& request) {
        return introspect::cached_ablations(*model, request, options);
      });
  show(
      o, [&] { return introspect::effect_rows(read); },
      introspect::ablate_table(read, by_of(o), o.top));
}

// What all of them are told; the options that one alone has come between the two parts.
void add_common(Command& app, InsideCall& o) {
  app.add_option("-s,--suite", o.suite, "a suite file, a folder, or a shipped suite").required();
  add_columns(app, o.columns);
  app.add_option("-m,--model", o.model, kModelHelp).required();
}

void add_by(Command& app, InsideCall& o) {
  app.add_option("--by", o.by, "rows of the table")
      .one_of({"all", "test", "condition"})
      .shows_default();
}

void check_output(const InsideCall& o, bool kept) {
  if (!introspect::is_results(o.output)) tidy::format_for(o.output);  // not after an hour's work
  if (kept && !o.shard.empty() && !introspect::is_results(o.output))
    throw wrong_call("a shard goes into a results file").hint("as in -o part1.db");
}

template <class Call>
Made finish(Made made, const std::shared_ptr<Call>& call, void (*work)(Call&), bool kept = true) {
  Command& app = *made;
  app.add_option("-o,--output", call->output,
                 std::string(kept ? "a results file, new or one to add to: .db; or a" : "a") +
                     " row for every item and layer, word or part, as its name ends: .csv, .tsv or "
                     ".jsonl");
  app.add_option("--format", call->format, "of the table")
      .one_of({"table", "markdown", "latex", "csv", "json"})
      .shows_default();
  add_selection(app, call->selection, !kept);
  if (kept)
    app.add_option("--shard", call->shard,
                   "only this part of the items, as 3/8; 'minpair merge' puts the parts together");
  add_load_options(app, call->load);
  app.add_flag("-q,--quiet", call->quiet, "no notes, no progress");
  app.work = [call, work, kept] {
    check_output(*call, kept);
    work(*call);
  };
  return made;
}

Made begin(const std::string& name, InsideCall& call, const std::string& what,
           const std::string& examples) {
  Made made = std::make_unique<Command>("introspect " + name, Group::inside, what, examples);
  add_common(*made, call);
  return made;
}

Option& add_layers(Command& app, std::string& layers) {
  return app.add_option("--layers", layers,
                        "0 (the embeddings), 1, ..., comma-separated; default: all");
}

struct Changes {
  Option &how, &layers, &top;
};
Changes add_changes(Command& app, ChangeCall& o, const std::vector<std::string>& ways) {
  Option& site =
      app.add_option("--site", o.site,
                     "what is changed; gates, cell and hidden belong to single units of recurrent "
                     "models")
          .one_of({"residual", "attention", "head", "mlp", "neuron", "unit", "cell", "hidden",
                   "input-gate", "forget-gate", "candidate", "output-gate", "update-gate",
                   "reset-gate"});
  if (!o.site.empty()) site.shows_default();
  Option& how =
      app.add_option("--how", o.how,
                     "what is put there: the mean over items, zero; of a patch the counterpart's "
                     "value, or direct: the item's own while the model reads the counterpart")
          .one_of(ways)
          .shows_default();
  Option& layers = add_layers(app, o.layers);
  return {how, layers,
          app.add_option("--top", o.top, "heads, neurons or units in the table")
              .whole_number(1, 100000)
              .shows_default()};
}

}  // namespace

Made lens_command(const Host& host) {
  auto call = std::make_shared<InsideCall>(InsideCall{host});
  Made made = begin("lens", *call, "What every layer would answer if it were the last",
                    "  minpair introspect lens -s de-agreement -m de-mini --sample 1000\n"
                    "  minpair introspect lens -s SUITE -m DIR --by condition -o results.db\n");
  add_by(*made, *call);
  return finish(std::move(made), call, lens);
}

Made probe_command(const Host& host) {
  auto call = std::make_shared<ProbeCall>(ProbeCall{{host}});
  Made made = begin(
      "probe", *call, "What a linear classifier reads from the hidden states, with controls",
      "  minpair introspect probe -s de-agreement -m de-mini --sample 600 --at subject,locus\n"
      "  minpair introspect probe -s SUITE -m DIR --label condition --kind lda --erase\n");
  introspect::ProbeOptions& o = call->options;
  made->add_option("--label", o.label,
                   "what is looked for: number (of the subject), test, condition, or a feature")
      .shows_default();
  made->add_option("--at", call->at,
                   "where, comma-separated: subject, attractor, locus, last (the token before the "
                   "locus), or a region; default: these four");
  add_layers(*made, call->layers);
  made->add_option("--kind", call->kind, "how it classifies")
      .one_of({"means", "logistic", "lda"})
      .shows_default();
  made->add_option("--folds", o.folds, "parts, each left out once")
      .whole_number(2, 100)
      .shows_default();
  made->add_flag("--erase", o.erase,
                 "also with the label erased from the states (LEACE), and with the model "
                 "continuing from there");
  return finish(std::move(made), call, probe, false);
}

Made attribute_command(const Host& host) {
  auto call = std::make_shared<AttributeCall>(AttributeCall{{host}});
  Made made = begin(
      "attribute", *call, "Which words make the difference, and whether they are the right ones",
      "  minpair introspect attribute -s de-agreement -m de-mini --sample 200 -o words.csv\n"
      "  minpair introspect attribute -s SUITE -m DIR --method logit      parts of the model\n");
  add_by(*made, *call);
  Option& method =
      made->add_option("--method", call->method,
                       "erasure, the question again without each word; alti, what each word "
                       "contributes to the output through attention (ALTI-Logit); logit, what each "
                       "part of the model contributes directly to its output")
          .one_of({"erasure", "alti", "logit"})
          .shows_default();
  made->add_option("--evidence", call->evidence, "the region whose words should decide")
      .shows_default()
      .only_with(method, {"erasure", "alti"});
  return finish(std::move(made), call, attribute);
}

Made patch_command(const Host& host) {
  auto call = std::make_shared<ChangeCall>(ChangeCall{{host}});
  call->by = "all", call->site = "residual", call->how = "interchange";
  Made made = begin(
      "patch", *call, "How the answer changes when a value inside comes from another sentence",
      "  minpair introspect patch -s de-agreement -m de-mini --sample 200 --at subject,locus\n"
      "  minpair introspect patch -s SUITE -m DIR --site head --top 10 --by test -o effects.csv\n");
  add_by(*made, *call);
  made->add_option("--at", call->at,
                   "where, comma-separated: subject, attractor, locus, last (the token before the "
                   "locus), a region, or all; default: the first three");
  const Changes changes = add_changes(*made, *call, {"interchange", "mean", "zero", "direct"});
  made->add_option("--swap", call->swap, "whose number the counterpart changes")
      .one_of({"subject", "attractor"})
      .shows_default()
      .only_with(changes.how, {"interchange", "direct"});
  return finish(std::move(made), call, patch);
}

Made ablate_command(const Host& host) {
  auto call = std::make_shared<ChangeCall>(ChangeCall{{host}});
  call->by = "all", call->how = "zero";
  Made made = begin(
      "ablate", *call, "Accuracy without each head, neuron or unit",
      "  minpair introspect ablate -s de-agreement -m de-lstm --sample 200 --site unit\n"
      "  minpair introspect ablate -s SUITE -m DIR --site head --indices 3:0,3:7 --by condition\n");
  add_by(*made, *call);
  const Changes changes = add_changes(*made, *call, {"zero", "mean"});
  made->add_option("--indices", call->indices,
                   "these at once, as 1:5,2:17 (layers from 1, heads, neurons, units from 0)")
      .excludes(changes.top)
      .excludes(changes.layers);
  return finish(std::move(made), call, ablate);
}

}  // namespace minpair::command
