#pragma once
// Verdicts: is the grammatical sentence preferred, under one view?
//
//   Verdict v = judge(scores, grammatical_of(item, scores.size()), {Unit::token});
//   if (v.outcome == Outcome::right) ...

#include <cstdint>
#include <optional>
#include <vector>

#include "judge/score.h"

namespace minpair::judge {

// The numbers are stored. Undefined: the scores do not give the view.
enum class Outcome : uint8_t { wrong = 0, tie = 1, right = 2, undefined = 3 };

struct Verdict {
  Outcome outcome = Outcome::undefined;
  double margin = 0;  // the best grammatical sentence minus the best ungrammatical one
  // The same for every pair of a grammatical and an ungrammatical sentence, as shares of all pairs;
  // in graded views the shares themselves.
  double pairs_right = 0, pairs_tied = 0;
  bool graded = false;  // counts by its shares
};

// Which of the scored sentences are grammatical. Methods that judge classes of words in a cloze
// score the right class first.
std::vector<bool> grammatical_of(const suite::Item& item, size_t scored);
Verdict judge(const std::vector<SentenceScore>& sentences, const std::vector<bool>& grammatical,
              const View& view);
Verdict judge(const suite::Item& item, const std::vector<SentenceScore>& sentences,
              const View& view);

// For sentences that are not called grammatical or ungrammatical: the highest, and by how much it
// beats the best of the others.
struct Preference {
  std::optional<size_t> first;  // nothing: a tie, or fewer than two values
  double by = 0;
};
// A sentence without a value neither wins nor loses.
Preference preference(const std::vector<std::optional<double>>& values);

// How many items, and what they say: the sum of many verdicts.
struct Counts {
  uint64_t items = 0, right = 0, ties = 0, undefined = 0;
  double pairs_right = 0, pairs_tied = 0;
  bool graded = false;

  void add(const Verdict& verdict);
  void add(const Counts& other);
};

}  // namespace minpair::judge
