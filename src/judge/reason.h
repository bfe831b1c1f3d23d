#pragma once
// Why an item is not in an accuracy. Nothing is dropped silently: every table accounts for these.
//
//   Reason reason = find_reason("too_long");      // as results files have it
//   std::string_view why = text_of(reason);       // "too long for the model"

#include <cstdint>
#include <string_view>

namespace minpair::judge {

// In the order of their keys, which is their order in tables. Keys are stored: they stay as they
// are.
enum class Reason : uint8_t {
  none,
  cloze,
  empty_locus,
  empty_text,
  locus_inside_token,
  locus_not_single_token,
  no_features,
  no_other_form,
  not_a_cloze,
  not_available,  // of a view; never stored
  nothing_after_locus,
  nothing_to_score,
  only_first,   // of a comparison; never stored
  only_second,  // the same
  too_few_words,
  too_long,
  unequal_lengths,  // of a policy; never stored
  unknown_locus,
  unknown_text,
};
constexpr size_t kReasons = size_t(Reason::unknown_text) + 1;

std::string_view key_of(Reason reason);    // "too_long"; "" for none
std::string_view text_of(Reason reason);   // of items: "too long for the model"
// Of one text that somebody typed: "the text is too long for the model".
std::string_view explanation_of(Reason reason);
Reason find_reason(std::string_view key);  // throws when there is no such reason
bool out_of_vocabulary(Reason reason);     // the vocabulary lacks the words

}  // namespace minpair::judge
