#pragma once
// The BERT of Devlin et al. 2019 with its masked-language-model head, as Hugging Face's
// BertForMaskedLM computes it (post-layer-norm, erf GELU, tied decoder), for training.

#include <torch/types.h>

#include <map>
#include <string>
#include <vector>

#include "train/options.h"
#include "train/output_loss.h"

namespace minpair::train {

struct BertLayer {
  torch::Tensor qkv_w, qkv_b, out_w, out_b, ln1_w, ln1_b;
  torch::Tensor up_w, up_b, down_w, down_b, ln2_w, ln2_b;
};

// Several sentences share a row; `same_sentence` keeps them from seeing each other.
struct BertBatch {
  torch::Tensor ids;            // [rows, width] int64
  torch::Tensor positions;      // [rows, width] int64, restarting in each sentence
  torch::Tensor same_sentence;  // [rows, 1, width, width] float: 0 or a large negative number
  torch::Tensor read;           // [n] int64: flat places of the masked pieces
  torch::Tensor targets;        // [n] int64
};

class Bert {
 public:
  Bert(const BertShape& shape, uint64_t seed);

  // What the head makes of the pieces at `batch.read`: [n, hidden]; then their logits: [n, vocab].
  torch::Tensor hidden(const BertBatch& batch) const;
  torch::Tensor forward(const BertBatch& batch) const;
  // Mean loss there. With candidates, `targets` are places among them.
  torch::Tensor loss(const BertBatch& batch, const torch::Tensor& targets,
                     const Candidates& candidates) const;

  // All parameters by their name in this program; query, key and value are one matrix.
  const std::map<std::string, torch::Tensor>& parameters() const { return parameters_; }
  // The same under Hugging Face's names, query, key and value apart.
  std::map<std::string, torch::Tensor> export_tensors() const;

  const BertShape& shape() const { return shape_; }

 private:
  torch::Tensor add(const std::string& name, torch::Tensor value);

  BertShape shape_;
  torch::Tensor words_, positions_, embed_ln_w_, embed_ln_b_;
  torch::Tensor head_w_, head_b_, head_ln_w_, head_ln_b_, decoder_bias_;
  std::vector<BertLayer> layers_;
  std::map<std::string, torch::Tensor> parameters_;
};

}  // namespace minpair::train
