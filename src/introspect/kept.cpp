#include "introspect/kept.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/paths.h"
#include "engine/command.h"
#include "engine/journaled.h"
#include "engine/selected.h"
#include "introspect/asking.h"
#include "introspect/component.h"
#include "introspect/roles.h"
#include "introspect/stored.h"
#include "model/direct.h"
#include "stimuli/stimuli.h"

namespace minpair::introspect {
namespace {

// Some items of a suite, by their places in it.
class OnlyThese : public suite::ItemStream {
 public:
  OnlyThese(std::unique_ptr<suite::ItemStream> all, const std::vector<uint64_t>& ordinals)
      : all_(std::move(all)), ordinals_(ordinals) {}
  bool next(suite::Item& item) override {
    for (; at_ < ordinals_.size() && all_->next(item); ++ordinal_)
      if (ordinal_ == ordinals_[at_]) return ++at_, ++ordinal_, true;
    return false;
  }

 private:
  std::unique_ptr<suite::ItemStream> all_;
  const std::vector<uint64_t>& ordinals_;
  size_t at_ = 0;
  uint64_t ordinal_ = 0;
};

// What a call wants, as the suite has it.
struct Wanted {
  engine::SuiteContent content;
  std::vector<uint64_t> all, ours;  // ordinals: selected; and of this shard
  std::vector<suite::Item> items;   // ours
};

Wanted wanted_of(const Keeping& keeping) {
  Wanted wanted;
  std::vector<suite::Item> items;
  wanted.content = engine::each_selected(keeping.suite.plain, keeping.selection,
                                         [&](uint64_t ordinal, const suite::Item& item) {
                                           wanted.all.push_back(ordinal);
                                           items.push_back(item);
                                         });
  for (size_t i = 0; i < items.size(); ++i)
    if (i * keeping.shard.of / items.size() + 1 == keeping.shard.number) {
      wanted.ours.push_back(wanted.all[i]);
      wanted.items.push_back(std::move(items[i]));
    }
  return wanted;
}

std::string key_text(const Wanted& wanted, const store::ModelRecord& model,
                     const store::SweepName& name) {
  std::string text =
      fmt::format("{}\n{}\n{}\n{}\n{} {} {}\n", wanted.content.fingerprint, model.fingerprint,
                  model.tokenizer, model.precision, name.what, name.version, name.options);
  for (uint64_t ordinal : wanted.all) text += fmt::format("{} ", ordinal);
  return text;
}

// The sweep, if these results have it.
const store::SweepRecord* find(const std::vector<store::SweepRecord>& all, const Wanted& wanted,
                               const std::string& suite, const store::ModelRecord& model,
                               const store::SweepName& name) {
  const auto at = std::ranges::find_if(all, [&](const store::SweepRecord& s) {
    return s.suite.name == suite && s.suite.fingerprint == wanted.content.fingerprint &&
           s.model.fingerprint == model.fingerprint && s.model.tokenizer == model.tokenizer &&
           s.model.precision == model.precision && s.name == name;
  });
  return at == all.end() ? nullptr : &*at;
}

using Own = std::vector<std::pair<std::string, std::string>>;  // options for the facts

store::Facts facts_of(const Keeping& keeping, const query::Model& model, const std::string& what,
                      const Own& own) {
  engine::CommandLine line("introspect " + what, keeping.suite.plain, model);
  for (const auto& [option, value] : own) line.add(option, value);
  return {{"command", line.add(keeping.selection).add(keeping.load, model).text()},
          {"version", version()}};
}

template <class Readings>
class Keeper {
 public:
  Keeper(query::Model& model, const Keeping& keeping, store::SweepName name, store::Facts facts)
      : model_(model),
        keeping_(keeping),
        record_(engine::record_of(model)),
        name_(std::move(name)),
        facts_(std::move(facts)),
        wanted_(wanted_of(keeping)) {}

  // Who reads depends on all items at once, not on each alone.
  void all_together() {
    if (!keeping_.shard.whole())
      throw wrong_call("the mean is over all items: these effects have no shards")
          .hint("--how zero or --how interchange");
    store::Facts options = store::parse_facts(name_.options, store().path().string());
    options["over"] = hex_of(hash128(key_text(wanted_, record_, name_)));
    name_.options = store::facts_json(options);
  }

