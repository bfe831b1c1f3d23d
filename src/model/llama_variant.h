#pragma once
// What the relatives of Llama do otherwise (llama.cpp has the figure).

#include <string>
#include <vector>

#include "model/architecture.h"

namespace minpair::model {

enum class HeadNorms {
  none,
  shared,    // Qwen 3, Gemma 3: one norm for all heads
  each,      // StableLM, Cohere: every head has its own
  together,  // OLMo 2 and 3, OLMoE: all heads as one
};

// Where a layer's weights are.
struct LlamaNames {
  std::string attention_norm = "input_layernorm", mlp_norm = "post_attention_layernorm",
              last_norm = "norm", query_norm = "self_attn.q_norm", key_norm = "self_attn.k_norm",
              attention_output = "self_attn.o_proj", gate = "mlp.gate_proj", up = "mlp.up_proj",
              down = "mlp.down_proj", mixer, mixer_output;
};

struct LlamaVariant {
  LlamaNames names;
  bool qkv_bias = false, output_bias = false, mlp_bias = false, norm_bias = false;
  bool centered = false;      // norms take the mean away
  bool norm_weights = true;   // OLMo 1: norms have none
  bool norms_before = true;   // OLMo 2 and 3: only after
  bool norms_after = false;   // Gemma 2 and 3, OLMo 2 and 3
  bool side_by_side = false;  // Cohere, StableLM: both parts read one norm's output
  HeadNorms head_norms = HeadNorms::none;
  const char* epsilon = "rms_norm_eps";
  double usual_epsilon = 1e-6;
  bool norms_minus_one = false;  // Gemma stores weight - 1
  std::string activation = "silu";
  bool gated = true;       // StarCoder 2, Apertus: a plain feed-forward layer
  size_t inner = 0;        // its width
  bool fused = false;      // Phi-3: query, key and value are one tensor, and so are gate and up
  bool tied = false;       // unless the configuration says otherwise
  double score_scale = 0;  // of attention; 0: by the root of the head's width
  float attention_cap = 0, logit_cap = 0;
  float clip = 0;  // OLMo 1, OLMoE: queries, keys and values stay within; 0: anywhere
  float embeddings_times = 1, residual_times = 1, logits_times = 1;
  size_t window = 0;             // sliding window; 0: none
  std::vector<bool> windowed;    // which layers have it
  std::vector<bool> turned;      // which layers know positions
  std::vector<bool> attends;     // which layers do; others have a TokenMixer
  bool gated_attention = false;  // Qwen 3.5: queries come with a gate for what attention gives
  double theta = 1e4;
  // Ministral 3: of queries this far from the beginning, scores grow with the logarithm.
  double growth = 0;
  size_t grows_each = 0;
  double local_theta = 0;    // Gemma 3, OLMo 3: windowed layers have a rotary base of their own
  double rotary_part = 1;    // of a head's columns that are turned
  bool interleaved = false;  // rotary pairs are neighbours, not halves
  // Mixtures of experts.
  size_t experts = 0, experts_each = 0, expert_inner = 0, shared_inner = 0;
  bool experts_sum_to_one = true;
  std::vector<bool> mixed;  // which layers have experts
};

LlamaVariant llama_variant(const Config& config, const std::string& type, size_t layers);
std::vector<Gguf> llama_gguf();

}  // namespace minpair::model
