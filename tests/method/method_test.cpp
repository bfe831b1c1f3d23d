#include "method/method.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "fake.h"
#include "method/tokens.h"
#include "support.h"
#include "tokenizer/tokenizer.h"

namespace minpair::method {
namespace {

using ::testing::ElementsAre;
using testing::FakeModel;
using testing::FakeTokenizer;

suite::Item item_of(std::vector<std::string> texts) {
  suite::Item item;
  item.id = "1";
  for (const std::string& t : texts) item.sentences.push_back({{t}, {}, item.sentences.empty()});
  suite::align_loci(item.sentences);
  return item;
}

constexpr tokenizer::TokenId kMask = FakeTokenizer::kMask, kCls = FakeTokenizer::kCls,
                             kSep = FakeTokenizer::kSep;

class MethodTest : public ::testing::Test {
 protected:
  MethodContext context() {
    info.max_tokens = limit;
    return {model.tokenizer(), info};
  }
  Questions plan(const std::string& method, const suite::Item& item) {
    return find_method(method).ask(item, context());
  }
  std::vector<judge::SentenceScore> score(const std::string& method, const suite::Item& item) {
    Questions p = plan(method, item);
    std::vector<query::Answer> answers = model.answer(p.queries);
    std::vector<const query::Answer*> pointers;
    for (const query::Answer& a : answers) pointers.push_back(&a);
    return find_method(method).score(p, pointers);
  }
  tokenizer::TokenId id(const std::string& piece) { return *model.tokenizer().id(piece); }