  template <class Ask>
  Readings keep(const Ask& ask) {
    const std::vector<store::SweepRecord> before = store::sweeps(keeping_.store);
    std::set<uint64_t> stored;
    if (const store::SweepRecord* known = find_it(before))
      stored = store::swept(store(), known->id);
    std::vector<uint64_t> missing;
    for (uint64_t ordinal : wanted_.ours)
      if (!stored.contains(ordinal)) missing.push_back(ordinal);
    const std::string key = key_text(wanted_, record_, name_);
    std::filesystem::path file = store().path();
    file += fmt::format("-{:016x}.answers", hash128(key + shard_text(keeping_.shard)).low);
    if (missing.empty()) {
      engine::JournaledModel::remove_left_over(file);
    } else {
      std::string plan = key;
      for (uint64_t ordinal : missing) plan += fmt::format(" {}", ordinal);
      engine::JournaledModel journaled(model_, file, hash128(plan));
      engine::SuiteSource source = keeping_.suite.roles;
      source.open = [open = source.open, &missing] {
        return std::make_unique<OnlyThese>(open(), missing);
      };
      put(ask(journaled, source), missing, hex_of(hash128(key)));
      journaled.remove();
    }
    const std::vector<store::SweepRecord> now = store::sweeps(store());
    const store::SweepRecord* sweep = find_it(now);
    if (!sweep) throw wrong_call("this shard has no items").hint("ask for fewer shards");
    return std::get<Readings>(load_sweep(store(), *sweep, [&](uint64_t ordinal, const auto&) {
      return std::ranges::binary_search(wanted_.ours, ordinal);
    }));
  }

 private:
  store::Store& store() { return keeping_.store; }

  const store::SweepRecord* find_it(const std::vector<store::SweepRecord>& all) const {
    return find(all, wanted_, keeping_.suite.plain.manifest.name, record_, name_);
  }

  // In one transaction, in the order of the suite: the same bytes, killed or not.
  void put(const Readings& read, const std::vector<uint64_t>& ordinals, const std::string& plan) {
    const suite::Manifest& manifest = keeping_.suite.plain.manifest;
    store::Store::Transaction transaction(store());
    const int64_t suite = store().add_suite(
        {0, manifest.name, wanted_.content.fingerprint, wanted_.content.items, manifest});
    const int64_t sweep =
        store::add_sweep(store(), suite, store().add_model(record_), name_, facts_);
    for (size_t i = 0, at = 0; i < ordinals.size(); ++i, ++at) {
      while (wanted_.ours[at] != ordinals[i]) ++at;
      store().add_item(suite, ordinals[i], wanted_.items[at]);
      store::add_effects(store(), sweep, ordinals[i], packed(read, i));
    }
    if (!keeping_.shard.whole())
      store::add_sweep_shard(store(), sweep, {keeping_.shard.number, keeping_.shard.of, plan});
    transaction.commit();
  }

