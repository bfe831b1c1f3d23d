#include "tidy/fields.h"

namespace minpair::tidy {
namespace {

constexpr Type text = Type::text, integer = Type::integer, number = Type::number,
               truth = Type::truth;

std::vector<Field> joined(std::vector<Field> first, std::vector<Field> more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

// What names a run and one of its items: enough to join any two tables.
std::vector<Field> of_item() {
  return {{"run", integer, "the run's number in the results"},
          {"suite", text, "its name"},
          {"model", text, "its name, as tables have it"},
          {"method", text, "of scoring"},
          {"ordinal", integer, "the item's place in the suite, from 0"},
          {"id", text, "the item's"},
          {"test", text, ""},
          {"condition", text, ""}};
}

std::vector<Field> of_whole_item() {
  return joined(of_item(), {{"language", text, "BCP 47"},
                            {"cluster", text, "items of one cluster are not independent"},
                            {"norm", text, "the view that scores, margin and outcome are of"}});
}

std::vector<Field> of_sentence() {
  return joined(of_item(), {{"sentence", integer, "which of the item's sentences, from 1"},
                            {"grammatical", truth, "is it?"}});
}

}  // namespace

std::vector<Field> item_fields() {
  return joined(
      of_whole_item(),
      {{"good", text, "the first grammatical sentence"},
       {"bad", text, "the first ungrammatical sentence"},
       {"score_good", number, "of the best grammatical sentence, under the norm"},
       {"score_bad", number, "of the best ungrammatical sentence"},
       {"margin", number, "score_good - score_bad"},
       {"outcome", text, "right, wrong or tie"},
       {"correct", number, "what the outcome is worth under the policy: 1, 0, for a tie 0.5"},
       {"pairs_right", number, "share of all (grammatical, ungrammatical) pairs that are right"},
       {"pairs_tied", number, "share of them that are tied"},
       {"excluded", text, "why the item does not count"},
       {"equal_lengths", truth, "all sentences have as many scored tokens"},
       {"distance_pieces", integer, "from the locus to the other word of the agreement"},
       {"context_good", text, "read before the first grammatical sentence, not scored"},
       {"context_bad", text, "read before the first ungrammatical sentence"}});
}

std::vector<Field> sentence_fields() {
  return joined(of_whole_item(), {{"sentence", integer, "which of the item's sentences, from 1"},
                                  {"grammatical", truth, "is it?"},
                                  {"text", text, ""},
                                  {"locus", text, "the words in which the sentences differ"},
                                  {"locus_begin", integer, "its first character, from 0"},
                                  {"locus_end", integer, "one past its last"},
                                  {"score", number, "under the norm; natural logarithms"},
                                  {"tokens", integer, "that were scored"},
                                  {"words", integer, "of what was scored"},
                                  {"characters", integer, "of what was scored"},
                                  {"bytes", integer, "of what was scored"},
                                  {"excluded", text, "why the item does not count"},
                                  {"sentence_name", text, "in a design"},
                                  {"context", text, "read before it and not scored"}});
}

std::vector<Field> region_fields() {
  return joined(of_whole_item(), {{"sentence", integer, "which of the item's sentences, from 1"},
                                  {"sentence_name", text, "in a design"},
                                  {"grammatical", truth, "is it? Nobody says so of a design's"},
                                  {"region", integer, "which of the sentence's, from 1"},
                                  {"region_name", text, ""},
                                  {"text", text, "its words"},
                                  {"begin", integer, "its first character, from 0"},
                                  {"end", integer, "one past its last"},
                                  {"tokens", integer, "that were scored in it"},
                                  {"surprisal", number, "in bits, under the norm"},
                                  {"excluded", text, "why the item does not count"}});
}

std::vector<Field> word_fields() {
  return joined(of_sentence(), {{"word", integer, "which word of the sentence, from 1"},
                                {"text", text, "empty for special tokens"},
                                {"begin", integer, "its first character, from 0"},
                                {"end", integer, "one past its last"},
                                {"special", truth, "a token like [SEP], which is not a word"},
                                {"in_locus", truth, "reaches into the locus"},
                                {"tokens", integer, "that it is made of"},
                                {"logprob", number, "natural, the sum of its tokens'"},
                                {"surprisal", number, "in bits"}});
}

std::vector<Field> token_fields() {
  return joined(of_sentence(), {{"token", integer, "which scored token, from 1"},
                                {"token_id", integer, "in the model's vocabulary"},
                                {"text", text, "empty for special tokens"},
                                {"begin", integer, "its first character, from 0"},
                                {"end", integer, "one past its last"},
                                {"special", truth, "[CLS], </s>, ..."},
                                {"in_locus", truth, "is it in the locus?"},
                                {"begins_word", truth, "does it?"},
                                {"logprob", number, "natural"}});
}

std::vector<Field> summary_fields() {
  return {{"suite", text, "its name"},
          {"model", text, "its name, as tables have it"},
          {"method", text, "of scoring"},
          {"norm", text, "the view"},
          {"lengths", text, "equal: only items whose sentences have equally many tokens; all"},
          {"test", text, ""},
          {"condition", text, ""},
          {"language", text, ""},
          {"items", integer, "all of them"},
          {"pairs", integer, "those that count"},
          {"right", integer, "strictly"},
          {"ties", integer, ""},
          {"points", number, "right, and what the ties are worth"},
          {"accuracy", number, "points / pairs"},
          {"ci_low", number, "95 % interval over clusters; none below five"},
          {"ci_high", number, ""},
          {"ci_method", text, "how it was made"},
          {"clusters", integer, "of items that are not independent"}};
}

std::vector<Field> run_fields() {
  return {{"run", integer, "its number in the results"},
          {"suite", text, "its name"},
          {"suite_items", integer, "in the whole suite"},
          {"suite_fingerprint", text, "of all its items"},
          {"model", text, "its name, as tables have it"},
          {"called", text, "the name it was first loaded by"},
          {"kind", text, "masked, causal, recurrent, ngram or released"},
          {"architecture", text, ""},
          {"parameters", integer, ""},
          {"precision", text, "of matrix products"},
          {"fingerprint", text, "of weights and configuration"},
          {"method", text, "of scoring"},
          {"norm", text, "the view of its paper"},
          {"ties", text, "how its paper counts them"},
          {"command", text, "that makes the run again"},
          {"minpair", text, "the version that made it"}};
}

}  // namespace minpair::tidy
