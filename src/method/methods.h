#pragma once
// Every method there is, one line each. The order is the order of `minpair list methods`.

#include "method/method.h"

namespace minpair::method {

const Method& cross_entropy();                         // ce
const Method& cross_entropy_as_printed();              // ce-printed
const Method& masked();                                // masked
const Method& masked_word();                           // masked-word
const Method& masked_word_left_to_right();             // masked-word-l2r
const Method& pseudo_likelihood();                     // pll
const Method& pseudo_likelihood_word_left_to_right();  // pll-word-l2r
const Method& pseudo_likelihood_whole_word();          // pll-whole-word
const Method& sentence_probability();                  // lp
const Method& word_probability();                      // word-lp
const Method& after_prefix_probability();              // prefix-lp
const Method& sentence_probability_by_words();         // lp-by-words
const Method& whole_word_probability();                // whole-word-lp
const Method& feature_class();                         // feature-class
const Method& lemma_forms();                           // lemma-forms
const Method& lemma_pairs();                           // lemma-pairs

}  // namespace minpair::method
