// XLM's and FlauBERT's tokenizers: what Hugging Face's classes make of some texts
// (tools/golden/make_fast_bpe.py), and which characters each token stands for.

#include <gtest/gtest.h>
#include <simdjson.h>

#include "base/file.h"
#include "support.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/tokenizer_json.h"
#include "tokenizer/word_ends.h"

namespace minpair::tokenizer {
namespace {

std::unique_ptr<Tokenizer> load(const std::string& name) {
  return load_tokenizer(testing::source_dir() / "tests/golden/tokenizer" / name);
}

class FastBpe : public ::testing::TestWithParam<std::string> {};

TEST_P(FastBpe, EveryTextAsTheLibraryCutsIt) {
  std::unique_ptr<Tokenizer> tokenizer = load(GetParam());
  LineReader lines(testing::source_dir() / "tests/golden/tokenizer" / GetParam() /
                   "expected.jsonl");
  simdjson::dom::parser parser;
  size_t texts = 0;
  for (std::string_view line; lines.next(line); ++texts) {
    simdjson::dom::element e = parser.parse(line.data(), line.size());
    const std::string text{std::string_view(e["text"])};
    std::string ours, theirs;
    for (int64_t id : simdjson::dom::array(e["ids"])) theirs += tokenizer->piece(TokenId(id)) + " ";
    for (const Token& t : tokenizer->encode(text).tokens) {
      ours += tokenizer->piece(t.id) + " ";
      EXPECT_LE(t.span.end, text.size());
    }
    EXPECT_EQ(ours, theirs) << text;
  }
  EXPECT_EQ(texts, 19u);
}

INSTANTIATE_TEST_SUITE_P(Made, FastBpe,
                         ::testing::Values("xlm", "xlm-cased", "flaubert", "flaubert-uncased"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(FastBpe, TokensKnowTheirCharactersAndWords) {
  std::unique_ptr<Tokenizer> tokenizer = load("flaubert");
  const std::string text = "(L’homme qu'elle aime, s'en va...)";
  std::vector<Token> tokens = tokenizer->encode(text, false).tokens;
  std::string words;
  size_t covered = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    covered += tokens[i].span.size();
    if (i && begins_word_after(*tokenizer, tokens[i - 1].id, tokens[i].id)) words += "|";
    words += slice(text, tokens[i].span);
  }
  EXPECT_EQ(words, "(|L’|homme|qu'|elle|aime|,|s'|en|va|...|)");
  EXPECT_EQ(covered, text.size() - 4);  // all but the spaces
}

// Words are asked about by the pieces that are whole words: clozes over many words need them.
TEST(FastBpe, APieceThatEndsAWordIsOne) {
  std::unique_ptr<Tokenizer> tokenizer = load("flaubert");
  size_t words = 0, parts = 0;
  for (size_t id = 0; id < tokenizer->vocabulary_size(); ++id) {
    const std::string piece = tokenizer->piece(TokenId(id));
    const std::string word = whole_word(*tokenizer, TokenId(id));
    EXPECT_EQ(word, piece.ends_with("</w>") ? piece.substr(0, piece.size() - 4) : "") << piece;
    ++(word.empty() ? parts : words);
  }
  EXPECT_GT(words, 10u);
  EXPECT_GT(parts, 10u);
}

// GPT-1's way of writing them, in a tokenizer.json.
TEST(FastBpe, ATokenizerJsonMayMarkWhereWordsEnd) {
  auto tokenizer = parse_tokenizer_json(
      R"({"pre_tokenizer": {"type": "BertPreTokenizer"},
          "model": {"type": "BPE", "unk_token": "<unk>", "end_of_word_suffix": "</w>",
                    "vocab": {"<unk>": 0, "l": 1, "a": 2, "a</w>": 3, "la</w>": 4},
                    "merges": ["l a</w>"]}})",
      "t");
  std::vector<Token> tokens = tokenizer->encode("aa la", false).tokens;
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_FALSE(begins_word_after(*tokenizer, tokens[0].id, tokens[1].id));
  EXPECT_TRUE(begins_word_after(*tokenizer, tokens[1].id, tokens[2].id));
  EXPECT_EQ(whole_word(*tokenizer, tokens[2].id), "la");
  EXPECT_EQ(whole_word(*tokenizer, tokens[0].id), "");
}

TEST(FastBpe, TheMaskIsKnown) {
  std::unique_ptr<Tokenizer> tokenizer = load("flaubert");
  EXPECT_EQ(tokenizer->piece(tokenizer->special().mask), "<special1>");
  EXPECT_EQ(tokenizer->kind(), "fastBPE");
}

}  // namespace
}  // namespace minpair::tokenizer
