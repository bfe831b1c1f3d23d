// SentencePiece *.model files. The file alone does not say which id the model gives to a piece:
// XLM-R and CamemBERT shift them, so the family must be known.

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "tokenizer/loaders.h"
#include "tokenizer/pipeline.h"

namespace minpair::tokenizer {

namespace {

enum class Family { direct, xlm_roberta, camembert, albert, deberta, t5 };

Family family_of(const TokenizerConfig& config, const fs::path& path, Notes* notes) {
  const std::string& c = config.tokenizer_class;
  const std::string& m = config.model_type;
  if (c == "XLMRobertaTokenizer" || (c.empty() && m == "xlm-roberta")) return Family::xlm_roberta;
  if (c == "CamembertTokenizer" || (c.empty() && m == "camembert")) return Family::camembert;
  if (c == "DebertaV2Tokenizer" || (c.empty() && m == "deberta-v2")) return Family::deberta;
  if (c == "T5Tokenizer" || c == "MT5Tokenizer" || (c.empty() && m.ends_with("t5")))
    return Family::t5;
  if (c == "AlbertTokenizer" || (c.empty() && m == "albert")) return Family::albert;
  if (c == "LlamaTokenizer" || c == "GemmaTokenizer" || c == "CodeLlamaTokenizer" ||
      c == "MistralTokenizer")
    return Family::direct;
  if (c.empty() && m.empty() && path.filename() == "sentencepiece.bpe.model")
    throw bad_input("nothing says whether ids are counted as in XLM-R or as in CamemBERT")
        .at(path.string())
        .hint("put the model's config.json or tokenizer_config.json beside it");
  if (!c.empty())
    say(notes, fmt::format("{}: the tokenizer class '{}' is not known; taken as Llama's",
                           path.string(), c));
  return Family::direct;
}

void append(SentencePieceModel& model, std::string piece) {
  model.pieces.push_back(std::move(piece));
  model.scores.push_back(0);
  model.types.push_back(PieceType::control);
}

struct Shifted {
  std::vector<std::string> before;  // new first pieces
  size_t dropped;                   // pieces of the file that these replace
  TokenId unk;
};

// The pieces as fairseq numbers them: its own first, the file's after them, the mask last.
void shift(SentencePieceModel& model, const Shifted& by, const fs::path& path) {
  if (model.pieces.size() < 3 || model.pieces[0] != "<unk>" || model.pieces[1] != "<s>" ||
      model.pieces[2] != "</s>")
    throw bad_input("the first pieces are not <unk>, <s>, </s>")
        .at(path.string())
        .hint("is this the model's own file?");
  auto n = long(by.before.size()), dropped = long(by.dropped);
  model.pieces.erase(model.pieces.begin(), model.pieces.begin() + dropped);
  model.scores.erase(model.scores.begin(), model.scores.begin() + dropped);
  model.types.erase(model.types.begin(), model.types.begin() + dropped);
  for (PieceType& t : model.types)
    if (t == PieceType::unknown) t = PieceType::control;
  model.pieces.insert(model.pieces.begin(), by.before.begin(), by.before.end());
  model.scores.insert(model.scores.begin(), size_t(n), 0.0f);
  model.types.insert(model.types.begin(), size_t(n), PieceType::control);
  model.types[size_t(by.unk)] = PieceType::unknown;
  append(model, "<mask>");
}

bool has(const SentencePieceModel& model, const std::string& piece) {
  return std::find(model.pieces.begin(), model.pieces.end(), piece) != model.pieces.end();
}

// A hundred sentinels for gaps, the first one last; mT5's file has them, with the mark of a word.
void surround_t5(const TokenizerConfig& config, SentencePieceModel& model, Surroundings& around) {
  const std::string own = "▁<extra_id_0>";
  const bool marked = has(model, own);
  if (!marked && !has(model, "<extra_id_0>"))
    for (int i = 99; i >= 0; --i) append(model, fmt::format("<extra_id_{}>", i));
  around.names = {"<unk>", "<pad>", "", "", marked ? own : "<extra_id_0>", "", "</s>"};
  take_names(around.names, config.names);
  around.after = {around.names.eos};
}

void add_mask(const SentencePieceModel& model, Surroundings& around) {
  for (size_t i = 0; i < model.pieces.size(); ++i)
    if (model.pieces[i] == around.names.mask) {
      AddedToken mask{model.pieces[i], TokenId(i)};
      mask.strip_left = true;
      around.added.push_back(mask);
    }
}

void surround(Family family, const TokenizerConfig& config, SentencePieceModel& model,
              Surroundings& around, const fs::path& path) {
  if (family == Family::xlm_roberta) shift(model, {{"<s>", "<pad>", "</s>", "<unk>"}, 3, 3}, path);
  if (family == Family::camembert) {
    shift(model, {{"<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>"}, 0, 3}, path);
    model.pieces[4] = "<unk>NOTUSED";
  }
  if (family == Family::direct) return take_names(around.names, config.names);
  if (family == Family::t5) return surround_t5(config, model, around);
  if (family == Family::deberta) {
    if (!has(model, "[MASK]")) append(model, "[MASK]");
    around.names = {"[UNK]", "[PAD]", "[CLS]", "[SEP]", "[MASK]", "", ""};
  } else if (family == Family::albert)
    around.names = {"<unk>", "<pad>", "[CLS]", "[SEP]", "[MASK]", "", ""};
  else
    around.names = {"<unk>", "<pad>", "<s>", "</s>", "<mask>", "<s>", "</s>"};
  take_names(around.names, config.names);
  around.before = {around.names.cls};
  around.after = {around.names.sep};
  add_mask(model, around);
}

// As Llama's class does it, with the tokens that the file or its neighbours declare.
void surround_directly(const TokenizerConfig& config, const SentencePieceModel& model,
                       Surroundings& around) {
  std::vector<TokenId> declared = ids_of(around.added);
  for (size_t i = 0; i < model.types.size(); ++i)
    if (model.types[i] == PieceType::control || model.types[i] == PieceType::unknown ||
        model.types[i] == PieceType::user_defined)
      declared.push_back(TokenId(i));
  fill_roles(model.pieces, declared, config, around);
  if (config.add_bos_token.value_or(true) && !around.names.bos.empty())
    around.before = {around.names.bos};
  if (config.add_eos_token.value_or(false)) around.after = {around.names.eos};
}

// ALBERT's own cleaning before SentencePiece sees the text.
NormalizerPtr albert_cleaning(const TokenizerConfig& config) {
  std::vector<NormalizerPtr> steps = {normalize_replace("``", "\""), normalize_replace("''", "\"")};
  if (!config.keep_accents.value_or(false)) {
    steps.push_back(normalize_form(NormalForm::nfkd));
    steps.push_back(normalize_strip_accents());
  }
  if (config.do_lower_case.value_or(true)) steps.push_back(normalize_lowercase());
  return normalize_sequence(std::move(steps));
}

}  // namespace

std::unique_ptr<Tokenizer> load_sentencepiece(const fs::path& path, const TokenizerConfig& config,
                                              Notes* notes) {
  try {
    SentencePieceModel model =
        parse_sentencepiece(read_file(path, uint64_t{1} << 28), path.string());
    Family family = family_of(config, path, notes);
    Surroundings around;
    surround(family, config, model, around, path);
    merge_added(model.pieces, config.added, around, notes);
    if (family == Family::direct) surround_directly(config, model, around);
    model.scores.resize(model.pieces.size());
    model.types.resize(model.pieces.size(), PieceType::control);
    model.prefix_only_at_start = !config.legacy.value_or(true);
    check_special(model.pieces, around, config, notes);
    if (family == Family::deberta && config.do_lower_case.value_or(false))
      return make_sentencepiece(model, std::move(around), normalize_lowercase(), "deberta lower");
    if (family != Family::albert) return make_sentencepiece(model, std::move(around));
    std::string name = fmt::format("albert {}{}", config.keep_accents.value_or(false),
                                   config.do_lower_case.value_or(true));
    return make_sentencepiece(model, std::move(around), albert_cleaning(config), name);
  } catch (Error& e) {
    if (e.where().file.empty()) e.at(path.string());
    throw;
  }
}

}  // namespace minpair::tokenizer
