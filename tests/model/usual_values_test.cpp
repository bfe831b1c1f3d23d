// What a configuration does not say: transformers 4 writes every key of a type's own class, but not
// what all classes have, nor, in its first versions, what a configuration inside another has as
// usual. What is absent must mean what the class says.

#include <gtest/gtest.h>

#include <optional>

#include "base/error.h"
#include "model/older_forms.h"

namespace minpair::model {
namespace {

using namespace testing;

// What the class says where a configuration does not, as 4.57 and 5 have it.
const std::pair<const char*, const char*> kUsual[] = {
    {"albert-saved", R"({"inner_group_num": 1, "num_hidden_groups": 1, "hidden_act": "gelu_new",
                         "layer_norm_eps": 1e-12})"},
    {"apertus-bias", R"({"attention_bias": false, "rms_norm_eps": 1e-5, "hidden_act": "xielu"})"},
    {"bart-scaled", R"({"activation_function": "gelu", "scale_embedding": false})"},
    {"bert-saved-untied", R"({"hidden_act": "gelu", "layer_norm_eps": 1e-12})"},
    {"bigcode", R"({"activation_function": "gelu_pytorch_tanh", "layer_norm_epsilon": 1e-5})"},
    {"bloom", R"({"layer_norm_epsilon": 1e-5})"},
    {"camembert-saved", R"({"hidden_act": "gelu", "layer_norm_eps": 1e-12})"},
    {"codegen", R"({"activation_function": "gelu_new", "rotary_dim": 64})"},
    {"cohere-norms", R"({"logit_scale": 0.0625, "attention_bias": false, "use_qk_norm": false,
                         "layer_norm_eps": 1e-5})"},
    {"cohere2", R"({"sliding_window": 4096})"},
    {"data2vec-text", R"({"layer_norm_eps": 1e-12})"},
    {"deberta-c2p", R"({"relative_attention": false, "pos_att_type": null, "type_vocab_size": 0,
                        "layer_norm_eps": 1e-7, "position_biased_input": true})"},
    {"deberta-v2-unshared", R"({"type_vocab_size": 0, "layer_norm_eps": 1e-7})"},
    {"distilbert-saved", R"({"activation": "gelu"})"},
    {"electra-saved", R"({"hidden_act": "gelu", "layer_norm_eps": 1e-12})"},
    {"ernie", R"({"use_task_id": false, "layer_norm_eps": 1e-12})"},
    {"falcon-rw",
     R"({"alibi": false, "bias": false, "parallel_attn": true, "activation": "gelu"})"},
    {"falcon-new", R"({"num_ln_in_parallel_attn": 2})"},
    {"flaubert-norms-first", R"({"layer_norm_eps": 1e-12, "pre_norm": false})"},
    {"gemma-saved", R"({"rms_norm_eps": 1e-6, "tie_word_embeddings": true})"},
    {"gemma2-saved", R"({"attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0,
                         "query_pre_attn_scalar": 256, "sliding_window": 4096,
                         "hidden_activation": "gelu_pytorch_tanh"})"},
    {"gemma3-saved", R"({"query_pre_attn_scalar": 256, "sliding_window": 4096,
                         "hidden_activation": "gelu_pytorch_tanh"})"},
    {"gpt-neo", R"({"window_size": 256, "activation_function": "gelu_new"})"},
    {"gpt-neox-saved-serial", R"({"use_parallel_residual": true, "hidden_act": "gelu",
                                  "layer_norm_eps": 1e-5, "attention_bias": true})"},
    {"gpt2-saved-inner", R"({"activation_function": "gelu_new", "layer_norm_epsilon": 1e-5,
                             "scale_attn_weights": true, "tie_word_embeddings": true})"},
    {"gptj", R"({"rotary_dim": 64, "activation_function": "gelu_new"})"},
    {"granite", R"({"embedding_multiplier": 1.0, "attention_multiplier": 1.0,
                    "residual_multiplier": 1.0, "logits_scaling": 1.0, "rms_norm_eps": 1e-6})"},
    {"helium", R"({"rms_norm_eps": 1e-8})"},
    {"lfm2-bias", R"({"conv_bias": false, "conv_L_cache": 3, "block_multiple_of": 256,
                      "block_ffn_dim_multiplier": 1.0, "block_auto_adjust_ff_dim": true,
                      "norm_eps": 1e-5, "tie_word_embeddings": true})"},
    {"llama-saved-bias", R"({"attention_bias": false, "mlp_bias": false, "rms_norm_eps": 1e-6})"},
    {"mamba-bias", R"({"use_bias": false, "use_conv_bias": true, "layer_norm_epsilon": 1e-5})"},
    {"mamba2-bias", R"({"use_bias": false, "use_conv_bias": true, "layer_norm_epsilon": 1e-5})"},
    {"ministral", R"({"sliding_window": 4096, "rms_norm_eps": 1e-6})"},
    {"mistral-saved", R"({"sliding_window": 4096, "rms_norm_eps": 1e-6})"},
    {"mixtral", R"({"sliding_window": null, "rms_norm_eps": 1e-5})"},
    {"modernbert-saved-bias", R"({"hidden_activation": "gelu", "local_attention": 128,
                                  "classifier_activation": "gelu", "norm_bias": false,
                                  "mlp_bias": false, "norm_eps": 1e-5})"},
    {"modernbert-decoder-bias", R"({"hidden_activation": "gelu", "classifier_activation": "gelu",
                                    "norm_bias": false, "mlp_bias": false, "norm_eps": 1e-5})"},
    {"olmo", R"({"clip_qkv": null})"},
    {"olmo2", R"({"rms_norm_eps": 1e-5})"},
    {"olmo3", R"({"rms_norm_eps": 1e-5, "sliding_window": 4096})"},
    {"olmoe", R"({"clip_qkv": null, "rms_norm_eps": 1e-5, "norm_topk_prob": false})"},
    {"opt-bare", R"({"activation_function": "relu", "enable_bias": true})"},
    {"phi", R"({"hidden_act": "gelu_new", "layer_norm_eps": 1e-5})"},
    {"phi3", R"({"sliding_window": null, "rms_norm_eps": 1e-5})"},
    {"qwen2-saved-window", R"({"sliding_window": 4096, "use_sliding_window": false,
                               "rms_norm_eps": 1e-6})"},
    {"qwen3-moe", R"({"norm_topk_prob": false, "rms_norm_eps": 1e-6})"},
    {"qwen3.5-shared", R"({"linear_conv_kernel_dim": 4, "rms_norm_eps": 1e-6,
                           "attention_bias": false})"},
    {"roformer-value", R"({"rotary_value": false, "layer_norm_eps": 1e-12})"},
    {"rwkv-halved", R"({"rescale_every": 6, "layer_norm_epsilon": 1e-5})"},
    {"rwkv5-heads", R"({"head_size": 64, "head_size_divisor": 8, "layer_norm_epsilon": 1e-5,
                        "rescale_every": 6, "attention_hidden_size": 24})"},
    {"smollm3", R"({"no_rope_layer_interval": 4, "rms_norm_eps": 1e-6})"},
    {"stablelm-parallel", R"({"qk_layernorm": false, "use_parallel_residual": false,
                              "use_qkv_bias": false, "layer_norm_eps": 1e-5})"},
    {"starcoder2", R"({"sliding_window": null, "norm_epsilon": 1e-5, "use_bias": true,
                       "hidden_act": "gelu_pytorch_tanh"})"},
    {"t5", R"({"relative_attention_max_distance": 128, "layer_norm_epsilon": 1e-6})"},
    {"xglm-unscaled", R"({"activation_function": "gelu", "scale_embedding": true})"},
    {"xlm-languages", R"({"gelu_activation": true, "layer_norm_eps": 1e-12})"},
    {"xlm-roberta-saved", R"({"layer_norm_eps": 1e-12})"},
    {"xlm-roberta-xl", R"({"layer_norm_eps": 1e-5})"},
    {"xlstm-fused", R"({"gate_soft_cap": 15.0, "output_logit_soft_cap": 30.0, "norm_eps": 1e-6})"}};

