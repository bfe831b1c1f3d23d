#include "introspect/sweep_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/names.h"
#include "introspect/component.h"

namespace minpair::introspect {
namespace {

using Options = store::Facts;  // of a sweep: all that its effects depend on
constexpr std::string_view kHow[] = {"interchange", "mean", "zero", "direct"};
constexpr std::string_view kSwap[] = {"subject", "attractor"};
constexpr std::string_view kWords[] = {"masked", "left_out", "around_gap", "alti"};

Error malformed(const std::string& what) {
  return bad_input("stored effects are malformed: " + what)
      .hint("the file was changed outside of minpair, or made by a later one");
}

// A place in the right sentence, which a table or a page cuts out of it.
Span span_in(const double* places, const suite::Item& item) {
  if (item.sentences.size() < 2) throw malformed("the item is not a pair");
  const double size = double(item.sentences[item.sentences[0].grammatical ? 0 : 1].text.size());
  const double begin = places[0], end = places[1];
  if (!(0 <= begin && begin <= end && end <= size) || begin != std::floor(begin) ||
      end != std::floor(end))
    throw malformed(fmt::format("{} to {} is not in the sentence", begin, end));
  return {size_t(begin), size_t(end)};
}

template <class Enum, size_t n>
Enum find_in(const std::string_view (&names)[n], const std::string& name) {
  const auto at = std::ranges::find(names, name);
  if (at == std::end(names)) throw malformed(name);
  return Enum(at - std::begin(names));
}

query::Site site_named(const std::string& name) {
  for (size_t i = 0; i < query::kSites; ++i)
    if (name_of(query::Site(i)) == name) return query::Site(i);
  throw malformed(name);
}

const std::string& in(const Options& options, const std::string& name) {
  const auto at = options.find(name);
  if (at == options.end()) throw malformed("there is no " + name);
  return at->second;
}

template <class Number = uint32_t>
Number number_in(std::string_view text) {
  Number number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) throw malformed(std::string(text));
  return number;
}

std::vector<std::string> words_in(const std::string& list) {
  std::vector<std::string> words;
  for (std::string_view word : split(list, ',')) words.emplace_back(word);
  return words;
}

template <class All, class Text>
std::string joined(const All& all, const Text& text) {
  std::vector<std::string> words;
  for (const auto& one : all) words.push_back(text(one));
  return join(words, ",");
}

// Every layer has as many of them.
void put_components(Options& options, const std::vector<Component>& components) {
  std::vector<uint32_t> layers;
  for (const Component& c : components)
    if (layers.empty() || layers.back() != c.layer) layers.push_back(c.layer);
  options["layers"] = joined(layers, [](uint32_t layer) { return std::to_string(layer); });
  options["count"] = std::to_string(components.size() / layers.size());
}

std::vector<Component> components_in(const Options& options) {
  std::vector<Component> components;
  const uint32_t count = number_in(in(options, "count"));
  const std::vector<std::string> layers = words_in(in(options, "layers"));
  if (count > (1u << 24) / layers.size()) throw malformed("too many");
  for (const std::string& layer : layers)
    for (uint32_t i = 0; i < count; ++i) components.push_back({number_in<uint16_t>(layer), i});
  return components;
}

store::SweepName named(const char* what, const Options& options) {
  return {what, 1, store::facts_json(options)};
}

// --- from the options of a sweep ---

void begin(LensReadings&, const Options&, const store::SweepRecord&) {}
void begin(WordReadings& read, const Options& o, const store::SweepRecord& sweep) {
  read.evidence = in(o, "evidence");
  read.how = sweep.name.what == "alti"      ? Words::alti
             : o.contains("words")          ? find_in<Words>(kWords, in(o, "words"))
             : sweep.model.kind == "masked" ? Words::masked
                                            : Words::left_out;
}
void begin(Direct& read, const Options& o, const store::SweepRecord&) {
  read.parts = direct_parts(number_in<uint16_t>(in(o, "layers")), !o.contains("parts"));
}
void begin(PatchReadings& read, const Options& o, const store::SweepRecord&) {
  read.components = components_in(o);
  read.options.site = site_named(in(o, "site"));
  read.options.roles = words_in(in(o, "at"));
  read.options.swap = find_in<Swap>(kSwap, in(o, "swap"));
  read.options.how = find_in<How>(kHow, in(o, "how"));
}
void begin(AblateReadings& read, const Options& o, const store::SweepRecord&) {
  read.options.site = site_named(in(o, "site"));
  read.options.how = find_in<How>(kHow, in(o, "how"));
  if (o.contains("together"))
    read.options.together = find_components(in(o, "together"));
  else
    read.components = components_in(o);
}

// --- one item ---

void need(bool whole) {
  if (!whole) throw malformed("some are missing");
}

void take(LensReadings& read, store::Effects& e, const suite::Item&) {
  LensItem& item = read.readings.emplace_back();
  item.excluded = find_reason(e.excluded);
  if (item.excluded != Reason::none) return;
  need(e.texts.size() == 2 && !e.values.empty());
  item.good = e.texts[0], item.bad = e.texts[1];
  item.margins = std::move(e.values);
}

void take(WordReadings& read, store::Effects& e, const suite::Item& from) {
  WordItem& item = read.readings.emplace_back();
  item.excluded = find_reason(e.excluded);
  if (item.excluded != Reason::none) return;
  need(e.values.size() == 1 + 4 * e.texts.size());
  item.margin = e.values[0];
  for (size_t w = 0; w < e.texts.size(); ++w) {
    const double* v = &e.values[1 + 4 * w];
    item.words.push_back({span_in(v, from), e.texts[w], v[2] != 0, v[3]});
  }
  item.rank = rank_of_evidence(item.words);
}

void take(Direct& read, store::Effects& e, const suite::Item&) {
  need(!e.excluded.empty() || e.values.size() == read.parts.size());
  read.readings.push_back({find_reason(e.excluded), std::move(e.values)});
}

void take(PatchReadings& read, store::Effects& e, const suite::Item& from) {
  PatchItem& item = read.readings.emplace_back();
  item.excluded = find_reason(e.excluded);
  if (item.excluded != Reason::none) return;
  const size_t roles = read.options.roles.size(), changed = roles * read.components.size();
  need(e.texts.size() == 3 + roles && e.values.size() == 2 + 2 * roles + changed);
  item.good = e.texts[0], item.bad = e.texts[1], item.counterpart = e.texts[2];
  for (size_t r = 0; r < roles; ++r) item.missing.push_back(find_reason(e.texts[3 + r]));
  item.margin = e.values[0], item.there = e.values[1];
  for (size_t r = 0; r < roles; ++r) item.where.push_back(span_in(&e.values[2 + 2 * r], from));
  item.changed.assign(e.values.end() - ptrdiff_t(changed), e.values.end());
}

void take(AblateReadings& read, store::Effects& e, const suite::Item&) {
  AblateReadings::Item& item = read.readings.emplace_back();
  item.excluded = find_reason(e.excluded);
  if (item.excluded != Reason::none) return;
  need(e.texts.size() == 2 && e.values.size() == 1 + std::max<size_t>(1, read.components.size()));
  item.good = e.texts[0], item.bad = e.texts[1];
  item.margin = e.values[0];
  item.without.assign(e.values.begin() + 1, e.values.end());
}

template <class Readings>
AnyReadings loaded(store::Store& store, const store::SweepRecord& sweep, const WantItem& want) {
  Readings read{};
  read.items = report::SuiteItems();
  read.suite = sweep.suite.name, read.model = sweep.model.name;
  const std::string file = store.path().string();
  try {
    begin(read, store::parse_facts(sweep.name.options, file), sweep);
    suite::ItemParser parser;
    suite::Item item;
    store::each_effects(store, sweep.id,
                        [&](uint64_t ordinal, std::string_view line, store::Effects effects) {
                          parser.parse(line, {file, 0, 0, {}}, item);
                          if (!want(ordinal, item)) return;
                          take(read, effects, item);
                          read.items.add(ordinal, item);
                        });
  } catch (Error& e) {
    if (e.where().file.empty()) e.at(file);
    throw;
  }
  return read;
}

}  // namespace

