// vocab.json with merges.txt: GPT-2, RoBERTa and their relatives.

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "tokenizer/characters.h"
#include "tokenizer/json.h"
#include "tokenizer/loaders.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/pre_tokenizer.h"

namespace minpair::tokenizer {

std::vector<std::string> read_vocab_json(const fs::path& path, Notes* notes) {
  JsonFile file(path);
  simdjson::dom::object object;
  if (file.root.get(object)) throw bad_input("the vocabulary must be an object").at(path.string());
  std::vector<std::string> pieces;
  for (auto [piece, value] : object) {
    int64_t id;
    if (value.get(id) || id < 0 || id >= int64_t(Vocabulary::kMaxPieces))
      throw bad_input(fmt::format("the piece '{}' has no possible id", piece)).at(path.string());
    if (size_t(id) >= pieces.size()) pieces.resize(size_t(id) + 1);
    if (!pieces[size_t(id)].empty() && pieces[size_t(id)] != piece)
      throw bad_input(
          fmt::format("'{}' and '{}' both have the id {}", pieces[size_t(id)], piece, id))
          .at(path.string());
    pieces[size_t(id)] = piece;
  }
  check_holes(pieces, pieces.size(), path.string(), notes);
  return pieces;
}

MergeList read_merges(const fs::path& path) {
  LineReader reader(path, size_t{1} << 20);
  MergeList merges;
  for (std::string_view line; reader.next(line);) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with("#version") || line.empty()) continue;
    std::vector<std::string_view> two = split(line, ' ');
    const bool counted = two.size() == 3 && two[2].find_first_not_of("0123456789") == line.npos;
    if ((two.size() != 2 && !counted) || !valid_utf8(line))
      throw bad_input("a merge is two pieces with a space between")
          .at(path.string(), reader.line_number());
    merges.emplace_back(two[0], two[1]);
  }
  return merges;
}

namespace {

constexpr const char* kEndOfText = "<|endoftext|>";

enum class Family { gpt2, roberta, deberta, qwen2 };

// By the tokenizer's class, by the model's type, or by what the vocabulary holds.
Family family_of(const TokenizerConfig& config, const std::vector<std::string>& pieces,
                 const fs::path& path) {
  const std::string& c = config.tokenizer_class;
  const std::string& m = config.model_type;
  auto has = [&](const char* p) {
    return std::find(pieces.begin(), pieces.end(), p) != pieces.end();
  };
  if (c == "RobertaTokenizer" || c == "LongformerTokenizer" || c == "BartTokenizer")
    return Family::roberta;
  if (c == "DebertaTokenizer" || (c.empty() && m == "deberta")) return Family::deberta;
  if (c == "GPT2Tokenizer") return Family::gpt2;
  if (c == "Qwen2Tokenizer") return Family::qwen2;
  if (!c.empty() && c != "PreTrainedTokenizer")
    throw bad_input(fmt::format("the tokenizer class '{}' is not supported", c))
        .at(path.string())
        .hint("a tokenizer.json beside it would do; Hugging Face's save_pretrained writes one");
  if (m == "roberta" || m == "longformer" || m == "bart" || m == "data2vec-text" ||
      m == "roberta-prelayernorm")
    return Family::roberta;
  if (m == "qwen2") return Family::qwen2;
  if (m.empty() && has("<mask>") && has("<s>")) return Family::roberta;
  return Family::gpt2;
}

void surround(Family family, Surroundings& around, const TokenizerConfig& config,
              const std::vector<std::string>& pieces) {
  if (family == Family::deberta)
    around.names = {"[UNK]", "[PAD]", "[CLS]", "[SEP]", "[MASK]", "", ""};
  else
    around.names = {"<unk>", "<pad>", "<s>", "</s>", "<mask>", "<s>", "</s>"};
  take_names(around.names, config.names);
  around.before = {around.names.cls};
  around.after = {around.names.sep};
  auto mask = std::find(pieces.begin(), pieces.end(), around.names.mask);
  if (mask == pieces.end()) return;
  AddedToken token{*mask, TokenId(mask - pieces.begin())};
  token.strip_left = true;
  around.added.push_back(token);
}

}  // namespace

std::unique_ptr<Tokenizer> load_vocab_json(const fs::path& vocabulary, const fs::path& merges,
                                           const TokenizerConfig& config, Notes* notes) {
  std::vector<std::string> pieces = read_vocab_json(vocabulary, notes);
  ByteLevelOptions options;
  options.add_prefix_space = config.add_prefix_space.value_or(false);
  merge_added(pieces, config.added, options.around, notes);
  Family family = family_of(config, pieces, vocabulary);
  if (family == Family::roberta || family == Family::deberta) {
    surround(family, options.around, config, pieces);
  } else {
    SpecialNames& names = options.around.names;
    names = {"", "", "", "", "", family == Family::gpt2 ? kEndOfText : "", kEndOfText};
    for (std::string SpecialNames::*role : config.without) (names.*role).clear();
    take_names(names, config.names);
    if (config.add_bos_token.value_or(false)) options.around.before = {names.bos};
  }
  if (family == Family::qwen2) {
    options.nfc = true;
    options.words = split_regex(kQwen2Pattern, Delimiter::isolated, false);
    options.words_name = kQwen2Pattern;
  }
  check_special(pieces, options.around, config, notes);
  return make_byte_level_bpe(pieces, read_merges(merges), options);
}

// ByT5's tokenizer, which has no files: every byte is a token.
std::unique_ptr<Tokenizer> make_byt5() {
  constexpr int kBytes = 256, kExtra = 125;
  std::vector<std::string> pieces{"<pad>", "</s>", "<unk>"};
  for (int byte = 0; byte < kBytes; ++byte) {
    std::string& piece = pieces.emplace_back();
    append_utf8(piece, byte_level_character(static_cast<unsigned char>(byte)));
  }
  ByteLevelOptions options;
  options.around.names = {"<unk>", "<pad>", "", "", "<gap>", "", "</s>"};
  options.around.after = {"</s>"};
  // Not the sentinels of its vocabulary stand for gaps: it was trained with the last byte, which no
  // text in UTF-8 has, and those before it.
  pieces.back() = options.around.names.mask;
  for (int i = 0; i < kExtra; ++i) {
    options.around.added.push_back({fmt::format("<extra_id_{}>", i), TokenId(pieces.size())});
    pieces.push_back(options.around.added.back().content);
  }
  return make_byte_level_bpe(pieces, {}, options);
}

}  // namespace minpair::tokenizer
