#pragma once
// How the byte-level tokenizers of GGUF files cut a text into words.

#include <optional>
#include <string_view>

#include "tokenizer/make.h"

namespace minpair::tokenizer {

struct GgufWords {
  ByteLevelOptions cutting;
  bool adds_bos = false, adds_eos = false;  // where the file does not say
};

// By "tokenizer.ggml.pre": as the tokenizer.json does from which llama.cpp's converter made the
// file. Nothing for a name that is not known.
std::optional<GgufWords> gguf_words(std::string_view pre);

}  // namespace minpair::tokenizer
