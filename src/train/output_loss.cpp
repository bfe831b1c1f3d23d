#include "train/output_loss.h"

#include <algorithm>
#include <cmath>

namespace minpair::train {

CandidateSampler::CandidateSampler(std::vector<double> shares, int64_t random_words)
    : shares_(std::move(shares)),
      chance_(std::min(1.0, double(random_words) / double(std::max<size_t>(shares_.size(), 1)))) {}

Candidates CandidateSampler::sample(torch::Tensor& targets, Random& random) const {
  if (chance_ <= 0) return {};
  std::vector<int64_t> place(shares_.size(), -1), words;
  const auto take = [&](size_t word) {
    if (place[word] >= 0) return;
    place[word] = static_cast<int64_t>(words.size());
    words.push_back(static_cast<int64_t>(word));
  };
  targets = targets.clone();
  int64_t* t = targets.data_ptr<int64_t>();
  const int64_t n = targets.size(0);
  for (int64_t i = 0; i < n; ++i) take(static_cast<size_t>(t[i]));
  for (size_t word = 0; word < shares_.size(); ++word)
    if (random.uniform() < chance_) take(word);
  std::vector<float> log_chance;
  for (const int64_t word : words) {
    const double missed =
        std::pow(1 - shares_[static_cast<size_t>(word)], double(n)) * (1 - chance_);
    log_chance.push_back(static_cast<float>(std::log(std::max(1e-6, 1 - missed))));
  }
  for (int64_t i = 0; i < n; ++i) t[i] = place[static_cast<size_t>(t[i])];
  return {torch::tensor(words, torch::kInt64), torch::tensor(log_chance)};
}

torch::Tensor output_loss(const torch::Tensor& hidden, const torch::Tensor& weight,
                          const torch::Tensor& bias, const torch::Tensor& targets,
                          const Candidates& candidates) {
  if (!candidates.words.defined())
    return torch::nll_loss(
        torch::log_softmax(torch::addmm(bias, hidden, weight.t()).to(torch::kFloat32), 1), targets);
  // Horvitz and Thompson: what was picked with chance p stands for 1/p; the target is certain.
  const auto offset = bias.index_select(0, candidates.words) - candidates.log_chance;
  const auto scores = torch::addmm(offset, hidden, weight.index_select(0, candidates.words).t())
                          .to(torch::kFloat32)
                          .scatter_add(1, targets.unsqueeze(1),
                                       candidates.log_chance.index_select(0, targets).unsqueeze(1));
  return torch::nll_loss(torch::log_softmax(scores, 1), targets);
}

}  // namespace minpair::train
