#include "tokenizer/word_ends.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "tokenizer/common.h"

namespace minpair::tokenizer {

namespace {

constexpr std::string_view kSpacePiece = "\u2581";  // SentencePiece's mark
constexpr std::string_view kSpaceByte = "\u0120";   // a space in byte-level vocabularies

// Byte-level vocabularies write every byte as a visible character.
std::string bytes_of_visible(std::string_view piece) {
  std::string bytes;
  for (size_t at = 0; at < piece.size();) {
    char32_t c = next_character(piece, at);
    if (c < 0x100)
      bytes.push_back(char(uint8_t(c)));
    else if (c <= 0x120)
      bytes.push_back(char(c - 0x100));  // controls and the space
    else if (c <= 0x142)
      bytes.push_back(char(c - 0x121 + 0x7f));
    else
      bytes.push_back(char(0xad));
  }
  return bytes;
}

// "<0x41>": a byte that no other piece has.
bool is_byte(std::string_view piece) {
  return piece.size() == 6 && piece.starts_with("<0x") && piece.ends_with(">");
}

// "</w>" where pieces mark the ends of words.
std::string_view word_end_of(const Tokenizer& tokenizer) {
  const auto* common = dynamic_cast<const CommonTokenizer*>(&tokenizer);
  return common ? common->word_end() : "";
}

}  // namespace

bool begins_word_after(const Tokenizer& tokenizer, TokenId before, TokenId id) {
  const std::string_view end = word_end_of(tokenizer);
  if (end.empty()) return tokenizer.begins_word(id);
  const SpecialIds& special = tokenizer.special();
  return tokenizer.piece(before).ends_with(end) || before == special.unk || before == special.mask;
}

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

std::string whole_word(const Tokenizer& tokenizer, TokenId id) {
  if (!tokenizer.begins_word(id)) return "";
  std::string piece = tokenizer.piece(id);
  if (std::string_view end = word_end_of(tokenizer); !end.empty())
    return piece.ends_with(end) ? piece.substr(0, piece.size() - end.size()) : "";
  if (tokenizer.byte_level())
    return piece.starts_with(kSpaceByte) ? bytes_of_visible(piece.substr(kSpaceByte.size())) : "";
  return piece.starts_with(kSpacePiece) ? piece.substr(kSpacePiece.size()) : piece;
}

}  // namespace minpair::tokenizer
