#include "stimuli/treebank/nonce.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

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

// By an article or its like: "viel Platz" is a mass.
bool determined(const Tree& tree, uint32_t i) {
  bool found = has_dependent(tree, i, {"nummod"});
  each_dependent(tree, i, [&](uint32_t, const Word& d) {
    found |= d.deprel == "nmod:poss" ||
             (relation(d) == "det" && d.feats.find("PronType=Ind") == std::string_view::npos);
  });
  return found;
}

// "ein Stück Arbeit", "der Fluss Ems", "les équipes clés"
bool beside_bare_noun(const Tree& tree, uint32_t i) {
  auto is_noun = [&](uint32_t k) { return is_one_of(tree.word(k).upos, {"NOUN", "PROPN"}); };
  if (i < tree.words.size() && tree.word(i + 1).head == i && is_noun(i + 1)) return true;
  return i > 1 && tree.word(i).head == i - 1 && is_noun(i - 1);
}

// "Zeitungs- und Illustriertenseiten": half a compound, or the whole one beside it.
bool shares_a_compound(const Tree& tree, uint32_t i) {
  const Word& w = tree.word(i);
  bool hyphen = w.form.ends_with('-') || (w.head != 0 && tree.word(w.head).form.ends_with('-'));
  each_dependent(tree, i, [&](uint32_t, const Word& d) { hyphen |= d.form.ends_with('-'); });
  return hyphen;
}

// "die Hoffnung, dass": not every noun takes a clause, and trees may give it to the verb.
bool before_clause(const Tree& tree, uint32_t i) {
  uint32_t next = i + 1;
  if (next <= tree.words.size() && tree.word(next).upos == "PUNCT") ++next;
  if (next <= tree.words.size() && tree.word(next).upos == "SCONJ") return true;
  // "Es war die Hoffnung da, dass": a clause of the verb, after a noun behind the verb.
  const uint32_t verb = tree.word(i).head;
  bool clause = false;
  if (verb != 0 && verb < i)
    each_dependent(tree, verb, [&](uint32_t j, const Word& d) {
      clause |= j > i && is_one_of(relation(d), {"ccomp", "csubj"});
    });
  return clause;
}

bool bound_noun(const Tree& tree, uint32_t i) {
  static const FeatureIndex singular = value_index(Feature::number, "Sing"),
                            dative = value_index(Feature::case_, "Dat"),
                            accusative = value_index(Feature::case_, "Acc");
  const Word& w = tree.word(i);
  FeatureIndex number = w.bundle[Feature::number];
  if (shares_a_compound(tree, i)) return true;
  if (before_clause(tree, i)) return true;
  bool postposition = false;  // "ihrer Meinung nach"
  each_dependent(
      tree, i, [&](uint32_t j, const Word& d) { postposition |= relation(d) == "case" && j > i; });
  // "jedes Jahr", "ein gutes Stück hinter dem Dorf": a phrase that is an adverb.
  const bool bare = !has_dependent(tree, i, {"case"});
  if (postposition || (bare && is_one_of(relation(w), {"obl", "advcl"})) ||
      (bare && relation(w) == "nmod" && w.bundle[Feature::case_] == accusative))
    return true;
  // Without a determiner it is a mass, a headline or an idiom; a dative object is rare.
  return number == 0 || (number == singular && !determined(tree, i)) || beside_bare_noun(tree, i) ||
         (relation(w) == "obj" && w.bundle[Feature::case_] == dative);
}

// It may share its objects; "hängen bleiben".
bool bound_verb(const Tree& tree, uint32_t i) {
  const Word& w = tree.word(i);
  return relation(w) == "conj" || has_dependent(tree, i, {"conj"}) ||
         (w.feats.find("VerbForm=Inf") != std::string_view::npos &&
          is_one_of(relation(w), {"xcomp", "obj", "obl"}) && !has_dependent(tree, i, {"mark"}));
}