  FakeModel model;
  uint32_t limit = 64;
  query::ModelInfo info;
  query::ModelInfo causal{
      .kind = query::ModelInfo::Kind::causal, .max_tokens = 64, .start = kCls, .end = kSep};
};

TEST_F(MethodTest, CrossEntropyAsksEveryTokenAboutItself) {
  Questions p = plan("ce", item_of({"Sie lacht .", "Sie lachen ."}));
  ASSERT_EQ(p.queries.size(), 2u);
  EXPECT_THAT(p.queries[0].ids, ElementsAre(kCls, id("Sie"), id("lach"), id("##t"), id("."), kSep));
  ASSERT_EQ(p.queries[0].asks.size(), 6u);
  for (uint32_t i = 0; i < 6; ++i) {
    EXPECT_EQ(p.queries[0].asks[i].position, i);
    EXPECT_EQ(p.queries[0].asks[i].what, query::What(query::Targets{{p.queries[0].ids[i]}}));
  }
  const std::vector<judge::TokenScore>& tokens = p.sentences[0].tokens;
  EXPECT_TRUE(tokens.front().special && tokens.back().special);
  EXPECT_TRUE(tokens[2].in_locus && tokens[3].in_locus);
  EXPECT_FALSE(tokens[1].in_locus || tokens[4].in_locus);
  EXPECT_TRUE(tokens[2].begins_word && !tokens[3].begins_word);
}

// What begins and ends a sentence is no word of it.
TEST_F(MethodTest, TheEndOfASentenceIsSpecial) {
  const Questions q =
      find_method("lp").ask(item_of({"Sie lacht .", "Sie lachen ."}), {model.tokenizer(), causal});
  const std::vector<judge::TokenScore>& tokens = q.sentences[0].tokens;
  ASSERT_EQ(tokens.back().id, kSep);
  EXPECT_TRUE(tokens.back().special && !tokens.back().begins_word);
  EXPECT_FALSE(tokens.front().special);
}

// FlauBERT's pieces mark where words end: whether one begins a word, the one before it says.
TEST(Tokens, WordsBeginAfterPiecesThatEndOne) {
  const auto tokenizer =
      tokenizer::load_tokenizer(testing::source_dir() / "tests/golden/tokenizer/flaubert");
  const suite::Sentence sentence{{"L’homme qu'elle aime, s'en va..."}, {}, true};
  for (auto kind : {query::ModelInfo::Kind::causal, query::ModelInfo::Kind::masked}) {
    const SentenceTokens s = tokens_of(sentence, {*tokenizer, {.kind = kind}});
    std::string words;
    for (const judge::TokenScore& t : s.tokens)
      words += (t.begins_word ? "|" : "") + std::string(slice(sentence.text, t.span));
    EXPECT_EQ(words, "|L’|homme|qu'|elle|aime|,|s'|en|va|...");
  }
}

TEST_F(MethodTest, ScoresAreLogitMinusLogSumExp) {
  suite::Item item = item_of({"Sie lacht .", "Sie lachen ."});
  std::vector<judge::SentenceScore> scores = score("ce", item);
  query::Answer a = model.answer(plan("ce", item).queries)[1];
  ASSERT_EQ(scores[1].tokens.size(), a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(scores[1].tokens[i].logit, logits_of(a[i]).logits[0]);
    EXPECT_EQ(scores[1].tokens[i].logprob, logits_of(a[i]).logprob());
  }
}

TEST_F(MethodTest, PrintedEquationNormalisesOverTheSentence) {
  std::vector<judge::SentenceScore> scores =
      score("ce-printed", item_of({"Sie lacht .", "Sie weint ."}));
  for (const judge::SentenceScore& s : scores) {
    double sum = 0;
    for (const judge::TokenScore& t : s.tokens) sum += std::exp(t.logprob);
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST_F(MethodTest, MaskedCandidatesShareOneContext) {
  Questions p = plan("masked", item_of({"Sie kam heim .", "Sie ging heim ."}));
  ASSERT_EQ(p.queries.size(), 2u);
  EXPECT_EQ(p.queries[0].ids, p.queries[1].ids);
  EXPECT_THAT(p.queries[0].ids, ElementsAre(kCls, id("Sie"), kMask, id("heim"), id("."), kSep));
  EXPECT_EQ(p.queries[0].asks, (std::vector<query::Ask>{{2, query::Targets{{id("kam")}}}}));
  EXPECT_EQ(p.queries[1].asks, (std::vector<query::Ask>{{2, query::Targets{{id("ging")}}}}));
}

TEST_F(MethodTest, MaskedLeavesOutWhatItCannotAsk) {
  EXPECT_EQ(plan("masked", item_of({"Sie lacht .", "Sie kam ."})).excluded,
            judge::Reason::locus_not_single_token);
  EXPECT_EQ(plan("masked", item_of({"Sie Qkam .", "Sie kam ."})).excluded,
            judge::Reason::unknown_locus);
  EXPECT_EQ(plan("masked-word", item_of({"Sie kam .", "Sie Qkam ."})).excluded,
            judge::Reason::unknown_locus);
  EXPECT_EQ(plan("masked", item_of({"Sie kam .", "Sie ."})).excluded, judge::Reason::empty_locus);
  EXPECT_EQ(plan("masked-word", item_of({"Sie lacht .", "Sie kam ."})).excluded,
            judge::Reason::none);
}

// Many vocabularies begin with the unknown word, or with the end of a text.
TEST_F(MethodTest, IdsMayBeZero) {
  struct FromZero : FakeTokenizer {
    const tokenizer::SpecialIds& special() const override { return ids; }
    tokenizer::SpecialIds ids = [] {
      tokenizer::SpecialIds s;
      s.unk = 0;
      return s;
    }();
  } from_zero;
  SentenceTokens s;
  s.ids = {5, 0, 6};
  s.locus_begin = 1, s.locus_end = 2;
  EXPECT_TRUE(unknown_locus(s, from_zero));
  s.locus_begin = 2, s.locus_end = 3;
  EXPECT_FALSE(unknown_locus(s, from_zero));

  causal.end = 0;
  const Questions p =
      find_method("lp").ask(item_of({"Sie kam", "Sie ging"}), {model.tokenizer(), causal});
  ASSERT_EQ(p.excluded, judge::Reason::none);
  EXPECT_EQ(p.queries[0].asks.back().what, query::What(query::Targets{{0}}));
}

// Two unknown words are the same to a model: what is compared would be a tie that says nothing.
TEST_F(MethodTest, AnUnknownWordAtTheLocusIsCountedNotScored) {
  for (const Method* m : all_methods()) {
    if (m->info().cloze || m->name() == "lemma-pairs") continue;
    const bool masked = m->supports({.kind = query::ModelInfo::Kind::masked});
    const MethodContext context{model.tokenizer(), masked ? info : causal};
    EXPECT_EQ(m->ask(item_of({"Sie Qkam heim .", "Sie Qging heim ."}), context).excluded,
              judge::Reason::unknown_locus)
        << m->name();
    EXPECT_EQ(m->ask(item_of({"Qsie kam heim .", "Qsie ging heim ."}), context).excluded,
              judge::Reason::none)
        << m->name();
  }
}

TEST_F(MethodTest, TooLongIsCountedNotCut) {
  limit = 5;
  for (const Method* m : all_methods())
    if (m->supports({.kind = query::ModelInfo::Kind::masked}) && !m->info().cloze) {
      EXPECT_EQ(m->ask(item_of({"Sie kam heim .", "Sie ging heim ."}), context()).excluded,
                judge::Reason::too_long)
          << m->name();
    }
  limit = 6;
  EXPECT_EQ(plan("ce", item_of({"Sie kam heim .", "Sie ging heim ."})).excluded,
            judge::Reason::none);
}

TEST_F(MethodTest, MaskedWordMasksAllPiecesTogether) {
  Questions p = plan("masked-word", item_of({"Sie verfolgt .", "Sie kam ."}));
  ASSERT_EQ(p.queries.size(), 2u);
  EXPECT_THAT(p.queries[0].ids, ElementsAre(kCls, id("Sie"), kMask, kMask, id("."), kSep));
  EXPECT_EQ(p.queries[0].asks, (std::vector<query::Ask>{{2, query::Targets{{id("verf")}}},
                                                        {3, query::Targets{{id("##olgt")}}}}));
  EXPECT_EQ(p.sentences[0].tokens.size(), 2u);
}

TEST_F(MethodTest, MaskedWordLeftToRightRevealsPieces) {
  Questions p = plan("masked-word-l2r", item_of({"Sie verfolgt .", "Sie kam ."}));
  ASSERT_EQ(p.queries.size(), 3u);
  EXPECT_THAT(p.queries[0].ids, ElementsAre(kCls, id("Sie"), kMask, kMask, id("."), kSep));
  EXPECT_THAT(p.queries[1].ids, ElementsAre(kCls, id("Sie"), id("verf"), kMask, id("."), kSep));
  EXPECT_EQ(p.queries[1].asks, (std::vector<query::Ask>{{3, query::Targets{{id("##olgt")}}}}));
}

TEST_F(MethodTest, PseudoLikelihoodMasksEachTokenInTurn) {
  suite::Item item = item_of({"Sie verfolgt .", "Sie kam ."});
  Questions p = plan("pll", item);
  ASSERT_EQ(p.queries.size(), 4u + 3u);
  EXPECT_THAT(p.queries[1].ids, ElementsAre(kCls, id("Sie"), kMask, id("##olgt"), id("."), kSep));
  EXPECT_EQ(p.sentences[0].tokens.size(), 4u);  // no special tokens

  p = plan("pll-word-l2r", item);
  ASSERT_EQ(p.queries.size(), 4u + 3u);
  EXPECT_THAT(p.queries[1].ids, ElementsAre(kCls, id("Sie"), kMask, kMask, id("."), kSep));
  EXPECT_THAT(p.queries[2].ids, ElementsAre(kCls, id("Sie"), id("verf"), kMask, id("."), kSep));

  p = plan("pll-sentence-l2r", item);
  ASSERT_EQ(p.queries.size(), 4u + 3u);
  EXPECT_THAT(p.queries[0].ids, ElementsAre(kCls, kMask, kMask, kMask, kMask, kSep));
  EXPECT_EQ(p.queries[0].asks, (std::vector<query::Ask>{{1, query::Targets{{id("Sie")}}}}));
  EXPECT_THAT(p.queries[2].ids, ElementsAre(kCls, id("Sie"), id("verf"), kMask, kMask, kSep));
  EXPECT_THAT(p.queries[3].ids,
              ElementsAre(kCls, id("Sie"), id("verf"), id("##olgt"), kMask, kSep));

  p = plan("pll-whole-word", item);
  ASSERT_EQ(p.queries.size(), 3u + 3u);
  EXPECT_EQ(p.queries[1].asks.size(), 2u);
  EXPECT_THAT(p.queries[1].ids, ElementsAre(kCls, id("Sie"), kMask, kMask, id("."), kSep));
}

TEST_F(MethodTest, LocusInsideATokenIsTokenizedOnItsOwn) {
  suite::Item item = item_of({"Sie kamst .", "Sie kamen ."});
  // Only the ending: a piece of four letters reaches over the edge.
  item.sentences[0].locus = {7, 9};
  item.sentences[1].locus = {7, 9};
  ASSERT_EQ(slice(item.sentences[0].text, item.sentences[0].locus), "st");
  Questions p = plan("masked", item);
  ASSERT_EQ(p.excluded, judge::Reason::none);
  EXPECT_THAT(p.queries[0].ids, ElementsAre(kCls, id("Sie"), id("kam"), kMask, id("."), kSep));
  EXPECT_EQ(p.queries[0].asks, (std::vector<query::Ask>{{3, query::Targets{{id("st")}}}}));
  const judge::TokenScore& t = p.sentences[0].tokens[0];
  EXPECT_EQ(t.span, (Span{7, 9}));
}

TEST_F(MethodTest, MethodsAreFoundByName) {
  EXPECT_EQ(find_method("pll").name(), "pll");
  EXPECT_THROW(find_method("pl"), Error);
  EXPECT_EQ(find_methods("ce, masked,ce", {.kind = query::ModelInfo::Kind::masked}).size(), 2u);
  EXPECT_THROW(find_methods("masked", {.kind = query::ModelInfo::Kind::causal}), Error);
  for (const Method* m : all_methods()) {
    EXPECT_FALSE(m->explanation().empty() || m->citation().empty()) << m->name();
    EXPECT_TRUE(m->info().cloze || judge::same_family(m->view(), {judge::Unit::sum})) << m->name();
  }
}

}  // namespace
}  // namespace minpair::method
