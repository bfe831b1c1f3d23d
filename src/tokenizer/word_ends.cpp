#include "tokenizer/word_ends.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace minpair::tokenizer {

namespace {

// "<0x41>": a byte that no other piece has.
bool is_byte(std::string_view piece) {
  return piece.size() == 6 && piece.starts_with("<0x") && piece.ends_with(">");
}

}  // namespace

bool completes_word(const Tokenizer& tokenizer, TokenId id) {
  const SpecialIds& special = tokenizer.special();
  if (id == special.eos || tokenizer.begins_word(id)) return true;
  std::string piece = tokenizer.piece(id);
  return !piece.empty() && std::ispunct(static_cast<unsigned char>(piece[0])) && !is_byte(piece) &&
         !piece.starts_with("##");
}

std::vector<TokenId> word_ends(const Tokenizer& tokenizer, uint32_t vocabulary) {
  std::vector<TokenId> ids;
  size_t known = std::min<size_t>(vocabulary, tokenizer.vocabulary_size());
  for (size_t id = 0; id < known; ++id)
    if (completes_word(tokenizer, TokenId(id))) ids.push_back(TokenId(id));
  return ids;
}

}  // namespace minpair::tokenizer