std::string_view name_of(How how) { return kHow[size_t(how)]; }

store::SweepName sweep_of(const LensReadings&) { return named("lens", {}); }
store::SweepName sweep_of(const WordReadings& read) {
  Options options{{"evidence", read.evidence}};
  // What the kind of the model does not tell.
  if (read.how == Words::around_gap) options["words"] = "around_gap";
  return named(read.how == Words::alti ? "alti" : "erasure", options);
}
store::SweepName sweep_of(const Direct& read) {
  const bool both = read.parts.size() > 2 && read.parts[2].starts_with("mlp");
  Options options{{"layers", std::to_string((read.parts.size() - 2) / (both ? 2 : 1))}};
  if (!both) options["parts"] = "attention";
  return named("logit", options);
}
store::SweepName sweep_of(const PatchReadings& read) {
  Options options{{"at", join(read.options.roles, ",")},
                  {"how", std::string(name_of(read.options.how))},
                  {"site", std::string(name_of(read.options.site))},
                  {"swap", std::string(kSwap[size_t(read.options.swap)])}};
  put_components(options, read.components);
  return named("patch", options);
}
store::SweepName sweep_of(const AblateReadings& read) {
  Options options{{"how", std::string(name_of(read.options.how))},
                  {"site", std::string(name_of(read.options.site))}};
  if (read.options.together.empty())
    put_components(options, read.components);
  else
    options["together"] =
        joined(read.options.together, [](const Component& c) { return text_of(c); });
  return named("ablate", options);
}

