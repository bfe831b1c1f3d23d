#pragma once
// Which items: comparisons of their fields (id, test, condition, language, cluster) and features.
//
//   Filter filter("attractors > 0 and not condition in (sg_sg, 'pl pl')");
//   for (Item item; items->next(item);)
//     if (filter.holds(item)) ...
//   filter.check();   // throws if no item has the feature 'attractors', or none satisfies it all
//
// Operators, from the tightest: = != < <= > >= and `in`, `not`, `and`, `or`; parentheses. < and its
// relatives compare numbers. An item that lacks a feature is in neither a comparison with it nor in
// the comparison's negation.

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "suite/item.h"

namespace minpair::suite {

class Filter {
 public:
  using Value = std::variant<std::monostate, std::string_view, double>;  // nothing: not there

  // An empty text holds for all items. Throws with the place.
  explicit Filter(std::string_view text);

  bool empty() const { return nodes_.empty(); }
  bool holds(const Item& item);
  // For items that lie in columns: the fields and features that the filter reads, and their values,
  // parallel to them. `known`: names that check() can propose.
  const std::vector<std::string>& names() const { return names_; }
  bool holds(std::span<const Value> values);
  void check(const std::vector<std::string>& known = {}) const;

 private:
  friend class FilterParser;
  enum class Kind { equal, less, less_equal, negation, both, either };
  struct Literal {
    std::string text;
    std::optional<double> number;  // without quotes and a number
  };
  struct Node {
    Kind kind;
    size_t name = 0;                // of a comparison: place in names_
    std::vector<Literal> literals;  // equal to one of them
    bool swapped = false;           // the literal stands on the left of `less`
    size_t left = 0, right = 0;     // parts, which stand before their whole
    bool fits = false;              // some item had a value of this kind
    std::string misfit;             // what one had that did not
  };
  enum class Truth : uint8_t { no, unknown, yes };

  Truth compare(Node& node, const Value& value);

  std::string text_;
  std::vector<std::string> names_;
  std::vector<Node> nodes_;
  std::vector<Truth> truths_;    // of nodes_, for the current item
  std::set<std::string> known_;  // features of items, while one of `names_` was on none of them
  bool missing_ = true;
  bool held_ = false;  // for some item
};

}  // namespace minpair::suite
