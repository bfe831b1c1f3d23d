// Folders as transformers 4.44 and 4.57 would have written them: the models that 5.12 wrote, in the
// forms of older_forms.h, are the same models; and what only these versions have is obeyed,
// refused, or known to change nothing.

#include "model/older_forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "base/error.h"
#include "base/file.h"

namespace minpair::model {
namespace {

using namespace testing;

constexpr int kVersions[] = {44, 57};

TEST(OlderForms, CheckpointsOfNewerVersionsLoadTheSameInOlderForms) {
  std::map<int, size_t> compared;
  for (const std::string& name : written_by_5())
    for (int minor : kVersions) {
      SCOPED_TRACE(name + ", 4." + std::to_string(minor));
      Json older;
      try {
        older = in_older_form(config_of(name), minor);
      } catch (const NotWritable&) {
        continue;
      }
      EXPECT_FALSE(older.contains("rope_parameters"));
      if (name == "olmo3-yarn") continue;  // WindowedLayersAreNotScaled
      try {
        std::unique_ptr<query::Model> now = load_with(name, config_of(name)),
                                      then = load_older(name, older);
        EXPECT_EQ(answers(*then, name), answers(*now, name)) << older;
        ++compared[minor];
      } catch (const Error& error) {
        ADD_FAILURE() << error.what() << '\n' << older;
      }
    }
  EXPECT_GE(compared[44], 75u);
  EXPECT_GE(compared[57], 95u);
}

double worst_of(query::Model& model, const std::string& name, const std::vector<double>& theirs) {
  const query::Query query = queries_of(name).at(1);
  const query::Answer answer = model.answer({&query, 1}).at(0);
  double worst = answer.size() == theirs.size() ? 0 : 1e9;
  for (size_t i = 0; i < std::min(answer.size(), theirs.size()); ++i)
    worst = std::max(worst, std::abs(logits_of(answer[i]).logprob() - theirs[i]));
  return worst;
}

// Where 4 and 5 differ, or minpair does from both (parity_test.cpp).
bool is_read_otherwise(const std::string& type, const std::string& key, bool answered) {
  if (type == "olmo3") return true;  // WindowedLayersAreNotScaled
  return type == "mixtral" && key == "rope_parameters" && !answered;
}

// Keys that have the same form, but may be read otherwise together with others.
constexpr const char* kReadTogether =
    "sliding_window use_sliding_window max_window_layers local_attention tie_word_embeddings";

// tools/golden/walk.py asked 5.12 what every key does. Where older versions have another form for
// what was changed, it does the same in that form.
TEST(OlderForms, EveryChangeIsObeyedOrRefusedInOlderForms) {
  std::istringstream lines(read_file(golden("walk.jsonl")));
  size_t obeyed = 0, without_effect = 0, refused = 0, not_writable = 0, not_even_read = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json change = Json::parse(line);
    const auto name = change.at("folder").get<std::string>();
    Json config = config_of(name);
    const auto type = config.at("model_type").get<std::string>();
    if (first_version(type) == kNever) continue;
    Json* at = &config;
    for (const Json& key : change.at("path")) at = &(*at)[key.get<std::string>()];
    *at = change.at("value");
    for (int minor : kVersions) try {
        const Json older = in_older_form(config, minor);
        const auto first = change.at("path")[0].get<std::string>();
        const bool same_form = older.contains(first) && older[first] == config[first];
        if (same_form && !is_among(kReadTogether, first)) continue;
        const bool other = change.contains("logprobs");
        if (is_read_otherwise(type, change.at("path").back(), other || change.contains("same")))
          continue;
        std::unique_ptr<query::Model> model = load_older(name, older);
        const Json made = Json::parse(read_file(golden(name) / "reference.json"));
        const std::vector<double> theirs =
            other ? change.at("logprobs") : made.at("inputs")[1].at("logprobs");
        EXPECT_LT(worst_of(*model, name, theirs), 1e-4) << line << "\n4." << minor << ' ' << older;
        ++(other ? obeyed : without_effect);
      } catch (const NotWritable&) {
        ++not_writable;
      } catch (const Error&) {
        ++refused;
      } catch (const Json::exception&) {
        ++not_even_read;  // by the rules: a text where there must be a number
      }
  }
  RecordProperty("obeyed", int(obeyed));
  RecordProperty("without_effect", int(without_effect));
  RecordProperty("refused", int(refused));
  RecordProperty("not_writable", int(not_writable));
  EXPECT_LT(not_even_read, 10u);
  EXPECT_GT(obeyed, 100u);
  EXPECT_GT(without_effect, 50u);
}

enum class Then : int64_t { as, refused, harmless };

// A key that only older versions have, or that they read otherwise.
struct Key {
  const char* folder;
  int64_t minor;       // of 4
  const char* change;  // to the configuration in the form of that version
  Then then;
  const char* what;  // as: the same change in the form of 5.12; refused: what is named; else why
};

const Key kKeys[] = {
    // Positions.
    {"llama-saved", 44, R"({"rope_theta": 300.0})", Then::as,
     R"({"rope_parameters": {"rope_theta": 300.0}})"},
    {"llama-saved", 44, R"({"rope_scaling": {"type": "linear", "factor": 2.0}})", Then::as,
     R"({"rope_parameters": {"rope_type": "linear", "factor": 2.0}})"},
    {"llama-saved", 44,
     R"({"rope_scaling": {"rope_type": "linear", "type": "linear", "factor": 2.0}})", Then::as,
     R"({"rope_parameters": {"rope_type": "linear", "factor": 2.0}})"},
    {"llama-saved", 44,
     R"({"rope_scaling": {"rope_type": "llama3", "type": "linear", "factor": 2.0}})", Then::refused,
     "\"type\""},
    {"llama-saved", 44, R"({"rope_scaling": {"type": "dynamic", "factor": 2.0}})", Then::harmless,
     "only sentences longer than the model's positions would be stretched, and these are refused"},
    {"llama-saved", 44,
     R"({"rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
         "high_freq_factor": 4.0, "original_max_position_embeddings": 16}})",
     Then::as,
     R"({"rope_parameters": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
         "high_freq_factor": 4.0, "original_max_position_embeddings": 16}})"},
    {"llama-saved", 44, R"({"rope_scaling": {"rope_type": "yarn", "factor": 4.0}})", Then::as,
     R"({"rope_parameters": {"rope_type": "yarn", "factor": 4.0,
         "original_max_position_embeddings": 64}})"},
    {"llama-saved", 44,
     R"({"rope_scaling": {"rope_type": "yarn", "factor": 4.0,
         "original_max_position_embeddings": 16}})",
     Then::refused, "original_max_position_embeddings"},
    {"llama-saved", 57,
     R"({"rope_scaling": {"rope_type": "yarn", "factor": 4.0,
         "original_max_position_embeddings": 16}})",
     Then::as,
     R"({"rope_parameters": {"rope_type": "yarn", "factor": 4.0,
         "original_max_position_embeddings": 16}})"},
    {"llama-saved", 54,
     R"({"rope_scaling": {"rope_type": "yarn", "factor": 2.0,
         "original_max_position_embeddings": 16}})",
     Then::refused, "\"factor\""},
    {"llama-saved", 57,
     R"({"rope_scaling": {"rope_type": "yarn", "factor": 2.0,
         "original_max_position_embeddings": 16}})",
     Then::as,
     R"({"rope_parameters": {"rope_type": "yarn", "factor": 2.0,
         "original_max_position_embeddings": 16}})"},
    {"llama-saved", 57,
     R"({"original_max_position_embeddings": 16,
         "rope_scaling": {"rope_type": "yarn", "factor": 4.0}})",
     Then::refused, "original_max_position_embeddings"},
    {"llama-saved", 44,
     R"({"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "mscale": 1.0,
         "mscale_all_dim": 0.5}})",
     Then::refused, "mscale"},
    {"llama-saved", 44,
     R"({"rope_scaling": {"rope_type": "longrope", "factor": 4.0, "short_factor": [1, 2, 3, 4],
         "long_factor": [2, 3, 4, 5]}})",
     Then::refused, "short_factor"},
    {"llama-saved", 57,
     R"({"rope_scaling": {"rope_type": "longrope", "factor": 4.0, "short_factor": [1, 2, 3, 4],
         "long_factor": [2, 3, 4, 5], "original_max_position_embeddings": 40}})",
     Then::refused, "original_max_position_embeddings"},
    {"llama-saved", 57,
     R"({"original_max_position_embeddings": 40,
         "rope_scaling": {"rope_type": "longrope", "short_factor": [1, 2, 3, 4],
         "long_factor": [2, 3, 4, 5]}})",
     Then::as,
     R"({"rope_parameters": {"rope_type": "longrope", "short_factor": [1, 2, 3, 4],
         "long_factor": [2, 3, 4, 5], "original_max_position_embeddings": 40}})"},
    {"llama-saved", 57,
     R"({"original_max_position_embeddings": 40,
         "rope_scaling": {"rope_type": "longrope", "factor": 2.0, "short_factor": [1, 2, 3, 4],
         "long_factor": [2, 3, 4, 5]}})",
     Then::refused, "\"factor\""},
    {"phi3", 44,
     R"({"original_max_position_embeddings": 40, "rope_scaling": {"type": "longrope",
         "short_factor": [1, 2, 3, 4], "long_factor": [2, 3, 4, 5]}})",
     Then::as,
     R"({"original_max_position_embeddings": 40, "rope_parameters": {"rope_type": "longrope",
         "short_factor": [1, 2, 3, 4], "long_factor": [2, 3, 4, 5],
         "original_max_position_embeddings": 40}})"},
    {"phi3", 44,
     R"({"original_max_position_embeddings": 40, "rope_scaling": {"type": "su",
         "short_factor": [1, 2, 3, 4], "long_factor": [2, 3, 4, 5]}})",
     Then::as,
     R"({"original_max_position_embeddings": 40, "rope_parameters": {"rope_type": "longrope",
         "short_factor": [1, 2, 3, 4], "long_factor": [2, 3, 4, 5],
         "original_max_position_embeddings": 40}})"},
    {"llama-saved", 44, R"({"rope_interleaved": true})", Then::refused, "rope_interleaved"},
    {"phi-rotary", 44, R"({"partial_rotary_factor": 0.5})", Then::as,
     R"({"rope_parameters": {"partial_rotary_factor": 0.5}})"},
    {"gpt-neox-saved", 44, R"({"rotary_pct": 0.25})", Then::as,
     R"({"rope_parameters": {"partial_rotary_factor": 0.25}})"},
    {"gpt-neox-saved", 44, R"({"rotary_emb_base": 300})", Then::as,
     R"({"rope_parameters": {"rope_theta": 300}})"},
    {"gpt-neox-saved", 57, R"({"rotary_emb_base": 300})", Then::refused, "rotary_emb_base"},
    {"gpt-neox-saved", 57, R"({"rotary_pct": 0.25})", Then::refused, "rotary_pct"},
    {"gemma3-saved", 57, R"({"rope_local_base_freq": 300.0})", Then::as,
     R"({"rope_parameters": {"sliding_attention": {"rope_theta": 300.0}}})"},
    {"gemma3-saved", 57, R"({"rope_theta": 300.0})", Then::as,
     R"({"rope_parameters": {"full_attention": {"rope_theta": 300.0}}})"},
    {"gemma3-saved", 57, R"({"rope_scaling": {"rope_type": "linear", "factor": 2.0}})", Then::as,
     R"({"rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 2.0}}})"},
    {"modernbert-saved", 57, R"({"global_rope_theta": 300.0})", Then::as,
     R"({"rope_parameters": {"full_attention": {"rope_theta": 300.0}}})"},
    {"modernbert-saved", 57, R"({"local_rope_theta": 300.0})", Then::as,
     R"({"rope_parameters": {"sliding_attention": {"rope_theta": 300.0}}})"},
    // Which layers have a window.
    {"modernbert-saved", 57, R"({"global_attn_every_n_layers": 2})", Then::as,
     R"({"layer_types": ["full_attention", "sliding_attention", "full_attention",
         "sliding_attention"]})"},
    {"modernbert-decoder", 57, R"({"local_attention": 4})", Then::refused, "sliding_window"},
    {"gemma3-saved", 57, R"({"_sliding_window_pattern": 2})", Then::harmless,
     "\"layer_types\" was made of it, and counts"},
    {"gemma3-saved", 50, R"({"sliding_window_pattern": 2})", Then::as,
     R"({"layer_types": ["sliding_attention", "full_attention", "sliding_attention",
         "full_attention", "sliding_attention", "full_attention", "sliding_attention"]})"},
    {"cohere2", 50, R"({"sliding_window_pattern": 2})", Then::as,
     R"({"layer_types": ["sliding_attention", "full_attention", "sliding_attention",
         "full_attention"]})"},
    {"qwen2-saved", 44, R"({"sliding_window": 4})", Then::harmless,
     "\"use_sliding_window\" is false"},
    {"qwen2-saved-window", 44, R"({"max_window_layers": 3})", Then::as,
     R"({"layer_types": ["full_attention", "full_attention", "full_attention",
         "sliding_attention"]})"},
    {"qwen2-saved-window", 44, R"({"use_sliding_window": false})", Then::as,
     R"({"layer_types": ["full_attention", "full_attention", "full_attention",
         "full_attention"]})"},
    {"qwen2-moe-all", 44, R"({"use_sliding_window": true})", Then::refused, "use_sliding_window"},
    {"mistral-saved", 44, R"({"sliding_window": null})", Then::as, R"({"sliding_window": null})"},
    // Activations.
    {"gemma-saved", 44, R"({"hidden_act": "relu"})", Then::refused, "hidden_activation"},
    {"gemma-saved", 44, R"({"hidden_act": "gelu"})", Then::harmless,
     "only the other key counts, and says the approximation by tanh"},
    {"gemma-saved", 57, R"({"hidden_activation": "relu"})", Then::refused, "hidden_act"},
    {"gemma-saved", 57, R"({"hidden_act": "relu", "hidden_activation": "relu"})", Then::as,
     R"({"hidden_act": "relu", "hidden_activation": "relu"})"},
    {"gemma2-saved", 44, R"({"hidden_act": "relu"})", Then::harmless,
     "Gemma 2 looks at \"hidden_activation\" only"},
    // The output.
    {"mt5", 44, R"({"tie_word_embeddings": true})", Then::as,
     R"({"model_type": "t5", "scale_decoder_outputs": true})"},
    {"t5", 44, R"({"dense_act_fn": "gelu"})", Then::refused, "dense_act_fn"},
    {"llama-saved", 44, R"({"tie_word_embeddings": true})", Then::refused, "tie_word_embeddings"},
    {"gpt2-saved-inner", 57, R"({"tie_word_embeddings": true})", Then::refused,
     "tie_word_embeddings"},
    {"bert-saved-untied", 44, R"({"tie_word_embeddings": true})", Then::refused,
     "tie_word_embeddings"},
    {"mt5-small", 44, R"({"tie_word_embeddings": true})", Then::refused, "tie_word_embeddings"},
    // Other names of the same.
    {"bloom", 44, R"({"num_attention_heads": 2})", Then::refused, "num_attention_heads"},
    {"bloom", 44, R"({"n_embed": 64})", Then::refused, "n_embed"},
    {"xglm", 44, R"({"num_hidden_layers": 2})", Then::refused, "num_hidden_layers"},
    {"gpt-neo", 44, R"({"num_hidden_layers": 2})", Then::refused, "num_hidden_layers"},
    {"gpt-neo", 44, R"({"num_attention_heads": 2})", Then::refused, "num_attention_heads"},
    {"gpt2-saved", 44, R"({"num_attention_heads": 2})", Then::refused, "num_attention_heads"},
    // What every configuration had.
    {"bert-saved", 44, R"({"position_embedding_type": "relative_key"})", Then::refused,
     "position_embedding_type"},
    {"bert-saved", 44, R"({"pruned_heads": {"0": [1]}})", Then::refused, "pruned_heads"},
    {"bert-saved", 44, R"({"is_decoder": true})", Then::refused, "is_decoder"},
    {"llama-saved", 44, R"({"pretraining_tp": 2})", Then::harmless,
     "products are summed in two parts"},
    {"llama-saved", 44, R"({"torch_dtype": "float32"})", Then::harmless,
     "weights are read as they are stored"},
    {"llama-saved", 44, R"({"_attn_implementation_autoset": true, "attn_implementation": "sdpa"})",
     Then::harmless, "another way to the same numbers"},
    {"llama-saved", 44,
     R"({"torchscript": true, "use_bfloat16": true, "tf_legacy_loss": true, "pruned_heads": {}})",
     Then::harmless, "training, TensorFlow, and no heads at all"},
    {"llama-saved", 44,
     R"({"max_length": 30, "min_length": 3, "do_sample": true, "num_beams": 2, "temperature": 0.5,
         "top_k": 5, "top_p": 0.5, "typical_p": 0.5, "repetition_penalty": 1.5,
         "length_penalty": 2.0, "no_repeat_ngram_size": 2, "bad_words_ids": [[5]],
         "num_return_sequences": 2, "forced_bos_token_id": 5, "forced_eos_token_id": 5,
         "suppress_tokens": [5], "begin_suppress_tokens": [5]})",
     Then::harmless, "how text is generated"},
    {"modernbert-saved", 57,
     R"({"deterministic_flash_attn": true, "reference_compile": true, "sparse_prediction": true,
         "sparse_pred_ignore_index": -1, "repad_logits_with_grad": true})",
     Then::harmless, "how it is computed and trained"},
    {"mamba2", 44, R"({"use_mambapy": true})", Then::harmless, "how it is computed"},
};

