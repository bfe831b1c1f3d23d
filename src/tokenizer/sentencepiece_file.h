#pragma once
// Reading SentencePiece *.model files: a protocol buffer, read here as data, with no trust in it.

#include <string>
#include <string_view>

#include "tokenizer/make.h"

namespace minpair::tokenizer {

SentencePieceModel parse_sentencepiece(std::string_view bytes, const std::string& name);

}  // namespace minpair::tokenizer
