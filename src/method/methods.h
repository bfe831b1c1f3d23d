#pragma once
// Every method there is, one line each. The order is the order of `minpair list methods`.

#include "method/method.h"

// clang-format off
#define MINPAIR_METHODS(X) \
  X(cross_entropy)                        /* ce */ \
  X(cross_entropy_as_printed)             /* ce-printed */ \
  X(masked)                               /* masked */ \
  X(masked_word)                          /* masked-word */ \
  X(masked_word_left_to_right)            /* masked-word-l2r */ \
  X(pseudo_likelihood)                    /* pll */ \
  X(pseudo_likelihood_word_left_to_right) /* pll-word-l2r */ \
  X(pseudo_likelihood_whole_word)         /* pll-whole-word */ \
  X(pseudo_likelihood_sentence_left_to_right) /* pll-sentence-l2r */ \
  X(sentence_probability)                 /* lp */ \
  X(word_probability)                     /* word-lp */ \
  X(after_prefix_probability)             /* prefix-lp */ \
  X(sentence_probability_by_words)        /* lp-by-words */ \
  X(whole_word_probability)               /* whole-word-lp */ \
  X(feature_class)                        /* feature-class */ \
  X(lemma_forms)                          /* lemma-forms */ \
  X(lemma_pairs)                          /* lemma-pairs */
// clang-format on

namespace minpair::method {

#define MINPAIR_DECLARE(name) const Method& name();
MINPAIR_METHODS(MINPAIR_DECLARE)
#undef MINPAIR_DECLARE

// Defines one of them: an object of the class, made when first asked for.
#define MINPAIR_METHOD(name, Class, ...)    \
  const Method& name() {                    \
    static const Class method{__VA_ARGS__}; \
    return method;                          \
  }

// lemma-pairs within a part of the probability: "top0.9", "bottom0.5".
const Method& lemma_pairs_within(std::string_view cut);

}  // namespace minpair::method
