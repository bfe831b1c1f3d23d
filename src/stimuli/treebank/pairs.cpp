#include <fmt/format.h>

#include <algorithm>

#include "stimuli/treebank/extract.h"

namespace minpair::stimuli {
namespace {

// The form with the capitals of the one it replaces.
std::string cased_like(const std::string& form, std::string_view original) {
  if (original.empty()) return form;
  std::string low = lower(original);
  if (low == original) return form;
  std::string capital = capitalize_first(low);
  return capital == original ? capitalize_first(form) : form;
}

bool content_word(const Word& w) { return w.upos == "NOUN" || w.upos == "VERB" || w.upos == "ADJ"; }

bool alone_in_its_token(const Tree& tree, const Word& w) {
  return tree.tokens[w.token].first == tree.tokens[w.token].last;
}

}  // namespace

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
    for (size_t t = 0; t < tree.tokens.size(); ++t) {
      const SurfaceToken& token = tree.tokens[t];
      if (token.form == "_") continue;
      if (t > 0 && !s.text.empty() && (options_.compat || tree.tokens[t - 1].space_after))
        s.text += ' ';
      size_t begin = s.text.size();
      bool here = tree.word(varied).token == t;
      if (here)
        s.text += form;
      else if (token.first == token.last && !replaced.empty() && !replaced[token.first - 1].empty())
        s.text += replaced[token.first - 1];
      else
        s.text += token.form;
      if (here) s.locus = {begin, s.text.size()};
      if (grammatical && t == other_token) other = {begin, s.text.size()};
    }
    return s;
  };
  item.sentences.push_back(sentence(tree.word(varied).form, true));
  for (const std::string& form : others)
    item.sentences.push_back(sentence(cased_like(form, tree.word(varied).form), false));
  item.test = fmt::format("{}_{}", name_of(a.type), name_of(vary_));
  item.condition = lower(value_name(vary_, tree.word(varied).bundle[vary_]));
  item.language = language_.code;
  item.cluster = fmt::format("{}/{}", language_.code, tree.word(varied).lemma);
  return item;
}

void PairExtractor::one(const Tree& tree, const Agreement& a, bool vary_target,
                        const ItemSink& sink) {
  uint32_t varied = vary_target ? a.target : a.controller;
  const Word& w = tree.word(varied);
  const Word& other = tree.word(vary_target ? a.controller : a.target);
  // The sentence must show the feature on both words, or changing one breaks nothing.
  if (w.bundle[vary_] == 0 || other.bundle[vary_] != w.bundle[vary_] ||
      !alone_in_its_token(tree, w)) {
    ++counts_.featureless;
    return;
  }
  std::vector<std::string> others = paradigms_.other_forms(w, vary_);
  if (others.empty()) {
    ++counts_.no_other_form;
    return;
  }
  auto emit = [&](const std::vector<std::string>& replaced, const std::string& kind) {
    Span other_place;
    suite::Item item = pair(tree, a, varied, others, replaced, other_place);
    item.id = fmt::format("{}/{}/{}/{}", language_.code, item.test, kind, ++counts_.items);
    add_analysis(tree, a, varied, options_.compat, item);
    add_other(item.sentences[0].text, other_place, item);
    ++counts_.by_type[item.test];
    sink(item);
  };
  if (variants_ == 0) {
    emit({}, vary_target ? "target" : "controller");
    return;
  }
  for (unsigned v = 0; v < variants_; ++v) {
    std::vector<std::string> replaced(tree.words.size());
    for (uint32_t i = 1; i <= tree.words.size(); ++i) {
      const Word& old = tree.word(i);
      if (i == varied || !content_word(old) || !alone_in_its_token(tree, old)) continue;
      if (const std::vector<std::string>* alike = paradigms_.words_like(old))
        replaced[i - 1] = (*alike)[random_.below(alike->size())];
    }
    emit(replaced, "nonce");
  }
}

void PairExtractor::add(const Tree& tree, const ItemSink& sink) {
  ++counts_.sentences;
  find_agreement(tree, [&](const Agreement& a) {
    ++counts_.relations;
    if (!agree(core_values(tree.word(a.target).bundle),
               core_values(tree.word(a.controller).bundle))) {
      ++counts_.disagree;
      return;
    }
    if (!options_.every_type && std::find(language_.types.begin(), language_.types.end(), a.type) ==
                                    language_.types.end()) {
      ++counts_.wrong_type;
      return;
    }
    if (options_.mask != ExtractOptions::Mask::controller) one(tree, a, true, sink);
    if (options_.mask != ExtractOptions::Mask::target) one(tree, a, false, sink);
  });
}

}  // namespace minpair::stimuli