store::Effects packed(const LensReadings& read, size_t i) {
  const LensItem& item = read.readings[i];
  return {std::string(key_of(item.excluded)), {item.good, item.bad}, item.margins};
}

store::Effects packed(const WordReadings& read, size_t i) {
  const WordItem& item = read.readings[i];
  store::Effects effects{std::string(key_of(item.excluded)), {}, {item.margin}};
  for (const WordEffect& w : item.words) {
    effects.texts.push_back(w.word);
    effects.values.insert(effects.values.end(), {double(w.span.begin), double(w.span.end),
                                                 w.evidence ? 1.0 : 0.0, w.effect});
  }
  return effects;
}

store::Effects packed(const Direct& read, size_t i) {
  return {std::string(key_of(read.readings[i].excluded)), {}, read.readings[i].effects};
}

store::Effects packed(const PatchReadings& read, size_t i) {
  const PatchItem& item = read.readings[i];
  store::Effects effects{std::string(key_of(item.excluded)),
                         {item.good, item.bad, item.counterpart},
                         {item.margin, item.there}};
  for (size_t r = 0; r < item.missing.size(); ++r)
    effects.texts.emplace_back(key_of(item.missing[r]));
  for (const Span& span : item.where)
    effects.values.insert(effects.values.end(), {double(span.begin), double(span.end)});
  effects.values.insert(effects.values.end(), item.changed.begin(), item.changed.end());
  return effects;
}

store::Effects packed(const AblateReadings& read, size_t i) {
  const AblateReadings::Item& item = read.readings[i];
  store::Effects effects{std::string(key_of(item.excluded)), {item.good, item.bad}, {item.margin}};
  effects.values.insert(effects.values.end(), item.without.begin(), item.without.end());
  return effects;
}

AnyReadings load_sweep(store::Store& store, const store::SweepRecord& sweep, const WantItem& want) {
  if (sweep.name.what == "lens") return loaded<LensReadings>(store, sweep, want);
  if (sweep.name.what == "erasure" || sweep.name.what == "alti")
    return loaded<WordReadings>(store, sweep, want);
  if (sweep.name.what == "logit") return loaded<Direct>(store, sweep, want);
  if (sweep.name.what == "patch") return loaded<PatchReadings>(store, sweep, want);
  if (sweep.name.what == "ablate") return loaded<AblateReadings>(store, sweep, want);
  throw malformed(sweep.name.what).at(store.path().string());
}

std::vector<store::SweepRecord> wanted_sweeps(store::Store& store, const EffectView& view) {
  std::vector<store::SweepRecord> all = store::sweeps(store);
  if (all.empty())
    throw bad_input("there are no effects in these results")
        .at(store.path().string())
        .hint("'minpair introspect ... -o " + store.path().string() + "' adds them");
  std::vector<std::string> suites, models;
  for (const store::SweepRecord& s : all)
    suites.push_back(s.suite.name), models.push_back(s.model.name);
  auto check = [](const char* what, const std::vector<std::string>& asked,
                  const std::vector<std::string>& known) {
    for (const std::string& name : asked)
      if (!std::ranges::count(known, name))
        throw unknown_name(fmt::format("there are no effects of the {} '{}'", what, name), name,
                           known);
  };
  check("suite", view.suites, suites);
  check("model", view.models, models);
  std::erase_if(all, [&](const store::SweepRecord& s) {
    return !all_or_among(view.suites, s.suite.name) || !all_or_among(view.models, s.model.name);
  });
  return all;
}

}  // namespace minpair::introspect
