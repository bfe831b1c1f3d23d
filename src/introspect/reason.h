#pragma once
// Why an item is not in a figure of this room, or has not the place that is looked at. Nothing is
// dropped silently: every table accounts for these.
//
//   Reason reason = reason_of(judge::Reason::too_long);       // what keeps a method from asking
//   std::string why = text_of(reason);                        // "too long for the model"
//   std::string where = text_of(Reason::no_place, "object");  // "without the region 'object'"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "judge/reason.h"

namespace minpair::introspect {

// Those of methods have the numbers that they have there. Keys are stored: they stay as they are.
enum class Reason : uint8_t {
  none,
  // What can be asked of a pair (contrast.h).
  not_a_pair = uint8_t(judge::kReasons),
  one_begins_with_other,
  different_pieces,
  differ_elsewhere,
  // Its words (word.h).
  retokenized,
  no_other_words,
  only_word,
  // Its counterpart (counterpart.h).
  no_counterpart,
  several_counterparts,
  stated_has_other_words,
  counterpart_not_asked,
  counterpart_asks_other_tokens,
  counterpart_reads_the_same,
  // A place in it (roles.h). The first four are told of which.
  no_place,
  place_is_locus,
  place_after,
  evidence_not_read,
  place_not_read,
  nothing_before_locus,
  counterpart_of_other_length,
  // What a layer or a probe lacks. A label is told.
  layer_answers_nothing,
  no_label,
  words_not_split,
};
constexpr size_t kReasons = size_t(Reason::words_not_split) + 1;

Reason reason_of(judge::Reason reason);
std::string_view key_of(Reason reason);   // "not_a_pair"; "" for none
Reason find_reason(std::string_view key);  // throws when there is no such reason
// As it follows a number of items. `about`: the place or label that it is about.
std::string text_of(Reason reason, std::string_view about = "");

// How many items are not there for which reason.
using Reasons = std::map<Reason, uint64_t>;
std::string reasons_text(const Reasons& reasons);  // "no_counterpart=3;too_long=1"

// "excluded: 3 too long for the model", by text.
std::vector<std::string> reason_lines(const Reasons& reasons, std::string_view about = "");

}  // namespace minpair::introspect
