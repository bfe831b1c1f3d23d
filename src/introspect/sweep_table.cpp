#include <cmath>
#include <limits>

#include "base/names.h"
#include "introspect/component.h"
#include "introspect/sweep_codec.h"

namespace minpair::introspect {
namespace {

By by_of(const EffectView& view, By usual) {
  return view.by == "all"         ? By::all
         : view.by == "test"      ? By::test
         : view.by == "condition" ? By::condition
                                  : usual;
}

struct Tables {
  const EffectView& view;
  report::Grid operator()(const LensReadings& r) const {
    return lens_table(r, by_of(view, By::test));
  }
  report::Grid operator()(const WordReadings& r) const {
    return word_table(r, by_of(view, By::test));
  }
  report::Grid operator()(const Direct& r) const { return direct_table(r, by_of(view, By::test)); }
  report::Grid operator()(const PatchReadings& r) const {
    return patch_table(r, by_of(view, By::all), view.top);
  }
  report::Grid operator()(const AblateReadings& r) const {
    return ablate_table(r, by_of(view, By::all), view.top);
  }
};

// One figure of an item. What it lacks is nothing.
struct Figure {
  std::string_view site, at;
  std::optional<uint32_t> layer, index;
  std::optional<uint32_t> number;
  std::string_view word;
  std::optional<bool> evidence;
  std::optional<double> value, effect;
};

class Rows {
 public:
  Rows()
      : frame_(
            {{"sweep", tidy::Type::integer, "of the results file"},
             {"suite", tidy::Type::text},
             {"model", tidy::Type::text},
             {"what", tidy::Type::text, "lens, erasure, alti, logit, patch or ablate"},
             {"options", tidy::Type::text, "of the sweep, as JSON"},
             {"ordinal", tidy::Type::integer, "place in the suite, from 0"},
             {"id", tidy::Type::text},
             {"test", tidy::Type::text},
             {"condition", tidy::Type::text},
             {"language", tidy::Type::text},
             {"cluster", tidy::Type::text},
             {"excluded", tidy::Type::text, "why it was not asked"},
             {"counterpart", tidy::Type::text, "id of the item whose values are put there"},
             {"good", tidy::Type::text, "the tokens that are compared"},
             {"bad", tidy::Type::text},
             {"margin", tidy::Type::number, "of the unchanged model"},
             {"counterpart_margin", tidy::Type::number},
             {"site", tidy::Type::text},
             {"at", tidy::Type::text, "the place; of logit, the part"},
             {"layer", tidy::Type::integer},
             {"index", tidy::Type::integer, "of the head, neuron or unit"},
             {"number", tidy::Type::integer, "of the word, from 1"},
             {"word", tidy::Type::text},
             {"evidence", tidy::Type::truth},
             {"value", tidy::Type::number, "the margin there, or after the change"},
             {"effect", tidy::Type::number,
              "margin minus value; of logit and alti, its part of it"},
             {"rank", tidy::Type::number, "of the evidence among the words"},
             {"settling_layer", tidy::Type::integer, "from which on the margin keeps its sign"}}) {}

  template <class Readings>
  void add(std::optional<int64_t> sweep, const Readings& read) {
    sweep_ = sweep, name_ = sweep_of(read);
    suite_ = read.suite, model_ = read.model;
    for (size_t i = 0; i < read.readings.size(); ++i) {
      item_ = &read.items.items[i];
      ordinal_ = read.items.ordinals[i];
      const Reason why = read.readings[i].excluded;
      excluded_ = text_of(why);
      good_ = bad_ = counterpart_ = {};
      margin_ = there_ = rank_ = {};
      settling_layer_ = {};
      if (why == Reason::none)
        figures(read, read.readings[i]);
      else
        row({});
    }
  }
  tidy::Frame take() { return std::move(frame_); }

 private:
  void row(const Figure& f) {
    auto text = [&](std::string_view t) { frame_.text_or_nothing(t); };
    (sweep_ ? frame_.integer(*sweep_) : frame_.nothing()).text(suite_).text(model_);
    frame_.text(name_.what).text(name_.options).integer(int64_t(ordinal_));
    frame_.text(item_->id).text(item_->test);
    text(item_->condition), text(item_->language), text(item_->cluster), text(excluded_);
    text(counterpart_), text(good_), text(bad_);
    frame_.number(margin_).number(there_);
    text(f.site), text(f.at);
    frame_.integer(f.layer).integer(f.index);
    frame_.integer(f.number);
    text(f.word);
    f.evidence ? frame_.truth(*f.evidence) : frame_.nothing();
    frame_.number(f.value).number(f.effect).number(rank_).integer(settling_layer_);
  }

