#include <fmt/format.h>

#include <algorithm>

#include "stimuli/treebank/extract.h"

namespace minpair::stimuli {
namespace {

// The form with the capitals of the one it replaces; "" where those are not a word's.
std::string cased_like(const std::string& form, std::string_view original) {
  std::string low = lower(original);
  if (low == original) return form;
  return capitalize_first(low) == original ? capitalize_first(form) : "";
}

std::string_view relation(const Word& w) { return w.deprel.substr(0, w.deprel.find(':')); }

bool nominal(const Word& w) {
  return w.upos == "NOUN" || w.upos == "PROPN" || w.upos == "PRON" || w.upos == "NUM";
}

// Is a dependent of word `i` of this relation there, before word `limit`?
bool has_dependent(const Tree& tree, uint32_t i, std::string_view wanted, uint32_t limit) {
  for (uint32_t j = 1; j < limit && j <= tree.words.size(); ++j)
    if (tree.word(j).head == i && relation(tree.word(j)) == wanted) return true;
  return false;
}

// "Das Ergebnis ist/sind 3 Tore", "Gründe/Grund sind die Kosten": the verb may agree with the
// predicate.
bool predicate_may_agree(const Tree& tree, const Agreement& a, uint32_t varied, Feature vary) {
  static const FeatureIndex plural = value_index(Feature::number, "Plur");
  const Word& target = tree.word(a.target);
  if (target.deprel != "cop" || target.head == 0) return false;
  const Word& predicate = tree.word(target.head);
  if (!nominal(predicate)) return false;
  const bool plurals =
      vary == Feature::number && predicate.bundle[vary] == plural && target.bundle[vary] == plural;
  return predicate.bundle[vary] != tree.word(a.controller).bundle[vary] ||
         (varied == a.controller && plurals);
}

// "une équipe d'étudiants motivée/motivés": the adjective may belong to the noun between.
bool another_noun_between(const Tree& tree, const Agreement& a, Feature vary) {
  for (uint32_t i = a.controller + 1; i < a.target; ++i)
    if (nominal(tree.word(i)) && tree.word(i).bundle[vary] != tree.word(a.controller).bundle[vary])
      return true;
  return false;
}

// "Super Bedienung und das Essen war/waren gut": what looks like a clause of its own may be the
// beginning of the subject.
bool joined_to_fragment(const Tree& tree, const Agreement& a) {
  const uint32_t clause = tree.word(a.controller).head;
  if (clause == 0 || relation(tree.word(clause)) != "conj") return false;
  const uint32_t before = tree.word(clause).head;
  return before != 0 && before < a.controller && nominal(tree.word(before)) &&
         !has_dependent(tree, before, "nsubj", UINT32_MAX) &&
         !has_dependent(tree, before, "cop", UINT32_MAX);
}

// "There's times when ...", and the Hebrew verb of being before something indefinite: speakers
// leave the verb as it is.
bool introduces_its_subject(const Tree& tree, const Agreement& a) {
  const Word& controller = tree.word(a.controller);
  if (a.controller < a.target || controller.head == 0) return false;
  return (tree.word(controller.head).lemma == "be" &&
          has_dependent(tree, controller.head, "expl", a.controller)) ||
         (tree.word(a.target).lemma == "היה" &&
          !has_dependent(tree, a.controller, "det", a.controller));
}

// Does the phrase show its case elsewhere than in the varied word?
bool has_other_determiner(const Tree& tree, uint32_t controller, uint32_t varied) {
  for (uint32_t j = 1; j <= tree.words.size(); ++j)
    if (j != varied && tree.word(j).head == controller && relation(tree.word(j)) == "det")
      return true;
  return false;
}

// "Der Vorsitzende", "die Vorsitzende": whether such a noun is an adjective, its form does not
// tell.
bool weak_masculine(const Word& noun) {
  static const FeatureIndex masculine = value_index(Feature::gender, "Masc");
  return noun.upos == "NOUN" && noun.form.ends_with('e') &&
         noun.bundle[Feature::gender] == masculine;
}

Hash128 hash_of(const suite::Item& item) {
  std::string text = item.test;
  for (const suite::Sentence& s : item.sentences) text += "\n" + s.text;
  return hash128(text);
}

}  // namespace

// Constructions in which another value is right as well, whatever the words are.
bool PairExtractor::either_is_right(const Tree& tree, const Agreement& a, uint32_t varied) const {
  auto listed = [&](const Word& w) {
    return language_.either_number.contains(std::string(w.lemma)) ||
           language_.either_number.contains(lower(w.form));
  };
  bool counted = has_dependent(tree, a.controller, "nummod", UINT32_MAX);
  if (counted && varied == a.controller) return true;  // "neun Mann"
  if (a.type == AgreementType::determiner) return listed(tree.word(a.target));
  bool attributive = a.type == AgreementType::attributive;
  if (has_dependent(tree, a.controller, "conj", attributive ? a.target : UINT32_MAX)) return true;
  if (attributive) return listed(tree.word(a.target)) || another_noun_between(tree, a, vary_);
  return counted || listed(tree.word(a.controller)) ||
         predicate_may_agree(tree, a, varied, vary_) || joined_to_fragment(tree, a) ||
         introduces_its_subject(tree, a) || (varied == a.target && roles_are_open(tree, a));
}

// "das Kanu, das die Leute verließen/verließ": where neither shows its case, an object of the other
// number may as well be the subject.
bool PairExtractor::roles_are_open(const Tree& tree, const Agreement& a) const {
  static const FeatureIndex nominative = value_index(Feature::case_, "Nom"),
                            accusative = value_index(Feature::case_, "Acc");
  const uint32_t clause = tree.word(a.controller).head;
  if (vary_ != Feature::number || clause == 0) return false;
  auto shows = [&](uint32_t i, FeatureIndex own, FeatureIndex other) {
    if (paradigms_.shows_case(tree.word(i), own, other)) return true;
    for (uint32_t j = 1; j <= tree.words.size(); ++j)
      if (tree.word(j).head == i &&
          (relation(tree.word(j)) == "det" || relation(tree.word(j)) == "amod") &&
          paradigms_.shows_case(tree.word(j), own, other))
        return true;
    return false;
  };
  for (uint32_t j = 1; j <= tree.words.size(); ++j) {
    const Word& object = tree.word(j);
    if (object.head == clause && relation(object) == "obj" &&
        object.bundle[Feature::case_] == accusative && object.bundle[vary_] != 0 &&
        object.bundle[vary_] != tree.word(a.controller).bundle[vary_] &&
        !shows(j, accusative, nominative))
      return !shows(a.controller, nominative, accusative);
  }
  return false;
}

// Another word than the varied one must show the value: the controller, a word that agrees with it,
// or the verb it is the subject of.
bool PairExtractor::value_is_shown(const Tree& tree, const Agreement& a, uint32_t varied) const {
  const Word& controller = tree.word(a.controller);
  FeatureIndex value = controller.bundle[vary_], gender = controller.bundle[Feature::gender];
  auto shows = [&](uint32_t i) {
    const Word& w = tree.word(i);
    return i != varied && w.bundle[vary_] == value && paradigms_.shows_value(w, gender);
  };
  if (shows(a.controller)) return true;
  // The verb of a coordinated subject is plural whatever this noun is.
  bool subject =
      relation(controller) == "nsubj" && !has_dependent(tree, a.controller, "conj", UINT32_MAX);
  for (uint32_t i = 1; i <= tree.words.size(); ++i) {
    const Word& w = tree.word(i);
    std::string_view rel = relation(w);
    bool agrees = w.head == a.controller && (rel == "det" || rel == "amod");
    bool verb =
        subject && controller.head != 0 && w.bundle[Feature::person] != 0 &&
        (i == controller.head || (w.head == controller.head && (rel == "aux" || rel == "cop")));
    if ((agrees || verb) && shows(i)) return true;
  }
  return false;
}

Place PairExtractor::place_of(const Tree& tree, const Agreement& a, uint32_t varied) const {
  Place place;
  const Word& controller = tree.word(a.controller);
  place.gender = controller.bundle[Feature::gender];
  place.gender_is_open = paradigms_.like_adjective(controller) || weak_masculine(controller) ||
                         controller.upos == "PROPN" || controller.proper;
  place.case_is_open = !has_other_determiner(tree, a.controller, varied);
  place.after_noun = varied > 1 && nominal(tree.word(varied - 1));
  place.before_vowel = varied < tree.words.size() && paradigms_.vowel(tree.word(varied + 1).form);
  return place;
}

// `replaced`: per word, what stands instead of it; empty strings keep the word. `other` gets the
// place of the relation's other word in the first sentence.
suite::Item PairExtractor::pair(const Tree& tree, const Agreement& a, uint32_t varied,
                                const std::vector<std::string>& others,
                                const std::vector<std::string>& replaced, Span& other) const {
  suite::Item item;
  uint32_t other_token = tree.word(varied == a.target ? a.controller : a.target).token;
  auto sentence = [&](std::string_view form, bool grammatical) {
    suite::Sentence s;
    s.grammatical = grammatical;
    bool space = false;
    for (size_t t = 0; t < tree.tokens.size(); ++t) {
      const SurfaceToken& token = tree.tokens[t];
      if (token.withheld() || token.empty_node()) continue;
      if (space) s.text += ' ';
      size_t begin = s.text.size();
      bool here = tree.word(varied).token == t;
      bool kept =
          replaced.empty() || token.first != token.last || replaced[token.first - 1].empty();
      s.text += here ? form : kept ? token.form : std::string_view(replaced[token.first - 1]);
      space = options_.compat || token.space_after;
      if (here && elided(form) != elided(token.form)) space = !elided(form);
      if (here) s.locus = {begin, s.text.size()};
      if (grammatical && t == other_token) other = {begin, s.text.size()};
    }
    return s;
  };
  item.sentences.push_back(sentence(tree.word(varied).form, true));
  for (const std::string& form : others) item.sentences.push_back(sentence(form, false));
  item.test = fmt::format("{}_{}", name_of(a.type), name_of(vary_));
  item.condition = lower(value_name(vary_, tree.word(varied).bundle[vary_]));
  item.language = language_.code;
  item.cluster = fmt::format("{}/{}", language_.code, tree.word(a.controller).lemma);
  return item;
}

std::vector<std::string> PairExtractor::wrong_forms(const Tree& tree, const Agreement& a,
                                                    uint32_t varied) {
  const Word& w = tree.word(varied);
  std::vector<std::string> forms;
  for (const std::string& form : paradigms_.other_forms(w, place_of(tree, a, varied))) {
    std::string cased = cased_like(form, w.form);
    if (cased.empty() || paradigms_.could_be_adjective(w, form) ||
        language_.either_number.contains(fmt::format("{}/{}", w.lemma, cased)))
      continue;
    forms.push_back(std::move(cased));
  }
  if (forms.empty() && counts_.no_other_form++ == 0)
    counts_.without_other_form = fmt::format("{} ({}, {})", w.form, w.lemma, w.feats);
  return forms;
}

void PairExtractor::write(const Tree& tree, const Agreement& a, uint32_t varied,
                          const std::vector<std::string>& others,
                          const std::vector<std::string>& replaced, const ItemSink& sink) {
  Span other_place;
  suite::Item item = pair(tree, a, varied, others, replaced, other_place);
  bool is_new;
  seen_.find(hash_of(item), 0, is_new);
  if (!is_new) {
    ++counts_.duplicates;
    return;
  }
  const char* kind = !replaced.empty() ? "nonce" : varied == a.target ? "target" : "controller";
  item.id = fmt::format("{}/{}/{}/{}", language_.code, item.test, kind, ++counts_.items);
  add_analysis(tree, a, varied, options_.compat, item);
  add_other(item.sentences[0].text, other_place, item);
  ++counts_.by_type[item.test];
  if (a.through_auxiliary) ++counts_.through_auxiliary;
  sink(item);
}

void PairExtractor::write_nonce(const Tree& tree, const Agreement& a, uint32_t varied,
                                const std::vector<std::string>& others, const ItemSink& sink) {
  uint32_t other = varied == a.target ? a.controller : a.target;
  for (unsigned v = 0; v < variants_; ++v) {
    std::vector<std::string> replaced(tree.words.size());
    bool any = false;
    for (uint32_t i = 1; i <= tree.words.size(); ++i) {
      if (i == varied) continue;
      auto suits = [&](const std::string& form) {
        if (i != other) return true;
        Word w = tree.word(i);
        w.form = form;
        w.lemma = "_";
        return paradigms_.shows_value(w, tree.word(a.controller).bundle[Feature::gender]) &&
               !language_.either_number.contains(form);
      };
      replaced[i - 1] = nonce_.instead(tree, i, paradigms_, random_, suits);
      any |= !replaced[i - 1].empty();
    }
    if (any)
      write(tree, a, varied, others, replaced, sink);
    else
      ++counts_.nothing_to_replace;
  }
}

void PairExtractor::one(const Tree& tree, const Agreement& a, bool vary_target,
                        const ItemSink& sink) {
  uint32_t varied = vary_target ? a.target : a.controller;
  const Word& w = tree.word(varied);
  const Word& other = tree.word(vary_target ? a.controller : a.target);
  // The sentence must show the feature on both words, or changing one breaks nothing.
  if (w.bundle[vary_] == 0 || other.bundle[vary_] == 0)
    ++counts_.featureless;
  else if (other.bundle[vary_] != w.bundle[vary_])
    ++counts_.disagree;
  else if (tree.token_of(varied).first != tree.token_of(varied).last)
    ++counts_.multiword;
  // The participle of a perfect stands for its auxiliary, which is another relation.
  else if (a.type == AgreementType::verb && tree.word(a.target).bundle[Feature::person] == 0 &&
           has_dependent(tree, a.target, "aux", UINT32_MAX))
    ++counts_.participles;
  else if (either_is_right(tree, a, varied) || !value_is_shown(tree, a, varied))
    ++counts_.either;
  else if (std::vector<std::string> others = wrong_forms(tree, a, varied); !others.empty()) {
    if (variants_ == 0)
      write(tree, a, varied, others, {}, sink);
    else
      write_nonce(tree, a, varied, others, sink);
  }
}

void PairExtractor::add(const Tree& tree, const ItemSink& sink) {
  ++counts_.sentences;
  find_agreement(tree, [&](const Agreement& a) {
    ++counts_.relations;
    if (left_out(tree, a, counts_)) return;
    if (!options_.every_type && !language_.has(a.type, options_.compat)) {
      ++counts_.wrong_type;
      return;
    }
    if (options_.mask != ExtractOptions::Mask::controller) one(tree, a, true, sink);
    if (options_.mask != ExtractOptions::Mask::target) one(tree, a, false, sink);
  });
}

}  // namespace minpair::stimuli
