// Which piece of which tokenizer is in which region: real segmentations, from the small tokenizers
// that stand in the tree.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "judge/criterion.h"
#include "method/tokens.h"
#include "support.h"

namespace minpair::method {
namespace {

using ::testing::ElementsAre;
using Regions = std::vector<std::pair<std::string, std::string>>;

const tokenizer::Tokenizer& tokenizer_called(const std::string& name) {
  static std::map<std::string, std::unique_ptr<tokenizer::Tokenizer>> all;
  auto& one = all[name];
  if (!one)
    one = tokenizer::load_tokenizer(testing::source_dir() / "tests/golden/tokenizer" / name);
  return *one;
}

// As a model reads it that puts nothing around a sentence.
SentenceTokens plain_tokens_of(const suite::Sentence& s, const std::string& tokenizer) {
  return tokens_of(s, {tokenizer_called(tokenizer), {.kind = query::ModelInfo::Kind::causal}});
}

suite::Sentence sentence(const Regions& regions) {
  suite::Sentence s;
  suite::set_regions(s, regions);
  return s;
}

// What of the text each region's tokens cover, one string a region.
std::vector<std::string> covered(const std::string& tokenizer, const suite::Sentence& s) {
  const SentenceTokens tokens = plain_tokens_of(s, tokenizer);
  const std::vector<int> places = judge::regions_of(s, tokens.tokens);
  std::vector<std::string> text(s.regions.size());
  std::vector<Span> seen(s.regions.size());
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0) continue;
    Span& span = seen[size_t(places[i])];
    const Span own = tokens.tokens[i].span;
    span = span.empty() ? own : Span{std::min(span.begin, own.begin), std::max(span.end, own.end)};
  }
  for (size_t r = 0; r < text.size(); ++r) text[r] = trim(slice(s.text, seen[r]));
  return text;
}

const char* const kTokenizers[] = {"albert",     "bert-cased", "bert-uncased", "gemma",
                                   "gpt2",       "llama-2",    "llama-3",      "mistral",
                                   "modernbert", "qwen-2",     "roberta",      "xlm-roberta"};

// Wherever regions are cut between words, each has just the pieces of its own words.
TEST(RegionsOfPieces, AreTheirWordsInEveryTokenizer) {
  const std::vector<Regions> all = {
      {{"a", "The gardener who"},
       {"b", "feeds"},
       {"c", ""},
       {"d", "the cats"},
       {"e", "is tired ."}},
      {{"a", "Über den Häusern"}, {"b", "schläft"}, {"c", "die Großmutter"}},
      {{"a", "这个"}, {"b", "孩子"}, {"c", "很高兴"}, {"d", "。"}},
      {{"a", "子どもたちは"}, {"b", "歌を"}, {"c", "歌っています"}},
      {{"a", "เด็ก"}, {"b", "กำลัง"}, {"c", "ร้องเพลง"}},
      {{"a", "한국어"}, {"b", "노래를"}, {"c", "부른다"}},
      {{"a", "הילדים"}, {"b", "שרים"}}};
  for (const char* name : kTokenizers)
    for (const Regions& regions : all) {
      const suite::Sentence s = sentence(regions);
      const SentenceTokens tokens = plain_tokens_of(s, name);
      const std::vector<int> places = judge::regions_of(s, tokens.tokens);
      EXPECT_TRUE(std::is_sorted(places.begin(), places.end())) << name << ": " << s.text;
      for (size_t i = 0; i < places.size(); ++i) {
        ASSERT_GE(places[i], 0) << name << ": " << s.text;
        // A piece begins in its region, though it may reach over the edge where no space is.
        const Span own = tokens.tokens[i].span;
        if (own.empty()) continue;  // a byte of a character that another piece stands for
        size_t begin = own.begin;
        while (begin < own.end && s.text[begin] == ' ') ++begin;
        const Span region = s.regions[size_t(places[i])].span;
        EXPECT_LE(region.begin, begin) << name << ": " << s.text;
        EXPECT_LT(begin, region.end) << name << ": " << s.text;
      }
    }
}