  void figures(const LensReadings&, const LensItem& item) {
    good_ = item.good, bad_ = item.bad, margin_ = item.margins.back();
    settling_layer_ = settling_layer(item.margins);
    for (uint32_t l = 0; l < item.margins.size(); ++l)
      if (!std::isnan(item.margins[l])) row({.layer = l, .value = item.margins[l]});
  }
  void figures(const WordReadings& read, const WordItem& item) {
    margin_ = item.margin, rank_ = item.rank;
    uint32_t number = 0;
    for (const WordEffect& w : item.words)
      row({.number = ++number,
           .word = w.word,
           .evidence = w.evidence,
           .value = read.how == Words::alti ? std::nullopt : std::optional(item.margin - w.effect),
           .effect = w.effect});
  }
  void figures(const Direct& read, const DirectItem& item) {
    for (size_t p = 0; p < item.effects.size(); ++p)
      row({.at = read.parts[p], .effect = item.effects[p]});
  }
  void figures(const PatchReadings& read, const PatchItem& item) {
    good_ = item.good, bad_ = item.bad, counterpart_ = item.counterpart;
    margin_ = item.margin, there_ = item.there;
    for (size_t r = 0; r < item.missing.size(); ++r) {
      excluded_ = text_of(item.missing[r], read.options.roles[r]);
      if (!excluded_.empty())
        row({.site = name_of(read.options.site), .at = read.options.roles[r]});
    }
    excluded_.clear();
    for (size_t c = 0; c < item.changed.size(); ++c)
      if (!std::isnan(item.changed[c]))
        component(read.options.site, read.components[c % read.components.size()],
                  read.options.roles[c / read.components.size()], item.margin, item.changed[c]);
  }
  void figures(const AblateReadings& read, const AblateReadings::Item& item) {
    good_ = item.good, bad_ = item.bad, margin_ = item.margin;
    for (size_t c = 0; c < read.components.size(); ++c)
      component(read.options.site, read.components[c], {}, item.margin, item.without[c]);
    if (!read.options.together.empty())
      row({.site = name_of(read.options.site),
           .value = item.without[0],
           .effect = item.margin - item.without[0]});
  }
  void component(query::Site site, const Component& component, std::string_view at, double margin,
                 double value) {
    row({.site = name_of(site),
         .at = at,
         .layer = component.layer,
         .index = is_whole(site) ? std::nullopt : std::optional(component.index),
         .value = value,
         .effect = margin - value});
  }

  tidy::Frame frame_;
  std::optional<int64_t> sweep_;  // of a results file
  store::SweepName name_;
  std::string suite_, model_;
  const suite::Item* item_ = nullptr;
  uint64_t ordinal_ = 0;
  std::string excluded_;
  std::string_view good_, bad_, counterpart_;
  std::optional<double> margin_, there_, rank_;
  std::optional<uint32_t> settling_layer_;
};

}  // namespace

WantItem wanted_by(const EffectView& view) {
  return [&view](uint64_t, const suite::Item& item) {
    return all_or_among(view.tests, item.test) && all_or_among(view.conditions, item.condition) &&
           all_or_among(view.languages, item.language);
  };
}

Grids grids_of(const AnyReadings& read, const EffectView& view) {
  EffectView own = view;
  own.by = "test";
  Grids grids{std::visit(Tables{own}, read), {}};
  own.by = "condition";
  grids.by_condition = std::visit(Tables{own}, read);
  return grids;
}

std::vector<report::Grid> effect_tables(store::Store& store, const EffectView& view) {
  std::vector<report::Grid> tables;
  for (const store::SweepRecord& sweep : wanted_sweeps(store, view))
    tables.push_back(std::visit(Tables{view}, load_sweep(store, sweep, wanted_by(view))));
  return tables;
}

tidy::Frame effect_rows(const AnyReadings& any) {
  Rows rows;
  std::visit([&](const auto& read) { rows.add({}, read); }, any);
  return rows.take();
}

tidy::Frame effect_rows(store::Store& store, const EffectView& view) {
  Rows rows;
  for (const store::SweepRecord& sweep : wanted_sweeps(store, view))
    std::visit([&](const auto& read) { rows.add(sweep.id, read); },
               load_sweep(store, sweep, wanted_by(view)));
  return rows.take();
}

}  // namespace minpair::introspect
