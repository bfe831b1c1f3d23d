#include "judge/reason.h"

#include <fmt/format.h>

#include "base/error.h"

namespace minpair::judge {
namespace {

struct Named {
  std::string_view key, text, explanation = "";
};

constexpr Named kNamed[] = {
    {"", ""},
    {"cloze", "clozes"},
    {"empty_locus", "with an empty locus",
     "one of them has no words of its own where they differ"},
    {"empty_text", "with an empty text", "the text is empty"},
    {"locus_inside_token", "with a locus inside a token",
     "the words that differ are only part of a token"},
    {"locus_not_single_token", "with a locus of several pieces",
     "the words that differ are several tokens to the model"},
    {"no_features", "without a part of speech and features"},
    {"no_other_form", "whose lemma has no other form in the vocabulary"},
    {"not_a_cloze", "that are not clozes"},
    {"not_available", "whose scores do not give this normalisation"},
    {"nothing_after_locus", "with nothing after the locus",
     "nothing follows the words that differ"},
    {"nothing_to_score", "with nothing to score",
     "the text has no token that the model could be asked about"},
    {"only_first", "only in the first"},
    {"only_second", "only in the second"},
    {"too_few_words", "with too few words on a side"},
    {"too_long", "too long for the model", "the text is too long for the model"},
    {"unequal_lengths", "of unequal lengths"},
    {"unknown_locus", "with a locus unknown to the vocabulary",
     "the model does not know the words that differ"},
    {"unknown_text", "of unknown words only", "the model knows none of these words"},
};
static_assert(sizeof kNamed / sizeof kNamed[0] == kReasons);

}  // namespace

std::string_view key_of(Reason reason) { return kNamed[size_t(reason)].key; }
std::string_view text_of(Reason reason) { return kNamed[size_t(reason)].text; }

std::string_view explanation_of(Reason reason) {
  const Named& named = kNamed[size_t(reason)];
  return named.explanation.empty() ? named.text : named.explanation;
}

Reason find_reason(std::string_view key) {
  for (size_t i = 0; i < kReasons; ++i)
    if (kNamed[i].key == key) return Reason(i);
  throw bad_input(fmt::format("items are excluded for a reason that is not known: '{}'", key))
      .hint("were the results made by a later minpair?");
}

bool out_of_vocabulary(Reason reason) {
  return reason == Reason::locus_not_single_token || reason == Reason::unknown_locus ||
         reason == Reason::unknown_text;
}

}  // namespace minpair::judge
