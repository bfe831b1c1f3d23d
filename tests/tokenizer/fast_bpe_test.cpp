// XLM's and FlauBERT's tokenizers: what Hugging Face's classes make of some texts
// (tools/golden/make_fast_bpe.py), and which characters each token stands for.

#include <gtest/gtest.h>
#include <simdjson.h>

#include "base/file.h"
#include "support.h"
#include "tokenizer/tokenizer.h"
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

TEST(FastBpe, TheMaskIsKnown) {
  std::unique_ptr<Tokenizer> tokenizer = load("flaubert");
  EXPECT_EQ(tokenizer->piece(tokenizer->special().mask), "<special1>");
  EXPECT_EQ(tokenizer->kind(), "fastBPE");
}

}  // namespace
}  // namespace minpair::tokenizer