// "more precise"; "dotés du pouvoir": what follows may belong to it.
bool bound_adjective(const Tree& tree, uint32_t i) {
  return (i > 1 && tree.word(i - 1).upos == "ADV") ||
         (i < tree.words.size() && tree.word(i + 1).upos == "ADP") ||
         has_dependent(tree, i, {"nmod", "case", "iobj", "det", "mark", "advmod"});
}

// Does the word belong to an expression, a name, a measure, or ask for a clause of its own?
bool bound(const Tree& tree, uint32_t i) {
  const Word& w = tree.word(i);
  if (is_one_of(relation(w), {"fixed", "flat", "compound", "goeswith", "appos", "vocative", "list",
                              "discourse", "advmod", "mark", "case", "cc"}) ||
      has_dependent(tree, i, {"fixed", "flat", "compound", "goeswith"}))
    return true;
  if (w.upos == "VERB") return bound_verb(tree, i);
  if ((w.upos == "NOUN" && bound_noun(tree, i)) || (w.upos == "ADJ" && bound_adjective(tree, i)) ||
      has_dependent(tree, i, {"appos", "nummod", "ccomp", "csubj", "xcomp", "obl", "obj", "advcl"}))
    return true;
  bool clause = false;
  each_dependent(tree, i, [&](uint32_t j, const Word& d) {
    clause |= relation(d) == "acl" && has_dependent(tree, j, {"mark"});
    clause |= d.upos == "PROPN" && !has_dependent(tree, j, {"case"}) && relation(d) != "nsubj";
  });
  return clause;
}

// "the data are": a singular by its tag alone.
bool disagrees_with_verb(const Tree& tree, uint32_t i) {
  const Word& noun = tree.word(i);
  if (relation(noun) != "nsubj" || noun.head == 0) return false;
  auto differs = [&](const Word& w) {
    FeatureIndex number = w.bundle[Feature::number];
    return w.bundle[Feature::person] != 0 && number != 0 && number != noun.bundle[Feature::number];
  };
  bool found = differs(tree.word(noun.head));
  each_dependent(tree, noun.head, [&](uint32_t, const Word& d) {
    found |= is_one_of(relation(d), {"aux", "cop"}) && differs(d);
  });
  return found;
}

bool reflexive(const Word& w) {
  return w.feats.find("Reflex=Yes") != std::string_view::npos ||
         is_one_of(lower(w.form), {"sich", "se", "s'", "s’", "si", "zich", "sig", "seg"});
}

bool passive(const Word& dependent) {
  return dependent.deprel == "nsubj:pass" || dependent.deprel == "aux:pass";
}

// Prepositions, clauses, particles and reflexives go with certain verbs. So a verb is exchanged
// only where nothing stands beside it but its subject, an object and adverbs.
bool has_plain_frame(const Tree& tree, uint32_t i) {
  bool plain = !is_one_of(relation(tree.word(i)), {"parataxis", "dep", "orphan"});
  each_dependent(tree, i, [&](uint32_t j, const Word& d) {
    bool when = relation(d) == "advcl" && has_dependent(tree, j, {"mark"});
    plain &= !reflexive(d) && (when || is_one_of(relation(d), {"nsubj", "obj", "aux", "advmod",
                                                               "punct", "mark", "cc", "det"}));
  });
  return plain;
}

