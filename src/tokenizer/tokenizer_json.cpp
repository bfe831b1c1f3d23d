#include "tokenizer/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "base/error.h"
#include "tokenizer/json.h"
#include "tokenizer/pipeline.h"
#include "tokenizer/special.h"
#include "tokenizer/tokenizer_json_parts.h"

namespace minpair::tokenizer {
namespace {

class Reader {
 public:
  Reader(const JsonFile& file, const TokenizerConfig& config, Notes* notes)
      : file_(file), config_(config), notes_(notes) {}

  std::unique_ptr<Tokenizer> read() {
    std::optional<JsonValue> model = member(file_.root, "model");
    if (!model) throw broken("there is no 'model'");
    model_ = *model;
    type_ = model_type();
    if (type_ != "BPE" && type_ != "Unigram" && type_ != "WordPiece" && type_ != "WordLevel")
      throw unsupported(file_, "model", type_);
    read_pieces();
    const size_t own = parts_.pieces.size();
    read_added();
    check_holes(parts_.pieces, own, file_.name(), notes_);
    read_surroundings();
    if (is_plain_bert()) return make_bert();
    read_text_steps();
    read_model();
    describe();
    return make_pipeline(std::move(parts_));
  }

 private:
  Error broken(std::string message) const {
    return bad_input(std::move(message)).at(file_.name()).hint("download the file again");
  }

  std::string model_type() const {
    std::string_view type = type_of(model_);
    if (!type.empty()) return std::string(type);
    std::optional<JsonValue> vocabulary = member(model_, "vocab");
    if (vocabulary && vocabulary->is_array()) return "Unigram";
    if (member(model_, "merges")) return "BPE";
    return member(model_, "max_input_chars_per_word") ? "WordPiece" : "WordLevel";
  }

  void place(int64_t id, std::string_view piece) {
    if (id < 0 || id >= int64_t(Vocabulary::kMaxPieces))
      throw broken(fmt::format("the piece '{}' has the impossible id {}", piece, id));
    std::vector<std::string>& pieces = parts_.pieces;
    if (size_t(id) >= pieces.size()) pieces.resize(size_t(id) + 1);
    if (!pieces[size_t(id)].empty() && pieces[size_t(id)] != piece)
      throw broken(fmt::format("'{}' and '{}' both have the id {}", pieces[size_t(id)], piece, id));
    pieces[size_t(id)] = piece;
  }

  void read_pieces() {
    std::optional<JsonValue> vocabulary = member(model_, "vocab");
    if (!vocabulary) throw broken("the model has no 'vocab'");
    if (type_ == "Unigram") return read_scored_pieces(*vocabulary);
    simdjson::dom::object object;
    if (vocabulary->get(object)) throw broken("the model's 'vocab' is not an object");
    for (auto [piece, value] : object) {
      int64_t id;
      if (value.get(id)) throw broken(fmt::format("the piece '{}' has no id", piece));
      place(id, piece);
    }
  }

  void read_scored_pieces(JsonValue vocabulary) {
    simdjson::dom::array list;
    if (vocabulary.get(list)) throw broken("the model's 'vocab' is not a list");
    for (JsonValue entry : list) {
      std::string_view piece;
      double score;
      if (entry.at(0).get(piece) || entry.at(1).get(score) || !std::isfinite(score))
        throw broken(fmt::format("piece {} has no text or no score", scores_.size()));
      parts_.pieces.emplace_back(piece);
      scores_.push_back(score);
    }
  }

  void read_added() {
    std::optional<JsonValue> list = member(file_.root, "added_tokens");
    simdjson::dom::array tokens;
    if (list && list->get(tokens)) throw broken("'added_tokens' is not a list");
    std::vector<AddedToken> added;
    std::unordered_set<std::string> contents;
    if (list)
      for (JsonValue value : tokens) {
        added.push_back(read_added_token(value));
        contents.insert(added.back().content);
      }
    merge_added(parts_.pieces, std::move(added), parts_.around, notes_);
    // What lies beside the file can add more, but changes none of these, and no piece.
    std::vector<AddedToken> more;
    size_t end = parts_.pieces.size();
    for (AddedToken t : config_.added) {
      if (!contents.insert(t.content).second) continue;
      const TokenId known = id_of(t.content);
      const bool taken =
          size_t(t.id) < parts_.pieces.size() && !parts_.pieces[size_t(t.id)].empty();
      t.id = known >= 0 ? known : taken ? TokenId(end++) : t.id;
      more.push_back(std::move(t));
    }
    merge_added(parts_.pieces, std::move(more), parts_.around, notes_);
  }

