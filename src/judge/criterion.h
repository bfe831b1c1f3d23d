#pragma once
// Criteria: when an item of a design is right. A formula of the manifest (suite/formula.h) over
// surprisals of regions, in bits.
//
//   Judge judge(manifest);
//   Verdict all = judge.verdict(item, scores, find_view("sum"));      // all criteria of its test
//   for (const Criterion* c : judge.criteria_of(item)) c->judge(item, scores, find_view("sum"));
//
// A comparison of equals is a tie; its margin is the number of bits by which it holds. "and" is as
// right as the worst of its parts and has the smallest margin, "or" as the best, with the largest.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/verdict.h"
#include "suite/formula.h"
#include "suite/suite.h"

namespace minpair::judge {

// The region of each token, by its place; -1: none. A token is where its first character is, a
// space before it does not count; what a model puts before or after a sentence belongs to the
// region at that end.
std::vector<int> regions_of(const suite::Sentence& sentence, const std::vector<TokenScore>& tokens);

// Surprisal of a region in bits, "*" being the whole sentence. With Unit::sum it is the metric's;
// other units divide the sum. Nothing where there is no score: no such region, no tokens.
std::optional<double> region_surprisal(const suite::Sentence& sentence, const SentenceScore& score,
                                       std::string_view region, suite::Metric metric,
                                       const View& view);

// How many bits a region of a named sentence has, for callers who do not have them from tokens.
using RegionScores = std::function<std::optional<double>(
    const std::string& sentence, const std::string& region, suite::Metric metric)>;

class Criterion {
 public:
  explicit Criterion(const suite::Criterion& written);
  const std::string& name() const { return name_; }
  const suite::Formula& formula() const { return formula_; }
  bool judges(const suite::Item& item) const { return test_.empty() || test_ == item.test; }

  Verdict judge(const RegionScores& scores) const;
  Verdict judge(const suite::Item& item, const std::vector<SentenceScore>& scores,
                const View& view) const;

 private:
  std::string name_, test_;
  suite::Formula formula_;
};

// Says of every item of a suite whether it is right.
class Judge {
 public:
  Judge() = default;
  explicit Judge(const suite::Manifest& manifest);

  std::vector<const Criterion*> criteria_of(const suite::Item& item) const;
  // All criteria of its test; where there is none, the grammatical sentence must win.
  Verdict verdict(const suite::Item& item, const std::vector<SentenceScore>& scores,
                  const View& view) const;

 private:
  std::vector<Criterion> criteria_;
};

// All hold.
Verdict both(const Verdict& a, const Verdict& b);

}  // namespace minpair::judge
