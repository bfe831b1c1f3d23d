#include "introspect/reason.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counts.h"
#include "base/error.h"

namespace minpair::introspect {
namespace {

struct Named {
  std::string_view key, text;
};

// "{}" is what it is about.
constexpr Named kNamed[] = {
    {"not_a_pair", "that are not minimal pairs"},
    {"one_begins_with_other", "of which one form begins with the other"},
    {"different_pieces", "whose forms have different numbers of pieces"},
    {"differ_elsewhere", "whose sentences differ outside the locus"},
    {"retokenized", "whose words are tokenized differently around the locus"},
    {"no_other_words", "without other words"},
    {"only_word", "of which nothing is left without their only word"},
    {"no_counterpart", "without a counterpart in the suite"},
    {"several_counterparts", "with several counterparts that are as near"},
    {"stated_has_other_words", "whose stated counterpart has other words"},
    {"counterpart_not_asked", "whose counterpart cannot be asked"},
    {"counterpart_asks_other_tokens", "whose counterpart is asked about other tokens"},
    {"counterpart_reads_the_same", "whose counterpart differs only after what the model reads"},
    {"no_place", "without the region '{}'"},
    {"place_is_locus", "whose {} is the locus"},
    {"place_after", "whose {} comes after what the model reads"},
    {"evidence_not_read", "in which the model reads no {}"},
    {"place_not_read", "which comes after what the model reads"},
    {"nothing_before_locus", "with nothing before the locus"},
    {"counterpart_of_other_length", "whose counterpart has another number of tokens"},
    {"layer_answers_nothing", "about which this layer answers nothing"},
    {"no_label", "without the label '{}'"},
    {"words_not_split", "that all share words, so that they cannot be split"},
};
static_assert(sizeof kNamed / sizeof kNamed[0] == kReasons - judge::kReasons);

bool is_of_methods(Reason reason) { return size_t(reason) < judge::kReasons; }

const Named& named(Reason reason) { return kNamed[size_t(reason) - judge::kReasons]; }

}  // namespace

Reason reason_of(judge::Reason reason) { return Reason(reason); }

std::string_view key_of(Reason reason) {
  return is_of_methods(reason) ? judge::key_of(judge::Reason(reason)) : named(reason).key;
}

Reason find_reason(std::string_view key) {
  for (size_t i = 0; i < kReasons; ++i)
    if (key_of(Reason(i)) == key) return Reason(i);
  throw bad_input(fmt::format("items are excluded for a reason that is not known: '{}'", key))
      .hint("were the results made by a later minpair?");
}

std::string text_of(Reason reason, std::string_view about) {
  if (is_of_methods(reason)) return std::string(judge::text_of(judge::Reason(reason)));
  if (reason == Reason::no_place && about == "subject") return "without a subject";
  if (reason == Reason::no_place && about == "attractor") return "without an attractor";
  std::string text(named(reason).text);
  if (const size_t at = text.find("{}"); at != std::string::npos) text.replace(at, 2, about);
  return text;
}

std::string reasons_text(const Reasons& reasons) {
  std::string text;
  for (const auto& [reason, count] : reasons)
    if (count > 0) text += fmt::format("{}{}={}", text.empty() ? "" : ";", key_of(reason), count);
  return text;
}

std::vector<std::string> reason_lines(const Reasons& reasons, std::string_view about) {
  std::vector<std::pair<std::string, uint64_t>> by_text;
  for (const auto& [reason, count] : reasons) by_text.emplace_back(text_of(reason, about), count);
  std::ranges::sort(by_text);
  std::vector<std::string> lines;
  for (const auto& [text, count] : by_text)
    lines.push_back(fmt::format("excluded: {} {}", count_text(count), text));
  return lines;
}

}  // namespace minpair::introspect
