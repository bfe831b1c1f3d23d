#pragma once
// What decoders of GPT's kind do otherwise (gpt.cpp has the figure).

#include <functional>
#include <string>
#include <vector>

#include "model/architecture.h"

namespace minpair::model {

enum class Places { learned, waves, rotary, alibi };

struct GptVariant {
  std::string name;
  SizeKeys sizes;
  // Keys of config.json, and what is meant where one is absent.
  const char *inner = "intermediate_size", *activation = "activation_function",
             *epsilon = "layer_norm_epsilon";  // none: always 1e-5
  std::string usual_activation = "gelu_new";
  Places places = Places::learned;
  size_t first_place = 0;        // OPT, XGLM: the first token's
  bool norms_first = true;       // OPT 350m, GPT: after the sums
  bool side_by_side = false;     // GPT-J, Phi, Falcon: both parts read the stream before attention
  bool own_norms = false;        // Falcon 40B: each part has a norm of its own even so
  double score_scale = 0;        // 0: by the root of the head's width; GPT-Neo: 1
  bool scaled_by_layer = false;  // GPT-2 may divide a layer's scores by its number
  std::vector<size_t> before;  // GPT-Neo: how far back each layer sees; empty: all do to the first
  float clip = 0;              // MPT: queries, keys and values stay within; 0: anywhere
  size_t key_heads = 0;        // 0: as many as heads
  size_t turned = 0;           // rotary columns of a head; 0: all
  double theta = 10000;
  bool neighbours = false;  // rotary pairs lie beside each other
  bool qkv_bias = true, output_bias = true, mlp_bias = true, head_bias = false, tied = true;
  bool norm_bias = true;
  bool transposed = false;     // linear layers are stored [inputs × outputs]
  size_t embedding_width = 0;  // OPT 350m: narrower than the layers; 0: as wide
  double embeddings_times = 1;
  // Tensors.
  std::vector<std::string> prefixes{"module.", "transformer."};
  std::string words = "wte.weight", learned = "wpe.weight", embedding_norm, layer = "h.{}.";
  std::vector<std::string> qkv;  // three, or one
  // Where query, key and value are one tensor: first all queries, then all keys, all values; or
  // the row in it of head `head` of part 0, 1 or 2; or else those of each head together.
  bool in_order = false;
  std::function<size_t(size_t part, size_t head)> row_of;
  std::vector<float> slopes;    // ALiBi
  bool rounded_slopes = false;  // Falcon: what a step costs is rounded to 8 bits, and scaled
  std::string attention_output, attention_norm = "ln_1", mlp_norm = "ln_2", up, down, norm = "ln_f",
                                output = "lm_head";
};

GptVariant gpt_variant(const Config& config, const std::string& type);
std::vector<Gguf> gpt_gguf();  // those of them that GGUF files may hold

}  // namespace minpair::model
