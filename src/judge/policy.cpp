#include "judge/policy.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace minpair::judge {
namespace {

const std::vector<std::string> kTies = {"half", "right", "wrong", "paper"};
const std::vector<std::string> kLengths = {"both", "equal", "all"};
const std::vector<std::string> kOov = {"excluded", "wrong"};

size_t place_of(std::string_view name, const std::vector<std::string>& known, const char* what) {
  for (size_t i = 0; i < known.size(); ++i)
    if (known[i] == name) return i;
  throw wrong_call(fmt::format("{} cannot be '{}'", what, name))
      .hint(fmt::format("there are {}", join(known, ", ")));
}

double worth_of_tie(Ties ties) {
  switch (ties) {
    case Ties::half:
      return 0.5;
    case Ties::right:
      return 1;
    case Ties::wrong:
      return 0;
    case Ties::paper:
      break;
  }
  throw cannot("nothing says how the paper counts ties");
}

}  // namespace

std::string_view name_of(Ties ties) { return kTies[size_t(ties)]; }
Ties find_ties(std::string_view name) { return Ties(place_of(name, kTies, "ties")); }
Lengths find_lengths(std::string_view name) { return Lengths(place_of(name, kLengths, "lengths")); }
Oov find_oov(std::string_view name) { return Oov(place_of(name, kOov, "oov")); }

Policy as_in_paper(Policy policy, Ties paper) {
  if (policy.ties == Ties::paper) policy.ties = paper;
  return policy;
}

double points(const Counts& counts, const Policy& policy) {
  double tie = worth_of_tie(policy.ties);
  return policy.pairwise || counts.graded ? counts.pairs_right + tie * counts.pairs_tied
                                          : double(counts.right) + tie * double(counts.ties);
}

double points(const Verdict& verdict, const Policy& policy) {
  Counts one;
  one.add(verdict);
  return points(one, policy);
}

Reason left_out(Reason stored, bool equal_lengths, const Policy& policy) {
  if (stored != Reason::none)
    return policy.oov == Oov::wrong && out_of_vocabulary(stored) ? Reason::none : stored;
  return policy.lengths == Lengths::equal && !equal_lengths ? Reason::unequal_lengths
                                                            : Reason::none;
}

std::vector<std::string> lines_of(const Policy& policy) {
  static constexpr const char* ties[] = {"a tie counts one half", "a tie counts as right",
                                         "a tie counts as wrong",
                                         "ties count as in the method's paper"};
  std::vector<std::string> lines = {ties[size_t(policy.ties)]};
  if (policy.oov == Oov::wrong) lines.push_back("what the vocabulary lacks counts as wrong");
  if (policy.pairwise) lines.push_back("share of pairs of a good and a bad sentence");
  return lines;
}

}  // namespace minpair::judge
