#include "tokenizer/gguf_words.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tokenizer/pre_tokenizer.h"

namespace minpair::tokenizer {
namespace {

constexpr char kBloomPattern[] = R"( ?[^(\s|.,!?…。，、।۔،)]+)";
constexpr char kQwen35Pattern[] =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr char kTekkenPattern[] =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr char kGpt4oPattern[] =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr char kDeepseekLetters[] =
    R"(\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⲲⲳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+)";

// Steps that stand for themselves among patterns.
constexpr char kDigit[] = "<digit>", kPunctuationRun[] = "<punctuation>", kGpt2[] = "<gpt-2>";

struct Way {
  std::vector<std::string_view> names;
  std::vector<const char*> steps;
  bool nfc = false, ignore_merges = false, adds_bos = false, adds_eos = false;
};

const std::vector<Way>& ways() {
  static const std::vector<Way> all = {
      {{"gpt-2", "phi-2", "mellum", "trillion", "a.x-4.0"}, {kGpt2}},
      {{"roberta-bpe"}, {kGpt2}, false, false, true, true},
      {{"olmo", "mpt"}, {kGpt2}, true},
      {{"starcoder", "refact", "smollm", "minerva-7b"}, {kDigit, kGpt2}},
      {{"command-r"}, {kDigit, kGpt2}, true},
      {{"llama-bpe", "llama3", "llama-v3", "falcon3", "lfm2"}, {kLlama3Pattern}, false, true, true},
      {{"dbrx", "smaug-bpe"}, {kLlama3Pattern}},
      {{"qwen2", "deepseek-r1-qwen", "kormo", "stablelm2"}, {kQwen2Pattern}, true},
      {{"qwen35"}, {kQwen35Pattern}, true},
      {{"tekken"}, {kTekkenPattern}, false, true},
      {{"gpt-4o"}, {kGpt4oPattern}},
      {{"bloom", "poro-chat", "gpt3-finnish"}, {kBloomPattern}},
      {{"viking"}, {kBloomPattern, kDigit}},
      {{"falcon"}, {kPunctuationRun, kGpt2, "[0-9][0-9][0-9]"}},
      {{"deepseek-llm"},
       {"[\r\n]", kDeepseekLetters, R"(\s?[!-/:-~！-／：-～‘-‟　-。]+)", R"(\s+$)",
        "[一-龥ࠀ-一가-퟿]+", R"(\p{N}+)"}},
      {{"deepseek-coder"},
       {"[\r\n]", R"(\s?\p{L}+)", R"(\s?\p{P}+)", "[一-龥ࠀ-一가-퟿]+", kDigit}},
  };
  return all;
}

PreTokenizerPtr step(const char* what) {
  if (what == kDigit) return split_digits(true);
  if (what == kPunctuationRun) return split_punctuation(Delimiter::contiguous);
  if (what == kGpt2) return split_gpt2();
  return split_regex(what, Delimiter::isolated, false);
}

}  // namespace

std::optional<GgufWords> gguf_words(std::string_view pre) {
  for (const Way& way : ways()) {
    if (!std::ranges::count(way.names, pre)) continue;
    GgufWords words;
    words.adds_bos = way.adds_bos;
    words.adds_eos = way.adds_eos;
    words.cutting.nfc = way.nfc;
    words.cutting.ignore_merges = way.ignore_merges;
    std::vector<PreTokenizerPtr> steps;
    for (const char* what : way.steps) {
      steps.push_back(step(what));
      // GPT-2's own way goes without saying.
      if (way.steps.size() > 1 || what != kGpt2) words.cutting.words_name += what;
    }
    words.cutting.words = split_sequence(std::move(steps));
    return words;
  }
  return std::nullopt;
}

}  // namespace minpair::tokenizer
