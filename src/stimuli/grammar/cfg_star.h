#pragma once
// Rules with wrong orders behind stars, and loci of several words that vary together: both are one
// stretch of the sentence whose parts the wrong sentences have otherwise.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "stimuli/grammar/cfg_rules.h"
#include "stimuli/grammar/derivations.h"

namespace minpair::stimuli::cfg {

class Star {
 public:
  using Nodes = std::vector<Derivations::Node>;

  Star(const File& file, Derivations& derivations);

  // The rule's sequence, with the parts that differ in some wrong sentence as the locus. Throws
  // when a wrong sentence can have the words of the right one.
  Nodes sequence(const Rule& rule, const std::vector<Nodes>& parts, std::vector<Wrong> wrong);

  // Sequences of parts that have all words between them but those in which no locus changes; the
  // derivations note these. Each of the first form that is wrong.
  std::vector<std::vector<Nodes>> without_syncretic(const Rule& rule,
                                                    const std::vector<Nodes>& parts);

 private:
  using Tuple = std::vector<std::string>;
  using Tuples = std::set<Tuple>;
  enum class Side { begin, end };

  // The parts from `begin` to `end` of the right sentence differ, and so much of each wrong one.
  struct Stretch {
    size_t before = 0, after = 0;  // parts that all have there
  };
  Wrong inner(const Wrong& whole, const Stretch& stretch) const;
  Stretch stretch_of(const Rule& rule, const std::vector<Nodes>& parts, const Wrong& right,
                     const std::vector<Wrong>& wrong);
  void check_differ(const Rule& rule, const std::vector<Nodes>& parts, const Wrong& right,
                    const Wrong& wrong);
  bool always_differs(Derivations::Node node, uint32_t form) const;

  // The words that change in the first wrong form, and those that do not. Nothing where there are
  // none.
  struct Halves {
    std::optional<Nodes> differ, same;
  };
  Halves halves(const Nodes& nodes);
  Halves halves(Derivations::Node node);

  // The first or last so many words that this can have; all of them where there are fewer. Nothing
  // when these are too many.
  std::optional<Tuples> edges(const std::vector<Nodes>& parts, const Wrong& pieces, size_t words,
                              Side side);
  const std::optional<Tuples>& edges(Derivations::Node node, uint32_t form, size_t words,
                                     Side side);
  static bool append(std::optional<Tuples>& to, const std::optional<Tuples>& more, size_t words,
                     Side side);
  std::vector<std::string> texts(const Nodes& nodes, uint32_t form) const;

  const File& file_;
  Derivations& derivations_;
  Derivations::Node next_mark_, end_mark_;
  std::map<std::string, Derivations::Node> marks_;
  std::map<std::tuple<Derivations::Node, uint32_t, size_t, Side>, std::optional<Tuples>> edges_;
};

}  // namespace minpair::stimuli::cfg
