#pragma once
// How a printed number follows from released files:
//
//   mean(good > bad)                           share of rows where it holds
//   100 * sum(correct) / sum(total)
//   mean(rating where type = "good" and phenomenon = "{row}")
//   mean(accuracy by corpus where arch = "lstm")   values are averaged within each group first
//   sd(accuracy by seed)  count(a = b)  median(x)  pearson(x, y)  spearman(x, y)
//
// A bare word, or one in `back quotes`, is a column. Comparisons are 1 or 0. Row by row there are
// abs, ln, log10 and starts(text, "beginning").

#include <memory>
#include <string>
#include <string_view>

#include "papers/frame.h"

namespace minpair::papers {

class Formula {
 public:
  struct Node;
  static Formula parse(std::string_view text);  // throws with the place
  double value(const Frame& frame) const;

 private:
  std::shared_ptr<const Node> root_;
};

}  // namespace minpair::papers
