#include "introspect/sweep_cache.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/paths.h"
#include "engine/command.h"
#include "engine/job.h"
#include "engine/query_batch.h"
#include "engine/selected.h"
#include "introspect/component.h"
#include "introspect/contrast.h"
#include "introspect/roles.h"
#include "introspect/sweep_codec.h"
#include "model/direct.h"
#include "stimuli/stimuli.h"

namespace minpair::introspect {
namespace {

// Some items of a suite, by their places in it.
class FilteredItems : public suite::ItemStream {
 public:
  FilteredItems(std::unique_ptr<suite::ItemStream> all, const std::vector<uint64_t>& ordinals)
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

Wanted wanted_of(const SweepRequest& request, query::Model& model) {
  Wanted wanted;
  std::vector<suite::Item> items;
  std::vector<query::Query> queries;
  wanted.content = engine::each_selected(
      request.suite.plain, request.selection, [&](uint64_t ordinal, const suite::Item& item) {
        wanted.all.push_back(ordinal);
        items.push_back(item);
        if (!request.shard.whole()) queries.push_back(margin_question(contrast_of(item, model)));
      });
  std::vector<bool> ours(items.size(), true);
  if (!request.shard.whole()) ours = engine::items_of(request.shard, model, queries);
  for (size_t i = 0; i < items.size(); ++i)
    if (ours[i]) {
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

store::Facts facts_of(const SweepRequest& request, const query::Model& model,
                      const std::string& what, const Own& own) {
  engine::CommandLine line("introspect " + what, request.suite.plain, model);
  for (const auto& [option, value] : own) line.add(option, value);
  return {{"command", line.add(request.selection).add(request.load, model).text()},
          {"version", version()}};
}

template <class Readings>
class SweepCache {
 public:
  SweepCache(query::Model& model, const SweepRequest& request, store::SweepName name,
             store::Facts facts)
      : model_(model),
        request_(request),
        record_(engine::record_of(model)),
        name_(std::move(name)),
        facts_(std::move(facts)),
        asked_options_(name_.options),
        wanted_(wanted_of(request, model)) {}

  // The effects depend on all items at once, not on each alone.
  void all_together() {
    if (!request_.shard.whole())
      throw wrong_call("the mean is over all items: these effects have no shards")
          .hint("--how zero or --how interchange");
    store::Facts options = store::parse_facts(name_.options, store().path().string());
    options["over"] = hex_of(hash128(key_text(wanted_, record_, name_)));
    name_.options = store::facts_json(options);
  }

  template <class Ask>
  Readings read(const Ask& ask) {
    const std::vector<store::SweepRecord> before = store::sweeps(request_.store);
    std::set<uint64_t> stored;
    const store::SweepRecord* known = find_it(before);
    if (known) stored = store::swept(store(), known->id);
    std::vector<uint64_t> missing;
    for (uint64_t ordinal : wanted_.ours)
      if (!stored.contains(ordinal)) missing.push_back(ordinal);
    const std::string key = key_text(wanted_, record_, name_);
    const std::filesystem::path file = engine::journal_file(store().path(), asked());
    if (missing.empty()) {
      engine::remove_left_over(file);
      // A shard may have no items; that it was computed is stored all the same.
      if (!known) put(Readings(), {}, hex_of(hash128(key)));
    } else {
      std::string plan = key;
      for (uint64_t ordinal : missing) plan += fmt::format(" {}", ordinal);
      engine::JournaledModel journaled(
          model_, file,
          {hash128(wanted_.content.fingerprint), hash128(plan),
           fmt::format("the suite '{}'", request_.suite.plain.manifest.name)});
      engine::SuiteSource source = request_.suite.roles;
      source.open = [open = source.open, &missing] {
        return std::make_unique<FilteredItems>(open(), missing);
      };
      put(ask(journaled, source), missing, hex_of(hash128(key)));
      journaled.remove();
    }
    const std::vector<store::SweepRecord> now = store::sweeps(store());
    const store::SweepRecord* sweep = find_it(now);
    return std::get<Readings>(load_sweep(store(), *sweep, [&](uint64_t ordinal, const auto&) {
      return std::ranges::binary_search(wanted_.ours, ordinal);
    }));
  }

 private:
  store::Store& store() { return request_.store; }

  const store::SweepRecord* find_it(const std::vector<store::SweepRecord>& all) const {
    return find(all, wanted_, request_.suite.plain.manifest.name, record_, name_);
  }

  // All that the call asks for, whatever the suite has.
  std::string asked() const {
    const engine::SuiteSource& suite = request_.suite.plain;
    const engine::Selection& s = request_.selection;
    std::string text = fmt::format("{}\n{}\n{}\n{}\n{}\n{} {} {}\n{} {} {} {}", suite.called,
                                   suite.manifest.name, record_.fingerprint, record_.tokenizer,
                                   record_.precision, name_.what, name_.version, asked_options_,
                                   s.limit, s.sample, s.seed, shard_text(request_.shard));
    text += '\n' + s.per + '\n' + s.where;
    for (const auto* names : {&s.tests, &s.conditions, &s.languages})
      text += '\n' + join(*names, "\t");
    return text;
  }

  // In one transaction, in the order of the suite: the same bytes, killed or not.
  void put(const Readings& read, const std::vector<uint64_t>& ordinals, const std::string& plan) {
    const suite::Manifest& manifest = request_.suite.plain.manifest;
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
    if (!request_.shard.whole())
      store::add_sweep_shard(store(), sweep, {request_.shard.number, request_.shard.of, plan});
    transaction.commit();
  }

  query::Model& model_;
  const SweepRequest& request_;
  store::ModelRecord record_;
  store::SweepName name_;
  store::Facts facts_;
  std::string asked_options_;  // whatever the suite has
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

LensReadings cached_lens(query::Model& model, const SweepRequest& request) {
  check_layers(model);
  SweepCache<LensReadings> cache(model, request, sweep_of(LensReadings()),
                                 facts_of(request, model, "lens", {}));
  return cache.read([&](query::Model& asked, const engine::SuiteSource& source) {
    return read_lens(asked, source, {}, request.tick);
  });
}

WordReadings cached_erasure(query::Model& model, const SweepRequest& request,
                            const std::string& evidence) {
  check_role(evidence, request.suite.roles, request.selection);
  WordReadings name;
  name.evidence = evidence, name.how = erasure_of(model);
  SweepCache<WordReadings> cache(model, request, sweep_of(name),
                                 facts_of(request, model, "attribute", {{"--evidence", evidence}}));
  return cache.read([&](query::Model& asked, const engine::SuiteSource& source) {
    return read_erasure(asked, source, {}, evidence, request.tick);
  });
}

WordReadings cached_alti(query::Model& model, const SweepRequest& request,
                         const std::string& evidence) {
  model::check_token_effects(model);
  check_role(evidence, request.suite.roles, request.selection);
  WordReadings name;
  name.evidence = evidence, name.how = Words::alti;
  SweepCache<WordReadings> cache(
      model, request, sweep_of(name),
      facts_of(request, model, "attribute", {{"--method", "alti"}, {"--evidence", evidence}}));
  // As for direct effects: what is inside the model is no answer that a journal keeps.
  return cache.read([&](query::Model&, const engine::SuiteSource& source) {
    return read_alti(model, source, {}, evidence, request.tick);
  });
}

Direct cached_direct(query::Model& model, const SweepRequest& request) {
  Direct name;
  name.parts = direct_parts(model);
  SweepCache<Direct> cache(model, request, sweep_of(name),
                           facts_of(request, model, "attribute", {{"--method", "logit"}}));
  // Its answers are hidden states, which no journal keeps; and the output layer is the model's own.
  return cache.read([&](query::Model&, const engine::SuiteSource& source) {
    return read_direct(model, source, {}, request.tick);
  });
}

PatchReadings cached_patches(query::Model& model, const SweepRequest& request,
                             const PatchOptions& options) {
  check_layers(model);
  const PatchReadings name{.options = options,
                           .components = components_of(model, options.site, options.layers)};
  Own own{{"--site", std::string(name_of(options.site))}, {"--at", join(options.roles, ",")}};
  if (!options.layers.empty()) own.emplace_back("--layers", layers_text(options.layers));
  own.emplace_back("--swap", options.swap == Swap::subject ? "subject" : "attractor");
  own.emplace_back("--how", std::string(name_of(options.how)));
  SweepCache<PatchReadings> cache(model, request, sweep_of(name),
                                  facts_of(request, model, "patch", own));
  if (options.how == How::mean) cache.all_together();
  return cache.read([&](query::Model& asked, const engine::SuiteSource& source) {
    return read_patches(asked, source, request.suite.whole, {}, options, request.tick);
  });
}

AblateReadings cached_ablations(query::Model& model, const SweepRequest& request,
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
  SweepCache<AblateReadings> cache(model, request, sweep_of(name),
                                   facts_of(request, model, "ablate", own));
  if (options.how == How::mean) cache.all_together();
  return cache.read([&](query::Model& asked, const engine::SuiteSource& source) {
    return read_ablations(asked, source, {}, options, request.tick);
  });
}

}  // namespace minpair::introspect
