#include "stimuli/treebank/nonce.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"

namespace minpair::stimuli {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string_view relation(const Word& w) { return w.deprel.substr(0, w.deprel.find(':')); }

bool content_word(const Word& w) { return is_one_of(w.upos, {"NOUN", "VERB", "ADJ"}); }

// Letters alone, and capitals as words have them: no "Print-", "km/h", "NATO".
bool ordinary(std::string_view form) {
  size_t at = 0, letters = 0;
  while (at < form.size()) {
    char32_t c = next_character(form, at);
    if (!is_letter(c)) return false;
    ++letters;
  }
  std::string low = lower(form);
  return letters > 2 && (form == low || form == capitalize_first(low));
}

template <class Each>
void each_dependent(const Tree& tree, uint32_t i, Each each) {
  for (uint32_t j = 1; j <= tree.words.size(); ++j)
    if (tree.word(j).head == i) each(j, tree.word(j));
}

bool has_dependent(const Tree& tree, uint32_t i,
                   std::initializer_list<std::string_view> relations) {
  bool found = false;
  each_dependent(tree, i,
                 [&](uint32_t, const Word& w) { found |= is_one_of(relation(w), relations); });
  return found;
}

bool determined(const Tree& tree, uint32_t i) {
  bool found = has_dependent(tree, i, {"det", "nummod"});
  each_dependent(tree, i, [&](uint32_t, const Word& d) { found |= d.deprel == "nmod:poss"; });
  return found;
}

// Does the word belong to an expression, a name, a measure, or ask for a clause of its own?
bool bound(const Tree& tree, uint32_t i) {
  const Word& w = tree.word(i);
  if (is_one_of(relation(w), {"fixed", "flat", "compound", "goeswith", "appos", "vocative", "list",
                              "discourse", "advmod", "mark", "case", "cc"}))
    return true;
  bool noun = w.upos == "NOUN";
  // "jedes Jahr": a phrase that is an adverb.
  if (noun && is_one_of(relation(w), {"obl", "advcl"}) && !has_dependent(tree, i, {"case"}))
    return true;
  // Without a determiner it is a mass, a headline or an idiom; a dative object is rare.
  static const FeatureIndex singular = value_index(Feature::number, "Sing"),
                            dative = value_index(Feature::case_, "Dat");
  if (noun && w.bundle[Feature::number] == singular && !determined(tree, i)) return true;
  if (noun && relation(w) == "obj" && w.bundle[Feature::case_] == dative) return true;
  if (has_dependent(tree, i, {"fixed", "flat", "compound", "goeswith"})) return true;
  if (w.upos == "VERB")  // which may share its objects; "hängen bleiben"
    return relation(w) == "conj" || has_dependent(tree, i, {"conj"}) ||
           (w.feats.find("VerbForm=Inf") != std::string_view::npos &&
            is_one_of(relation(w), {"xcomp", "obj", "obl"}) && !has_dependent(tree, i, {"mark"}));
  if (has_dependent(tree, i, {"appos", "nummod", "ccomp", "csubj", "xcomp", "obl", "obj", "advcl"}))
    return true;
  if (w.upos == "ADJ" && has_dependent(tree, i, {"nmod", "case", "iobj", "det", "mark"}))
    return true;
  bool clause = false;
  each_dependent(tree, i, [&](uint32_t j, const Word& d) {
    clause |= relation(d) == "acl" && has_dependent(tree, j, {"mark"});
    clause |= d.upos == "PROPN" && !has_dependent(tree, j, {"case"}) && relation(d) != "nsubj";
  });
  return clause;
}

// What the verb takes: objects with their case, clauses, a reflexive, the auxiliary of its perfect.
std::string frame(const Tree& tree, uint32_t i) {
  std::set<std::string> parts;
  bool finite = tree.word(i).bundle[Feature::person] != 0;
  each_dependent(tree, i, [&](uint32_t, const Word& d) {
    if (d.feats.find("Reflex=Yes") != std::string_view::npos ||
        is_one_of(lower(d.form), {"sich", "se", "s'", "s’", "si", "zich", "sig", "seg"}))
      parts.insert("reflexive");
    if (is_one_of(relation(d), {"obj", "iobj"}) || d.deprel == "obl:arg")
      parts.insert(fmt::format("{}{}", relation(d), d.bundle[Feature::case_]));
    if (is_one_of(relation(d), {"ccomp", "xcomp", "csubj", "expl", "cop"}))
      parts.insert(std::string(relation(d)));
    if (relation(d) == "aux" && (!finite || d.deprel != "aux")) parts.insert(std::string(d.lemma));
  });
  std::string text;
  for (const std::string& part : parts) text += part + ' ';
  return text;
}

std::string last_letter(std::string_view form) {
  return std::string(form.substr(byte_of_character(form, count_characters(form) - 1)));
}

// German adjectives end in e, en, er, es, em.
std::string_view ending(std::string_view form) {
  return form.substr(form.size() - (form.ends_with('e') ? 1 : 2));
}

}  // namespace

