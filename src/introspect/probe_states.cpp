#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/names.h"
#include "base/text.h"
#include "engine/query_batch.h"
#include "engine/selected.h"
#include "introspect/contrast.h"
#include "introspect/probe.h"
#include "introspect/roles.h"

namespace minpair::introspect {
namespace {

std::string label_of(const suite::Item& item, const std::string& label) {
  if (label == "test") return item.test;
  if (label == "condition") return item.condition;
  if (label == "language") return item.language;
  std::string value = suite::feature_text(item, label);
  if (value.empty()) value = suite::feature_text(item, "subject." + label);
  if (!value.empty() || label != "number") return value;
  const std::string first = item.condition.substr(0, item.condition.find('_'));
  return first == "sg" || first == "pl" ? first : "";
}

void check_labels(const ProbeStates& states, const std::string& label) {
  if (std::ranges::any_of(states.labels, [](const std::string& l) { return !l.empty(); })) return;
  std::set<std::string> known{"test", "condition", "language", "number"};
  for (const suite::Item& item : states.items.items)
    for (const auto& [name, value] : item.features) known.insert(name);
  throw unknown_name(fmt::format("no item of {} has the label '{}'", states.suite, label), label,
                     {known.begin(), known.end()});
}

// Sets of things that are joined one pair after the other.
class Joined {
 public:
  uint64_t add(const std::string& name) {
    auto [at, fresh] = place_.try_emplace(name, parent_.size());
    if (fresh) parent_.push_back(at->second);
    return at->second;
  }
  uint64_t find(uint64_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void join(uint64_t a, uint64_t b) { parent_[find(a)] = find(b); }

 private:
  std::unordered_map<std::string, uint64_t> place_;
  std::vector<uint64_t> parent_;
};

// Items that share words. The state of the subject, and what is asked at the locus, hang on the
// subject: its forms are known from the suite's clusters, over tests from equal words. What another
// role hangs on is its own word.
void set_clusters(ProbeStates::Role& role, const report::SuiteItems& items,
                  const std::vector<std::string>& subjects) {
  const bool by_subject = role.name == "subject" || role.name == "locus" || role.name == "last";
  Joined joined;
  std::vector<uint64_t> names;
  for (size_t i = 0; i < role.items.size(); ++i) {
    const std::string& word = by_subject ? subjects[role.items[i]] : role.words[i];
    const uint64_t own =
        joined.add(by_subject ? fmt::format("cluster {}", items.cluster[role.items[i]])
                              : "word " + lower(word));
    if (by_subject && !word.empty()) joined.join(own, joined.add("word " + lower(word)));
    names.push_back(own);
  }
  for (uint64_t name : names) role.clusters.push_back(joined.find(name));
}

// Which positions of an item are whose.
struct Wanted {
  std::vector<std::vector<uint32_t>> positions;  // of each role; empty: it lacks it
  std::vector<uint32_t> all() const {
    std::set<uint32_t> sorted;
    for (const auto& some : positions) sorted.insert(some.begin(), some.end());
    return {sorted.begin(), sorted.end()};
  }
};

query::Query question(const Contrast& contrast, const Wanted& wanted,
                      const std::vector<uint32_t>& layers) {
  query::Query query{contrast.ids, {}, {}};
  for (uint32_t position : wanted.all())
    for (uint32_t layer : layers) query.asks.push_back({position, query::Hidden{uint16_t(layer)}});
  return query;
}

class Reader {
 public:
  Reader(query::Model& model, ProbeStates& states, const ProbeOptions& options)
      : model_(model), states_(states), options_(options) {
    for (const std::string& name : options.roles) {
      ProbeStates::Role& role = states.roles.emplace_back();
      role.name = name;
      role.layers.resize(states.layers.size());
    }
  }

  // The question about an item, or nothing to ask.
  query::Query add(const suite::Item& item) {
    const auto number = uint32_t(states_.items.items.size() - 1);
    const Contrast contrast = contrast_of(item, model_);
    states_.excluded.push_back(contrast.excluded);
    states_.labels.push_back(label_of(item, options_.label));
    for (ProbeStates::Role& role : states_.roles) role.missing.push_back(Reason::none);
    subjects_.emplace_back();
    wanted_.emplace_back();
    if (contrast.excluded != Reason::none) return {};
    subjects_.back() = part_of(item, contrast, model_, "subject").word;
    for (ProbeStates::Role& role : states_.roles) {
      Part part = part_of(item, contrast, model_, role.name);
      if (part.missing == Reason::none && states_.labels.back().empty())
        part = {{}, {}, Reason::no_label};
      wanted_.back().positions.push_back(part.positions);
      if (part.missing != Reason::none) {
        role.missing.back() = part.missing;
        continue;
      }
      role.items.push_back(number);
      role.words.push_back(role.name == "locus" ? word_for_locus(item, contrast)
                                                : std::move(part.word));
    }
    return question(contrast, wanted_.back(), states_.layers);
  }

  // The mean over the tokens of each role.
  void take(size_t item, const query::Answer& answer) {
    const std::vector<uint32_t> all = wanted_[item].all();
    for (size_t r = 0; r < states_.roles.size(); ++r) {
      const std::vector<uint32_t>& own = wanted_[item].positions[r];
      for (size_t l = 0; l < states_.layers.size() && !own.empty(); ++l) {
        std::vector<double> sum;
        for (uint32_t position : own) {
          size_t at = size_t(std::ranges::lower_bound(all, position) - all.begin());
          const auto& state = std::get<query::State>(answer[at * states_.layers.size() + l]).values;
          sum.resize(state.size(), 0.0);
          for (size_t d = 0; d < state.size(); ++d) sum[d] += double(state[d]);
        }
        std::vector<float>& to = states_.roles[r].layers[l];
        for (double x : sum) to.push_back(float(x / double(own.size())));
      }
    }
    wanted_[item] = {};
  }

  const std::vector<std::string>& subjects() const { return subjects_; }

 private:
  // A mask is the same everywhere: what could be learnt by heart there is the subject.
  std::string word_for_locus(const suite::Item& item, const Contrast& contrast) const {
    return subjects_.back().empty() ? part_of(item, contrast, model_, "last").word
                                    : subjects_.back();
  }

  query::Model& model_;
  ProbeStates& states_;
  const ProbeOptions& options_;
  std::vector<Wanted> wanted_;
  std::vector<std::string> subjects_;
};

}  // namespace

ProbeStates read_probe_states(query::Model& model, const engine::SuiteSource& suite,
                              const engine::Selection& selection, const ProbeOptions& options,
                              const engine::Tick& tick) {
  check_layers(model);
  for (const std::string& role : options.roles) check_role(role, suite, selection);
  ProbeStates states;
  states.suite = suite.manifest.name;
  states.model = model.info().name;
  states.layers = options.layers;
  for (uint32_t l = 0; options.layers.empty() && l <= model.info().layers; ++l)
    states.layers.push_back(l);
  Reader reader(model, states, options);
  engine::QueryBatch batch(model, tick);
  engine::each_selected(suite, selection, [&](uint64_t ordinal, const suite::Item& item) {
    states.items.add(ordinal, item);
    const query::Query query = reader.add(item);
    if (query.asks.empty()) return;
    batch.add(query, [&reader, i = states.items.items.size() - 1](const query::Answer& answer) {
      reader.take(i, answer);
    });
  });
  batch.answer();
  check_labels(states, options.label);
  for (ProbeStates::Role& role : states.roles) set_clusters(role, states.items, reader.subjects());
  return states;
}

}  // namespace minpair::introspect
