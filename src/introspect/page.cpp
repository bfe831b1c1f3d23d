#include "introspect/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/names.h"
#include "introspect/component.h"
#include "introspect/roles.h"
#include "introspect/stored.h"
#include "suite/json_text.h"

namespace minpair::introspect {
namespace {

constexpr size_t kMostSentences = 500;  // of a sweep: a page is no results file

std::string json_of(std::string_view text) {
  std::string out;
  suite::append_json_string(out, text);
  return out;
}

std::string number(double x) { return std::isfinite(x) ? fmt::format("{:.4g}", x) : "null"; }

template <class All, class Each>
std::string list(const All& all, Each each) {
  std::string out;
  for (const auto& one : all) out += (out.empty() ? "" : ",") + std::string(each(one));
  return "[" + out + "]";
}

// A text cut where something begins or ends: each part with the numbers of what it belongs to.
std::string parts_json(std::string_view text, const std::vector<Span>& spans) {
  std::set<size_t> cuts{0, text.size()};
  for (const Span& s : spans)
    if (!s.empty() && s.end <= text.size()) cuts.insert({s.begin, s.end});
  std::string out;
  for (auto from = cuts.begin(), to = std::next(from); to != cuts.end(); ++from, ++to) {
    std::vector<size_t> of;
    for (size_t i = 0; i < spans.size(); ++i)
      if (spans[i].begin <= *from && *to <= spans[i].end) of.push_back(i);
    out +=
        fmt::format("{}[{},{}]", out.empty() ? "" : ",", json_of(text.substr(*from, *to - *from)),
                    list(of, [](size_t i) { return std::to_string(i); }));
  }
  return "[" + out + "]";
}

// What the words of an item do: names, where they stand, and effects, layer by layer.
struct Shown {
  std::vector<std::string> names;
  std::vector<Span> spans;
  std::vector<std::vector<double>> effects;
  double margin = 0;
};

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

std::string sentence_json(const suite::Item& item, const Shown& s) {
  return fmt::format(
      "{{\"id\":{},\"margin\":{},\"names\":{},\"parts\":{},\"effects\":{}}}", json_of(item.id),
      number(s.margin), list(s.names, json_of), parts_json(right_of(item).text, s.spans),
      list(s.effects, [](const std::vector<double>& of) { return list(of, number); }));
}

// Layers of single sentences.
template <class Readings>
std::string layers_json(const Readings&) {
  return "[]";
}
std::string layers_json(const PatchReadings& read) {
  return list(read.components, [](const Component& c) { return std::to_string(c.layer); });
}

class Sweeps {
 public:
  template <class Readings>
  void add(const store::SweepRecord& sweep, const Readings& read, const Grids& grids) {
    std::string sentences;
    size_t left = 0, given = 0;
    for (size_t i = 0; i < read.readings.size() && has_sentences(read); ++i) {
      if (!read.readings[i].excluded.empty()) continue;
      if (given == kMostSentences && ++left) continue;
      sentences += fmt::format("{}{}", given++ ? "," : "",
                               sentence_json(read.items.items[i], shown(read, read.readings[i])));
    }
    const auto command = sweep.facts.find("command");
    out_ += fmt::format(
        "{}{{\"suite\":{},\"model\":{},\"what\":{},\"options\":{},\"command\":{},\"notes\":{},"
        "\"test\":{},\"condition\":{},\"layers\":{},\"sentences\":[{}],\"left\":{}}}",
        out_.empty() ? "" : ",", json_of(sweep.suite.name), json_of(sweep.model.name),
        json_of(sweep.name.what), sweep.name.options,
        json_of(command == sweep.facts.end() ? "" : command->second),
        list(grids.by_test.notes, json_of), report::render_grids({grids.by_test}, "json"),
        report::render_grids({grids.by_condition}, "json"), layers_json(read), sentences, left);
  }
  std::string json() const { return out_.empty() ? "" : "[" + out_ + "]"; }

 private:
  std::string out_;
};

}  // namespace

std::string effects_json(store::Store& store, const EffectView& view) {
  Sweeps sweeps;
  for (const store::SweepRecord& sweep : store::sweeps(store)) {
    if (!all_or_among(view.suites, sweep.suite.name) ||
        !all_or_among(view.models, sweep.model.name))
      continue;
    const AnyReadings read = load_sweep(store, sweep, wanted_by(view));
    std::visit([&](const auto& r) { sweeps.add(sweep, r, grids_of(read, view)); }, read);
  }
  return sweeps.json();
}

}  // namespace minpair::introspect
