#pragma once
// How well a model predicts a text: per token and per word. Streaming; memory does not grow with
// the text.

#include <cstdint>
#include <filesystem>
#include <functional>

#include "model/model.h"

namespace minpair::engine {

struct PerplexityOptions {
  // Causal models with a limited context: tokens of context that a window keeps from the one
  // before. 0: half a window.
  uint32_t overlap = 0;
  bool by_line = false;  // every line is a text of its own
};

struct Perplexity {
  uint64_t lines = 0, words = 0, scored = 0, unknown = 0;
  double log_probability = 0;  // natural, of all scored tokens

  double per_token() const;
  double per_word() const;
};

// The file's lines one after the other, each ended by the model's end of sentence where it has one.
Perplexity perplexity(query::Model& model, const std::filesystem::path& file,
                      const PerplexityOptions& options,
                      const std::function<void(uint64_t tokens)>& tick = nullptr);

}  // namespace minpair::engine