// The object with its case, the auxiliary of its perfect.
std::string frame(const Tree& tree, uint32_t i) {
  std::set<std::string> parts;
  bool finite = tree.word(i).bundle[Feature::person] != 0;
  each_dependent(tree, i, [&](uint32_t, const Word& d) {
    if (relation(d) == "obj") parts.insert(fmt::format("obj{}", d.bundle[Feature::case_]));
    if (passive(d)) parts.insert("obj passive");
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
  // One that looks like its lemma is not for one that is inflected: "des Team", "wegen super
  // Fragen".
  std::string key = fmt::format("{}\t{}\t{}\t{}\t", w.upos, w.feats, w.form == lower(w.form),
                                lower(w.form) == lower(w.lemma));
  if (w.upos == "VERB") {
    // "nichts zu machen": the object of an infinitive may stand elsewhere.
    bool infinitive = w.feats.find("VerbForm=Inf") != std::string_view::npos;
    if (!has_plain_frame(tree, i) || (infinitive && !has_dependent(tree, i, {"obj"}))) return "";
    return key + std::string(relation(w) == "amod" ? "amod " : "") + frame(tree, i);
  }
  if (w.upos == "NOUN") return disagrees_with_verb(tree, i) ? "" : key;
  uint32_t top = i;  // of a coordination
  for (size_t steps = 0; steps < 10 && relation(tree.word(top)) == "conj" && tree.word(top).head;
       ++steps)
    top = tree.word(top).head;
  std::string_view rel = relation(tree.word(top));
  if (has_dependent(tree, top, {"cop"})) return key + "predicate";
  // "viele der Leute" is no attribute, and "letzten Monat" stays as it is.
  uint32_t noun = tree.word(top).head;
  if (rel != "amod" || noun == 0 || bound(tree, noun)) return "";
  return key + std::string(rel) + (noun > i ? " before" : " after");
}

bool NonceWords::Uses::regular(bool transitive) const {
  return all >= 2 && (transitive ? objects * 10 >= all * 8 : objects == 0) && others * 10 <= all &&
         obliques * 2 <= all;
}

void NonceWords::count_uses(const Tree& tree, uint32_t i) {
  bool object = false, oblique = false, other = false;
  each_dependent(tree, i, [&](uint32_t, const Word& d) {
    std::string_view rel = relation(d);
    other |= reflexive(d) || is_one_of(rel, {"iobj", "ccomp", "xcomp", "csubj", "expl", "cop"}) ||
             is_one_of(d.deprel, {"obl:arg", "compound:prt"});
    object |= rel == "obj" || passive(d);
    oblique |= rel == "obl";
  });
  Uses& uses = uses_[std::string(tree.word(i).lemma)];
  ++uses.all;
  uses.objects += object;
  uses.obliques += oblique;
  uses.others += other;
}

void NonceWords::add(const Tree& tree) {
  if (tree.withheld()) return;
  for (uint32_t i = 1; i <= tree.words.size(); ++i) {
    const Word& w = tree.word(i);
    if (w.deprel == "compound:prt") particles_.insert(lower(w.form));
    if (w.upos == "VERB") {
      verbs_.emplace(w.lemma);
      count_uses(tree, i);
    }
    if (w.upos == "AUX") auxiliaries_.insert(lower(w.form));
    if (w.upos == "ADJ" && w.bundle[Feature::number] != 0) {
      std::string form = lower(w.form);
      auto [cell, first] = adjectives_.try_emplace(fmt::format("{}\t{}", w.lemma, w.feats), form);
      if (!first) ++(cell->second == form ? adjectives_alike_ : adjectives_unlike_);
      like_adjectives_.insert(std::move(form));
    }
    if (w.upos != "PROPN") parts_of_speech_[std::string(w.form)].emplace(w.upos);
    if (w.upos == "ADJ" && relation(w) == "amod")
      ++(w.head > i ? sides_[std::string(w.lemma)].first : sides_[std::string(w.lemma)].second);
    if (std::string key = place(tree, i); !key.empty())
      words_[key].push_back({std::string(w.form), std::string(w.lemma)});
    if (w.upos == "NOUN") {
      auto& seen = prepositions_[std::string(w.lemma)];
      ++seen[""];
      each_dependent(tree, i, [&](uint32_t, const Word& d) {
        if (relation(d) == "case") ++seen[lower(d.form)];
      });
    }
    if (w.upos == "NOUN" && ordinary(w.form)) {
      ++last_letters_[fmt::format("{}{}", w.feats, last_letter(w.form))];
      ++last_letters_[last_letter(w.form)];
      ++last_letters_[std::string(w.feats)];
      ++last_letters_[""];
    }
  }
}

// What stands beside a verb that is used in many ways may belong to one of them ("darauf aufmerksam
// machen"), whatever the tree calls it.
bool NonceWords::regular(std::string_view lemma, const std::string& place) const {
  auto hit = uses_.find(std::string(lemma));
  const bool transitive = place.find("obj", place.rfind('\t')) != std::string::npos;
  return hit != uses_.end() && hit->second.regular(transitive);
}

void NonceWords::finish() {
  for (auto& [place, list] : words_) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (place.starts_with("VERB"))
      std::erase_if(list, [&, &at = place](const Candidate& c) { return !regular(c.lemma, at); });
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
  const double seen = count(std::string(feats) + letter);  // once may be a mistake
  return seen > 1 && seen / count(std::string(feats)) * 2 > count(letter) / count("");
}

// Separable verbs stand in pieces elsewhere; auxiliaries take what other verbs do not.
bool NonceWords::unlike_others(std::string_view form) const {
  std::string low = lower(form);
  if (auxiliaries_.contains(low)) return true;
  if (!joined_particles_) return false;
  return std::any_of(particles_.begin(), particles_.end(),
                     [&](const std::string& p) { return low.starts_with(p); });
}

// Seen as another part of speech, too: then it may be one here.
bool NonceWords::ambiguous(const std::string& form) const {
  auto hit = parts_of_speech_.find(form);
  return hit == parts_of_speech_.end() || hit->second.size() > 1;
}

// "im September", "am Dienstag": nearly always after a preposition, mostly the same, so not after
// any.
bool NonceWords::goes_with_preposition(std::string_view lemma) const {
  auto hit = prepositions_.find(std::string(lemma));
  if (hit == prepositions_.end()) return false;
  uint32_t all = 0, after = 0, top = 0;
  for (const auto& [preposition, n] : hit->second) {
    if (preposition.empty()) {
      all = n;
      continue;
    }
    after += n;
    top = std::max(top, n);
  }
  return all >= 3 && after * 10 >= all * 9 && top * 2 >= all;
}

// Could the candidate stand where word `i` does, as far as words of that place are alike?
bool NonceWords::fits(const Candidate& candidate, const Tree& tree, uint32_t i,
                      const Inflections& inflections) const {
  Word word = tree.word(i);
  std::string low = lower(candidate.form);
  if (candidate.form == word.form || !inflections.known(low) ||
      inflections.vowel(candidate.form) != inflections.vowel(word.form) ||
      ambiguous(candidate.form))
    return false;
  if (word.upos == "VERB") return !unlike_others(candidate.form);
  if (word.upos == "ADJ") {
    auto side = sides_.find(candidate.lemma);
    if (relation(word) == "amod" && side != sides_.end()) {
      auto [here, there] = side->second;
      if (word.head < i) std::swap(here, there);
      if (here < 3 || there * 3 > here) return false;
    }
    return !several_declensions_ || ending(candidate.form) == ending(word.form);
  }
  if (goes_with_preposition(candidate.lemma)) return false;
  bool usual = usual_ending(word.feats, candidate.form);
  word.form = candidate.form;
  word.lemma = candidate.lemma;
  return usual && !like_adjectives_.contains(low) && !inflections.like_adjective(word) &&
         inflections.usually_so(word);
}

std::string NonceWords::instead(const Tree& tree, uint32_t i, const Inflections& inflections,
                                Random& random,
                                const std::function<bool(const std::string&)>& suits) const {
  const Word& old = tree.word(i);
  auto hit = words_.find(place(tree, i));
  if (hit == words_.end() || hit->second.empty() || ambiguous(std::string(old.form)) ||
      (old.upos == "VERB" && (unlike_others(old.form) || !regular(old.lemma, hit->first))) ||
      (old.upos == "NOUN" &&
       (!usual_ending(old.feats, std::string(old.form)) ||
        like_adjectives_.contains(lower(old.form)) || goes_with_preposition(old.lemma))))
    return "";
  for (int tries = 0; tries < 20; ++tries) {
    const Candidate& candidate = hit->second[random.below(hit->second.size())];
    if (fits(candidate, tree, i, inflections) && suits(candidate.form)) return candidate.form;
  }
  return "";
}

}  // namespace minpair::stimuli
