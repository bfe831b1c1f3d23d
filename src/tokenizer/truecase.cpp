#include "tokenizer/truecase.h"

#include "base/hash.h"

namespace minpair::tokenizer {
namespace {

class PlainFirstWord : public Tokenizer {
 public:
  explicit PlainFirstWord(std::unique_ptr<Tokenizer> words)
      : words_(std::move(words)),
        fingerprint_(sha256_hex("plain first word\n" + words_->fingerprint())) {}

  Encoding encode(std::string_view text, bool with_special) const override {
    size_t end = 0;
    while (end < text.size()) {
      size_t next = end;
      if (!is_letter(next_character(text, next))) break;
      end = next;
    }
    size_t letter = 0;
    if (end == 0) return words_->encode(text, with_special);
    next_character(text, letter);
    std::string first = lower(text.substr(0, letter));
    std::string word = first + std::string(text.substr(letter, end - letter));
    // Spans must keep their places, and a name must keep its capital.
    if (first.size() != letter || !words_->id(word)) return words_->encode(text, with_special);
    return words_->encode(word + std::string(text.substr(end)), with_special);
  }

  size_t vocabulary_size() const override { return words_->vocabulary_size(); }
  std::string piece(TokenId id) const override { return words_->piece(id); }
  std::optional<TokenId> id(std::string_view piece) const override { return words_->id(piece); }
  const SpecialIds& special() const override { return words_->special(); }
  bool begins_word(TokenId id) const override { return words_->begins_word(id); }
  std::string kind() const override { return words_->kind() + ", first word in lower case"; }
  bool byte_level() const override { return words_->byte_level(); }
  const std::string& fingerprint() const override { return fingerprint_; }

 private:
  std::unique_ptr<Tokenizer> words_;
  std::string fingerprint_;
};

}  // namespace

std::unique_ptr<Tokenizer> with_plain_first_word(std::unique_ptr<Tokenizer> words) {
  return std::make_unique<PlainFirstWord>(std::move(words));
}

}  // namespace minpair::tokenizer