  AddedToken read_added_token(JsonValue value) const {
    std::optional<std::string_view> content = string_member(value, "content");
    int64_t id = int_member(value, "id").value_or(-1);
    if (!content || id < 0 || id >= int64_t(Vocabulary::kMaxPieces))
      throw broken(fmt::format("an added token has no text or the impossible id {}", id));
    AddedToken t{std::string(*content), TokenId(id)};
    t.special = bool_member(value, "special").value_or(false);
    t.normalized = bool_member(value, "normalized").value_or(!t.special);
    t.single_word = bool_member(value, "single_word").value_or(false);
    t.strip_left = bool_member(value, "lstrip").value_or(false);
    t.strip_right = bool_member(value, "rstrip").value_or(false);
    return t;
  }

  void read_surroundings() {
    Template t;
    if (std::optional<JsonValue> post = member(file_.root, "post_processor"))
      t = read_post_processor(file_, *post);
    Surroundings& around = parts_.around;
    take_template(t.before, around.before);
    take_template(t.after, around.after);
    around.names = config_.names;
    add_named(around);
    around.names_are_added = false;
    if (around.names.unk.empty())
      around.names.unk = string_member(model_, "unk_token").value_or("");
    fill_roles(parts_.pieces, ids_of(around.added), config_, around);
    follow_llama_settings(around);
    // What is put before every text begins it, whatever else is named so.
    if (around.before.size() == 1 && around.after.empty()) around.names.bos = around.before.front();
    check_special(parts_.pieces, around, config_, notes_);
  }

  // The files beside this one name special tokens that it need not list; T5's gaps have their name
  // from the model.
  void add_named(Surroundings& around) const {
    auto add = [&](const std::string& name, bool strip_left) {
      const TokenId id = name.empty() ? -1 : id_of(name);
      if (id < 0 ||
          std::ranges::any_of(around.added, [&](const AddedToken& t) { return t.content == name; }))
        return id >= 0;
      AddedToken token{name, id};
      token.strip_left = strip_left;
      around.added.push_back(token);
      return true;
    };
    SpecialNames& n = around.names;
    for (const std::string& name : {n.unk, n.pad, n.cls, n.sep, n.mask, n.bos, n.eos})
      add(name, false);
    if (!config_.model_type.ends_with("t5") || !n.mask.empty()) return;
    for (const char* gap : {"<extra_id_0>", "\u2581<extra_id_0>"})
      if (n.mask.empty() && add(gap, true)) n.mask = gap;
  }

  void take_template(const std::vector<Template::Named>& from, std::vector<std::string>& to) const {
    for (const Template::Named& n : from) {
      bool exists = n.id >= 0 && size_t(n.id) < parts_.pieces.size();
      if (!exists || parts_.pieces[size_t(n.id)] != n.token)
        throw broken(
            fmt::format("the token '{}', put around every sentence, has the id {}, which is "
                        "{}",
                        n.token, n.id,
                        exists ? fmt::format("'{}'", parts_.pieces[size_t(n.id)])
                               : fmt::format("past the vocabulary of {}", parts_.pieces.size())));
      to.push_back(n.token);
    }
  }

  // For these classes Hugging Face makes the template anew from two settings.
  void follow_llama_settings(Surroundings& around) const {
    const std::string& c = config_.tokenizer_class;
    if (c != "LlamaTokenizer" && c != "CodeLlamaTokenizer" && c != "GemmaTokenizer") return;
    auto follow = [](std::optional<bool> wanted, const std::string& token,
                     std::vector<std::string>& to) {
      if (!wanted || token.empty()) return;
      bool has = std::find(to.begin(), to.end(), token) != to.end();
      if (*wanted && !has) to.push_back(token);
      if (!*wanted) std::erase(to, token);
    };
    follow(config_.add_bos_token, around.names.bos, around.before);
    follow(config_.add_eos_token, around.names.eos, around.after);
  }

