#pragma once
// From text to the ids a model was trained on, keeping for every token the span of text it stands
// for.
//
//   std::vector<std::string> notes;
//   auto tokenizer = load_tokenizer("bert-base-german-cased", &notes);
//   for (const Token& t : tokenizer->encode("Der Autor lacht.").tokens)
//     use(tokenizer->piece(t.id), t.span);
//
// A tokenizer never changes after it was made: any number of threads may use one.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace minpair::tokenizer {

using TokenId = int32_t;

struct Token {
  TokenId id = 0;
  // Bytes of the original text, without the white space that a piece such as "▁Haus" stands for too
  // (white space alone keeps its span). Empty for special tokens that were added around the text.
  Span span;
  bool special = false;  // [CLS], </s>, ...: added around the text, or written in it
};

struct Encoding {
  std::vector<Token> tokens;
};

// -1 where the model has none. `cls`/`sep` are what is put around a sentence by masked models.
struct SpecialIds {
  TokenId unk = -1, pad = -1, cls = -1, sep = -1, mask = -1, bos = -1, eos = -1;
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // `with_special`: with the tokens the model's own template puts around a sentence.
  // The text must be UTF-8 (see valid_utf8); other bytes are an error that says where.
  virtual Encoding encode(std::string_view text, bool with_special = true) const = 0;

  // One more than the largest id. A model may have more rows than that, never fewer.
  virtual size_t vocabulary_size() const = 0;
  // As the vocabulary writes it: "##en", "Ġhouse", "▁Haus". Ids past the vocabulary are an error.
  virtual std::string piece(TokenId id) const = 0;
  virtual std::optional<TokenId> id(std::string_view piece) const = 0;
  virtual const SpecialIds& special() const = 0;
  // Does this piece begin a new word? ("##en": no; "▁Haus", "lacht": yes; bytes after a space mark:
  // yes)
  virtual bool begins_word(TokenId id) const = 0;
  virtual std::string kind() const = 0;  // "WordPiece", "byte-level BPE", ...: for people
  // Are pieces bytes, each written as a visible character?
  virtual bool byte_level() const { return false; }
  // Changes whenever the tokenizer could give other ids: part of the key of stored results.
  virtual const std::string& fingerprint() const = 0;
};

// From whatever a checkpoint directory has: tokenizer.json, vocab.txt, vocab.json + merges.txt,
// *.model. Warnings (a special id past the vocabulary, ...) are appended to `notes` when given.
std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& directory,
                                          std::vector<std::string>* notes = nullptr);

}  // namespace minpair::tokenizer
