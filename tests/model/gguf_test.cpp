// Golden models written as GGUF files: the same logits.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "model/causal.h"
#include "model/golden.h"
#include "model/rope.h"
#include "support.h"

namespace minpair::model {
namespace {

using testing::golden;
using Json = nlohmann::json;

template <typename T>
std::string bytes(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string text(const std::string& s) { return bytes<uint64_t>(s.size()) + s; }

// A GGUF file of floats, with a vocabulary of `words` pieces.
class GgufFile {
 public:
  void integer(const std::string& key, uint32_t value) {
    metadata_ += text(key) + bytes<uint32_t>(4) + bytes(value);
    ++keys_;
  }
  void real(const std::string& key, float value) {
    metadata_ += text(key) + bytes<uint32_t>(6) + bytes(value);
    ++keys_;
  }
  void flag(const std::string& key, bool value) {
    metadata_ += text(key) + bytes<uint32_t>(7) + bytes<uint8_t>(value);
    ++keys_;
  }
  void string(const std::string& key, const std::string& value) {
    metadata_ += text(key) + bytes<uint32_t>(8) + text(value);
    ++keys_;
  }
  void vocabulary(size_t words) {
    string("tokenizer.ggml.model", "llama");
    std::string pieces, scores, types;
    for (size_t i = 0; i < words; ++i) {
      pieces += text(i == 0 ? "<unk>" : i == 1 ? "<s>" : i == 2 ? "</s>" : "p" + std::to_string(i));
      scores += bytes(-float(i));
      types += bytes<int32_t>(i == 0 ? 2 : i < 3 ? 3 : 1);
    }
    auto array = [&](const char* key, uint32_t type, const std::string& values) {
      metadata_ += text(key) + bytes<uint32_t>(9) + bytes(type) + bytes<uint64_t>(words) + values;
      ++keys_;
    };
    array("tokenizer.ggml.tokens", 8, pieces);
    array("tokenizer.ggml.scores", 6, scores);
    array("tokenizer.ggml.token_type", 5, types);
    integer("tokenizer.ggml.bos_token_id", 1);
    integer("tokenizer.ggml.eos_token_id", 2);
  }
  void tensor(const std::string& name, std::vector<int64_t> shape, const std::vector<float>& data) {
    infos_ += text(name) + bytes(uint32_t(shape.size()));
    for (size_t i = shape.size(); i-- > 0;) infos_ += bytes<uint64_t>(uint64_t(shape[i]));
    infos_ += bytes<uint32_t>(0) + bytes<uint64_t>(data_.size());
    data_.append(reinterpret_cast<const char*>(data.data()), data.size() * sizeof(float));
    data_.resize((data_.size() + 31) / 32 * 32);
    ++tensors_;
  }
  void write(const std::filesystem::path& path) const {
    std::string file = "GGUF" + bytes<uint32_t>(3) + bytes<uint64_t>(tensors_) +
                       bytes<uint64_t>(keys_) + metadata_ + infos_;
    file.resize((file.size() + 31) / 32 * 32);
    write_file(path, file + data_);
  }

 private:
  std::string metadata_, infos_, data_;
  uint64_t keys_ = 0, tensors_ = 0;
};

using Rows = std::vector<float>;
// What a converter does to a tensor on its way into the file.
using Change = std::function<void(const std::string& name, Rows& values, size_t columns)>;

std::string replaced(std::string name, const std::map<std::string, std::string>& names) {
  for (const auto& [from, to] : names)
    if (size_t at = name.find(from); at != std::string::npos) name.replace(at, from.size(), to);
  return name;
}

void add_tensors(GgufFile& file, const std::string& model,
                 const std::map<std::string, std::string>& names, const Change& change) {
  auto checkpoint = checkpoint::open_checkpoint(golden(model));
  for (const checkpoint::TensorView& t : checkpoint->tensors()) {
    Rows values(size_t(t.elements()));
    checkpoint::to_float(t, values.data());
    std::string name = replaced(t.name, names);
    change(name, values, t.shape.size() > 1 ? size_t(t.shape[1]) : 1);
    file.tensor(name, t.shape, values);
  }
}

// Row r of the result is row order(r) of what was.
void reorder(Rows& values, size_t columns, const std::function<size_t(size_t)>& order) {
  Rows before = values;
  for (size_t r = 0; r < values.size() / columns; ++r)
    std::copy_n(before.begin() + ptrdiff_t(order(r) * columns), columns,
                values.begin() + ptrdiff_t(r * columns));
}

void expect_same_logits(const std::string& model, const std::filesystem::path& gguf) {
  testing::Expected expected(model);
  auto ours = load_model(gguf.string());
  std::vector<tokenizer::TokenId> all(ours->info().vocabulary);
  for (size_t i = 0; i < all.size(); ++i) all[i] = tokenizer::TokenId(i);
  size_t at = 0;
  for (const auto& ids : expected.inputs) {
    query::Query query{ids, {}};
    for (uint32_t p = 0; p < ids.size(); ++p) query.asks.push_back({p, query::Targets{all}});
    query::Answer answer = ours->answer({&query, 1})[0];
    for (const query::Record& record : answer)
      for (float logit : logits_of(record).logits)
        ASSERT_NEAR(logit, expected.logits.at(at++), 1e-4);
  }
  EXPECT_EQ(at, expected.logits.size());
}

TEST(Gguf, GptNeoxHasAllQueriesFirst) {
  constexpr size_t kHeads = 4, kWidth = 8;
  GgufFile file;
  file.string("general.architecture", "gptneox");
  for (auto [key, value] : std::map<std::string, uint32_t>{{"embedding_length", 32},
                                                           {"block_count", 2},
                                                           {"feed_forward_length", 48},
                                                           {"attention.head_count", kHeads},
                                                           {"context_length", 40},
                                                           {"rope.dimension_count", 4}})
    file.integer("gptneox." + key, value);
  file.real("gptneox.attention.layer_norm_epsilon", 1e-5f);
  file.flag("gptneox.use_parallel_residual", true);
  file.vocabulary(120);
  add_tensors(file, "gpt-neox",
              {{"gpt_neox.layers.", "blk."},
               {"gpt_neox.embed_in", "token_embd"},
               {"gpt_neox.final_layer_norm", "output_norm"},
               {"embed_out", "output"},
               {"attention.query_key_value", "attn_qkv"},
               {"attention.dense", "attn_output"},
               {"input_layernorm", "attn_norm"},
               {"post_attention_layernorm", "ffn_norm"},
               {"mlp.dense_h_to_4h", "ffn_up"},
               {"mlp.dense_4h_to_h", "ffn_down"}},
              [&](const std::string& name, Rows& values, size_t columns) {
                if (name.find("attn_qkv") == std::string::npos) return;
                reorder(values, columns, [&](size_t r) {
                  size_t part = r / (kHeads * kWidth), head = r / kWidth % kHeads;
                  return (head * 3 + part) * kWidth + r % kWidth;
                });
              });
  testing::TemporaryFolder folder;
  file.write(folder / "m.gguf");
  expect_same_logits("gpt-neox", folder / "m.gguf");
}

TEST(Gguf, RefusalsSayWhetherTheOriginalCanBeLoaded) {
  testing::TemporaryFolder folder;
  auto refusal = [&](const char* architecture) -> std::string {
    GgufFile file;
    file.string("general.architecture", architecture);
    file.write(folder / "m.gguf");
    try {
      load_model((folder / "m.gguf").string());
    } catch (const Error& e) {
      return e.what();
    }
    return "it was read";
  };
  EXPECT_THAT(refusal("command-r"), ::testing::HasSubstr("original model is read ('cohere')"));
  EXPECT_THAT(refusal("starcoder"), ::testing::HasSubstr("original model is read ('gpt_bigcode')"));
  EXPECT_THAT(refusal("modern-bert"), ::testing::HasSubstr("hold no language model"));
  EXPECT_THAT(refusal("jamba"), ::testing::HasSubstr("'jamba' is not supported"));
  EXPECT_THAT(refusal("jamba"), ::testing::Not(::testing::HasSubstr("original model")));
}

// T5 1.1, written by a library that forgot its output layer.
TEST(Gguf, T5WithoutAStatedScaleIsRefused) {
  testing::TemporaryFolder folder;
  GgufFile file;
  file.string("general.architecture", "t5");
  file.tensor("token_embd.weight", {4, 2}, std::vector<float>(8));
  file.tensor("enc.blk.0.ffn_gate.weight", {4, 2}, std::vector<float>(8));
  file.write(folder / "m.gguf");
  try {
    load_model((folder / "m.gguf").string());
    ADD_FAILURE() << "it was read";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("does not say whether this T5 scales"));
  }
}

TEST(Gguf, ExpertsOfAKindThatIsNotReadAreRefused) {
  testing::TemporaryFolder folder;
  GgufFile file;
  file.string("general.architecture", "granite");
  file.integer("granite.expert_count", 4);
  file.write(folder / "m.gguf");
  try {
    load_model((folder / "m.gguf").string());
    ADD_FAILURE() << "it was read";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("experts of the kind 'granite' are not read"));
  }
}

// OLMo 3 calls itself OLMo 2 there, and would be read without its windows.
TEST(Gguf, Olmo3IsRefused) {
  testing::TemporaryFolder folder;
  GgufFile file;
  file.string("general.architecture", "olmo2");
  file.integer("olmo2.attention.sliding_window", 8);
  file.tensor("token_embd.weight", {4, 2}, std::vector<float>(8));
  file.write(folder / "m.gguf");
  try {
    load_model((folder / "m.gguf").string());
    ADD_FAILURE() << "it was read";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("OLMo 3"));
  }
}

