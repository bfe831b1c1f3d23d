#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "fake.h"
#include "query/bytes.h"

namespace minpair::query {
namespace {

using testing::FakeModel;
using ::testing::HasSubstr;

// Keeps the sum of its logits, and the best.
struct Sum : Reducer {
  explicit Sum(std::vector<tokenizer::TokenId> ids) : ids_(std::move(ids)) {}
  Hash128 identity() const override { return {7, ids_.size()}; }
  std::span<const tokenizer::TokenId> ids() const override { return ids_; }
  ClassRecords reduce(std::span<const float> logits) const override {
    ClassRecord record;
    for (float logit : logits) record.figures[0] += logit;
    auto best = std::max_element(logits.begin(), logits.end());
    record.best = {{uint32_t(best - logits.begin()), *best}};
    return {record};
  }
  std::vector<tokenizer::TokenId> ids_;
};

// One of everything.
Query everything() {
  Query q;
  q.ids = {2, 77, 100000, 3};
  q.asks = {{0, Targets{{5, kWordEnd, 300}, true}},
            {0, Targets{{}, false}},
            {1, Rank{9}},
            {1, Entropy{}},
            {2, Best{5}},
            {2, Classes{std::make_shared<Sum>(std::vector<tokenizer::TokenId>{4, 5, 6})}},
            {3, Hidden{11, Site::neuron}},
            {3, Lens{12, {1, 2}}}};
  Place place{Site::head, 3, 4, 1};
  q.changes = {{place, From{{1, 200}, {1, 0}}},
               {place, Zero{}},
               {place, Put{{3, 4}}},
               {place, Add{{5, 6}, -0.5f}}};
  return q;
}

TEST(Query, IsAValueWithBytes) {
  Query q = everything();
  Reducers reducers;
  reducers.add(q);
  std::string bytes;
  append_query(bytes, q);
  std::string_view rest = bytes;
  Query back = take_query(rest, reducers);
  EXPECT_EQ(back, q);
  EXPECT_TRUE(rest.empty());
  std::string again;
  append_query(again, back);
  EXPECT_EQ(again, bytes);
}

// Journals and messages between machines are read by other builds of the same version.
TEST(Query, ItsBytesAreKnown) {
  std::string bytes, hex;
  append_query(bytes, {{2, 300}, {{1, Targets{{5}, true}}, {1, Rank{9}}}, {}});
  for (unsigned char c : bytes) hex += fmt::format("{:02x}", c);
  EXPECT_EQ(hex,
            "0202ac0202080305"
            "0909"
            "00");
  Hash128 id = identity({{2, 300}, {{1, Targets{{5}, true}}, {1, Rank{9}}}, {}});
  EXPECT_EQ(id, hash128(bytes));
}

TEST(Query, EveryPartOfItIsPartOfItsIdentity) {
  Query q = everything();
  std::set<Hash128> seen{identity(q)};
  auto differs = [&](Query other) {
    EXPECT_NE(other, q);
    EXPECT_TRUE(seen.insert(identity(other)).second);
  };
  Query other = q;
  other.ids[1] = 78;
  differs(other);
  for (size_t i = 0; i < q.asks.size(); ++i) {
    other = q;
    ++other.asks[i].position;
    differs(other);
    other = q;
    other.asks.erase(other.asks.begin() + ptrdiff_t(i));
    differs(other);
  }
  for (size_t i = 0; i < q.changes.size(); ++i) {
    other = q;
    other.changes[i].at.index = 99;
    differs(other);
  }
  other = q;
  std::get<Targets>(other.asks[0].what).normalized = false;
  differs(other);
}

TEST(Query, BytesThatEndEarlyAreErrors) {
  Query q = everything();
  Reducers reducers;
  reducers.add(q);
  std::string bytes;
  append_query(bytes, q);
  for (size_t n = 0; n < bytes.size(); ++n) {
    std::string_view cut = std::string_view(bytes).substr(0, n);
    EXPECT_THROW(take_query(cut, reducers), Error) << n;
  }
  std::string_view all = bytes;
  EXPECT_THROW(take_query(all, {}), Error);  // nobody has the reducer
}

TEST(Answer, EveryRecordSurvives) {
  Query q = everything();
  Answer answer = {Logits{{1.5f, -2, 3}, 12.25},
                   Logits{},
                   Ranked{70000},
                   Nats{3.5},
                   BestTokens{{{5, -0.5}, {9, -1.5}}},
                   ClassRecords{{{1, 2}, {{7, -0.25f}}}, {{3, 4}, {}}},
                   State{{1, 2, 3}},
                   Logits{{4, 5}, 6}};
  std::string bytes;
  append_answer(bytes, answer);
  std::string_view rest = bytes;
  EXPECT_EQ(take_answer(rest, q.asks), answer);
  EXPECT_TRUE(rest.empty());
  for (size_t n = 0; n < bytes.size(); ++n) {
    std::string_view cut = std::string_view(bytes).substr(0, n);
    EXPECT_THROW(take_answer(cut, q.asks), Error) << n;
  }
}

// Against the whole list of logits, by hand.
TEST(Answer, RankEntropyBestAndClassesComeFromTheLogits) {
  struct Small : FakeModel {
    Small() { info().vocabulary = 50; }
  } model;
  Query whole{{7, 8, 9}, {{1, Targets{}}}, {}}, q = whole;
  auto& all = std::get<Targets>(whole.asks[0].what).ids;
  for (tokenizer::TokenId t = 0; t < 50; ++t) all.push_back(t);
  q.asks = {{1, Rank{20}},
            {1, Entropy{}},
            {1, Best{3}},
            {1, Classes{std::make_shared<Sum>(std::vector<tokenizer::TokenId>{4, 20})}}};
  Logits logits = logits_of(model.answer({&whole, 1})[0][0]);
  Answer answer = model.answer({&q, 1})[0];
  uint32_t rank = 1;
  double entropy = 0;
  std::vector<std::pair<float, tokenizer::TokenId>> order;
  for (size_t t = 0; t < 50; ++t) {
    rank += logits.logits[t] > logits.logits[20];
    entropy -= std::exp(logits.logprob(t)) * logits.logprob(t);
    order.push_back({-logits.logits[t], tokenizer::TokenId(t)});
  }
  std::sort(order.begin(), order.end());
  EXPECT_EQ(std::get<Ranked>(answer[0]).rank, rank);
  EXPECT_NEAR(std::get<Nats>(answer[1]).entropy, entropy, 1e-12);
  const auto& best = std::get<BestTokens>(answer[2]).tokens;
  ASSERT_EQ(best.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(best[i].id, order[i].second);
    EXPECT_EQ(best[i].logprob, logits.logprob(size_t(order[i].second)));
  }
  EXPECT_EQ(std::get<ClassRecords>(answer[3])[0].figures[0], logits.logits[4] + logits.logits[20]);
}

TEST(Model, SaysWhatItCannotBeAsked) {
  FakeModel model;
  auto said = [&](Query q) -> std::string {
    try {
      check(q, model);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(said({{1, 2}, {{0, Best{3}}}, {}}), "");
  EXPECT_THAT(said({{1, 2}, {{0, Hidden{3}}}, {}}),
              HasSubstr("fake cannot be asked for hidden states"));
  EXPECT_THAT(said({{1, 2}, {{0, Lens{3, {1}}}}, {}}), HasSubstr("cannot be asked for lenses"));
  EXPECT_THAT(said({{1, 2}, {}, {{{Site::mlp, 1, 0, 0}, Zero{}}}}),
              HasSubstr("fake has no feed-forward layers that can be"));
  EXPECT_THAT(said({{1, 2}, {{2, Entropy{}}}, {}}), HasSubstr("position 2 of 2"));
  EXPECT_THAT(said({{1, 2}, {{0, Rank{100000}}}, {}}), HasSubstr("target id 100000"));
}

// A journal must give back what a head of another width does not say.
TEST(Answers, ALensThatAnswersNothingComesBack) {
  const std::vector<Ask> asks = {{0, Lens{0, {7, 8}}}, {0, Lens{1, {7, 8}}}, {0, Targets{{7}}}};
  const Answer answer = {Logits{}, Logits{{1, 2}, 0}, Logits{{3}, 4}};
  std::string bytes;
  append_answer(bytes, answer);
  std::string_view rest = bytes;
  EXPECT_EQ(take_answer(rest, asks), answer);
  EXPECT_TRUE(rest.empty());
}

}  // namespace
}  // namespace minpair::query
