// The tokenizer inside a GGUF file.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/counts.h"
#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include "tokenizer/gguf_words.h"
#include "tokenizer/loaders.h"
#include "tokenizer/make.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/special.h"

namespace minpair::tokenizer {
namespace {

class Reader {
 public:
  Reader(const checkpoint::Metadata& metadata, Notes* notes) : metadata_(metadata), notes_(notes) {}

  std::unique_ptr<Tokenizer> read() {
    for (std::string_view piece : metadata_.texts("tokenizer.ggml.tokens")) {
      if (!valid_utf8(piece)) throw bad_input(fmt::format("piece {} is not UTF-8", pieces_.size()));
      pieces_.emplace_back(piece);
    }
    if (pieces_.empty())
      throw bad_input("the GGUF file has no vocabulary").hint("a model file with one is needed");
    read_types();
    read_special();
    std::string_view kind = metadata_.text("tokenizer.ggml.model").value_or("");
    if (kind == "llama") return sentencepiece(SentencePieceModel::Algorithm::bpe);
    if (kind == "t5") return sentencepiece(SentencePieceModel::Algorithm::unigram);
    if (kind == "gpt2") return byte_level();
    if (kind == "bert") return wordpiece();
    if (kind == "rwkv") return world();
    throw bad_input(fmt::format("the GGUF tokenizer '{}' is not supported", kind))
        .hint("supported are llama, gpt2, bert, t5 and rwkv");
  }

 private:
  bool flag(const char* key, bool otherwise) const {
    return metadata_.boolean(fmt::format("tokenizer.ggml.{}", key)).value_or(otherwise);
  }

  void read_types() {
    for (int64_t t : metadata_.integers("tokenizer.ggml.token_type")) {
      if (t < 0 || t > 6) throw bad_input(fmt::format("a piece has the unknown type {}", t));
      types_.push_back(t == 0 ? PieceType::normal : PieceType(t));
    }
    if (!types_.empty() && types_.size() != pieces_.size())
      throw bad_input(fmt::format("{} {} {} {}", pieces_.size(),
                                  plural(pieces_.size(), "piece has", "pieces have"), types_.size(),
                                  plural(types_.size(), "type")));
    types_.resize(pieces_.size(), PieceType::normal);
  }

  std::string name_of(const char* key) {
    std::optional<int64_t> id = metadata_.integer(fmt::format("tokenizer.ggml.{}_token_id", key));
    if (!id) return "";
    if (*id < 0 || *id >= int64_t(pieces_.size())) {
      say(notes_, fmt::format("the GGUF file gives the {} token the id {}, past its vocabulary of "
                              "{}; the model is used without it",
                              key, *id, pieces_.size()));
      return "";
    }
    return pieces_[size_t(*id)];
  }

  void read_special() {
    SpecialNames& names = around_.names;
    names = {name_of("unknown"), name_of("padding"), name_of("cls"), name_of("seperator"),
             name_of("mask"),    name_of("bos"),     name_of("eos")};
    if (names.sep.empty()) names.sep = name_of("separator");
    around_.names_are_added = false;  // the types of the pieces say what is special
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if (types_[i] != PieceType::control && types_[i] != PieceType::user_defined &&
          types_[i] != PieceType::unknown)
        continue;
      AddedToken token{pieces_[i], TokenId(i)};
      token.special = types_[i] != PieceType::user_defined;
      around_.added.push_back(token);
    }
  }

  void surround(bool bos, bool eos) {
    if (flag("add_bos_token", bos) && !around_.names.bos.empty())
      around_.before = {around_.names.bos};
    if (flag("add_eos_token", eos) && !around_.names.eos.empty())
      around_.after = {around_.names.eos};
  }

  std::unique_ptr<Tokenizer> sentencepiece(SentencePieceModel::Algorithm algorithm) {
    bool unigram = algorithm == SentencePieceModel::Algorithm::unigram;
    SentencePieceModel model;
    model.algorithm = algorithm;
    model.scores = metadata_.reals("tokenizer.ggml.scores");
    if (model.scores.size() != pieces_.size())
      throw bad_input(fmt::format("{} {} {} {}", pieces_.size(),
                                  plural(pieces_.size(), "piece has", "pieces have"),
                                  model.scores.size(), plural(model.scores.size(), "score")));
    if (!std::all_of(model.scores.begin(), model.scores.end(),
                     [](float s) { return std::isfinite(s); }))
      throw bad_input("a piece has a score that is not a number");
    model.byte_fallback = std::count(types_.begin(), types_.end(), PieceType::byte) == 256;
    model.add_dummy_prefix = flag("add_space_prefix", true);
    model.remove_extra_whitespaces = flag("remove_extra_whitespaces", unigram);
    for (int64_t byte : metadata_.integers("tokenizer.ggml.precompiled_charsmap"))
      model.charsmap += char(byte);
    if (std::find(types_.begin(), types_.end(), PieceType::unknown) == types_.end() &&
        !around_.names.unk.empty())
      types_[size_t(*metadata_.integer("tokenizer.ggml.unknown_token_id"))] = PieceType::unknown;
    if (unigram) name_gap();
    model.pieces = std::move(pieces_);
    model.types = std::move(types_);
    surround(!unigram, unigram);
    return make_sentencepiece(model, std::move(around_));
  }

