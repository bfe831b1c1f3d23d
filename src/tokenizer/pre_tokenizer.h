#pragma once
// Cutting a normalised text into the words that the model then cuts into pieces.

#include <memory>
#include <string>
#include <vector>

#include "tokenizer/aligned_text.h"
#include "tokenizer/regex.h"

namespace minpair::tokenizer {

// A text and the words in it, from left to right. What is in no word is dropped.
struct Words {
  AlignedText text;
  std::vector<Span> spans;
};

class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  virtual void apply(Words& words) const = 0;
};

using PreTokenizerPtr = std::shared_ptr<const PreTokenizer>;

// What happens to the delimiter at which a text is split.
enum class Delimiter { removed, isolated, merged_with_previous, merged_with_next, contiguous };

enum class Prepend { always, first, never };

PreTokenizerPtr split_bert();              // white space removed, punctuation isolated
PreTokenizerPtr split_whitespace();        // at white space
PreTokenizerPtr split_whitespace_words();  // runs of letters and digits, runs of other signs
PreTokenizerPtr split_punctuation(Delimiter delimiter);
PreTokenizerPtr split_digits(bool individual);
PreTokenizerPtr split_regex(const std::string& pattern, Delimiter delimiter, bool invert);
PreTokenizerPtr split_string(std::string what, Delimiter delimiter, bool invert);
PreTokenizerPtr split_gpt2();  // GPT-2's own pattern, without a regular expression
PreTokenizerPtr split_byte_level(bool add_prefix_space, bool use_regex);
PreTokenizerPtr split_metaspace(const std::string& replacement, Prepend prepend, bool split);
PreTokenizerPtr split_sequence(std::vector<PreTokenizerPtr> steps);

// The patterns with which published byte-level models cut words, where no tokenizer.json says so.

inline constexpr char kLlama3Pattern[] =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
inline constexpr char kQwen2Pattern[] =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

}  // namespace minpair::tokenizer
