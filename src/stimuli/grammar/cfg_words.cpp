#include "stimuli/grammar/cfg_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"

namespace minpair::stimuli::cfg {
namespace {

// Whether the lemma inflects for the feature at all. One that does not agrees with every value.
bool inflects(const std::vector<Cell>& cells, const std::string& feature) {
  return std::any_of(cells.begin(), cells.end(),
                     [&](const Cell& c) { return c.features.contains(feature); });
}

bool agrees(const std::vector<Cell>& cells, const Cell& cell, const std::string& feature,
            const std::string* value) {
  auto it = cell.features.find(feature);
  if (it != cell.features.end()) return !value || it->second == *value;
  return is_inherent(feature) || !inflects(cells, feature);
}

// Whether the other cell is the same but for the varied feature.
bool differs_only_in(const std::string& varied, const Cell& right, const Cell& other) {
  auto same = [&](const Features& a, const Features& b) {
    return std::all_of(a.begin(), a.end(), [&](const auto& f) {
      auto it = b.find(f.first);
      if (f.first == varied) return it != b.end() && it->second != f.second;
      return it == b.end() ? is_inherent(f.first) : it->second == f.second;
    });
  };
  return right.features.contains(varied) && same(right.features, other.features) &&
         same(other.features, right.features);
}

}  // namespace

Derivations::Node Words::word(const std::string& text) {
  auto it = words_.find(text);
  if (it == words_.end()) it = words_.emplace(text, derivations_.add_word(text)).first;
  return it->second;
}

std::vector<Words::Found> Words::find(const Symbol& lemma, const Features& fixed,
                                      const std::vector<std::string>& wanted, Locus how) {
  const std::vector<Cell>& cells = *paradigms_.find(lemma.text);
  std::vector<Found> found;
  std::vector<const Cell*> right;
  bool right_kind = false;
  for (const Cell& cell : cells) {
    bool kind = true, all = true;
    for (const auto& [name, value] : fixed) {
      bool fits = name == "lemma" ? value == lemma.text : agrees(cells, cell, name, &value);
      all = all && fits;
      kind = kind && (fits || !(name == "lemma" || is_inherent(name)));
    }
    right_kind |= kind;
    for (const std::string& w : wanted)
      if (w != "lemma" && !fixed.contains(w)) all = all && agrees(cells, cell, w, nullptr);
    if (!all) continue;
    right.push_back(&cell);
    Features features = cell.features;
    features.insert(fixed.begin(), fixed.end());
    features["lemma"] = lemma.text;
    std::vector<std::string> wrong;
    if (how == Locus::alone) wrong = wrong_forms(lemma, cell);
    bool skipped = how == Locus::alone && wrong.empty();
    found.push_back({std::move(features),
                     skipped               ? Derivations::Node{}
                     : how == Locus::alone ? locus(cell, std::move(wrong))
                     : how == Locus::joint ? joint(lemma, cell)
                                           : word(cell.form),
                     skipped});
  }
  if (found.empty() && right_kind)
    throw file_
        .error(fmt::format("'{}' has no form for {}", lemma.text, features_text(fixed)),
               lemma.place)
        .hint("add the form to the table");
  check_asked(lemma, right, wanted);
  check_holes(lemma, right, fixed, wanted);
  return found;
}

// Of features that go together, such as number and gender of an article, all combinations are
// there: what others ask for would vanish with the one that is not.
void Words::check_holes(const Symbol& lemma, const std::vector<const Cell*>& cells,
                        const Features& fixed, const std::vector<std::string>& wanted) const {
  std::vector<std::pair<std::string, std::set<std::string>>> values;
  for (const std::string& w : wanted) {
    if (w == "lemma" || fixed.contains(w)) continue;
    std::set<std::string> known;
    for (const Cell* c : cells)
      if (auto it = c->features.find(w); it != c->features.end()) known.insert(it->second);
    if (known.size() > 1) values.emplace_back(w, std::move(known));
  }
  for (size_t i = 0; i < values.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      for (const std::string& a : values[i].second)
        for (const std::string& b : values[k].second) {
          const auto has = [](const Cell* c, const std::string& feature, const std::string& value) {
            auto it = c->features.find(feature);
            return it == c->features.end() || it->second == value;
          };
          if (std::ranges::any_of(cells, [&](const Cell* c) {
                return has(c, values[i].first, a) && has(c, values[k].first, b);
              }))
            continue;
          throw file_
              .error(fmt::format("'{}' has no form for {}={}, {}={}", lemma.text, values[k].first,
                                 b, values[i].first, a),
                     lemma.place)
              .hint("add the form to the table");
        }
}

// Forms that differ in what nobody asks for would all be right.
void Words::check_asked(const Symbol& lemma, const std::vector<const Cell*>& cells,
                        const std::vector<std::string>& wanted) const {
  const auto value = [](const Cell& c, const std::string& feature) {
    auto it = c.features.find(feature);
    return it == c.features.end() ? std::string() : it->second;
  };
  for (size_t i = 1; i < cells.size(); ++i) {
    const Cell &a = *cells[0], &b = *cells[i];
    if (a.form == b.form || !std::ranges::all_of(wanted, [&](const std::string& w) {
          return value(a, w) == value(b, w);
        }))
      continue;
    for (const auto& [feature, own] : a.features) {
      const std::string other = value(b, feature);
      if (other.empty() || other == own) continue;
      throw file_
          .error(fmt::format("'{}' is {} or {}: the forms differ in {}, which no rule asks for",
                             lemma.text, a.form, b.form, feature),
                 lemma.place)
          .hint(fmt::format("ask for it where the word is used: [{0}=?...]; or, if each will do, "
                            "[{0}={1}|{2}]",
                            feature, own, other));
    }
  }
}

Derivations::Node Words::locus(const Cell& cell, std::vector<std::string> wrong) {
  std::string key = cell.form;
  for (const std::string& w : wrong) key += '\x1f' + w;
  auto it = loci_.find(key);
  if (it == loci_.end())
    it = loci_.emplace(key, derivations_.add_locus(cell.form, std::move(wrong))).first;
  return it->second;
}

// Whether the statement makes the one wrong in the other's place.
bool Words::may_become(const Cell& cell, const Cell& other) const {
  if (!differs_only_in(file_.vary, cell, other)) return false;
  if (file_.vary_to.empty()) return true;
  auto to = file_.vary_to.find(cell.features.at(file_.vary));
  return to != file_.vary_to.end() &&
         std::ranges::find(to->second, other.features.at(file_.vary)) != to->second.end();
}

// The wrong forms in the order of their values, so that those of several words belong together.
Derivations::Node Words::joint(const Symbol& lemma, const Cell& cell) {
  std::map<std::string, std::string> forms;
  for (const Cell& other : *paradigms_.find(lemma.text))
    if (may_become(cell, other)) forms.emplace(other.features.at(file_.vary), other.form);
  if (forms.empty()) throw no_other(lemma, cell);
  const std::string& value = cell.features.at(file_.vary);
  std::vector<std::string> values, wrong;
  for (const auto& [v, form] : forms) {
    values.push_back(v);
    wrong.push_back(form);
  }
  auto [same, is_new] = joint_.try_emplace(value, values);
  if (same->second != values)
    throw file_
        .error(fmt::format("'{}' can be {} instead of {}, but another locus {}", lemma.text,
                           join(values, ", "), value, join(same->second, ", ")),
               lemma.place)
        .hint("words that vary together have forms for the same values");
  const std::string key = cell.form + '\x1f' + join(wrong, "\x1f");
  auto it = joint_loci_.find(key);
  if (it == joint_loci_.end())
    it = joint_loci_.emplace(key, derivations_.add_varied(cell.form, std::move(wrong))).first;
  return it->second;
}

Error Words::no_other(const Symbol& lemma, const Cell& cell) const {
  if (!cell.features.contains(file_.vary)) {
    std::vector<std::string> known;
    for (const auto& [feature, value] : cell.features) known.push_back(feature);
    const std::string guess = closest(file_.vary, known);
    return file_
        .error(fmt::format("the forms of '{}' have no {}", lemma.text, file_.vary),
               file_.vary_place)
        .hint(guess.empty() ? "add it to the table" : fmt::format("did you mean '{}'?", guess));
  }
  return file_
      .error(fmt::format("'{}' has no other {} than '{}' ({})", lemma.text, file_.vary, cell.form,
                         features_text(cell.features)),
             lemma.place)
      .hint("add the wrong form to the table");
}

// Empty where the forms are the same and the grammar skips that.
std::vector<std::string> Words::wrong_forms(const Symbol& lemma, const Cell& cell) {
  std::vector<std::string> wrong;
  for (const Cell& other : *paradigms_.find(lemma.text)) {
    if (!may_become(cell, other)) continue;
    if (other.form == cell.form && file_.skip_syncretic) {
      derivations_.pass_over(cell.form);
      return {};
    }
    if (other.form == cell.form)
      throw file_
          .error(
              fmt::format("'{}' is right and wrong here: {} {} and {} are the same form", cell.form,
                          file_.vary, cell.features.at(file_.vary), other.features.at(file_.vary)),
              lemma.place)
          .hint(
              "leave the word out, fix a feature that tells the forms apart, or write "
              "'% syncretic skip'");
    if (std::find(wrong.begin(), wrong.end(), other.form) == wrong.end())
      wrong.push_back(other.form);
  }
  if (wrong.empty()) throw no_other(lemma, cell);
  return wrong;
}

}  // namespace minpair::stimuli::cfg
