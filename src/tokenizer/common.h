#pragma once
// What all tokenizers share: the vocabulary, tokens written in the text, the tokens around it.

#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/added_tokens.h"
#include "tokenizer/make.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/vocabulary.h"

namespace minpair::tokenizer {

// The span without white space at its ends; white space alone stays.
Span trimmed_span(std::string_view text, Span span);

class CommonTokenizer : public Tokenizer {
 public:
  CommonTokenizer(const std::vector<std::string>& pieces, const Surroundings& around);

  Encoding encode(std::string_view text, bool with_special = true) const override;
  size_t vocabulary_size() const override { return vocabulary_.size(); }
  std::string piece(TokenId id) const override;
  std::optional<TokenId> id(std::string_view piece) const override;
  const SpecialIds& special() const override { return special_; }
  const std::string& fingerprint() const override { return fingerprint_; }
  // What pieces end with that end a word: "</w>" in "chat</w>"; "" where pieces mark beginnings.
  virtual std::string_view word_end() const { return ""; }

 protected:
  // Appends the tokens of a stretch of text that holds no added token. `text` is `whole` from byte
  // `begin` on; spans count from the beginning of `whole`.
  virtual void encode_part(std::string_view whole, Span part, std::vector<Token>& to) const = 0;

  bool is_special(TokenId id) const;
  // To be called at the end of a constructor, with everything else that decides about the ids.
  void set_fingerprint(std::string_view options);

  Vocabulary vocabulary_;
  AddedTokens added_;
  SpecialIds special_;

 private:
  std::vector<TokenId> before_, after_;
  std::vector<bool> special_flags_;
  std::vector<AddedToken> all_added_;
  std::string fingerprint_;
};

}  // namespace minpair::tokenizer
