#include "stimuli/grammar/cfg_words.h"

#include <fmt/format.h>

#include <algorithm>

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
                                      const std::vector<std::string>& wanted, bool locus_here) {
  const std::vector<Cell>& cells = *paradigms_.find(lemma.text);
  std::vector<Found> found;
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
    Features features = cell.features;
    features.insert(fixed.begin(), fixed.end());
    features["lemma"] = lemma.text;
    std::vector<std::string> wrong;
    if (locus_here) wrong = wrong_forms(lemma, cell);
    bool skipped = locus_here && wrong.empty();
    found.push_back({std::move(features),
                     skipped      ? Derivations::Node{}
                     : locus_here ? locus(cell, std::move(wrong))
                                  : word(cell.form),
                     skipped});
  }
  if (found.empty() && right_kind)
    throw file_
        .error(fmt::format("'{}' has no form for {}", lemma.text, features_text(fixed)),
               lemma.place)
        .hint("add the form to the table");
  return found;
}

Derivations::Node Words::locus(const Cell& cell, std::vector<std::string> wrong) {
  std::string key = cell.form;
  for (const std::string& w : wrong) key += '\x1f' + w;
  auto it = loci_.find(key);
  if (it == loci_.end())
    it = loci_.emplace(key, derivations_.add_locus(cell.form, std::move(wrong))).first;
  return it->second;
}

// Empty where the forms are the same and the grammar skips that.
std::vector<std::string> Words::wrong_forms(const Symbol& lemma, const Cell& cell) {
  auto varied = cell.features.find(file_.vary);
  auto to =
      varied == cell.features.end() ? file_.vary_to.end() : file_.vary_to.find(varied->second);
  std::vector<std::string> wrong;
  for (const Cell& other : *paradigms_.find(lemma.text)) {
    if (!differs_only_in(file_.vary, cell, other)) continue;
    const std::string& value = other.features.at(file_.vary);
    if (!file_.vary_to.empty() &&
        (to == file_.vary_to.end() ||
         std::find(to->second.begin(), to->second.end(), value) == to->second.end()))
      continue;
    if (other.form == cell.form && file_.skip_syncretic) {
      derivations_.pass_over(cell.form);
      return {};
    }
    if (other.form == cell.form)
      throw file_
          .error(fmt::format("'{}' is right and wrong here: {} {} and {} are the same form",
                             cell.form, file_.vary, varied->second, value),
                 lemma.place)
          .hint(
              "leave the word out, fix a feature that tells the forms apart, or write "
              "'% syncretic skip'");
    if (std::find(wrong.begin(), wrong.end(), other.form) == wrong.end())
      wrong.push_back(other.form);
  }
  if (wrong.empty())
    throw file_
        .error(fmt::format("'{}' has no other {} than '{}' ({})", lemma.text, file_.vary, cell.form,
                           features_text(cell.features)),
               lemma.place)
        .hint("add the wrong form to the table");
  return wrong;
}

}  // namespace minpair::stimuli::cfg