TEST(UsualValues, AreThoseOfTheClass) {
  for (const auto& [folder, text] : kUsual) {
    const std::string name = folder;
    const Json config = config_of(name), usual = Json::parse(text);
    // Null: it is refused.
    auto read = [&](const Json& c) -> std::optional<std::vector<query::Answer>> {
      try {
        return answers(*load_with(name, c), name);
      } catch (const Error&) {
        return std::nullopt;
      }
    };
    for (const auto& [key, value] : usual.items()) {
      Json silent = config, said = config;
      silent.erase(key);
      said[key] = value;
      EXPECT_EQ(read(silent), read(said)) << name << ' ' << key;
    }
  }
}

// Gemma 3 with a part for pictures, as the first version that had it wrote it: of the text's
// configuration only what is unusual.
TEST(UsualValues, NeedNotBeSaidInsideAnotherConfiguration) {
  Json c = in_older_form(config_of("gemma3-whole"), 50);
  const Json usual = {{"rope_theta", 1e6},
                      {"rope_local_base_freq", 1e4},
                      {"rope_scaling", nullptr},
                      {"hidden_activation", "gelu_pytorch_tanh"},
                      {"rms_norm_eps", 1e-6},
                      {"attention_bias", false},
                      {"attention_dropout", 0.0},
                      {"final_logit_softcapping", nullptr},
                      {"attn_logit_softcapping", nullptr},
                      {"initializer_range", 0.02},
                      {"use_cache", true}};
  for (const auto& [key, value] : usual.items()) {
    EXPECT_EQ(c["text_config"].value(key, value), value) << key;
    c["text_config"].erase(key);
  }
  c["text_config"].erase("sliding_window_pattern");  // six, and there are four layers
  EXPECT_EQ(answers(*load_with("gemma3-whole", c), "gemma3-whole"),
            answers(*load_with("gemma3-whole", config_of("gemma3-whole")), "gemma3-whole"));
}