TEST(RegionsOfPieces, AreJoinedWithoutSpacesWhereTheScriptHasNone) {
  EXPECT_EQ(sentence({{"a", "这个"}, {"b", "孩子"}, {"c", ""}, {"d", "。"}}).text, "这个孩子。");
  EXPECT_EQ(sentence({{"a", "孩子"}, {"b", "，"}, {"c", "iPhone"}, {"d", "好"}}).text,
            "孩子，iPhone好");
  EXPECT_EQ(sentence({{"a", "子どもは"}, {"b", "歌う"}}).text, "子どもは歌う");
  EXPECT_EQ(sentence({{"a", "เด็ก"}, {"b", "ร้อง"}}).text, "เด็กร้อง");
  EXPECT_EQ(sentence({{"a", "한국어"}, {"b", "노래"}}).text, "한국어 노래");
  EXPECT_EQ(sentence({{"a", "the cats"}, {"b", "."}}).text, "the cats .");
  EXPECT_THAT(covered("bert-cased", sentence({{"a", "孩子"}, {"b", "很"}, {"c", "高兴"}})),
              ElementsAre("孩子", "很", "高兴"));
}

// Three bytes of a character are three pieces with one place.
TEST(RegionsOfPieces, KeepTheBytesOfACharacterTogether) {
  const suite::Sentence s = sentence({{"a", "这个"}, {"b", "孩子"}});
  const SentenceTokens tokens = plain_tokens_of(s, "gpt2");
  ASSERT_GT(tokens.tokens.size(), 4u);  // more pieces than characters
  EXPECT_THAT(covered("gpt2", s), ElementsAre("这个", "孩子"));
  EXPECT_THAT(covered("llama-2", s), ElementsAre("这个", "孩子"));
  const suite::Sentence emoji = sentence({{"a", "so"}, {"b", "🦜"}, {"c", "sings"}});
  EXPECT_THAT(covered("gpt2", emoji), ElementsAre("so", "🦜", "sings"));
}

TEST(RegionsOfPieces, BelongWhereTheyBeginWhenTheyReachOverAnEdge) {
  // An edge inside a word, which the text itself states.
  suite::Sentence s;
  s.text = "The children laugh.";
  s.regions = {{"np", {0, 8}}, {"rest", {8, 12}}, {"verb", {13, 18}}, {"end", {18, 19}}};
  const SentenceTokens tokens = plain_tokens_of(s, "bert-cased");
  const std::vector<int> places = judge::regions_of(s, tokens.tokens);
  ASSERT_EQ(tokens.tokens[1].span, (Span{4, 12}));  // "children" is one piece
  EXPECT_EQ(places[1], 0);
  EXPECT_EQ(std::count(places.begin(), places.end(), 1), 0);
  EXPECT_EQ(places.back(), 3);
}

TEST(RegionsOfPieces, HoldUnknownWords) {
  const suite::Sentence s = sentence({{"a", "The children"}, {"b", "☃☃"}, {"c", "laugh ."}});
  const tokenizer::Tokenizer& words = tokenizer_called("bert-cased");
  const SentenceTokens tokens = plain_tokens_of(s, "bert-cased");
  const std::vector<int> places = judge::regions_of(s, tokens.tokens);
  size_t unknown = 0;
  for (size_t i = 0; i < places.size(); ++i)
    if (tokens.ids[i] == words.special().unk) {
      EXPECT_EQ(places[i], 1);
      ++unknown;
    }
  EXPECT_GT(unknown, 0u);
  EXPECT_THAT(covered("bert-cased", s), ElementsAre("The children", "☃☃", "laugh ."));
  EXPECT_THAT(covered("bert-uncased", s), ElementsAre("The children", "☃☃", "laugh ."));
}

// A piece may own the space before it; where the locus is does not depend on that, and it keeps the
// pieces that it has in the sentence.
TEST(LocusOfPieces, IsTheWordInEveryTokenizer) {
  suite::Sentence s;
  s.text = "The authors near the lake laugh again.";
  for (const char* name : kTokenizers)
    for (std::string_view word : {"The", "authors", "lake", "laugh"}) {
      const size_t begin = s.text.find(word);
      // With the space behind it, it is the same word.
      for (size_t more : {0, 1}) {
        s.locus = {begin, begin + word.size() + more};
        const query::ModelInfo masked;
        const MethodContext context{tokenizer_called(name), masked};
        SentenceTokens tokens = tokens_of(s, context);
        const std::vector<tokenizer::TokenId> before = tokens.ids;
        ASSERT_EQ(require_locus(tokens, s, context), judge::Reason::none) << name;
        EXPECT_EQ(tokens.ids, before) << name << " " << word;
        std::string covered;
        for (size_t i = tokens.locus_begin; i < tokens.locus_end; ++i)
          covered += slice(s.text, tokens.tokens[i].span);
        EXPECT_EQ(trim(covered), word) << name;
      }
    }
}

}  // namespace
}  // namespace minpair::method
