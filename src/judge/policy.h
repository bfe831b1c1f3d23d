#pragma once
// Policies: what a verdict is worth, and which items count at all. Every table, statistic,
// comparison and page asks here.
//
//   Policy policy = as_in_paper({.ties = Ties::paper}, Ties::right);
//   if (left_out(reason, equal, policy) == Reason::none) sum += points(verdict, policy);

#include <string>
#include <string_view>
#include <vector>

#include "judge/reason.h"
#include "judge/verdict.h"

namespace minpair::judge {

enum class Ties : uint8_t { half, right, wrong, paper };  // paper: whatever the paper did
enum class Lengths : uint8_t {
  both,
  equal,
  all
};                                             // both: tables show two columns where they differ
enum class Oov : uint8_t { excluded, wrong };  // of items whose words the vocabulary lacks

struct Policy {
  Ties ties = Ties::half;
  Lengths lengths = Lengths::both;  // equal: only items whose sentences have equally many tokens
  Oov oov = Oov::excluded;
  bool pairwise = false;  // share of pairs won, instead of: the good one beats all
  bool operator==(const Policy&) const = default;
};

std::string_view name_of(Ties ties);    // "half", "right", "wrong", "paper"
Ties find_ties(std::string_view name);  // throws
Lengths find_lengths(std::string_view name);
Oov find_oov(std::string_view name);

// What a tie is worth where the policy says "as in the paper": the policy for one run.
Policy as_in_paper(Policy policy, Ties paper);

// From 0 to 1 for one item. The one place that decides what a tie is worth; Ties::paper must have
// been resolved before (as_in_paper).
double points(const Verdict& verdict, const Policy& policy);
double points(const Counts& counts, const Policy& policy);  // the sum over many items

// Why the item does not count, or Reason::none. `stored`: why it could not be scored.
Reason left_out(Reason stored, bool equal_lengths, const Policy& policy);

// For readers: "a tie counts one half", ...
std::vector<std::string> lines_of(const Policy& policy);

}  // namespace minpair::judge
