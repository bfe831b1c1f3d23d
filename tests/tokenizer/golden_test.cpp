// What Hugging Face's implementation makes of texts in many languages, for a small tokenizer of
// every published kind (tools/golden/tokenizer.mjs).

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cctype>

#include "base/file.h"
#include "base/hash.h"
#include "support.h"
#include "tokenizer/characters.h"
#include "tokenizer/tokenizer.h"

namespace minpair::tokenizer {
namespace {

fs::path golden_folder() { return testing::source_dir() / "tests/golden/tokenizer"; }

std::string join_ids(const std::vector<TokenId>& ids) {
  std::string s;
  for (TokenId id : ids) s += (s.empty() ? "" : " ") + std::to_string(id);
  return s;
}

struct Expected {
  std::string text;
  std::vector<TokenId> ids;
  std::vector<Span> spans;  // in characters
};

std::vector<Expected> read_expected(const fs::path& path) {
  std::vector<Expected> all;
  simdjson::dom::parser parser;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    simdjson::dom::element e = parser.parse(line.data(), line.size());
    Expected x{std::string(std::string_view(e["text"])), {}, {}};
    for (int64_t id : simdjson::dom::array(e["ids"])) x.ids.push_back(TokenId(id));
    for (simdjson::dom::array span : simdjson::dom::array(e["spans"]))
      x.spans.push_back({size_t(int64_t(span.at(0))), size_t(int64_t(span.at(1)))});
    all.push_back(std::move(x));
  }
  return all;
}

// Hugging Face counts the white space before a word to some tokens and not to others.
Span trimmed(std::string_view text, Span span) {
  auto is_space_at = [&](size_t at) { return (class_of(next_character(text, at)) & kSpace) != 0; };
  Span kept = span;
  while (kept.begin < kept.end && is_space_at(kept.begin)) next_character(text, kept.begin);
  while (kept.end > kept.begin) {
    size_t last = kept.end - 1;
    while (last > kept.begin && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
    if (!is_space_at(last)) break;
    kept.end = last;
  }
  return kept.empty() ? span : kept;
}

// The same, or better: what was composed from several characters has all of them, where Hugging
// Face names only one. A mark alone stands for white space or for nothing.
bool same_span(std::string_view text, std::string_view piece, Span ours, Span theirs) {
  if (ours == theirs || piece == "\u2581" || piece == "\u0120") return true;
  bool inside = ours.begin <= theirs.begin && theirs.end <= ours.end && !theirs.empty();
  return inside && slice(text, ours).find(' ') == std::string_view::npos;
}

void check_texts(const Tokenizer& tokenizer, const fs::path& expected) {
  std::vector<Expected> all = read_expected(expected);
  EXPECT_EQ(all.size(), 64u);
  for (const Expected& x : all) {
    std::vector<TokenId> ids;
    std::vector<Token> tokens = tokenizer.encode(x.text).tokens;
    for (const Token& t : tokens) ids.push_back(t.id);
    EXPECT_EQ(join_ids(ids), join_ids(x.ids)) << x.text;
    for (size_t i = 0; ids == x.ids && i < ids.size(); ++i) {
      if (tokens[i].special && tokens[i].span.empty()) continue;
      Span theirs = trimmed(x.text, {byte_of_character(x.text, x.spans[i].begin),
                                     byte_of_character(x.text, x.spans[i].end)});
      EXPECT_TRUE(same_span(x.text, tokenizer.piece(ids[i]), tokens[i].span, theirs))
          << x.text << ": token " << i << " '" << tokenizer.piece(ids[i]) << "' ours "
          << tokens[i].span.begin << "-" << tokens[i].span.end << " theirs " << theirs.begin << "-"
          << theirs.end;
    }
  }
}

std::vector<std::string> treebank_sentences(const fs::path& path) {
  std::vector<std::string> texts;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);)
    if (line.starts_with("# text = ")) texts.emplace_back(line.substr(9));
  return texts;
}

void check_treebanks(const Tokenizer& tokenizer, const fs::path& hashes) {
  simdjson::dom::parser parser;
  std::string text = read_file(hashes);
  simdjson::dom::object files = parser.parse(text);
  size_t checked = 0;
  for (auto [name, wanted] : files) {
    fs::path path = testing::data_dir() / "ud-2.4" / std::string(name);
    if (!fs::exists(path)) continue;
    Sha256 hash;
    for (const std::string& s : treebank_sentences(path)) {
      std::vector<TokenId> ids;
      for (const Token& t : tokenizer.encode(s).tokens) ids.push_back(t.id);
      hash.add(join_ids(ids)).add("\n");
    }
    EXPECT_EQ(hash.hex(), std::string_view(wanted)) << name;
    ++checked;
  }
  EXPECT_GT(checked, 0u);
}

std::vector<std::string> kinds() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(golden_folder()))
    if (fs::exists(entry.path() / "tokenizer.json")) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, EveryText) {
  fs::path folder = golden_folder() / GetParam();
  check_texts(*load_tokenizer(folder), folder / "expected.jsonl");
}

TEST_P(Golden, Treebanks) {
  if (testing::data_dir().empty()) GTEST_SKIP() << testing::no_data();
  fs::path folder = golden_folder() / GetParam();
  check_treebanks(*load_tokenizer(folder), folder / "treebanks.json");
}

auto readable = [](const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
};

INSTANTIATE_TEST_SUITE_P(Kinds, Golden, ::testing::ValuesIn(kinds()), readable);

class GoldenModel : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenModel, TextsAndTreebanks) {
  fs::path folder = testing::models_dir() / GetParam();
  if (testing::models_dir().empty() || !fs::is_directory(folder))
    GTEST_SKIP() << testing::no_data();
  auto tokenizer = load_tokenizer(folder);
  check_texts(*tokenizer, golden_folder() / "models" / (GetParam() + ".jsonl"));
  if (!testing::data_dir().empty())
    check_treebanks(*tokenizer, golden_folder() / "models" / (GetParam() + "-treebanks.json"));
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenModel,
                         ::testing::Values("minilm-l6", "stories15M", "stories260K"), readable);

}  // namespace
}  // namespace minpair::tokenizer
