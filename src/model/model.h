#pragma once
// Models from disk: one file per architecture, found by what their configuration says.
//
//   std::unique_ptr<query::Model> model = load_model("de-mini");

#include <filesystem>
#include <memory>
#include <string>

#include "query/query.h"

namespace minpair::model {

struct LoadOptions {
  int threads = 0;                   // 0: all
  std::string precision = "fp32";    // fast, bf16, auto: see nn/matrix_unit.h
  std::filesystem::path vocabulary;  // for word-level models that lack one
  // Models that read from left to right: a token as the vocabulary writes it, "none", or "auto" for
  // the model's own.
  std::string start = "auto", end = "auto";
  // "masked", "causal": how to read a checkpoint that was trained as both; "auto": as it says.
  std::string as = "auto";
  bool operator==(const LoadOptions&) const = default;
};

// A directory, a .gguf file, an id in the Hugging Face cache, or the name of a shipped model.
std::unique_ptr<query::Model> load_model(const std::string& name_or_path,
                                         const LoadOptions& options = {});
// What the model is, without its weights: name, architecture, kind, and about what it answers.
query::ModelInfo describe_model(const std::string& name_or_path, const LoadOptions& options = {});
// Where `name_or_path` leads; throws with suggestions when it leads nowhere.
std::filesystem::path locate_model(const std::string& name_or_path);
// The same model without prefix sharing and without batches: what a program that scores sentence
// after sentence does. Only for comparing; the answers are the same bits.
std::unique_ptr<query::Model> one_by_one(std::shared_ptr<query::Model> model);

}  // namespace minpair::model
