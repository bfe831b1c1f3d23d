#pragma once
// Tokenizers from data in memory: for files that contain their vocabulary (GGUF), and for
// tests.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/added_tokens.h"
#include "tokenizer/tokenizer.h"

namespace minpair::checkpoint {
class Metadata;
}

namespace minpair::tokenizer {

// The special tokens by name; empty where the model has none. A name that is not in the vocabulary
// is as good as empty, except for `unk`.
struct SpecialNames {
  std::string unk, pad, cls, sep, mask, bos, eos;
};

// Everything about a tokenizer that is not about cutting words.
struct Surroundings {
  SpecialNames names;
  std::vector<std::string> before, after;  // put around a sentence; must be in the vocabulary
  std::vector<AddedToken> added;           // found in a text before it is cut into words
  bool names_are_added = true;             // `names` are found in texts as well
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
// Cuts text into the words that such a tokenizer cuts into pieces: what a vocabulary is counted
// over.
using WordCutter = std::function<std::vector<std::string>(std::string_view)>;
WordCutter word_cutter(const WordPieceOptions& options);

using MergeList = std::vector<std::pair<std::string, std::string>>;

class PreTokenizer;
struct ByteLevelOptions {
  bool add_prefix_space = false;
  bool nfc = false;                           // normalise first, as Qwen does
  std::shared_ptr<const PreTokenizer> words;  // cuts words; null: GPT-2's way
  std::string words_name;                     // says how, for the fingerprint
  bool ignore_merges = false;  // whole words that are pieces stay whole, as in Llama 3
  Surroundings around;
};

// GPT-2, RoBERTa, Llama 3, Qwen: BPE over bytes written as printable characters.
std::unique_ptr<Tokenizer> make_byte_level_bpe(const std::vector<std::string>& pieces,
                                               const MergeList& merges,
                                               const ByteLevelOptions& options);

// RWKV's: of the bytes, written in the same way, the longest piece from the left.
std::unique_ptr<Tokenizer> make_byte_level_longest(const std::vector<std::string>& pieces,
                                                   const Surroundings& around);

// What a SentencePiece piece is; numbered as SentencePiece and GGUF files do.
enum class PieceType : uint8_t { normal = 1, unknown, control, user_defined, unused, byte };

// What a SentencePiece model file holds.
struct SentencePieceModel {
  enum class Algorithm { unigram, bpe } algorithm = Algorithm::unigram;
  std::vector<std::string> pieces;
  std::vector<float> scores;
  std::vector<PieceType> types;
  bool byte_fallback = false;
  std::string charsmap;  // precompiled; may be empty
  bool add_dummy_prefix = true, remove_extra_whitespaces = true, escape_whitespaces = true;
  bool whitespace_as_suffix = false;
  bool prefix_only_at_start = false;  // not after a special token in the text
};

// XLM-R, ALBERT, CamemBERT, Llama 2: `around` decides what is put around a sentence. The unknown
// token is the piece of that type.
// `cleaning`, if given, is done to the text first.
class Normalizer;
std::unique_ptr<Tokenizer> make_sentencepiece(const SentencePieceModel& model, Surroundings around,
                                              std::shared_ptr<const Normalizer> cleaning = nullptr,
                                              const std::string& cleaning_name = "");

struct WordsOptions {
  bool lowercase = false;
  bool split_punctuation = false;  // else words are what white space separates
  Surroundings around{{"<unk>", "", "", "", "", "<eos>", "<eos>"}, {"<eos>"}, {}, {}};
};

// Recurrent and n-gram models: a word is a word. By default <eos> is put before a sentence, because
// such models read one text without end.
std::unique_ptr<Tokenizer> make_words(const std::vector<std::string>& words,
                                      const WordsOptions& options = {});
// From a file with one word per line; the number of the line is the id.
std::unique_ptr<Tokenizer> load_words(const std::filesystem::path& path,
                                      const WordsOptions& options = {});

// From the metadata of a GGUF file (tokenizer.ggml.*).
std::unique_ptr<Tokenizer> make_gguf_tokenizer(const checkpoint::Metadata& metadata,
                                               std::vector<std::string>* notes = nullptr);

// Reading SentencePiece *.model files: a protocol buffer, read here as data, with no trust in it.

SentencePieceModel parse_sentencepiece(std::string_view bytes, const std::string& name);

// For models trained on text whose sentences begin as their first word would be written inside a
// sentence.

// Lower-cases the first letter of a text when the word is known in lower case ("Der" becomes "der",
// "Anna" stays).
std::unique_ptr<Tokenizer> with_plain_first_word(std::unique_ptr<Tokenizer> words);

}  // namespace minpair::tokenizer