  query::Model& model_;
  const Keeping& keeping_;
  store::ModelRecord record_;
  store::SweepName name_;
  store::Facts facts_;
  Wanted wanted_;
};

std::string layers_text(const std::vector<uint32_t>& layers) {
  std::vector<std::string> words;
  for (uint32_t layer : layers) words.push_back(std::to_string(layer));
  return join(words, ",");
}

}  // namespace

Sources sources_of(const suite::Suite& suite) {
  Sources sources;
  sources.plain = engine::suite_source(suite);
  sources.roles = sources.whole = sources.plain;
  if (suite.path == "-" || !stimuli::from_grammars(suite)) return sources;
  sources.roles.open = [suite] { return stimuli::open_items(suite, {.roles = true}); };
  sources.whole.open = [suite] {
    return stimuli::open_items(suite, {.whole = true, .roles = true});
  };
  return sources;
}

bool is_results(const std::filesystem::path& file) {
  const std::string end = file.extension().string();
  return end == ".db" || end == ".sqlite" || end == ".sqlite3";
}

LensReadings keep_lens(query::Model& model, const Keeping& keeping) {
  check_layers(model);
  Keeper<LensReadings> keeper(model, keeping, sweep_of(LensReadings()),
                              facts_of(keeping, model, "lens", {}));
  return keeper.keep([&](query::Model& asked, const engine::SuiteSource& source) {
    return read_lens(asked, source, {}, keeping.tick);
  });
}

WordReadings keep_erasure(query::Model& model, const Keeping& keeping,
                          const std::string& evidence) {
  check_role(evidence, keeping.suite.roles, keeping.selection);
  WordReadings name;
  name.evidence = evidence, name.how = erasure_of(model);
  Keeper<WordReadings> keeper(model, keeping, sweep_of(name),
                              facts_of(keeping, model, "attribute", {{"--evidence", evidence}}));
  return keeper.keep([&](query::Model& asked, const engine::SuiteSource& source) {
    return read_erasure(asked, source, {}, evidence, keeping.tick);
  });
}

WordReadings keep_alti(query::Model& model, const Keeping& keeping, const std::string& evidence) {
  model::check_token_effects(model);
  check_role(evidence, keeping.suite.roles, keeping.selection);
  WordReadings name;
  name.evidence = evidence, name.how = Words::alti;
  Keeper<WordReadings> keeper(
      model, keeping, sweep_of(name),
      facts_of(keeping, model, "attribute", {{"--method", "alti"}, {"--evidence", evidence}}));
  // As for direct effects: what is inside the model is no answer that a journal keeps.
  return keeper.keep([&](query::Model&, const engine::SuiteSource& source) {
    return read_alti(model, source, {}, evidence, keeping.tick);
  });
}

Direct keep_direct(query::Model& model, const Keeping& keeping) {
  Direct name;
  name.parts = direct_parts(model);
  Keeper<Direct> keeper(model, keeping, sweep_of(name),
                        facts_of(keeping, model, "attribute", {{"--method", "logit"}}));
  // Its answers are hidden states, which no journal keeps; and the output layer is the model's own.
  return keeper.keep([&](query::Model&, const engine::SuiteSource& source) {
    return read_direct(model, source, {}, keeping.tick);
  });
}

PatchReadings keep_patches(query::Model& model, const Keeping& keeping,
                           const PatchOptions& options) {
  check_layers(model);
  const PatchReadings name{.options = options,
                           .components = components_of(model, options.site, options.layers)};
  Own own{{"--site", std::string(name_of(options.site))}, {"--at", join(options.roles, ",")}};
  if (!options.layers.empty()) own.emplace_back("--layers", layers_text(options.layers));
  own.emplace_back("--swap", options.swap == Swap::subject ? "subject" : "attractor");
  own.emplace_back("--how", std::string(name_of(options.how)));
  Keeper<PatchReadings> keeper(model, keeping, sweep_of(name),
                               facts_of(keeping, model, "patch", own));
  if (options.how == How::mean) keeper.all_together();
  return keeper.keep([&](query::Model& asked, const engine::SuiteSource& source) {
    return read_patches(asked, source, keeping.suite.whole, {}, options, keeping.tick);
  });
}

AblateReadings keep_ablations(query::Model& model, const Keeping& keeping,
                              const AblateOptions& options) {
  check_layers(model);
  AblateReadings name{.options = options};
  if (options.together.empty())
    name.components = components_of(model, options.site, options.layers);
  Own own{{"--site", std::string(name_of(options.site))}};
  if (!options.layers.empty()) own.emplace_back("--layers", layers_text(options.layers));
  std::vector<std::string> together;
  for (const Component& c : options.together) together.push_back(text_of(c));
  if (!together.empty()) own.emplace_back("--indices", join(together, ","));
  own.emplace_back("--how", std::string(name_of(options.how)));
  Keeper<AblateReadings> keeper(model, keeping, sweep_of(name),
                                facts_of(keeping, model, "ablate", own));
  if (options.how == How::mean) keeper.all_together();
  return keeper.keep([&](query::Model& asked, const engine::SuiteSource& source) {
    return read_ablations(asked, source, {}, options, keeping.tick);
  });
}

}  // namespace minpair::introspect