// Null is a value here.
Json with_change(Json config, const char* text) {
  const Json change = Json::parse(text);
  config.merge_patch(change);
  for (const auto& [key, value] : change.items())
    if (value.is_null()) config[key] = nullptr;
  return config;
}

TEST(OlderForms, KeysOfOlderVersionsAreObeyedRefusedOrHarmless) {
  for (const Key& key : kKeys) {
    SCOPED_TRACE(std::string(key.folder) + ", 4." + std::to_string(key.minor) + ": " + key.change);
    const std::string name = key.folder;
    const Json older = in_older_form(config_of(name), int(key.minor));
    std::string error = "no error";
    std::vector<query::Answer> changed;
    try {
      changed = answers(*load_older(name, with_change(older, key.change)), name);
    } catch (const Error& e) {
      error = e.what();
    }
    if (key.then == Then::refused) {
      EXPECT_THAT(error, ::testing::HasSubstr(key.what));
      continue;
    }
    EXPECT_EQ(error, "no error");
    const std::vector<query::Answer> usual = answers(*load_older(name, older), name);
    if (key.then == Then::harmless) {
      EXPECT_EQ(changed, usual) << key.what;
      continue;
    }
    EXPECT_NE(changed, usual);
    EXPECT_EQ(changed, answers(*load_with(name, with_change(config_of(name), key.what)), name));
  }
}

