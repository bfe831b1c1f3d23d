#pragma once
// Hugging Face's tokenizer.json. Truncation, padding and decoders in it are ignored: they say how a
// training job wanted its batches, not how text is cut.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/config.h"
#include "tokenizer/tokenizer.h"

namespace minpair::tokenizer {

class JsonFile;

std::unique_ptr<Tokenizer> read_tokenizer_json(const JsonFile& file, const TokenizerConfig& config,
                                               std::vector<std::string>* notes);
// The same from memory; `name` is for messages.
std::unique_ptr<Tokenizer> parse_tokenizer_json(std::string_view text, const std::string& name,
                                                const TokenizerConfig& config = {},
                                                std::vector<std::string>* notes = nullptr);

}  // namespace minpair::tokenizer
