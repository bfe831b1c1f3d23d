#include "introspect/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/names.h"
#include "introspect/component.h"
#include "introspect/overlap.h"
#include "introspect/page_json.h"
#include "introspect/roles.h"
#include "introspect/sweep_codec.h"

namespace minpair::introspect {
namespace {

constexpr size_t kMostSentences = 500;  // of a sweep: a page is no results file
constexpr double kStrongest = 0.05;     // of the parts of a layer, as in the papers

bool has_sentences(const WordReadings&) { return true; }
bool has_sentences(const PatchReadings& read) { return is_whole(read.options.site); }
template <class Readings>
bool has_sentences(const Readings&) {
  return false;
}

Shown shown(const WordReadings&, const WordItem& item) {
  Shown all{{}, {}, {}, item.margin};
  for (const WordEffect& w : item.words) {
    all.names.push_back(w.word);
    all.spans.push_back(w.span);
    all.effects.push_back({w.effect});
  }
  return all;
}
Shown shown(const PatchReadings& read, const PatchItem& item) {
  Shown all{read.options.roles, item.where, {}, item.margin};
  const size_t n = read.components.size();
  for (size_t c = 0; c < item.changed.size(); ++c) {
    if (c % n == 0) all.effects.emplace_back();
    all.effects.back().push_back(item.margin - item.changed[c]);
  }
  return all;
}
template <class Readings, class Item>
Shown shown(const Readings&, const Item&) {
  return {};
}

// Layers of single sentences.
template <class Readings>
void write_layers(suite::JsonWriter&, const Readings&) {}
void write_layers(suite::JsonWriter& json, const PatchReadings& read) {
  for (const Component& c : read.components) json.whole(c.layer);
}

// Of groups that were not asked there is nothing to draw; notes count them.
report::Grid drawn(report::Grid grid) {
  std::erase_if(grid.rows, [](const std::vector<report::GridValue>& row) {
    return std::ranges::count_if(row,
                                 [](const report::GridValue& value) {
                                   return std::holds_alternative<double>(value);
                                 }) == 1 &&
           std::ranges::count(row, report::GridValue(0.0)) == 1;
  });
  return grid;
}

class Sweeps {
 public:
  template <class Readings>
  void add(const store::SweepRecord& sweep, const Readings& read, const Grids& grids) {
    const auto command = sweep.facts.find("command");
    json_.open('{').key("suite").text(sweep.suite.name).key("model").text(sweep.model.name);
    json_.key("what").text(sweep.name.what).key("options").json(sweep.name.options);
    json_.key("command").text(command == sweep.facts.end() ? "" : command->second);
    json_.key("notes").open('[');
    for (const std::string& note : grids.by_test.notes) json_.text(note);
    json_.close(']');
    json_.key("test").json(report::render_grids({drawn(grids.by_test)}, "json"));
    json_.key("condition").json(report::render_grids({drawn(grids.by_condition)}, "json"));
    write_layers(json_.key("layers").open('['), read);
    json_.close(']').key("sentences").open('[');
    size_t left = 0, given = 0;
    for (size_t i = 0; i < read.readings.size() && has_sentences(read); ++i) {
      if (read.readings[i].excluded != Reason::none) continue;
      if (given == kMostSentences && ++left) continue;
      const suite::Item& item = read.items.items[i];
      ++given;
      write_sentence(json_, item.id, right_of(item).text, shown(read, read.readings[i]));
    }
    json_.close(']').key("left").whole(left).close('}');
  }
  // What the strongest parts of two groups of items share.
  void add(const report::Grid& overlap) {
    json_.open('{').key("what").text("overlap");
    json_.key("table").json(report::render_grids({overlap}, "json")).close('}');
  }
  std::string json() const { return out_.empty() ? "" : "[" + out_ + "]"; }

 private:
  std::string out_;
  suite::JsonWriter json_{out_};
};

}  // namespace

std::string effects_json(store::Store& store, const EffectView& view) {
  Sweeps sweeps;
  EffectView there = view;  // only what has effects
  there.by = "test";
  there.suites.clear(), there.models.clear();
  for (const store::SweepRecord& sweep : store::sweeps(store)) {
    if (!all_or_among(view.suites, sweep.suite.name) ||
        !all_or_among(view.models, sweep.model.name))
      continue;
    there.suites.push_back(sweep.suite.name), there.models.push_back(sweep.model.name);
    const AnyReadings read = load_sweep(store, sweep, wanted_by(view));
    std::visit([&](const auto& r) { sweeps.add(sweep, r, grids_of(read, view)); }, read);
  }
  if (sweeps.json().empty()) return "";
  for (const report::Grid& overlap : overlap_tables_if_any(store, there, kStrongest))
    sweeps.add(overlap);
  return sweeps.json();
}

}  // namespace minpair::introspect
