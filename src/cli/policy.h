#pragma once
// The options that say what an item is worth, the same in every command.

#include "cli/cli.h"
#include "judge/policy.h"

namespace minpair::cli {

// As they are typed; `lengths` is up to the command.
struct PolicyCall {
  std::string ties = "half", lengths, oov = "excluded";
  bool pairwise = false;

  judge::Policy policy() const {
    return {judge::find_ties(ties), judge::find_lengths(lengths), judge::find_oov(oov), pairwise};
  }
};

inline void add_policy_options(Arguments& app, PolicyCall& call) {
  app.add_option("--ties", call.ties, "what a tie is worth: half, right, wrong, or as in the paper")
      .one_of({"half", "right", "wrong", "paper"})
      .shows_default();
  app.add_option("--oov", call.oov, "words that the vocabulary lacks: excluded or wrong")
      .one_of({"excluded", "wrong"})
      .shows_default();
  app.add_flag("--pairwise", call.pairwise,
               "with several bad sentences: the share of pairs won, instead of beating them all");
}

}  // namespace minpair::cli
