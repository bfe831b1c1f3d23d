// XLM's and FlauBERT's vocab.json and merges.txt: Moses's words, cut by fastBPE, which marks where
// words end. Merges may be of pieces that the vocabulary itself lacks.

#include <fmt/format.h>

#include "base/error.h"
#include "tokenizer/loaders.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/pipeline.h"

namespace minpair::tokenizer {

namespace {

constexpr const char* kWordEnd = "</w>";

// Pieces on the way and in the end: first the vocabulary, then what only merges have.
std::vector<std::string> all_symbols(const std::vector<std::string>& pieces,
                                     const MergeList& merges) {
  std::vector<std::string> all = pieces;
  for (const auto& [left, right] : merges)
    for (const std::string& symbol : {left, right, left + right}) all.push_back(symbol);
  return all;
}

class FastBpe : public PieceModel {
 public:
  FastBpe(const Vocabulary& vocabulary, const std::vector<std::string>& pieces,
          const MergeList& merges, TokenId unknown)
      : vocabulary_(vocabulary), unknown_(unknown), symbols_(all_symbols(pieces, merges)) {
    BpeOptions options{.unk = unknown, .end_of_word_suffix = kWordEnd};
    bpe_ = make_bpe_model(symbols_, resolve_merges(symbols_, merges, "", "merges.txt"), options);
  }

  void cut(std::string_view word, std::vector<Cut>& to) const override {
    const size_t first = to.size();
    bpe_->cut(word, to);
    for (size_t i = first; i < to.size(); ++i) {
      const TokenId id = vocabulary_.find(symbols_.piece(to[i].id));
      to[i].id = id < 0 ? unknown_ : id;
    }
  }
  std::string options() const override { return "fastBPE " + bpe_->options(); }

 private:
  const Vocabulary& vocabulary_;
  TokenId unknown_;
  Vocabulary symbols_;
  PieceModelPtr bpe_;
};

}  // namespace

std::unique_ptr<Tokenizer> load_fast_bpe(const std::filesystem::path& vocabulary,
                                         const std::filesystem::path& merges,
                                         const TokenizerConfig& config, Notes* notes) {
  const bool french = config.tokenizer_class == "FlaubertTokenizer" ||
                      (config.tokenizer_class.empty() && config.model_type == "flaubert");
  PipelineParts parts;
  parts.pieces = read_vocab_json(vocabulary, notes);
  parts.kind = "fastBPE";
  parts.word_end = kWordEnd;
  parts.around.names = {"<unk>", "<pad>", "</s>", "</s>", "<special1>", "<s>", ""};
  take_names(parts.around.names, config.names);
  merge_added(parts.pieces, config.added, parts.around, notes);
  parts.around.before = {parts.around.names.bos};
  parts.around.after = {parts.around.names.sep};
  check_special(parts.pieces, parts.around, config, notes);
  std::vector<NormalizerPtr> steps;
  std::string description;
  auto then = [&](NormalizerPtr step, const char* name) {
    steps.push_back(std::move(step));
    description += fmt::format("{} ", name);
  };
  if (french) {
    then(normalize_replace("``", "\""), "quotes");
    then(normalize_replace("''", "\""), "quotes");
    then(normalize_form(NormalForm::nfc), "nfc");
    if (config.do_lowercase.value_or(false)) then(normalize_lowercase(), "lower case");
    then(normalize_moses("fr"), "Moses fr");
  } else {
    then(normalize_moses("en"), "Moses en");
    if (config.do_lowercase_and_remove_accent.value_or(true)) {
      then(normalize_lowercase(), "lower case");
      then(normalize_bert({.clean_text = false, .split_cjk = false, .strip_accents = true}),
           "no accents");
      then(normalize_lowercase(), "lower case");
    }
  }
  parts.normalizer = normalize_sequence(std::move(steps));
  parts.pre_tokenizer = split_whitespace();
  parts.description = std::move(description);
  parts.model = [pieces = parts.pieces, list = read_merges(merges),
                 unk = parts.around.names.unk](const Vocabulary& v) {
    return std::make_unique<FastBpe>(v, pieces, list, v.find(unk));
  };
  return make_pipeline(std::move(parts));
}

}  // namespace minpair::tokenizer
