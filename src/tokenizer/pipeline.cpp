#include "tokenizer/pipeline.h"

#include <algorithm>

#include "tokenizer/characters.h"
#include "tokenizer/common.h"

namespace minpair::tokenizer {
namespace {

// Added tokens that are looked for in the normalised text are normalised themselves.
AddedTokens normalized_tokens(const Surroundings& around, const Normalizer* normalizer) {
  std::vector<AddedToken> tokens;
  for (AddedToken t : around.added) {
    if (!t.normalized) continue;
    if (normalizer) {
      AlignedText content(t.content, {0, t.content.size()});
      normalizer->apply(content);
      t.content = content.bytes;
    }
    tokens.push_back(std::move(t));
  }
  return AddedTokens(std::move(tokens));
}

class Pipeline : public CommonTokenizer {
 public:
  explicit Pipeline(PipelineParts parts)
      : CommonTokenizer(parts.pieces, parts.around),
        normalizer_(parts.normalizer),
        pre_tokenizer_(parts.pre_tokenizer),
        model_(parts.model(vocabulary_)),
        normalized_added_(normalized_tokens(parts.around, parts.normalizer.get())),
        kind_(std::move(parts.kind)),
        byte_level_(parts.byte_level),
        mark_(parts.mark),
        marks_(std::move(parts.marks)),
        word_end_(std::move(parts.word_end)) {
    set_fingerprint(parts.description + "\n" + model_->options());
  }

  std::string kind() const override { return kind_; }
  bool byte_level() const override { return byte_level_; }
  std::string_view word_end() const override { return word_end_; }

  bool begins_word(TokenId id) const override {
    if (!vocabulary_.contains(id)) return false;
    if (mark_ == WordMark::none || is_special(id)) return true;
    std::string_view piece = vocabulary_.piece(id);
    bool marked = std::any_of(marks_.begin(), marks_.end(),
                              [&](const std::string& m) { return piece.starts_with(m); });
    return marked == (mark_ == WordMark::before);
  }

 protected:
  void encode_part(std::string_view whole, Span part, std::vector<Token>& to) const override {
    AlignedText text(whole, part);
    if (normalizer_) normalizer_->apply(text);
    if (normalized_added_.empty()) return encode_normalized(whole, std::move(text), to);
    normalized_added_.split(text.bytes, [&](const AddedTokens::Part& p) {
      if (p.token) {
        AlignedText::From from = text.origin(p.span);
        to.push_back({p.token->id, trimmed_span(whole, {from.begin, from.end}), p.token->special});
        return;
      }
      AlignedText between;
      between.append(text, p.span);
      encode_normalized(whole, std::move(between), to);
    });
  }

 private:
  void encode_normalized(std::string_view whole, AlignedText text, std::vector<Token>& to) const {
    if (text.bytes.empty()) return;
    Words words{std::move(text), {}};
    words.spans.push_back({0, words.text.size()});
    if (pre_tokenizer_) pre_tokenizer_->apply(words);
    std::vector<Cut> cuts;
    for (const Span& word : words.spans) {
      cuts.clear();
      model_->cut(slice(words.text.bytes, word), cuts);
      for (const Cut& c : cuts) {
        AlignedText::From from =
            words.text.origin({word.begin + c.span.begin, word.begin + c.span.end});
        to.push_back({c.id, trimmed_span(whole, {from.begin, from.end}), false});
      }
    }
  }

  NormalizerPtr normalizer_;
  PreTokenizerPtr pre_tokenizer_;
  PieceModelPtr model_;
  AddedTokens normalized_added_;
  std::string kind_;
  bool byte_level_;
  WordMark mark_;
  std::vector<std::string> marks_;
  std::string word_end_;
};

}  // namespace

std::unique_ptr<Tokenizer> make_pipeline(PipelineParts parts) {
  return std::make_unique<Pipeline>(std::move(parts));
}

}  // namespace minpair::tokenizer
