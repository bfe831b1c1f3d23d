// Contexts: read, never scored.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake.h"
#include "method/method.h"
#include "method/tokens.h"

namespace minpair::method {
namespace {

using ::testing::ElementsAre;
using testing::FakeModel;
using testing::FakeTokenizer;

constexpr tokenizer::TokenId kMask = FakeTokenizer::kMask, kCls = FakeTokenizer::kCls,
                             kSep = FakeTokenizer::kSep;

class ContextTest : public ::testing::Test {
 protected:
  suite::Item item(const std::string& context) {
    suite::Item item;
    item.id = "1";
    item.sentences = {{{"Sie kam ."}, {}, true}, {{"Sie ging ."}, {}, false}};
    suite::align_loci(item.sentences);
    for (suite::Sentence& s : item.sentences) s.context = context;
    return item;
  }
  Questions ask(const std::string& method, const suite::Item& item, tokenizer::TokenId start = -1) {
    const Method& m = find_method(method);
    auto kind = m.supports({.kind = query::ModelInfo::Kind::masked})
                    ? query::ModelInfo::Kind::masked
                    : query::ModelInfo::Kind::causal;
    return m.ask(item, {model.tokenizer(), {.kind = kind, .max_tokens = limit, .start = start}});
  }
  tokenizer::TokenId id(const std::string& piece) { return *model.tokenizer().id(piece); }

