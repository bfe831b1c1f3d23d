#include <fmt/format.h>

#include "base/hash.h"
#include "tokenizer/piece_model.h"

namespace minpair::tokenizer {
namespace {

// The longest piece that the text at `at` begins with, below a node of the trie; none: -1.
TokenId longest_piece(const Trie& trie, uint32_t node, std::string_view text, size_t at,
                      size_t& end) {
  TokenId id = -1;
  for (size_t i = at; i < text.size() && node != Trie::kNone; ++i) {
    node = trie.step(node, text[i]);
    if (node != Trie::kNone && trie.value(node) >= 0) id = trie.value(node), end = i + 1;
  }
  return id;
}

class LongestPiece : public PieceModel {
 public:
  LongestPiece(const Vocabulary& vocabulary, TokenId unk, std::string prefix, size_t max_characters)
      : vocabulary_(vocabulary),
        continued_(vocabulary.trie().walk(prefix)),
        unk_(unk),
        prefix_(std::move(prefix)),
        max_(max_characters) {}

  std::string options() const override {
    return fmt::format("wordpiece {} '{}' {}", unk_, prefix_, max_);
  }

  void cut(std::string_view word, std::vector<Cut>& to) const override {
    size_t first = to.size();
    if (count_characters(word) <= max_ && cut_all(word, to)) return;
    to.resize(first);
    if (unk_ >= 0) to.push_back({unk_, {0, word.size()}});
  }

 private:
  bool cut_all(std::string_view word, std::vector<Cut>& to) const {
    uint32_t start = Trie::kRoot;
    for (size_t at = 0, end = 0; at < word.size(); at = end, start = continued_) {
      const TokenId id = longest_piece(vocabulary_.trie(), start, word, at, end);
      if (id < 0) return false;
      to.push_back({id, {at, end}});
    }
    return true;
  }

  const Vocabulary& vocabulary_;
  uint32_t continued_;  // the node of the trie where pieces begin that continue a word
  TokenId unk_;
  std::string prefix_;
  size_t max_;
};

class LongestFromLeft : public PieceModel {
 public:
  explicit LongestFromLeft(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  std::string options() const override { return "longest"; }

  void cut(std::string_view word, std::vector<Cut>& to) const override {
    for (size_t at = 0, end = 0; at < word.size(); at = end) {
      const TokenId id = longest_piece(vocabulary_.trie(), Trie::kRoot, word, at, end);
      if (id >= 0)
        to.push_back({id, {at, end}});
      else
        next_character(word, end = at);
    }
  }

 private:
  const Vocabulary& vocabulary_;
};

class WholeWord : public PieceModel {
 public:
  WholeWord(const Vocabulary& vocabulary, TokenId unk) : vocabulary_(vocabulary), unk_(unk) {}
  std::string options() const override { return fmt::format("word {}", unk_); }
  void cut(std::string_view word, std::vector<Cut>& to) const override {
    TokenId id = vocabulary_.find(word);
    if (id < 0) id = unk_;
    if (id >= 0) to.push_back({id, {0, word.size()}});
  }

 private:
  const Vocabulary& vocabulary_;
  TokenId unk_;
};

}  // namespace

PieceModelPtr make_wordpiece_model(const Vocabulary& vocabulary, TokenId unk, std::string prefix,
                                   size_t max_word_characters) {
  return std::make_unique<LongestPiece>(vocabulary, unk, std::move(prefix), max_word_characters);
}

PieceModelPtr make_longest_model(const Vocabulary& vocabulary) {
  return std::make_unique<LongestFromLeft>(vocabulary);
}

PieceModelPtr make_word_model(const Vocabulary& vocabulary, TokenId unk) {
  return std::make_unique<WholeWord>(vocabulary, unk);
}

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
