#pragma once
// The table of architectures: config.json's model_type, and what makes a model of it.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "model/model.h"
#include "nn/runtime.h"

namespace minpair::model {

struct Source {
  std::filesystem::path path;  // a directory with config.json, weights and tokenizer
  std::string name;            // what the user called it
  std::string architecture;
  LoadOptions options;
};

struct Architecture {
  const char* model_type;
  std::unique_ptr<query::Model> (*make)(const Source&);
};

const std::vector<Architecture>& architectures();

// Threads and arithmetic as asked for; what came of it is put into `info`.
nn::Runtime runtime_for(const LoadOptions& options, query::ModelInfo& info);

std::unique_ptr<query::Model> load_gguf(Source source);
std::unique_ptr<query::Model> load_recurrent(
    const Source& source);  // a directory, or a PyTorch file with --vocab
std::unique_ptr<query::Model> load_ngram(const Source& source);  // an ARPA file

}  // namespace minpair::model
