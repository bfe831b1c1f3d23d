#pragma once
// What the relatives of BERT do otherwise (bert.cpp has the figure).

#include <string>
#include <vector>

#include "model/config.h"

namespace minpair::model {

struct BertVariant {
  std::string name = "BERT";
  // Keys of config.json, and what is meant where one is absent.
  const char *layers = "num_hidden_layers", *hidden = "hidden_size", *heads = "num_attention_heads",
             *inner = "intermediate_size", *activation = "hidden_act", *epsilon = "layer_norm_eps";
  std::string usual_activation = "gelu";
  double usual_epsilon = 1e-12;
  size_t positions = 512, segments = 2;
  bool positions_after_padding = false;  // RoBERTa
  int64_t padding = -1;                  // MPNet: whatever the configuration says
  // RoFormer, NomicBERT: queries and keys are turned instead of adding positions; 0: they are not.
  double rotary_theta = 0;
  bool neighbours = false;    // rotary pairs lie beside each other
  bool turns_values = false;  // RoFormer, if it says so
  bool exact_angles = false;  // RoFormer: in double precision
  // MPNet: what the distance of two tokens adds to their score, by bucket.
  std::string distances;
  bool norms_first = false;  // Megatron-BERT, XLM-R XL, RoBERTa-PreLayerNorm: before, not after
  std::string last_norm;     // and then there is one after the last layer
  bool gated = false;        // NomicBERT
  bool biases = true;
  // ELECTRA, ALBERT: embeddings are narrower than the layers, and this matrix widens them.
  std::string widen;
  bool shares_layers = false;  // ALBERT: layers are used again and again
  // Tensors.
  std::string embedding_norm = "embeddings.LayerNorm";  // empty: there is none
  std::string tasks;                                    // ERNIE: its first row is added
  std::string layer = "encoder.layer.{}.";
  // Three, or one in this order.
  std::vector<std::string> qkv{"attention.self.query", "attention.self.key",
                               "attention.self.value"};
  std::string attention_output = "attention.output.dense",
              attention_norm = "attention.output.LayerNorm", down = "output.dense",
              output_norm = "output.LayerNorm";
  std::vector<std::string> up{"intermediate.dense"};  // with the gate: two
  std::string head = "cls.", head_dense = "cls.predictions.transform.dense",
              head_norm = "cls.predictions.transform.LayerNorm",
              decoder = "cls.predictions.decoder.weight";
  std::vector<std::string> decoder_bias{"cls.predictions.bias", "cls.predictions.decoder.bias"};
  bool gelu_in_head = false;  // whatever the activation of the layers is
};

BertVariant bert_variant(const Config& config, const std::string& type);

}  // namespace minpair::model
