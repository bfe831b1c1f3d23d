// BERT's tokenizer: clean the text, cut it at white space and punctuation, then cut every word
// into the longest pieces of the vocabulary from the left.

#include <fmt/format.h>

#include <array>
#include <string>

#include "base/error.h"
#include "tokenizer/characters.h"
#include "tokenizer/common.h"
#include "tokenizer/make.h"

namespace minpair::tokenizer {
namespace {

// What becomes of one character under lower case and accent stripping.
class CharacterMap {
 public:
  CharacterMap(bool lowercase, bool strip_accents)
      : lowercase_(lowercase), strip_accents_(strip_accents) {
    std::u32string to;
    for (char32_t c = 0; c < kTable; ++c) {
      to.clear();
      append_slowly(to, c);
      table_[c] = to.size() == 1 ? to[0] : to.empty() ? kNothing : kSeveral;
    }
  }

  template <typename F>
  void map(char32_t c, F each) const {
    if (c < kTable && table_[c] < kNothing) return each(table_[c]);
    if (c < kTable && table_[c] == kNothing) return;
    if (!lowercase_ && !strip_accents_) return each(c);
    std::u32string to;
    append_slowly(to, c);
    for (char32_t d : to) each(d);
  }

 private:
  void append_slowly(std::u32string& to, char32_t c) const {
    std::u32string parts;
    if (strip_accents_)
      append_decomposed(parts, c);
    else
      parts += c;
    for (char32_t d : parts) {
      if (strip_accents_ && (class_of(d) & kNonspacing)) continue;
      if (lowercase_)
        append_lower(to, d);
      else
        to += d;
    }
  }

  static constexpr char32_t kTable = 0x3000, kNothing = 0x110000, kSeveral = 0x110001;
  bool lowercase_, strip_accents_;
  std::array<char32_t, kTable> table_;
};

// A word as the vocabulary sees it, and for each of its bytes the character of the original text.
struct Word {
  std::string bytes;
  std::vector<Span> from;
  size_t characters = 0;

  void add(char32_t c, Span origin) {
    append_utf8(bytes, c);
    from.resize(bytes.size(), origin);
    ++characters;
  }
  void clear() {
    bytes.clear();
    from.clear();
    characters = 0;
  }
};

// Words, before they are cut into pieces.
class Words {
 public:
  explicit Words(const WordPieceOptions& options)
      : clean_text_(options.clean_text),
        split_cjk_(options.split_cjk),
        map_(options.lowercase, options.strip_accents.value_or(options.lowercase)) {}

  template <typename F>
  void each(std::string_view whole, Span part, F use) const {
    Word word;
    const auto finish = [&] {
      if (!word.bytes.empty()) use(word);
      word.clear();
    };
    for (size_t at = part.begin; at < part.end;) {
      size_t begin = at;
      char32_t c = next_character(whole, at);
      Span origin{begin, at};
      uint8_t k = class_of(c);
      if (clean_text_ && ((k & kControl) || c == 0xFFFD)) continue;
      if (k & kSpace) {
        finish();
        continue;
      }
      bool alone = split_cjk_ && (k & kCjk);
      if (alone) finish();
      map_.map(c, [&](char32_t mapped) {
        bool punctuation = class_of(mapped) & kPunctuation;
        if (punctuation) finish();
        word.add(mapped, origin);
        if (punctuation) finish();
      });
      if (alone) finish();
    }
    finish();
  }

 private:
  bool clean_text_, split_cjk_;
  CharacterMap map_;
};

class WordPiece : public CommonTokenizer {
 public:
  WordPiece(const std::vector<std::string>& pieces, const WordPieceOptions& options)
      : CommonTokenizer(pieces, with_never_split(pieces, options)),
        options_(options),
        words_(options),
        continued_(vocabulary_.trie().walk(options.prefix)) {
    if (special_.unk < 0)
      throw bad_input(
          fmt::format("the vocabulary lacks the unknown token '{}'", options.around.names.unk))
          .hint("is this a WordPiece vocabulary, one piece per line?");
    set_fingerprint(fmt::format(
        "{}{}{}{} {} {}", options.lowercase, options.strip_accents.value_or(options.lowercase),
        options.clean_text, options.split_cjk, options.prefix, options.max_word_characters));
  }

  std::string kind() const override { return "WordPiece"; }

  bool begins_word(TokenId id) const override {
    return vocabulary_.contains(id) &&
           (options_.prefix.empty() || !vocabulary_.piece(id).starts_with(options_.prefix));
  }

 protected:
  void encode_part(std::string_view whole, Span part, std::vector<Token>& to) const override {
    words_.each(whole, part, [&](const Word& word) { finish(word, to); });
  }

 private:
  // A never-split word is one token when white space surrounds it, and unknown if it is no piece.
  static Surroundings with_never_split(const std::vector<std::string>& pieces,
                                       const WordPieceOptions& options) {
    Surroundings around = options.around;
    if (options.never_split.empty()) return around;
    Vocabulary vocabulary(pieces);
    for (const std::string& word : options.never_split) {
      TokenId id = vocabulary.find(word);
      if (id < 0) id = vocabulary.find(around.names.unk);
      AddedToken token{word, id, false};
      token.between_spaces = true;
      if (id >= 0) around.added.push_back(token);
    }
    return around;
  }

  void finish(const Word& word, std::vector<Token>& to) const {
    if (word.characters > options_.max_word_characters || !cut(word, to))
      to.push_back({special_.unk, {word.from.front().begin, word.from.back().end}, false});
  }

  // False, and nothing appended, when the word cannot be made of pieces.
  bool cut(const Word& word, std::vector<Token>& to) const {
    const Trie& trie = vocabulary_.trie();
    size_t tokens_before = to.size();
    uint32_t start = Trie::kRoot;
    for (size_t at = 0; at < word.bytes.size(); start = continued_) {
      size_t end = at;
      TokenId longest = -1;
      uint32_t node = start;
      for (size_t i = at; i < word.bytes.size() && node != Trie::kNone; ++i) {
        node = trie.step(node, word.bytes[i]);
        if (node == Trie::kNone) break;
        if (TokenId id = trie.value(node); id >= 0) {
          longest = id;
          end = i + 1;
        }
      }
      if (longest < 0) {
        to.resize(tokens_before);
        return false;
      }
      to.push_back({longest, {word.from[at].begin, word.from[end - 1].end}, false});
      at = end;
    }
    return true;
  }

  WordPieceOptions options_;
  Words words_;
  uint32_t continued_;  // the node of the trie where pieces begin that continue a word
};

}  // namespace

std::unique_ptr<Tokenizer> make_wordpiece(const std::vector<std::string>& pieces,
                                          const WordPieceOptions& options) {
  return std::make_unique<WordPiece>(pieces, options);
}

WordCutter word_cutter(const WordPieceOptions& options) {
  return [words = std::make_shared<const Words>(options)](std::string_view text) {
    std::vector<std::string> out;
    words->each(text, {0, text.size()}, [&](const Word& word) { out.push_back(word.bytes); });
    return out;
  };
}

}  // namespace minpair::tokenizer
