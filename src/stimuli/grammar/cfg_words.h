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
  // forms; throws when there is none, or when a wrong form is the right one too.
  std::vector<Found> find(const Symbol& lemma, const Features& fixed,
                          const std::vector<std::string>& wanted, bool locus);

 private:
  Derivations::Node locus(const Cell& cell, std::vector<std::string> wrong);
  std::vector<std::string> wrong_forms(const Symbol& lemma, const Cell& cell);

  const File& file_;
  const Paradigms& paradigms_;
  Derivations& derivations_;
  std::map<std::string, Derivations::Node> words_;
  std::map<std::string, Derivations::Node> loci_;
};

}  // namespace minpair::stimuli::cfg