  FakeModel model;
  uint32_t limit = 64;
};

TEST_F(ContextTest, CausalModelsScoreWhatComesAfterIt) {
  Questions q = ask("lp", item("Er ging ."), 9);
  EXPECT_THAT(q.queries[0].ids,
              ElementsAre(9, id("Er"), id("ging"), id("."), id("Sie"), id("kam")));
  ASSERT_EQ(q.sentences[0].tokens.size(), 3u);
  EXPECT_EQ(q.queries[0].asks[0].position, 3u);
  EXPECT_EQ(q.sentences[0].tokens[0].span, (Span{0, 3}));
  EXPECT_TRUE(q.sentences[0].tokens[0].begins_word);
  EXPECT_EQ(q.sentences[1].tokens[1].span, (Span{4, 8}));
  EXPECT_TRUE(q.sentences[1].tokens[1].in_locus);
  EXPECT_FALSE(q.sentences[1].tokens[0].in_locus);  // "ging" is in the context too
  // Without a start the first token of a sentence alone has nothing before it; here it has.
  EXPECT_EQ(ask("lp", item("")).sentences[0].tokens.size(), 2u);
  EXPECT_EQ(ask("lp", item("Er ging .")).sentences[0].tokens.size(), 3u);
}

TEST_F(ContextTest, MaskedModelsReadItUnmasked) {
  suite::Item with = item("Er ging .");
  Questions ce = ask("ce", with);
  EXPECT_THAT(ce.queries[0].ids, ElementsAre(kCls, id("Er"), id("ging"), id("."), id("Sie"),
                                             id("kam"), id("."), kSep));
  std::vector<uint32_t> asked;
  for (const query::Ask& a : ce.queries[0].asks) asked.push_back(a.position);
  EXPECT_THAT(asked, ElementsAre(0, 4, 5, 6, 7));
  Questions pll = ask("pll", with);
  ASSERT_EQ(pll.sentences[0].tokens.size(), 3u);
  EXPECT_THAT(pll.queries[0].ids,
              ElementsAre(kCls, id("Er"), id("ging"), id("."), kMask, id("kam"), id("."), kSep));
  Questions masked = ask("masked", with);
  EXPECT_THAT(masked.queries[0].ids,
              ElementsAre(kCls, id("Er"), id("ging"), id("."), id("Sie"), kMask, id("."), kSep));
  EXPECT_EQ(masked.queries[1].asks[0].position, 5u);
}

TEST_F(ContextTest, ItCountsForTheLengthOfAnInput) {
  limit = 6;
  EXPECT_EQ(ask("ce", item("")).excluded, Reason::none);
  EXPECT_EQ(ask("ce", item("Er ging .")).excluded, Reason::too_long);
}

// A tokenizer in which a piece may reach over the joint.
class PairsOfLetters : public FakeTokenizer {
 public:
  tokenizer::Encoding encode(std::string_view text, bool with_special) const override {
    tokenizer::Encoding e;
    if (with_special) e.tokens.push_back({kCls, {}, true});
    for (size_t at = 0; at < text.size(); at += 6)
      e.tokens.push_back({*id(text.substr(at, 6)), {at, std::min(at + 6, text.size())}, false});
    if (with_special) e.tokens.push_back({kSep, {}, true});
    return e;
  }
};

TEST_F(ContextTest, TokensAcrossTheJointAreTokenizedApart) {
  PairsOfLetters pairs;  // two ideographs are six bytes
  Encoded even = encoded({"犬も寝", "猫が"}, pairs, {});
  EXPECT_EQ(even.context_begin, 1u);
  EXPECT_EQ(even.context_end, 2u);
  EXPECT_EQ(even.tokens[3].span, (Span{6, 9}));
  Encoded odd = encoded({"犬も寝", "猫が寝"}, pairs, {});
  EXPECT_THAT(odd.ids, ElementsAre(kCls, *pairs.id("猫が"), *pairs.id("寝"), *pairs.id("犬も"),
                                   *pairs.id("寝"), kSep));
  EXPECT_EQ(odd.context_end, 3u);
  EXPECT_EQ(odd.tokens[3].span, (Span{0, 6}));
  EXPECT_TRUE(odd.tokens[1].span.empty());
  // The space between the two is read with the text, and counted in no span of it.
  Encoded spaced = encoded({"Sie kam", "Er ging"}, pairs, {});
  EXPECT_THAT(spaced.ids, ElementsAre(kCls, *pairs.id("Er gin"), *pairs.id("g"),
                                      *pairs.id(" Sie k"), *pairs.id("am"), kSep));
  EXPECT_EQ(spaced.tokens[3].span, (Span{0, 5}));
  EXPECT_EQ(spaced.tokens[4].span, (Span{5, 7}));
  // A piece that ends with that space does not reach over.
  Encoded ended = encoded({"Sie kam", "Er gi"}, pairs, {});
  EXPECT_THAT(ended.ids,
              ElementsAre(kCls, *pairs.id("Er gi "), *pairs.id("Sie ka"), *pairs.id("m"), kSep));
}

// Cuts what has no space before it after every letter.
class Greedy : public FakeTokenizer {
 public:
  tokenizer::Encoding encode(std::string_view text, bool) const override {
    tokenizer::Encoding e;
    for (size_t at = 0; at < text.size();) {
      size_t end = at + 1;
      if (text[at] == ' ')
        while (end < text.size() && text[end] != ' ') ++end;
      e.tokens.push_back({*id(text.substr(at, end - at)), {at, end}, false});
      at = end;
    }
    return e;
  }
};

// Its spans have the space, as some tokenizers' have: the locus is the word all the same.
TEST(LocusOfPieces, ASpaceOfAPieceReachesOverNoEdge) {
  Greedy greedy;
  suite::Sentence s{{"Sie kam ."}, {4, 7}, true};
  const query::ModelInfo masked;
  SentenceTokens tokens = tokens_of(s, {greedy, masked});
  const std::vector<tokenizer::TokenId> before = tokens.ids;
  ASSERT_EQ(require_locus(tokens, s, {greedy, masked}), judge::Reason::none);
  EXPECT_EQ(tokens.ids, before);
  EXPECT_EQ(tokens.locus_size(), 1u);
  EXPECT_EQ(tokens.ids[tokens.locus_begin], *greedy.id(" kam"));
}

TEST_F(ContextTest, SaysWhatItRetokenizes) {
  EXPECT_FALSE(retokenized_by_context(item("Er ging ."), model.tokenizer()));
  Greedy greedy;
  EXPECT_FALSE(retokenized_by_context(item(""), greedy));
  EXPECT_TRUE(retokenized_by_context(item("Er ging ."), greedy));
  suite::Item one = item("");
  one.sentences[1].context = "Er";
  EXPECT_TRUE(retokenized_by_context(one, greedy));
}

}  // namespace
}  // namespace minpair::method
