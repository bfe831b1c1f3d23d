#pragma once
// Written criteria: which surprisals should be higher than which. SyntaxGym's notation and words
// may be mixed.
//
// (6;%match_sing%) < (6;%mismatch_sing%)            region 6 of two sentences
// [(5;%a%) - (5;%b%)] > [(5;%c%) - (5;%d%)]         a difference of differences
// verb in match < verb in mismatch and (*;%match%) < (*;%mismatch%)
// verb in ambiguous is more surprising than verb in unambiguous
// mean of verb in a > 2 + verb in b                 a metric of its own, a number of bits
//
//   Formula f = parse_formula("match < mismatch");    // whole sentences; throws with the place
//
// judge/criterion.h evaluates formulas.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace minpair::suite {

// How the tokens of a region are combined.
enum class Metric : uint8_t { sum, mean, median, range, max, min };
std::string_view name_of(Metric metric);

struct Formula {
  enum class Kind : uint8_t { number, score, plus, minus, less, greater, close, both, either };
  struct Node {
    Kind kind = Kind::number;
    double number = 0;
    std::string region, sentence;  // of a score; the region "*" is the whole sentence
    Metric metric = Metric::sum;
    uint32_t left = 0, right = 0;  // places in `nodes`
  };
  std::vector<Node> nodes;  // parts before what they are part of: the last is the whole

  bool says_true_or_false(const Node& node) const { return node.kind >= Kind::less; }
};

// `metric`: of scores that name none; empty: the sum.
Formula parse_formula(std::string_view text, std::string_view metric = {});

}  // namespace minpair::suite
