#pragma once
// The words of a grammar: which forms of a lemma fit, and which ones are wrong in their place.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stimuli/grammar/cfg_rules.h"
#include "stimuli/grammar/derivations.h"
#include "stimuli/grammar/paradigm.h"

namespace minpair::stimuli::cfg {

// How a word is looked for: as any, as the locus, or as one of several that vary together.
enum class Locus { none, alone, joint };

class Words {
 public:
  struct Found {
    Features features;  // of the cell, with what was fixed, and the lemma
    Derivations::Node node;
    bool skipped = false;  // a locus without a wrong form
  };

  Words(const File& file, const Paradigms& paradigms, Derivations& derivations)
      : file_(file), paradigms_(paradigms), derivations_(derivations) {}

  Derivations::Node word(const std::string& text);
  // The forms of the lemma that agree with what is fixed. Empty when the lemma itself is of another
  // kind (gender, part of speech); throws when it lacks the cell. As the locus, each has its wrong
  // forms; throws when there is none, or when a wrong form is the right one too (which may be so
  // where others vary with it).
  std::vector<Found> find(const Symbol& lemma, const Features& fixed,
                          const std::vector<std::string>& wanted, Locus locus);
  // How many wrong forms each of several loci has where the varied feature has this value.
  size_t joint_forms(const std::string& value) const { return joint_.at(value).size(); }

 private:
  void check_holes(const Symbol& lemma, const std::vector<const Cell*>& cells,
                   const Features& fixed, const std::vector<std::string>& wanted) const;
  void check_asked(const Symbol& lemma, const std::vector<const Cell*>& cells,
                   const std::vector<std::string>& wanted) const;
  Derivations::Node locus(const Cell& cell, std::vector<std::string> wrong);
  std::vector<std::string> wrong_forms(const Symbol& lemma, const Cell& cell);
  bool may_become(const Cell& cell, const Cell& other) const;
  Error no_other(const Symbol& lemma, const Cell& cell) const;
  Derivations::Node joint(const Symbol& lemma, const Cell& cell);

  const File& file_;
  const Paradigms& paradigms_;
  Derivations& derivations_;
  std::map<std::string, Derivations::Node> words_;
  std::map<std::string, Derivations::Node> loci_, joint_loci_;
  std::map<std::string, std::vector<std::string>> joint_;  // by right value, the wrong ones
};

}  // namespace minpair::stimuli::cfg
