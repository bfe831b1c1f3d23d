#pragma once
// Cross-entropy over a vocabulary, exact or estimated from a sample. A small model spends most of
// its time on output words that are not targets; a thousand random ones represent them.

#include <torch/types.h>

#include <vector>

#include "base/random.h"

namespace minpair::train {

// The words whose scores are computed in a step, with the logarithm of the chance that each was
// picked. Undefined: all words.
struct Candidates {
  torch::Tensor words;       // [k] int64
  torch::Tensor log_chance;  // [k]
};

class CandidateSampler {
 public:
  // `shares`: how often each word is a target, adding up to one. `random_words` 0: never sample.
  CandidateSampler(std::vector<double> shares, int64_t random_words);

  // The targets' own words and random others; rewrites `targets` as places among them.
  Candidates sample(torch::Tensor& targets, Random& random) const;

 private:
  std::vector<double> shares_;
  double chance_;
};

// Mean loss of hidden [n, width] against `targets` (ids, or places among the candidates).
torch::Tensor output_loss(const torch::Tensor& hidden, const torch::Tensor& weight,
                          const torch::Tensor& bias, const torch::Tensor& targets,
                          const Candidates& candidates);

}  // namespace minpair::train