  // The pipeline that has a faster implementation.
  bool is_plain_bert() const {
    std::optional<JsonValue> normalizer = member(file_.root, "normalizer");
    std::optional<JsonValue> words = member(file_.root, "pre_tokenizer");
    bool raw_tokens = std::none_of(parts_.around.added.begin(), parts_.around.added.end(),
                                   [](const AddedToken& t) { return t.normalized; });
    return type_ == "WordPiece" && normalizer && type_of(*normalizer) == "BertNormalizer" &&
           words && type_of(*words) == "BertPreTokenizer" && raw_tokens &&
           !parts_.around.names.unk.empty();
  }

  // As the file says, unless tokenizer_config.json says otherwise.
  BertNormalizerJson bert_normalizer() const {
    BertNormalizerJson n = read_bert_normalizer(*member(file_.root, "normalizer"));
    bool lowercase = config_.do_lower_case.value_or(n.lowercase);
    if (lowercase != n.lowercase)
      say(notes_, fmt::format("tokenizer_config.json and tokenizer.json disagree about lower case; "
                              "the former says {} and is followed",
                              lowercase));
    n.lowercase = lowercase;
    if (config_.strip_accents) n.strip_accents = config_.strip_accents;
    n.handle_chinese_chars = config_.tokenize_chinese_chars.value_or(n.handle_chinese_chars);
    return n;
  }

  std::unique_ptr<Tokenizer> make_bert() {
    BertNormalizerJson n = bert_normalizer();
    WordPieceOptions options;
    options.clean_text = n.clean_text;
    options.lowercase = n.lowercase;
    options.strip_accents = n.strip_accents;
    options.split_cjk = n.handle_chinese_chars;
    options.prefix = string_member(model_, "continuing_subword_prefix").value_or("##");
    options.max_word_characters = max_word_characters();
    options.around = parts_.around;
    return make_wordpiece(parts_.pieces, options);
  }

  size_t max_word_characters() const {
    return size_t(std::clamp<int64_t>(int_member(model_, "max_input_chars_per_word").value_or(100),
                                      0, 1 << 20));
  }

  void read_text_steps() {
    std::optional<JsonValue> n = member(file_.root, "normalizer");
    if (n && type_of(*n) == "BertNormalizer") {
      BertNormalizerJson b = bert_normalizer();
      bool strip_accents = b.strip_accents.value_or(b.lowercase);
      parts_.normalizer =
          normalize_bert({b.clean_text, b.handle_chinese_chars, strip_accents, b.lowercase});
      parts_.description =
          fmt::format("{}{}{}{}", b.clean_text, b.handle_chinese_chars, strip_accents, b.lowercase);
    } else if (n) {
      parts_.normalizer = read_normalizer(file_, *n);
    }
    if (std::optional<JsonValue> p = member(file_.root, "pre_tokenizer"))
      parts_.pre_tokenizer = read_pre_tokenizer(file_, *p, config_.add_prefix_space);
  }

  TokenId id_of(std::string_view piece) const {
    for (size_t i = parts_.pieces.size(); i-- > 0;)
      if (parts_.pieces[i] == piece) return TokenId(i);
    return -1;
  }

  TokenId unknown_id() const {
    std::optional<std::string_view> name = string_member(model_, "unk_token");
    if (!name || name->empty()) return -1;
    TokenId id = id_of(*name);
    if (id < 0) throw broken(fmt::format("the vocabulary lacks the unknown token '{}'", *name));
    return id;
  }

  void read_model() {
    if (type_ == "BPE") return read_bpe();
    if (type_ == "Unigram") return read_unigram();
    if (type_ == "WordPiece") {
      std::string prefix(string_member(model_, "continuing_subword_prefix").value_or("##"));
      parts_.kind = "WordPiece";
      parts_.mark = WordMark::continuing;
      parts_.marks = {prefix};
      parts_.model = [unk = unknown_id(), prefix, max = max_word_characters()](
                         const Vocabulary& v) { return make_wordpiece_model(v, unk, prefix, max); };
      return;
    }
    parts_.kind = "words";
    parts_.model = [unk = unknown_id()](const Vocabulary& v) { return make_word_model(v, unk); };
  }

