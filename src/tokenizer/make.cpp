#include "tokenizer/make.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "tokenizer/pipeline.h"

namespace minpair::tokenizer {
namespace {

void mark_bytes(PipelineParts& parts) {
  parts.byte_level = true;
  parts.mark = WordMark::before;
  parts.marks = {"\u0120"};
}

}  // namespace

std::unique_ptr<Tokenizer> make_byte_level_bpe(const std::vector<std::string>& pieces,
                                               const MergeList& merges,
                                               const ByteLevelOptions& options) {
  PipelineParts parts;
  parts.pieces = pieces;
  parts.around = options.around;
  if (options.nfc) parts.normalizer = normalize_form(NormalForm::nfc);
  parts.pre_tokenizer = split_byte_level(options.add_prefix_space, !options.words);
  if (options.words) parts.pre_tokenizer = split_sequence({options.words, parts.pre_tokenizer});
  BpeOptions bpe;
  bpe.ignore_merges = options.ignore_merges;
  parts.model = [&](const Vocabulary& v) {
    return make_bpe_model(v, resolve_merges(v, merges, "", ""), bpe);
  };
  parts.kind = "byte-level BPE";
  mark_bytes(parts);
  parts.description =
      fmt::format("byte-level {}{} {}", options.add_prefix_space, options.nfc, options.words_name);
  return make_pipeline(std::move(parts));
}

std::unique_ptr<Tokenizer> make_byte_level_longest(const std::vector<std::string>& pieces,
                                                   const Surroundings& around) {
  PipelineParts parts;
  parts.pieces = pieces;
  parts.around = around;
  parts.pre_tokenizer = split_byte_level(false, false);
  parts.model = make_longest_model;
  parts.kind = "longest piece of bytes";
  mark_bytes(parts);
  parts.description = "byte-level";
  return make_pipeline(std::move(parts));
}

std::unique_ptr<Tokenizer> make_sentencepiece(const SentencePieceModel& model, Surroundings around,
                                              NormalizerPtr cleaning,
                                              const std::string& cleaning_name) {
  PipelineParts parts;
  parts.pieces = model.pieces;
  SentencePieceNormalizerOptions text;
  text.add_dummy_prefix = model.add_dummy_prefix;
  text.remove_extra_whitespaces = model.remove_extra_whitespaces;
  text.escape_whitespaces = model.escape_whitespaces;
  text.whitespace_as_suffix = model.whitespace_as_suffix;
  text.prefix_only_at_start = model.prefix_only_at_start;
  ScoredOptions options;
  options.byte_fallback = model.byte_fallback;
  for (size_t i = 0; i < model.pieces.size() && i < model.types.size(); ++i) {
    if (model.types[i] == PieceType::unknown) options.unk = TokenId(i);
    if (model.types[i] == PieceType::user_defined) text.user_defined.push_back(model.pieces[i]);
  }
  if (options.unk < 0) throw bad_input("the SentencePiece model has no unknown piece");
  around.names.unk = model.pieces[size_t(options.unk)];
  parts.around = std::move(around);
  parts.normalizer = normalize_sentencepiece(Charsmap(model.charsmap), text);
  if (cleaning) parts.normalizer = normalize_sequence({std::move(cleaning), parts.normalizer});
  bool unigram = model.algorithm == SentencePieceModel::Algorithm::unigram;
  std::vector<double> scores(model.scores.begin(), model.scores.end());
  parts.model = [&](const Vocabulary& v) {
    return unigram ? make_unigram_model(v, scores, model.types, options)
                   : make_score_bpe_model(v, scores, model.types, options);
  };
  parts.kind = unigram ? "SentencePiece unigram" : "SentencePiece BPE";
  parts.mark = WordMark::before;
  parts.marks = {"\u2581"};
  parts.description =
      fmt::format("{} {}{}{}{}{} {}", cleaning_name, model.add_dummy_prefix,
                  model.remove_extra_whitespaces, model.escape_whitespaces,
                  model.whitespace_as_suffix, model.prefix_only_at_start, model.charsmap);
  return make_pipeline(std::move(parts));
}

std::unique_ptr<Tokenizer> make_words(const std::vector<std::string>& words,
                                      const WordsOptions& options) {
  PipelineParts parts;
  parts.pieces = words;
  parts.around = options.around;
  if (options.lowercase) parts.normalizer = normalize_lowercase();
  parts.pre_tokenizer = options.split_punctuation ? split_bert() : split_whitespace();
  auto unknown = std::find(words.begin(), words.end(), options.around.names.unk);
  if (unknown == words.end())
    throw bad_input(
        fmt::format("the vocabulary lacks the unknown word '{}'", options.around.names.unk))
        .hint("add it as a line of its own where the model has it");
  parts.model = [id = TokenId(unknown - words.begin())](const Vocabulary& v) {
    return make_word_model(v, id);
  };
  parts.kind = "words";
  parts.description = fmt::format("{}{}", options.lowercase, options.split_punctuation);
  return make_pipeline(std::move(parts));
}

}  // namespace minpair::tokenizer
