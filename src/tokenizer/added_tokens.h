#pragma once
// Tokens that are found in the text before anything else looks at it: [MASK], <s>, <|endoftext|>.

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "tokenizer/vocabulary.h"

namespace minpair::tokenizer {

struct AddedToken {
  std::string content;
  TokenId id = 0;
  bool special = true;
  bool normalized = false;      // is looked for in the normalised text, not in the original
  bool single_word = false;     // only where no letter or digit touches it
  bool strip_left = false;      // swallows the white space before it
  bool strip_right = false;     // and after it
  bool between_spaces = false;  // only where white space or the text's ends surround it
};

// The leftmost, longest occurrences of added tokens.
class AddedTokens {
 public:
  AddedTokens() = default;
  explicit AddedTokens(std::vector<AddedToken> tokens);

  struct Part {
    Span span;                          // of the text that was searched
    const AddedToken* token = nullptr;  // null: ordinary text
  };
  // Cuts the text; every byte is in exactly one part. No part is empty.
  void split(std::string_view text, const std::function<void(const Part&)>& part) const;

  bool empty() const { return tokens_.empty(); }
  const std::vector<AddedToken>& all() const { return tokens_; }

 private:
  const AddedToken* match(std::string_view text, size_t at, size_t& end) const;

  std::vector<AddedToken> tokens_;
  Trie trie_;
  std::array<bool, 256> begins_{};
};

}  // namespace minpair::tokenizer
