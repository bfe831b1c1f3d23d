#include "judge/reason.h"

#include <fmt/format.h>

#include "base/error.h"

namespace minpair::judge {
namespace {

struct Named {
  std::string_view key, text;
};

constexpr Named kNamed[] = {
    {"", ""},
    {"cloze", "clozes"},
    {"empty_locus", "with an empty locus"},
    {"locus_inside_token", "with a locus inside a token"},
    {"locus_not_single_token", "with a locus of several pieces"},
    {"no_features", "without a part of speech and features"},
    {"no_other_form", "whose lemma has no other form in the vocabulary"},
    {"not_a_cloze", "that are not clozes"},
    {"not_available", "whose scores do not give this normalisation"},
    {"nothing_after_locus", "with nothing after the locus"},
    {"nothing_to_score", "with nothing to score"},
    {"only_first", "only in the first"},
    {"only_second", "only in the second"},
    {"too_few_words", "with too few words on a side"},
    {"too_long", "too long for the model"},
    {"unequal_lengths", "of unequal lengths"},
    {"unknown_locus", "with a locus unknown to the vocabulary"},
};
static_assert(sizeof kNamed / sizeof kNamed[0] == kReasons);

}  // namespace

std::string_view key_of(Reason reason) { return kNamed[size_t(reason)].key; }
std::string_view text_of(Reason reason) { return kNamed[size_t(reason)].text; }

Reason find_reason(std::string_view key) {
  for (size_t i = 0; i < kReasons; ++i)
    if (kNamed[i].key == key) return Reason(i);
  throw bad_input(fmt::format("items are excluded for a reason that is not known: '{}'", key))
      .hint("were the results made by a later minpair?");
}

bool out_of_vocabulary(Reason reason) {
  return reason == Reason::locus_not_single_token || reason == Reason::unknown_locus;
}

}  // namespace minpair::judge
