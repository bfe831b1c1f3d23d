#include "introspect/patch.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "engine/query_batch.h"
#include "engine/selected.h"
#include "introspect/component.h"
#include "introspect/contrast.h"
#include "introspect/counterpart.h"
#include "introspect/roles.h"

namespace minpair::introspect {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// An item and its counterpart as the model reads them.
struct Pair {
  size_t item = 0;
  Contrast here, there;
  struct Role {
    std::vector<uint32_t> here, there;  // positions
  };
  std::vector<Role> roles;  // parallel to the options'; empty where it has none
};

// The tokens of some words, without those of the locus.
std::vector<uint32_t> tokens_of(const std::vector<Span>& spans, Span words, Span locus) {
  auto overlap = [](Span a, Span b) { return a.begin < b.end && b.begin < a.end; };
  std::vector<uint32_t> tokens;
  for (uint32_t i = 0; i < spans.size(); ++i)
    if (overlap(spans[i], words) && !overlap(spans[i], locus)) tokens.push_back(i);
  return tokens;
}

// What these tokens stand for, from the first to the last.
Span words_at(const std::vector<uint32_t>& positions, const std::vector<Span>& spans) {
  Span all;
  for (uint32_t position : positions) {
    if (position >= spans.size() || spans[position].empty()) continue;
    all = {all.empty() ? spans[position].begin : all.begin, spans[position].end};
  }
  return all;
}

class Patching {
 public:
  Patching(query::Model& model, PatchReadings& read, const engine::Tick& tick)
      : model_(model), read_(read), tick_(tick) {}

  void run(const engine::SuiteSource& whole) {
    const std::vector<Counterpart> others =
        find_counterparts(read_.items.items, whole, read_.options.swap);
    for (size_t i = 0; i < others.size(); ++i) prepare(i, others[i]);
    if (read_.options.how == How::mean) find_means();
    ask();
  }

 private:
  const PatchOptions& options() const { return read_.options; }

  // What an item is asked, and where its roles stand; or why not.
  void prepare(size_t i, const Counterpart& other) {
    const suite::Item& item = read_.items.items[i];
    PatchItem& reading = read_.readings[i];
    Pair pair{i, contrast_of(item, model_), {}, {}};
    reading.excluded = pair.here.excluded != Reason::none ? pair.here.excluded : other.excluded;
    if (reading.excluded != Reason::none) return;
    pair.there = contrast_of(other.item, model_);
    const bool swapped = options().swap == Swap::subject;
    if (pair.there.excluded != Reason::none)
      reading.excluded = Reason::counterpart_not_asked;
    else if ((swapped ? pair.there.bad : pair.there.good) != pair.here.good ||
             (swapped ? pair.there.good : pair.there.bad) != pair.here.bad)
      reading.excluded = Reason::counterpart_asks_other_tokens;
    else if (pair.there.ids == pair.here.ids)
      reading.excluded = Reason::counterpart_reads_the_same;
    if (reading.excluded != Reason::none) return;
    reading.good = model_.tokenizer().piece(pair.here.good);
    reading.bad = model_.tokenizer().piece(pair.here.bad);
    reading.counterpart = other.item.id;
    for (const std::string& role : options().roles) {
      pair.roles.push_back(role_of(role, pair, item, other, reading.missing.emplace_back()));
      reading.where.push_back(words_at(pair.roles.back().here, spans_of(item, pair.here, model_)));
    }
    reading.changed.assign(options().roles.size() * read_.components.size(), kNone);
    pairs_.push_back(std::move(pair));
  }

  Pair::Role role_of(const std::string& role, const Pair& pair, const suite::Item& item,
                     const Counterpart& other, Reason& missing) const {
    Pair::Role found{where(role, item, pair.here, other.here, missing),
                     where(role, other.item, pair.there, other.there, missing)};
    if (role == "all" && found.here.size() != found.there.size())
      missing = Reason::counterpart_of_other_length;
    return missing == Reason::none ? found : Pair::Role();
  }

