// Which files of a checkpoint directory make up its tokenizer.

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "tokenizer/characters.h"
#include "tokenizer/config.h"
#include "tokenizer/make.h"
#include "tokenizer/tokenizer.h"

namespace minpair {
namespace {

using Notes = std::vector<std::string>;

void say(Notes* notes, std::string note) {
  if (notes) notes->push_back(std::move(note));
}

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

bool has_capitals(const std::vector<std::string>& pieces) {
  for (const std::string& p : pieces)
    if (!p.starts_with('[') && !p.starts_with('<') && lower(p) != p) return true;
  return false;
}

// Places added tokens in the vocabulary. A hole between its end and an added id is an error.
void merge_added(std::vector<std::string>& pieces, std::vector<AddedToken> added,
                 Surroundings& around) {
  std::sort(added.begin(), added.end(),
            [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
  for (const AddedToken& t : added) {
    auto id = size_t(t.id);
    if (id < pieces.size() && pieces[id] != t.content)
      throw bad_input(fmt::format("the added token '{}' has the id {} of the piece '{}'", t.content,
                                  id, pieces[id]))
          .hint("the files of this tokenizer do not belong together");
    if (id > pieces.size())
      throw bad_input(fmt::format("the added token '{}' has the id {}, but the ids from {} on are "
                                  "not given: the vocabulary has a hole",
                                  t.content, id, pieces.size()))
          .hint("a file of this tokenizer is missing or incomplete");
    if (id == pieces.size()) pieces.push_back(t.content);
    around.added.push_back(t);
  }
}

void take(std::string& name, const std::string& from_files) {
  if (!from_files.empty()) name = from_files;
}

void take_names(SpecialNames& names, const SpecialNames& from_files) {
  take(names.unk, from_files.unk);
  take(names.pad, from_files.pad);
  take(names.cls, from_files.cls);
  take(names.sep, from_files.sep);
  take(names.mask, from_files.mask);
  take(names.bos, from_files.bos);
  take(names.eos, from_files.eos);
}

std::unique_ptr<Tokenizer> load_vocab_txt(const fs::path& path, const TokenizerConfig& config,
                                          Notes* notes) {
  std::vector<std::string> pieces = read_vocabulary_lines(path);
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
  merge_added(pieces, config.added, options.around);
  return make_wordpiece(pieces, options);
}

}  // namespace

std::unique_ptr<Tokenizer> load_tokenizer(const fs::path& directory, Notes* notes) {
  if (!fs::is_directory(directory))
    throw bad_input("there is no such folder").at(directory.string());
  TokenizerConfig config = read_tokenizer_config(directory);
  auto has = [&](const char* name) { return fs::is_regular_file(directory / name); };
  if (has("vocab.txt")) return load_vocab_txt(directory / "vocab.txt", config, notes);
  throw bad_input("there is no tokenizer in this folder")
      .at(directory.string())
      .hint(
          "needed: tokenizer.json, vocab.txt, vocab.json with merges.txt, or a SentencePiece "
          "*.model file");
}

}  // namespace minpair