// OLMo 3 and Gemma 3 in transformers 4: positions are scaled in layers that see everything, and
// only there. With layers of one kind alone this is what 5.12 computes for a model without the
// other.
TEST(OlderForms, WindowedLayersAreNotScaled) {
  const Json yarn = {{"rope_type", "yarn"},     {"factor", 8.0},
                     {"attention_factor", 1.2}, {"beta_fast", 32.0},
                     {"beta_slow", 1.0},        {"original_max_position_embeddings", 8}};
  for (const char* folder : {"olmo3", "gemma3-saved"}) {
    const std::string name = folder;
    SCOPED_TRACE(name);
    const bool gemma = name != "olmo3";
    auto with = [&](const char* kind, bool scaled) {
      Json c = in_older_form(config_of(name), 57);
      for (Json& layer : c["layer_types"])
        if (kind) layer = kind;
      if (scaled) c["rope_scaling"] = yarn;
      return answers(*load_with(name, c), name);
    };
    EXPECT_EQ(with("sliding_attention", true), with("sliding_attention", false));
    EXPECT_NE(with("full_attention", true), with("full_attention", false));
    EXPECT_NE(with(nullptr, true), with(nullptr, false));
    Json newer = config_of(name);
    for (Json& layer : newer["layer_types"]) layer = "full_attention";
    (gemma ? newer["rope_parameters"]["full_attention"] : newer["rope_parameters"]).update(yarn);
    EXPECT_EQ(with("full_attention", true), answers(*load_with(name, newer), name));
  }
  // As transformers 5.13 writes it.
  Json c = config_of("olmo3-yarn"), older = in_older_form(c, 57);
  const Json flat = c["rope_parameters"];
  const std::vector<query::Answer> everywhere = answers(*load_with("olmo3-yarn", c), "olmo3-yarn");
  c["rope_parameters"] = {
      {"full_attention", flat},
      {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", flat["rope_theta"]}}}};
  EXPECT_EQ(answers(*load_with("olmo3-yarn", c), "olmo3-yarn"),
            answers(*load_with("olmo3-yarn", older), "olmo3-yarn"));
  EXPECT_NE(answers(*load_with("olmo3-yarn", older), "olmo3-yarn"), everywhere);
  EXPECT_THAT(load_with("olmo3-yarn", config_of("olmo3-yarn"))->info().notes,
              ::testing::Contains(::testing::HasSubstr("positions are scaled in windowed layers")));
}

// Files of transformers 4 have more tensors than there are parameters, and other names for some.
TEST(OlderForms, BuffersCopiesAndOldNamesOfWeightsChangeNothing) {
  const std::map<std::string, std::function<void(Weights&)>> changes{
      {"gpt2-saved",
       [](Weights& w) {
         w.add("transformer.h.0.attn.bias", "BOOL", {1, 1, 64, 64}, 64 * 64);
         w.add("transformer.h.0.attn.masked_bias", "F32", Json::array(), 4);
         w.copy("transformer.wte.weight", "lm_head.weight");
       }},
      {"gpt-neox-saved",
       [](Weights& w) {
         w.add("gpt_neox.layers.0.attention.bias", "U8", {1, 1, 64, 64}, 64 * 64);
         w.add("gpt_neox.layers.0.attention.masked_bias", "F16", Json::array(), 2);
         w.add("gpt_neox.layers.0.attention.rotary_emb.inv_freq", "F32", {2}, 8);
       }},
      {"llama-saved",
       [](Weights& w) { w.add("model.layers.0.self_attn.rotary_emb.inv_freq", "F32", {4}, 16); }},
      {"bert-saved",
       [](Weights& w) {
         w.add("bert.embeddings.position_ids", "I64", {1, 64}, 512);
         w.copy("bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight");
         w.copy("cls.predictions.bias", "cls.predictions.decoder.bias");
         w.rename("LayerNorm.weight", "LayerNorm.gamma");
         w.rename("LayerNorm.bias", "LayerNorm.beta");
       }},
      {"roberta-saved",
       [](Weights& w) {
         w.add("roberta.embeddings.position_ids", "I64", {1, 64}, 512);
         w.copy("roberta.embeddings.word_embeddings.weight", "lm_head.decoder.weight");
         w.copy("lm_head.bias", "lm_head.decoder.bias");
       }},
      {"gemma3-whole",
       [](Weights& w) {
         w.rename_begin("language_model.model.", "model.language_model.");
         w.copy("model.language_model.embed_tokens.weight", "lm_head.weight");
       }},
      {"t5",
       [](Weights& w) {
         for (const char* to :
              {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight"})
           w.copy("shared.weight", to);
       }},
      {"bart", [](Weights& w) {
         for (const char* to : {"model.encoder.embed_tokens.weight",
                                "model.decoder.embed_tokens.weight", "lm_head.weight"})
           w.copy("model.shared.weight", to);
       }}};
  for (const auto& [name, change] : changes) {
    SCOPED_TRACE(name);
    Weights weights(golden(name) / "model.safetensors");
    change(weights);
    const Json older = in_older_form(config_of(name), name == "gemma3-whole" ? 57 : 44);
    EXPECT_EQ(answers(*load_with(name, older, &weights), name),
              answers(*load_with(name, config_of(name)), name));
  }
}

}  // namespace
}  // namespace minpair::model