  std::vector<uint32_t> where(const std::string& role, const suite::Item& item,
                              const Contrast& contrast, Span differs, Reason& missing) const {
    if (role == "all") {
      std::vector<uint32_t> every(contrast.ids.size());
      std::iota(every.begin(), every.end(), 0u);
      return every;
    }
    const suite::Sentence& right = item.sentences[item.sentences[0].grammatical ? 0 : 1];
    const suite::Region* region = suite::find_region(right, role);
    const bool is_swapped = role == (options().swap == Swap::subject ? "subject" : "attractor");
    if (!region && !is_swapped) {
      Part part = part_of(item, contrast, model_, role);
      if (part.missing != Reason::none) missing = part.missing;
      return part.positions;
    }
    const std::vector<Span> spans = spans_of(item, contrast, model_);
    std::vector<uint32_t> tokens = tokens_of(spans, region ? region->span : differs, right.locus);
    if (tokens.empty()) missing = spans.empty() ? Reason::retokenized : Reason::place_not_read;
    return tokens;
  }

  void find_means() {
    for (size_t r = 0; r < options().roles.size(); ++r) {
      SiteMeans& means = means_.emplace_back(options().site, read_.components);
      engine::QueryBatch batch(model_, tick_);
      for (const Pair& pair : pairs_) {
        if (pair.roles[r].here.empty()) continue;
        query::Query query{pair.here.ids, {}, {}};
        for (uint32_t position : pair.roles[r].here) means.ask(query, position);
        batch.add(query, [&means](const query::Answer& answer) { means.add(answer); });
      }
      batch.answer();
    }
  }

  // Which of the two is read; the other one has the values that are put into it.
  bool reads_other() const { return options().how == How::direct; }

  // What stands in one component at one role.
  std::vector<query::Change> changes(const Pair& pair, size_t r, const Component& component) const {
    const Pair::Role& role = pair.roles[r];
    const auto& to = reads_other() ? role.there : role.here;
    const auto& from = reads_other() ? role.here : role.there;
    std::vector<query::Change> all;
    for (size_t i = 0; i < to.size(); ++i) {
      query::Change change{{options().site, component.layer, component.index, to[i]},
                           query::Zero{}};
      // As many pieces here as there: each has its own. Otherwise each gets their mean.
      if (has_total(options().how))
        change.how = query::From{reads_other() ? pair.here.ids : pair.there.ids,
                                 to.size() == from.size() ? std::vector{from[i]} : from};
      if (options().how == How::mean) change.how = means_[r].put(component, model_.info());
      all.push_back(std::move(change));
    }
    return all;
  }

  void ask() {
    engine::QueryBatch batch(model_, tick_);
    auto put = [&](const Contrast& contrast, const Contrast& about, double& to,
                   std::vector<query::Change> changed = {}) {
      batch.add({contrast.ids,
                 {{contrast.position, query::Targets{{about.good, about.bad}, false}}},
                 std::move(changed)},
                [&to](const query::Answer& answer) { to = margin_of(answer); });
    };
    for (const Pair& pair : pairs_) {
      PatchItem& reading = read_.readings[pair.item];
      put(pair.here, pair.here, reading.margin);
      put(pair.there, pair.here, reading.there);
      for (size_t r = 0; r < pair.roles.size(); ++r)
        for (size_t c = 0; c < read_.components.size() && !pair.roles[r].here.empty(); ++c)
          put(reads_other() ? pair.there : pair.here, pair.here,
              reading.changed[r * read_.components.size() + c],
              changes(pair, r, read_.components[c]));
    }
    batch.answer();
  }

  query::Model& model_;
  PatchReadings& read_;
  const engine::Tick& tick_;
  std::vector<Pair> pairs_;
  std::vector<SiteMeans> means_;  // parallel to the roles
};

}  // namespace

PatchReadings read_patches(query::Model& model, const engine::SuiteSource& suite,
                           const engine::SuiteSource& whole, const engine::Selection& selection,
                           const PatchOptions& options, const engine::Tick& tick) {
  check_layers(model);
  for (const std::string& role : options.roles)
    if (role != "all") check_role(role, whole, {});
  PatchReadings read{.suite = suite.manifest.name,
                     .model = model.info().name,
                     .options = options,
                     .components = components_of(model, options.site, options.layers)};
  engine::each_selected(suite, selection, [&](uint64_t ordinal, const suite::Item& item) {
    read.items.add(ordinal, item);
  });
  read.readings.resize(read.items.items.size());
  Patching(model, read, tick).run(whole);
  return read;
}

}  // namespace minpair::introspect
