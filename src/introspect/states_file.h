#pragma once
// Hidden states of many texts in one safetensors file, for one's own work.
//
//   std::vector<uint32_t> layers = find_layers("0,2", model.info());
//   StatesDone done = write_states(model, "texts.txt", layers, "states.safetensors");

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "query/query.h"

namespace minpair::introspect {

// "all", or numbers with commas; 0 is the embeddings. Throws when the model has no such layer.
std::vector<uint32_t> find_layers(const std::string& list, const query::ModelInfo& info);

struct StatesDone {
  uint64_t texts = 0, tokens = 0;
};

// A text is a line; empty lines have no states. Tensor "text.3.layer.2" is what the second layer
// gives for the third line, tokens × width. The file's metadata say which model it was, and under
// "text.3" the text, its token ids and pieces, as JSON.
StatesDone write_states(query::Model& model, const std::filesystem::path& texts,
                        const std::vector<uint32_t>& layers, const std::filesystem::path& output,
                        const std::function<void(uint64_t done, uint64_t total)>& tick = {});

}  // namespace minpair::introspect