// Llama 3.1 and later: the rotary scaling is a tensor, and no key of the metadata says so.
TEST(Gguf, RotaryFactorsAreATensor) {
  constexpr size_t kWidth = 8;
  Config config(golden("llama3") / "config.json");
  std::vector<float> plain = nn::rotary_frequencies(10000, kWidth),
                     scaled = rope_of(config, 10000, kWidth).frequencies, factors;
  for (size_t i = 0; i < plain.size(); ++i) factors.push_back(plain[i] / scaled[i]);
  GgufFile file;
  file.string("general.architecture", "llama");
  for (auto [key, value] : std::map<std::string, uint32_t>{{"embedding_length", 32},
                                                           {"block_count", 2},
                                                           {"feed_forward_length", 44},
                                                           {"attention.head_count", 4},
                                                           {"attention.head_count_kv", 1},
                                                           {"context_length", 64}})
    file.integer("llama." + key, value);
  file.real("llama.attention.layer_norm_rms_epsilon", 1e-5f);
  file.vocabulary(120);
  add_tensors(file, "llama3",
              {{"model.layers.", "blk."},
               {"model.embed_tokens", "token_embd"},
               {"model.norm", "output_norm"},
               {"self_attn.q_proj", "attn_q"},
               {"self_attn.k_proj", "attn_k"},
               {"self_attn.v_proj", "attn_v"},
               {"self_attn.o_proj", "attn_output"},
               {"input_layernorm", "attn_norm"},
               {"post_attention_layernorm", "ffn_norm"},
               {"mlp.gate_proj", "ffn_gate"},
               {"mlp.up_proj", "ffn_up"},
               {"mlp.down_proj", "ffn_down"}},
              [&](const std::string& name, Rows& values, size_t columns) {
                bool turned = name.find("attn_q.") != std::string::npos ||
                              name.find("attn_k.") != std::string::npos;
                // Rotary pairs become neighbours.
                if (turned)
                  reorder(values, columns, [&](size_t r) {
                    size_t in_head = r % kWidth;
                    return r - in_head + in_head / 2 + in_head % 2 * (kWidth / 2);
                  });
              });
  file.tensor("rope_freqs.weight", {int64_t(factors.size())}, factors);
  testing::TemporaryFolder folder;
  file.write(folder / "m.gguf");
  expect_same_logits("llama3", folder / "m.gguf");
}

}  // namespace
}  // namespace minpair::model
