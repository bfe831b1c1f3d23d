// Which files of a checkpoint directory make up its tokenizer.

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "base/folder.h"
#include "tokenizer/characters.h"
#include "tokenizer/config.h"
#include "tokenizer/json.h"
#include "tokenizer/loaders.h"
#include "tokenizer/make.h"
#include "tokenizer/special.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/tokenizer_json.h"

namespace minpair::tokenizer {

// One piece a line; the number of the line is the id.
std::vector<std::string> read_vocabulary_lines(const fs::path& path) {
  LineReader reader(path, size_t{1} << 20);
  std::vector<std::string> pieces;
  for (std::string_view line; reader.next(line);) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!valid_utf8(line))
      throw bad_input("this line is not UTF-8").at(path.string(), reader.line_number());
    pieces.emplace_back(line);
    if (pieces.size() > Vocabulary::kMaxPieces)
      throw bad_input(fmt::format("more than {} pieces", Vocabulary::kMaxPieces)).at(path.string());
  }
  while (!pieces.empty() && pieces.back().empty()) pieces.pop_back();
  return pieces;
}

namespace {

bool has_capitals(const std::vector<std::string>& pieces) {
  for (const std::string& p : pieces)
    if (!p.starts_with('[') && !p.starts_with('<') && lower(p) != p) return true;
  return false;
}

// A vocabulary of whole words is known by how it writes the unknown one.
bool holds_words(const std::vector<std::string>& pieces, const TokenizerConfig& config) {
  auto has = [&](const char* piece) {
    return std::find(pieces.begin(), pieces.end(), piece) != pieces.end();
  };
  return config.tokenizer_class.empty() && config.names.unk.empty() && has("<unk>") &&
         !has("[UNK]");
}

// Others have a vocab.txt too, but cut words in another way (with a morphological analyser, say).
void check_wordpiece_class(const std::string& c, const fs::path& path) {
  static const std::vector<std::string> known = {"",
                                                 "BertTokenizer",
                                                 "DistilBertTokenizer",
                                                 "ElectraTokenizer",
                                                 "ConvBertTokenizer",
                                                 "MobileBertTokenizer",
                                                 "SqueezeBertTokenizer",
                                                 "LxmertTokenizer",
                                                 "FunnelTokenizer",
                                                 "RetriBertTokenizer",
                                                 "PreTrainedTokenizer"};
  if (std::find(known.begin(), known.end(), c) == known.end())
    throw bad_input(fmt::format("the tokenizer class '{}' is not supported", c))
        .at(path.string())
        .hint("a tokenizer.json beside it would do; Hugging Face's save_pretrained writes one");
}

}  // namespace

std::unique_ptr<Tokenizer> load_vocab_txt(const fs::path& path, const TokenizerConfig& config,
                                          Notes* notes) {
  std::vector<std::string> pieces = read_vocabulary_lines(path);
  if (holds_words(pieces, config)) return load_words(path);
  check_wordpiece_class(config.tokenizer_class, path);
  WordPieceOptions options;
  if (config.do_lower_case) {
    options.lowercase = *config.do_lower_case;
  } else {
    options.lowercase = !has_capitals(pieces);
    say(notes, fmt::format("{}: nothing says whether the model is cased; taken as {}, because its "
                           "vocabulary has {}capital letters",
                           path.string(), options.lowercase ? "uncased" : "cased",
                           options.lowercase ? "no " : ""));
  }
  options.strip_accents = config.strip_accents;
  options.split_cjk = config.tokenize_chinese_chars.value_or(true);
  options.never_split = config.never_split;
  take_names(options.around.names, config.names);
  options.around.before = {options.around.names.cls};
  options.around.after = {options.around.names.sep};
  merge_added(pieces, config.added, options.around, notes);
  check_special(pieces, options.around, config, notes);
  return make_wordpiece(pieces, options);
}

std::unique_ptr<Tokenizer> load_words(const fs::path& path, const WordsOptions& options) {
  try {
    return make_words(read_vocabulary_lines(path), options);
  } catch (Error& e) {
    if (e.where().file.empty()) e.at(path.string());
    throw;
  }
}

namespace {

// SentencePiece files have many names. The usual ones first, then any other.
fs::path find_sentencepiece(const fs::path& directory) {
  for (const char* usual : {"tokenizer.model", "spiece.model", "sentencepiece.bpe.model"})
    if (fs::is_regular_file(directory / usual)) return directory / usual;
  for (const fs::path& entry : entries_of(directory))
    if (entry.extension() == ".model" && fs::is_regular_file(entry)) return entry;
  return {};
}

}  // namespace

std::unique_ptr<Tokenizer> load_tokenizer(const fs::path& directory, Notes* notes) {
  if (!fs::is_directory(directory))
    throw bad_input("there is no such folder").at(directory.string());
  TokenizerConfig config = read_tokenizer_config(directory);
  auto has = [&](const char* name) { return fs::is_regular_file(directory / name); };
  if (has("tokenizer.json"))
    return read_tokenizer_json(JsonFile(directory / "tokenizer.json"), config, notes);
  const std::string& c = config.tokenizer_class;
  const bool fast_bpe = c.empty() ? config.model_type == "xlm" || config.model_type == "flaubert"
                                  : c == "XLMTokenizer" || c == "FlaubertTokenizer";
  if (has("vocab.json") && has("merges.txt") && fast_bpe)
    return load_fast_bpe(directory / "vocab.json", directory / "merges.txt", config, notes);
  if (has("vocab.json") && has("merges.txt"))
    return load_vocab_json(directory / "vocab.json", directory / "merges.txt", config, notes);
  fs::path sentencepiece = find_sentencepiece(directory);
  if (!sentencepiece.empty()) return load_sentencepiece(sentencepiece, config, notes);
  if (has("vocab.txt") && c == "Rwkv5Tokenizer") return load_world_pieces(directory / "vocab.txt");
  if (has("vocab.txt")) return load_vocab_txt(directory / "vocab.txt", config, notes);
  if (config.tokenizer_class == "ByT5Tokenizer") return make_byt5();
  constexpr const char* kWorld = "rwkv_vocab_v20230424.txt";
  if (has(kWorld)) return load_world(directory / kWorld);
  throw bad_input("there is no tokenizer in this folder")
      .at(directory.string())
      .hint(
          "needed: tokenizer.json, vocab.txt, vocab.json with merges.txt, or a SentencePiece "
          "*.model file");
}

}  // namespace minpair::tokenizer