  void read_unigram() {
    parts_.kind = "unigram";
    ScoredOptions options;
    options.single_precision = false;
    options.byte_fallback = bool_member(model_, "byte_fallback").value_or(false);
    int64_t unk = int_member(model_, "unk_id").value_or(-1);
    if (unk >= int64_t(scores_.size()))
      throw broken(fmt::format("the unknown piece has the id {}, past the vocabulary", unk));
    options.unk = unk < 0 ? -1 : TokenId(unk);
    // Added tokens that the model itself lacks are no pieces of it.
    std::vector<PieceType> types(parts_.pieces.size(), PieceType::control);
    std::fill_n(types.begin(), scores_.size(), PieceType::normal);
    parts_.model = [=, scores = scores_](const Vocabulary& v) {
      return make_unigram_model(v, scores, types, options);
    };
  }

  void read_bpe() {
    parts_.kind = "BPE";
    BpeOptions options;
    options.unk = unknown_id();
    options.fuse_unk = bool_member(model_, "fuse_unk").value_or(false);
    options.byte_fallback = bool_member(model_, "byte_fallback").value_or(false);
    options.ignore_merges = bool_member(model_, "ignore_merges").value_or(false);
    options.continuing_prefix = string_member(model_, "continuing_subword_prefix").value_or("");
    options.end_of_word_suffix = string_member(model_, "end_of_word_suffix").value_or("");
    parts_.word_end = options.end_of_word_suffix;
    MergeList merges = read_merges();
    parts_.model = [merges = std::move(merges), options, name = file_.name()](const Vocabulary& v) {
      return make_bpe_model(v, resolve_merges(v, merges, options.continuing_prefix, name), options);
    };
  }

  MergeList read_merges() const {
    std::optional<JsonValue> value = member(model_, "merges");
    simdjson::dom::array list;
    if (!value || value->get(list)) throw broken("the model has no list of 'merges'");
    MergeList merges;
    for (JsonValue m : list) {
      std::string_view left, right;
      if (!m.get(left)) {
        size_t space = left.find(' ');
        if (space == std::string_view::npos || left.find(' ', space + 1) != std::string_view::npos)
          throw broken(fmt::format("merge {} is not two pieces", merges.size()));
        right = left.substr(space + 1);
        left = left.substr(0, space);
      } else if (m.at(0).get(left) || m.at(1).get(right)) {
        throw broken(fmt::format("merge {} is not two pieces", merges.size()));
      }
      merges.emplace_back(left, right);
    }
    return merges;
  }

  // The steps as the file writes them decide about the ids; so they are part of the fingerprint.
  void describe() {
    std::string& d = parts_.description;
    for (const char* key : {"normalizer", "pre_tokenizer"}) {
      d += key;
      if (std::optional<JsonValue> v = member(file_.root, key)) d += simdjson::minify(*v);
    }
    if (config_.add_prefix_space) d += fmt::format("prefix {}", *config_.add_prefix_space);
    if (parts_.mark != WordMark::none) return;
    bool byte_level = d.find("\"ByteLevel\"") != std::string::npos;
    parts_.byte_level = byte_level && parts_.kind == "BPE";
    if (parts_.byte_level) parts_.kind = "byte-level BPE";
    if (!byte_level && d.find("\u2581") == std::string::npos) return;
    parts_.mark = WordMark::before;
    parts_.marks = {byte_level ? "\u0120" : "\u2581"};
  }

  const JsonFile& file_;
  const TokenizerConfig& config_;
  Notes* notes_;
  JsonValue model_;
  std::string type_;
  std::vector<double> scores_;
  PipelineParts parts_;
};

}  // namespace

std::unique_ptr<Tokenizer> read_tokenizer_json(const JsonFile& file, const TokenizerConfig& config,
                                               std::vector<std::string>* notes) {
  try {
    return Reader(file, config, notes).read();
  } catch (Error& e) {
    if (e.where().file.empty()) e.at(file.name());
    throw;
  }
}

std::unique_ptr<Tokenizer> parse_tokenizer_json(std::string_view text, const std::string& name,
                                                const TokenizerConfig& config,
                                                std::vector<std::string>* notes) {
  return read_tokenizer_json(JsonFile(text, name), config, notes);
}

}  // namespace minpair::tokenizer
