#pragma once
// A word-level LSTM language model with the parameter names of PyTorch's word_language_model
// example, the one Gulordava et al. 2018 and Mueller et al. 2020 trained.

#include <torch/types.h>

#include <map>
#include <string>
#include <vector>

#include "train/lstm_layer.h"
#include "train/options.h"
#include "train/output_loss.h"

namespace minpair::train {

struct LstmState {
  torch::Tensor h, c;  // [layers, batch, hidden]
};

struct LstmPass {
  double dropout = 0;  // while training
  bool bf16 = false;
};

class Lstm {
 public:
  Lstm(const LstmShape& shape, uint64_t seed);

  // words [time, batch] -> hidden vectors [time * batch, hidden]; `state` is advanced and detached.
  torch::Tensor hidden(const torch::Tensor& words, LstmState& state,
                       const LstmPass& pass = {}) const;
  torch::Tensor logits(const torch::Tensor& hidden) const;

  torch::Tensor loss(const torch::Tensor& hidden, const torch::Tensor& targets,
                     const Candidates& candidates) const {
    return output_loss(hidden, decoder_, decoder_bias_, targets, candidates);
  }

  LstmState zero_state(int64_t batch) const;
  const std::map<std::string, torch::Tensor>& parameters() const { return parameters_; }
  std::map<std::string, torch::Tensor> export_tensors() const;
  const LstmShape& shape() const { return shape_; }

 private:
  torch::Tensor add(const std::string& name, torch::Tensor value);

  LstmShape shape_;
  torch::Tensor encoder_, decoder_, decoder_bias_;
  std::vector<LayerWeights> layers_;
  std::map<std::string, torch::Tensor> parameters_;
};

}  // namespace minpair::train
