#pragma once
// Tokenizers from what is in memory: for files that carry their vocabulary inside (GGUF), for
// tests.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tokenizer/added_tokens.h"
#include "tokenizer/tokenizer.h"

namespace minpair {

// The special tokens by name; empty where the model has none. A name that is not in the vocabulary
// is as good as empty, except for `unk`.
struct SpecialNames {
  std::string unk, pad, cls, sep, mask, bos, eos;
};

// Everything about a tokenizer that is not about cutting words.
struct Surroundings {
  SpecialNames names;
  std::vector<std::string> before, after;  // put around a sentence; must be in the vocabulary
  std::vector<AddedToken> added;           // the special names that exist are added by themselves
};

struct WordPieceOptions {
  bool lowercase = false;
  std::optional<bool> strip_accents;  // unset: as `lowercase`
  bool clean_text = true;             // drop control characters
  bool split_cjk = true;              // every Chinese character is a word
  std::string prefix = "##";          // of pieces that continue a word
  size_t max_word_characters = 100;   // longer words are unknown
  std::vector<std::string> never_split;
  Surroundings around{
      {"[UNK]", "[PAD]", "[CLS]", "[SEP]", "[MASK]", "", ""}, {"[CLS]"}, {"[SEP]"}, {}};
};

// BERT, DistilBERT, ELECTRA, ...
std::unique_ptr<Tokenizer> make_wordpiece(const std::vector<std::string>& pieces,
                                          const WordPieceOptions& options);

}  // namespace minpair
