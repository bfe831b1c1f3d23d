#pragma once
// The tiny models that tools/golden/make_models.py makes, and what PyTorch computed with them.

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "model/masked.h"
#include "support.h"

namespace minpair::testing {

using namespace minpair::model;

inline const std::vector<std::string> kGoldenModels{
    "bert",       "bert-2019", "bert-untied",  "bert-bare", "roberta",    "xlm-roberta",
    "distilbert", "electra",   "electra-wide", "albert",    "modernbert", "modernbert-biased"};

inline const std::vector<std::string> kCausalModels{
    "gpt2",    "gpt2-bare", "gpt-neox", "gpt-neox-serial", "llama",  "llama3", "llama-linear",
    "mistral", "qwen2",     "qwen3",    "gemma",           "gemma2", "gemma3"};

inline const std::vector<std::string> kRecurrentModels{"lstm0.pt", "lstm1.pt", "gru2.pt",
                                                       "tanh3.pt", "relu4.pt"};

inline std::vector<std::string> every_model() {
  std::vector<std::string> all = kGoldenModels;
  all.insert(all.end(), kCausalModels.begin(), kCausalModels.end());
  all.insert(all.end(), kRecurrentModels.begin(), kRecurrentModels.end());
  return all;
}

inline std::filesystem::path golden(const std::string& name) {
  return source_dir() / "tests/model/golden" / name;
}

inline std::filesystem::path recurrent(const std::string& file) {
  return source_dir() / "tests/golden/recurrent" / file;
}

inline std::unique_ptr<query::Model> load_golden(const std::string& name) {
  const std::filesystem::path gguf = golden(name) / "model.gguf";
  if (std::filesystem::exists(gguf)) return load_model(gguf.string(), {.threads = 2});
  if (!name.ends_with(".pt")) return load_model(golden(name).string(), {.threads = 2});
  return load_model(recurrent(name).string(), {.threads = 2, .vocabulary = recurrent("vocab.txt")});
}

// For names of tests.
inline std::string identifier(std::string name) {
  name = name.substr(0, name.find('.'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

struct Expected {
  std::vector<std::vector<tokenizer::TokenId>> inputs;
  std::vector<float> hidden, logits, loss;
  size_t tokens = 0;

  explicit Expected(const std::string& name) {
    auto file = checkpoint::open_checkpoint(golden(name) / "expected.safetensors");
    auto floats = [&](const char* what) {
      const checkpoint::TensorView* t = file->find(what);
      std::vector<float> values(static_cast<size_t>(t->elements()));
      checkpoint::to_float(*t, values.data());
      return values;
    };
    hidden = floats("hidden");
    logits = floats("logits");
    loss = floats("loss");
    auto integers = [&](const char* what) {
      const checkpoint::TensorView* t = file->find(what);
      std::vector<int64_t> values(static_cast<size_t>(t->elements()));
      std::memcpy(values.data(), t->data, values.size() * sizeof(int64_t));
      return values;
    };
    std::vector<int64_t> ids = integers("ids");
    for (int64_t n : integers("lengths")) {
      inputs.emplace_back(ids.begin() + tokens, ids.begin() + tokens + n);
      tokens += static_cast<size_t>(n);
    }
  }
};

// Every token asked about itself.
inline query::Query about_itself(const std::vector<tokenizer::TokenId>& ids) {
  query::Query query{ids, {}};
  for (uint32_t i = 0; i < ids.size(); ++i) query.asks.push_back({i, query::Targets{{ids[i]}}});
  return query;
}

}  // namespace minpair::testing
