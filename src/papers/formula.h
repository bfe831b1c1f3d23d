#pragma once
// How a printed number follows from released files:
//
//   mean(good > bad)                           share of rows where it holds
//   100 * sum(correct) / sum(total)
//   mean(rating where type = "good" and phenomenon = "{row}")
//   mean(accuracy by corpus where arch = "lstm")   values are averaged within each group first
//   mean(right by item, suite by suite)            the same twice: items, then suites
//   mean(mean(right by item) > 0.5 by suite)       inside another: a value for each row, of its
//   group sd(accuracy by seed)  count(a = b)  median(x)  pearson(x, y)  spearman(x, y)
//
// A bare word, or one in `back quotes`, is a column. Comparisons are 1 or 0. Functions: abs, ln,
// log10, sqrt, student_p(t, df), exact_low(right, n), exact_high(right, n); of texts starts, ends,
// has, alike, length.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "papers/frame.h"

namespace minpair::papers {

class Formula {
 public:
  struct Node;
  static Formula parse(std::string_view text);  // throws with the place
  double value(const Frame& frame) const;
  std::vector<double> each(const Frame& frame) const;  // row by row

 private:
  std::shared_ptr<const Node> root_;
};

}  // namespace minpair::papers