  // T5's first sentinel stands for a gap. Converters leave the names of all hundred out where no
  // file of the model lists them: they follow the 32,000 pieces, the first one last.
  void name_gap() {
    constexpr size_t kFirstOfT5 = 32099;
    if (!around_.names.mask.empty()) return;
    for (size_t i = 0; i < pieces_.size(); ++i)
      if (pieces_[i] == "<extra_id_0>" || pieces_[i] == "\u2581<extra_id_0>")
        return add_gap(i, pieces_[i]);
    if (pieces_.size() > kFirstOfT5 && types_[kFirstOfT5] == PieceType::unused &&
        types_[kFirstOfT5 - 100] != PieceType::unused)
      add_gap(kFirstOfT5, "<extra_id_0>");
  }

  void add_gap(size_t id, const std::string& name) {
    around_.names.mask = pieces_[id] = name;
    std::erase_if(around_.added, [&](const AddedToken& t) { return t.id == TokenId(id); });
    AddedToken gap{name, TokenId(id)};
    gap.strip_left = true;
    around_.added.push_back(gap);
  }

  std::unique_ptr<Tokenizer> byte_level() {
    MergeList merges;
    for (std::string_view m : metadata_.texts("tokenizer.ggml.merges")) {
      size_t space = m.find(' ', 1);
      if (m.empty() || space == std::string_view::npos)
        throw bad_input(fmt::format("merge {} is not two pieces", merges.size()));
      merges.emplace_back(m.substr(0, space), m.substr(space + 1));
    }
    std::string_view pre = metadata_.text("tokenizer.ggml.pre").value_or("gpt-2");
    if (pre == "default") {
      say(notes_, "the GGUF file does not say how its tokenizer cuts words; taken as GPT-2's way");
      pre = "gpt-2";
    }
    std::optional<GgufWords> words = gguf_words(pre);
    if (!words)
      throw bad_input(fmt::format("the GGUF pre-tokenizer '{}' is not supported", pre))
          .hint("use the model's Hugging Face folder, whose tokenizer.json says how to cut words");
    surround(words->adds_bos, words->adds_eos);
    ByteLevelOptions& options = words->cutting;
    options.around = std::move(around_);
    return make_byte_level_bpe(pieces_, merges, options);
  }

  // Here pieces that begin a word are marked, not those that continue one.
  std::unique_ptr<Tokenizer> wordpiece() {
    constexpr std::string_view mark = "\u2581";
    WordPieceOptions options;
    options.lowercase = true;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if (types_[i] == PieceType::control || types_[i] == PieceType::unknown) continue;
      if (pieces_[i].starts_with(mark))
        pieces_[i].erase(0, mark.size());
      else if (!pieces_[i].starts_with('[') || !pieces_[i].ends_with(']'))
        pieces_[i].insert(0, options.prefix);
      if (lower(pieces_[i]) != pieces_[i] && !pieces_[i].starts_with('['))
        options.lowercase = false;
    }
    SpecialNames usual = options.around.names;
    take_names(usual, around_.names);
    if (around_.names.cls.empty() && !around_.names.bos.empty()) usual.cls = around_.names.bos;
    usual.bos = usual.eos = "";
    options.around = {usual, {usual.cls}, {usual.sep}, {}};
    return make_wordpiece(pieces_, options);
  }

  // RWKV's: bytes, as Python writes them.
  std::unique_ptr<Tokenizer> world() {
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if (types_[i] != PieceType::normal) continue;
      pieces_[i] = byte_level_piece(python_bytes(pieces_[i], false));
    }
    surround(false, false);
    return make_byte_level_longest(pieces_, around_);
  }

  const checkpoint::Metadata& metadata_;
  Notes* notes_;
  std::vector<std::string> pieces_;
  std::vector<PieceType> types_;
  Surroundings around_;
};

}  // namespace

std::unique_ptr<Tokenizer> make_gguf_tokenizer(const checkpoint::Metadata& metadata,
                                               std::vector<std::string>* notes) {
  return Reader(metadata, notes).read();
}

}  // namespace minpair::tokenizer