// RoFormer's sines are among the weights: they count where they are stored, in whatever precision.
TEST(UsualValues, OfSinesAreThoseThatTheLibraryComputes) {
  const std::string name = "roformer-value", sines = "roformer.encoder.embed_positions.weight";
  const Json config = config_of(name);
  const std::filesystem::path file = golden(name) / "model.safetensors";
  Weights without(file), other(file);
  without.rename(sines, "unused");
  other.add(sines, "F32", {config["max_position_embeddings"], 8}, 64 * 8 * 4);
  const auto stored = answers(*load_with(name, config), name),
             computed = answers(*load_with(name, config, &without), name);
  for (size_t i = 0; i < stored.size(); ++i)
    for (size_t k = 0; k < stored[i].size(); ++k)
      EXPECT_NEAR(query::logits_of(stored[i][k]).logprob(),
                  query::logits_of(computed[i][k]).logprob(), 1e-5);
  EXPECT_NE(answers(*load_with(name, config, &other), name), stored);
}

// Without a type the class tells it; one whose name begins with another's is not the other one.
TEST(UsualValues, AreNoneForTheType) {
  for (const char* name : {"bert-saved", "cohere2", "gemma2-saved", "olmo2", "qwen3-saved"}) {
    Json c = config_of(name);
    const auto type = c["model_type"].get<std::string>();
    c.erase("model_type");
    EXPECT_EQ(load_with(name, c)->info().architecture, type);
  }
  Json text = config_of("gemma3-saved");
  text.erase("model_type");
  EXPECT_THROW(load_with("gemma3-saved", text), Error);
}

}  // namespace
}  // namespace minpair::model
