#pragma once
// What the relatives of Llama do otherwise (llama.cpp has the figure).

#include <string>
#include <vector>

#include "model/config.h"

namespace minpair::model {

enum class HeadNorms {
  none,
  shared,    // Qwen 3, Gemma 3: one norm for all heads
  each,      // StableLM, Cohere: every head has its own
  together,  // OLMo 2 and 3, OLMoE: all heads as one
};

struct LlamaVariant {
  bool qkv_bias = false, output_bias = false, mlp_bias = false, norm_bias = false;
  bool centered = false;      // norms take the mean away
  bool norm_weights = true;   // OLMo 1: norms have none
  bool norms_before = true;   // OLMo 2 and 3: only after
  bool norms_after = false;   // Gemma 2 and 3, OLMo 2 and 3
  bool side_by_side = false;  // Cohere, StableLM: both parts read one norm's output
  HeadNorms head_norms = HeadNorms::none;
  std::string query_norm = "q_norm", key_norm = "k_norm";
  const char* epsilon = "rms_norm_eps";
  double usual_epsilon = 1e-6;
  bool norms_minus_one = false;  // Gemma stores weight - 1
  std::string activation = "silu";
  bool gated = true;       // StarCoder 2: a plain feed-forward layer
  bool fused = false;      // Phi-3: query, key and value are one tensor, and so are gate and up
  bool tied = false;       // unless the configuration says otherwise
  double score_scale = 0;  // of attention; 0: by the root of the head's width
  float attention_cap = 0, logit_cap = 0;
  float clip = 0;  // OLMo 1, OLMoE: queries, keys and values stay within; 0: anywhere
  float embeddings_times = 1, residual_times = 1, logits_times = 1;
  size_t window = 0;           // sliding window; 0: none
  std::vector<bool> windowed;  // which layers have it
  std::vector<bool> turned;    // which layers know positions
  double theta = 1e4;
  double local_theta = 0;    // Gemma 3, OLMo 3: windowed layers have a rotary base of their own
  double rotary_part = 1;    // of a head's columns that are turned
  bool interleaved = false;  // rotary pairs are neighbours, not halves
  // Mixtures of experts.
  size_t experts = 0, experts_each = 0, expert_inner = 0, shared_inner = 0;
  bool experts_sum_to_one = true;
  std::vector<bool> mixed;  // which layers have experts
};

LlamaVariant llama_variant(const Config& config, const std::string& type, size_t layers);

}  // namespace minpair::model
