#pragma once
// What can be read.

#include <string>
#include <vector>

#include "query/query.h"

namespace minpair::model {

// One for each "model_type" of a config.json. All of them answer about their hidden states and
// lenses.
struct Architecture {
  std::string type;
  std::string kind;           // masked, causal, recurrent
  std::string covers;         // well-known checkpoints
  std::string gguf;           // what GGUF files call it; empty: it is not read from them
  query::SiteSet sites = {};  // what can be changed inside
};
std::vector<Architecture> architectures();

// Throws when models with this config.json are not read, whatever their weights are. `file`: where
// it is, for the message.
void check_readable(const std::string& config, const std::string& file);

}  // namespace minpair::model
