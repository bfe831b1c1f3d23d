// tokenizer.json and what lies beside it, as tokenizers before 0.15, 0.19 and 0.20 and transformers
// 4.44 write them: the golden tokenizers in each of these forms cut every text as before.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "support.h"
#include "tokenizer/tokenizer.h"

namespace minpair::tokenizer {
namespace {

using nlohmann::json;

fs::path golden(const std::string& name) {
  return testing::source_dir() / "tests/golden/tokenizer" / name;
}

// Up to 0.19 a merge is two pieces with a space between them, from 0.20 on a list of two.
bool merges_as(json& t, bool lists) {
  if (!t["model"].contains("merges")) return false;
  for (json& merge : t["model"]["merges"]) {
    if (merge.is_array() == lists) return false;
    if (lists) {
      const auto text = merge.get<std::string>();
      const size_t space = text.find(' ');
      merge = json::array({text.substr(0, space), text.substr(space + 1)});
    } else {
      if (merge[0].get<std::string>().find(' ') != std::string::npos) return false;
      merge = merge[0].get<std::string>() + ' ' + merge[1].get<std::string>();
    }
  }
  return true;
}

// Before 0.15 a space comes first or not, and words are always split.
bool plain_metaspace(json& value) {
  bool found = false;
  if (value.is_array())
    for (json& one : value) found |= plain_metaspace(one);
  if (!value.is_object()) return found;
  if (value.value("type", "") != "Metaspace") {
    for (auto& [key, inner] : value.items()) found |= plain_metaspace(inner);
    return found;
  }
  const std::string scheme = value.value("prepend_scheme", "");
  if (scheme.empty() || scheme == "first" || !value.value("split", true)) return found;
  value["add_prefix_space"] = scheme == "always";
  value.erase("prepend_scheme"), value.erase("split");
  return true;
}

struct Form {
  const char* what;
  bool (*rewrite)(json&);  // whether it changes anything
};

const Form kForms[] = {{"merges as texts", [](json& t) { return merges_as(t, false); }},
                       {"merges as lists", [](json& t) { return merges_as(t, true); }},
                       {"no \"ignore_merges\", no \"byte_fallback\"",
                        [](json& t) {
                          bool changed = false;
                          for (const char* key : {"ignore_merges", "byte_fallback"})
                            if (t["model"].contains(key) && t["model"][key] == false)
                              changed |= t["model"].erase(key) > 0;
                          return changed;
                        }},
                       {"\"add_prefix_space\" of Metaspace",
                        [](json& t) { return plain_metaspace(t["pre_tokenizer"]); }}};

std::vector<std::vector<TokenId>> cut(const fs::path& folder, const std::string& name) {
  const std::unique_ptr<Tokenizer> tokenizer = load_tokenizer(folder);
  std::vector<std::vector<TokenId>> all;
  LineReader reader(golden(name) / "expected.jsonl");
  for (std::string_view line; reader.next(line);) {
    all.emplace_back();
    const auto text = json::parse(line).at("text").get<std::string>();
    for (const Token& token : tokenizer->encode(text).tokens) all.back().push_back(token.id);
  }
  return all;
}

std::vector<std::string> with_tokenizer_json() {
  std::vector<std::string> names;
  for (const auto& folder : std::filesystem::directory_iterator(golden("")))
    if (std::filesystem::exists(folder.path() / "tokenizer.json"))
      names.push_back(folder.path().filename().string());
  return names;
}

TEST(OlderForms, OfTokenizerJsonCutAsBefore) {
  size_t changed[std::size(kForms)] = {};
  for (const std::string& name : with_tokenizer_json()) {
    const json original = json::parse(read_file(golden(name) / "tokenizer.json"));
    testing::TemporaryFolder folder;
    write_file(folder / "tokenizer.json", original.dump());
    const auto now = cut(folder.path(), name);
    for (size_t i = 0; i < std::size(kForms); ++i) {
      json older = original;
      if (!kForms[i].rewrite(older)) continue;
      write_file(folder / "tokenizer.json", older.dump());
      EXPECT_EQ(cut(folder.path(), name), now) << name << ": " << kForms[i].what;
      ++changed[i];
    }
  }
  for (size_t i = 0; i < std::size(kForms); ++i) EXPECT_GT(changed[i], 0u) << kForms[i].what;
}

TEST(OlderForms, OfMetaspaceSayWhetherASpaceComesFirst) {
  json t = json::parse(read_file(golden("albert") / "tokenizer.json"));
  testing::TemporaryFolder folder;
  auto with = [&](const json& said) {
    t["pre_tokenizer"] = {{"type", "Metaspace"}, {"replacement", "\u2581"}};
    t["pre_tokenizer"].update(said);
    write_file(folder / "tokenizer.json", t.dump());
    return cut(folder.path(), "albert");
  };
  EXPECT_EQ(with({{"add_prefix_space", true}}), with({{"prepend_scheme", "always"}}));
  EXPECT_EQ(with({{"add_prefix_space", false}}), with({{"prepend_scheme", "never"}}));
  EXPECT_EQ(with({{"add_prefix_space", true}, {"prepend_scheme", "first"}}),  // as 0.15 to 0.19
            with({{"prepend_scheme", "first"}, {"split", true}}));
  EXPECT_NE(with({{"add_prefix_space", true}}), with({{"add_prefix_space", false}}));
}

// Transformers 4 says once more what tokenizer.json says: tokens by their numbers, in
// tokenizer_config.json and added_tokens.json, and names of the special ones.
TEST(OlderForms, FilesBesideTokenizerJsonChangeNothing) {
  for (const std::string& name : with_tokenizer_json()) {
    SCOPED_TRACE(name);
    const json original = json::parse(read_file(golden(name) / "tokenizer.json"));
    testing::TemporaryFolder folder;
    write_file(folder / "tokenizer.json", original.dump());
    const auto now = cut(folder.path(), name);
    json decoder = json::object(), numbers = json::object();
    for (json token : original.value("added_tokens", json::array())) {
      const std::string id = std::to_string(token["id"].get<int>());
      numbers[token["content"].get<std::string>()] = token["id"];
      token.erase("id");
      decoder[id] = token;
    }
    write_file(folder / "tokenizer_config.json",
               json({{"added_tokens_decoder", decoder},
                     {"clean_up_tokenization_spaces", true},
                     {"model_max_length", 512},
                     {"tokenizer_class", "PreTrainedTokenizerFast"}})
                   .dump());
    write_file(folder / "added_tokens.json", numbers.dump());
    write_file(folder / "special_tokens_map.json", "{}");
    EXPECT_EQ(cut(folder.path(), name), now);
  }
}

}  // namespace
}  // namespace minpair::tokenizer