// "" where the word stays as it is.
std::string NonceWords::place(const Tree& tree, uint32_t i) const {
  const Word& w = tree.word(i);
  const SurfaceToken& token = tree.token_of(i);
  if (!content_word(w) || w.feats == "_" || token.first != token.last || !ordinary(w.form) ||
      bound(tree, i))
    return "";
  std::string key = fmt::format("{}\t{}\t{}\t", w.upos, w.feats, w.form == lower(w.form));
  if (w.upos == "VERB")
    return key + std::string(relation(w) == "amod" ? "amod " : "") + frame(tree, i);
  if (w.upos == "NOUN") return key;
  uint32_t top = i;  // of a coordination
  for (size_t steps = 0; steps < 10 && relation(tree.word(top)) == "conj"; ++steps)
    top = tree.word(top).head;
  std::string_view rel = relation(tree.word(top));
  if (has_dependent(tree, top, {"cop"})) return key + "predicate";
  return key + std::string(rel) + (tree.word(top).head > i ? " before" : " after");
}

void NonceWords::add(const Tree& tree) {
  if (tree.withheld()) return;
  for (uint32_t i = 1; i <= tree.words.size(); ++i) {
    const Word& w = tree.word(i);
    if (w.deprel == "compound:prt") particles_.insert(lower(w.form));
    if (w.upos == "VERB") verbs_.emplace(w.lemma);
    if (w.upos == "AUX") auxiliaries_.insert(lower(w.form));
    if (w.upos == "ADJ" && w.bundle[Feature::number] != 0) {
      std::string form = lower(w.form);
      auto [cell, first] = adjectives_.try_emplace(fmt::format("{}\t{}", w.lemma, w.feats), form);
      if (!first) ++(cell->second == form ? adjectives_alike_ : adjectives_unlike_);
      like_adjectives_.insert(std::move(form));
    }
    if (std::string key = place(tree, i); !key.empty()) words_[key].emplace_back(w.form);
    if (w.upos == "NOUN" && ordinary(w.form)) {
      ++last_letters_[fmt::format("{}{}", w.feats, last_letter(w.form))];
      ++last_letters_[last_letter(w.form)];
      ++last_letters_[std::string(w.feats)];
      ++last_letters_[""];
    }
  }
}

void NonceWords::finish() {
  for (auto& [key, list] : words_) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  size_t joined = 0;
  for (const std::string& verb : verbs_)
    joined += std::any_of(particles_.begin(), particles_.end(), [&](const std::string& p) {
      return verb.starts_with(p) && verbs_.contains(verb.substr(p.size()));
    });
  joined_particles_ = joined * 25 > verbs_.size();
  several_declensions_ = adjectives_unlike_ * 10 > adjectives_alike_ + adjectives_unlike_;
}

// Does the noun end as those with its features do? German genitives have an s.
bool NonceWords::usual_ending(std::string_view feats, const std::string& form) const {
  auto count = [&](const std::string& key) {
    auto hit = last_letters_.find(key);
    return hit == last_letters_.end() ? 0.0 : double(hit->second);
  };
  std::string letter = last_letter(form);
  double here = count(std::string(feats) + letter) / std::max(1.0, count(std::string(feats)));
  return here * 2 > count(letter) / std::max(1.0, count(""));
}

// Separable verbs stand in pieces elsewhere; auxiliaries take what other verbs do not.
bool NonceWords::unlike_others(std::string_view form) const {
  std::string low = lower(form);
  if (auxiliaries_.contains(low)) return true;
  if (!joined_particles_) return false;
  return std::any_of(particles_.begin(), particles_.end(),
                     [&](const std::string& p) { return low.starts_with(p); });
}

std::string NonceWords::instead(const Tree& tree, uint32_t i, const Inflections& inflections,
                                Random& random,
                                const std::function<bool(const std::string&)>& suits) const {
  const Word& old = tree.word(i);
  auto hit = words_.find(place(tree, i));
  if (hit == words_.end() || (old.upos == "VERB" && unlike_others(old.form)) ||
      (old.upos == "NOUN" && like_adjectives_.contains(lower(old.form))))
    return "";
  for (int tries = 0; tries < 20; ++tries) {
    const std::string& form = hit->second[random.below(hit->second.size())];
    std::string low = lower(form);
    if (form == old.form || !inflections.known(low) ||
        inflections.vowel(form) != inflections.vowel(old.form) ||
        (old.upos == "VERB" && unlike_others(form)) ||
        (old.upos == "NOUN" &&
         (like_adjectives_.contains(low) || !usual_ending(old.feats, form))) ||
        (old.upos == "ADJ" && several_declensions_ && ending(form) != ending(old.form)))
      continue;
    if (suits(form)) return form;
  }
  return "";
}

}  // namespace minpair::stimuli
