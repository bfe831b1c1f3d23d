#include "tokenizer/special.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"

namespace minpair::tokenizer {
namespace {

// Embeddings are padded to a multiple of 64 or so before tokens are added; larger gaps are damage.
constexpr size_t kLargestGap = 4096;

struct Role {
  const char* what;
  std::string SpecialNames::*name;
  std::optional<int64_t> TokenizerConfig::*id;  // in config.json
  std::vector<const char*> usual;
};

const std::array<Role, 7>& roles() {
  using Names = SpecialNames;
  using Config = TokenizerConfig;
  static const std::array<Role, 7> all = {{
      {"unknown", &Names::unk, nullptr, {"[UNK]", "<unk>"}},
      {"padding", &Names::pad, &Config::model_pad, {"[PAD]", "<pad>"}},
      {"first", &Names::cls, nullptr, {"[CLS]"}},
      {"separating", &Names::sep, nullptr, {"[SEP]"}},
      {"mask", &Names::mask, &Config::model_mask, {"[MASK]", "<mask>", "<extra_id_0>"}},
      {"beginning-of-text",
       &Names::bos,
       &Config::model_bos,
       {"<s>", "<bos>", "<|begin_of_text|>", "<|endoftext|>"}},
      {"end-of-text",
       &Names::eos,
       &Config::model_eos,
       {"</s>", "<eos>", "<|end_of_text|>", "<|endoftext|>"}},
  }};
  return all;
}

std::unordered_map<std::string_view, size_t> index_of(const std::vector<std::string>& pieces) {
  std::unordered_map<std::string_view, size_t> ids;
  ids.reserve(pieces.size());
  for (size_t i = 0; i < pieces.size(); ++i) ids[pieces[i]] = i;
  return ids;
}

}  // namespace

void take_names(SpecialNames& names, const SpecialNames& from_files) {
  for (const Role& role : roles())
    if (!(from_files.*role.name).empty()) names.*role.name = from_files.*role.name;
}

void fill_roles(const std::vector<std::string>& pieces, const std::vector<TokenId>& declared,
                const TokenizerConfig& config, Surroundings& around) {
  SpecialNames& names = around.names;
  std::unordered_set<std::string_view> known;
  for (TokenId id : declared) known.insert(pieces[size_t(id)]);
  auto stated = [&](const Role& role) -> std::string {
    if (!role.id || !(config.*role.id) || *(config.*role.id) < 0) return "";
    const auto id = size_t(*(config.*role.id));
    return id < pieces.size() && known.contains(pieces[id]) ? pieces[id] : "";
  };
  auto fill = [&](std::string SpecialNames::*role, const std::string& name) {
    if ((names.*role).empty() && std::ranges::count(config.without, role) == 0) names.*role = name;
  };
  for (const Role& role : roles()) {
    const std::string by_id = stated(role);
    // Where a text begins for the model is config.json's to say, and said as such.
    if (!by_id.empty() && role.name == &SpecialNames::bos) continue;
    if (!by_id.empty()) fill(role.name, by_id);
    for (const char* usual : role.usual)
      if (known.contains(usual)) fill(role.name, usual);
  }
  if (around.before.empty() || around.after.empty()) return;
  fill(&SpecialNames::cls, around.before.front());
  fill(&SpecialNames::sep, around.after.back());
}

std::vector<TokenId> ids_of(const std::vector<AddedToken>& added) {
  std::vector<TokenId> ids;
  for (const AddedToken& t : added) ids.push_back(t.id);
  return ids;
}

void check_special(const std::vector<std::string>& pieces, Surroundings& around,
                   const TokenizerConfig& config, Notes* notes) {
  auto ids = index_of(pieces);
  int64_t rows = config.model_vocabulary.value_or(INT64_MAX);
  for (const std::vector<std::string>* list : {&around.before, &around.after})
    for (const std::string& name : *list)
      if (ids.contains(name) && int64_t(ids[name]) >= rows)
        throw bad_input(fmt::format("the token '{}', put around every sentence, has the id {}, but "
                                    "the model has only {} rows",
                                    name, ids[name], rows))
            .hint("the tokenizer and the weights do not belong together");
  for (const Role& role : roles()) {
    std::string& name = around.names.*role.name;
    if (name.empty()) continue;
    auto found = ids.find(name);
    if (found == ids.end())
      say(notes, fmt::format("the {} token '{}' is not in the vocabulary of {} pieces; the model "
                             "is used without it",
                             role.what, name, pieces.size()));
    else if (int64_t(found->second) >= rows)
      say(notes, fmt::format("the {} token '{}' has the id {}, but the model has only {} rows; "
                             "the model is used without it",
                             role.what, name, found->second, rows));
    else
      continue;
    name.clear();
  }
  int64_t limit = std::min<int64_t>(rows, int64_t(pieces.size()));
  for (auto [what, id] : {std::pair("beginning-of-text", config.model_bos),
                          std::pair("end-of-text", config.model_eos)})
    if (id && *id >= limit)
      say(notes, fmt::format("config.json gives the {} token the id {}, past the vocabulary of {}; "
                             "the tokenizer's own is used",
                             what, *id, limit));
}

void check_holes(const std::vector<std::string>& pieces, size_t size, const std::string& file,
                 Notes* notes) {
  size_t holes = 0, first = 0;
  for (size_t i = size; i-- > 0;)
    if (pieces[i].empty()) {
      ++holes;
      first = i;
    }
  if (holes > kLargestGap)
    throw bad_input(fmt::format("no piece has the id {}, nor {} others: the vocabulary has a hole",
                                first, holes - 1))
        .at(file)
        .hint("download the file again");
  if (holes > 0)
    say(notes, fmt::format("{}: no piece has the id {}{}", file, first,
                           holes > 1 ? fmt::format(", nor {} others", holes - 1) : ""));
}

void merge_added(std::vector<std::string>& pieces, std::vector<AddedToken> added,
                 Surroundings& around, Notes* notes) {
  std::stable_sort(added.begin(), added.end(),
                   [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
  std::unordered_map<std::string, size_t> ids;
  for (size_t i = 0; i < pieces.size(); ++i) ids[pieces[i]] = i;
  for (AddedToken t : added) {
    if (t.content.empty()) continue;
    auto id = size_t(t.id);
    if (auto found = ids.find(t.content); found != ids.end() && found->second != id) {
      say(notes, fmt::format("the added token '{}' claims the id {}, but it is the piece {}; that "
                             "is used",
                             t.content, id, found->second));
      t.id = TokenId(found->second);
    } else if (id < pieces.size() && pieces[id].empty()) {
      pieces[id] = t.content;
    } else if (id < pieces.size() && pieces[id] != t.content) {
      throw bad_input(fmt::format("the added token '{}' has the id {} of the piece '{}'", t.content,
                                  id, pieces[id]))
          .hint("the files of this tokenizer do not belong together");
    } else if (id >= pieces.size()) {
      if (id > pieces.size() + kLargestGap)
        throw bad_input(fmt::format("the added token '{}' has the id {}, but the vocabulary ends "
                                    "at {}: it has a hole",
                                    t.content, id, pieces.size()))
            .hint("a file of this tokenizer is missing or incomplete");
      if (id > pieces.size())
        say(notes, fmt::format("no piece has the ids {} to {}", pieces.size(), id - 1));
      pieces.resize(id + 1);
      pieces[id] = t.content;
    }
    ids[t.content] = size_t(t.id);
    around.added.push_back(std::move(t));
  }
}

}  // namespace minpair::tokenizer
