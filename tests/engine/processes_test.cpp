#include "engine/processes/processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "base/random.h"
#include "engine/plan.h"
#include "engine/processes/messages.h"
#include "fake.h"
#include "support.h"

namespace minpair::engine {
namespace {

using ::testing::AllOf;
using testing::FakeModel;
using ::testing::HasSubstr;

// Threads in place of processes.
struct Office {
  explicit Office(int n) : inboxes(size_t(n)) {}
  std::mutex mutex;
  std::condition_variable arrived;
  std::vector<std::deque<std::pair<int, std::string>>> inboxes;
};

class ThreadWire : public Transport {
 public:
  ThreadWire(Office& office, int rank) : office_(office), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return int(office_.inboxes.size()); }
  int on_this_machine() const override { return size(); }
  std::string host() const override { return "here"; }
  void send(int to, std::string bytes) override {
    std::lock_guard lock(office_.mutex);
    office_.inboxes[size_t(to)].emplace_back(rank_, std::move(bytes));
    office_.arrived.notify_all();
  }
  bool receive(int& from, std::string& bytes, bool wait) override {
    std::unique_lock lock(office_.mutex);
    auto& inbox = office_.inboxes[size_t(rank_)];
    if (wait) office_.arrived.wait(lock, [&] { return !inbox.empty(); });
    if (inbox.empty()) return false;
    from = inbox.front().first;
    bytes = std::move(inbox.front().second);
    inbox.pop_front();
    return true;
  }
  void finish() override { finished = true; }
  void stop(int) override { std::abort(); }

  bool finished = false;

 private:
  Office& office_;
  int rank_;
};

std::vector<suite::Item> some_items(size_t n) {
  const std::vector<std::string> words = {"Sie", "die", "kam", "ging", "verfolgt", "heim", "oft"};
  Random random(1);
  std::vector<suite::Item> items(n);
  for (suite::Item& item : items) {
    std::string start;
    for (uint64_t w = 1 + random.below(6); w > 0; --w) start += words[random.below(7)] + " ";
    item.sentences = {{{start + "kam ."}, {}, true}, {{start + "ging ."}, {}, false}};
    suite::align_loci(item.sentences);
  }
  return items;
}

// Every score of a planner that works with the executor, as text.
std::string scores(query::Model& model, Executor* executor, const std::vector<suite::Item>& items) {
  PlanOptions options;
  options.batch_tokens = 200;
  Planner planner(model, method::find_methods("ce,pll", {.kind = query::ModelInfo::Kind::masked}),
                  options);
  ItemSource source = [&](const EachItem& each) {
    for (size_t i = 0; i < items.size(); ++i) each(i, items[i]);
  };
  planner.plan(source);
  planner.answer(nullptr, nullptr, executor);
  std::string text;
  planner.assemble(source, [&](Scored& s) {
    for (const judge::SentenceScore& sentence : s.sentences)
      for (const judge::TokenScore& t : sentence.tokens) text += fmt::format("{:a} ", t.logprob);
  });
  return text;
}

struct Slow : FakeModel {
  std::vector<query::Answer> answer(std::span<const query::Query> queries) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
    return FakeModel::answer(queries);
  }
  int pause = 1;
};

struct Failing : FakeModel {
  std::vector<query::Answer> answer(std::span<const query::Query> queries) override {
    if (calls == 3) throw cannot("out of paper");
    return FakeModel::answer(queries);
  }
};

// The others serve two models each, made by `make(rank)`; the first does `work`.
template <class Work>
void together(int size, const std::function<std::unique_ptr<query::Model>(int)>& make,
              const Work& work) {
  Office office(size);
  std::vector<std::unique_ptr<ThreadWire>> wires;
  std::vector<std::thread> others;
  for (int rank = 0; rank < size; ++rank)
    wires.push_back(std::make_unique<ThreadWire>(office, rank));
  for (int rank = 1; rank < size; ++rank)
    others.emplace_back(
        [&, rank] { serve(*wires[size_t(rank)], 2, [&](uint32_t) { return make(rank); }); });
  work(*wires[0]);
  for (std::thread& t : others) t.join();
  for (int rank = 1; rank < size; ++rank) EXPECT_TRUE(wires[size_t(rank)]->finished);
}

TEST(Executor, GivesTheScoresOfOneProcess) {
  std::vector<suite::Item> items = some_items(150);
  FakeModel alone;
  std::string expected = scores(alone, nullptr, items);
  for (int size : {2, 3, 5}) {
    std::atomic<uint64_t> by_others{0};
    struct Counting : Slow {
      explicit Counting(std::atomic<uint64_t>& n) : count(n) {}
      ~Counting() override { count += forward_passes; }
      std::atomic<uint64_t>& count;
    };
    auto make = [&](int rank) {
      auto model = std::make_unique<Counting>(by_others);
      model->pause = rank;  // some are slower
      return model;
    };
    Slow first;
    together(size, make, [&](Transport& transport) {
      for (uint32_t number : {0, 1}) {
        Coordinator executor(transport, number, first);
        EXPECT_EQ(scores(first, &executor, items), expected);
      }
    });
    EXPECT_GT(by_others, 2 * alone.forward_passes / 4);
    EXPECT_GE(first.forward_passes, 2u);  // it works, too: how much more depends on the machine
  }
}

// However short a batch is, its first piece has a query in it.
TEST(Executor, ABatchOfOneTokenIsAnswered) {
  together(1, nullptr, [&](Transport& transport) {
    FakeModel model;
    Coordinator executor(transport, 0, model);
    query::Query query;
    query.ids = {5};
    query.asks = {{0, query::Targets{{6}}}};
    executor.submit({query});
    std::vector<query::Answer> answers = executor.next();
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0].size(), 1u);
  });
}

TEST(Executor, OneThatFailsEndsTheRunWithItsMessage) {
  std::vector<suite::Item> items = some_items(150);
  together(
      3,
      [](int rank) {
        return rank == 2 ? std::make_unique<Failing>() : std::make_unique<FakeModel>();
      },
      [&](Transport& transport) {
        Slow first;
        first.pause = 5;
        std::string said;
        try {
          Coordinator executor(transport, 0, first);
          scores(first, &executor, items);
        } catch (const Error& e) {
          said = e.what();
        }
        EXPECT_THAT(said, AllOf(HasSubstr("process 2: here: out of paper"),
                                HasSubstr("the same command continues from there")));
        Coordinator last(transport, 1, first);
      });
}

TEST(Executor, OneThatWouldGiveOtherScoresIsRefused) {
  auto with = [&](const std::function<void(FakeModel&)>& change, uint64_t seed = 0) {
    std::string said;
    auto make = [&](int) {
      auto model = std::make_unique<FakeModel>(seed);
      change(*model);
      return model;
    };
    together(2, make, [&](Transport& transport) {
      Slow first;
      first.pause = 5;
      try {
        Coordinator executor(transport, 0, first);
        scores(first, &executor, some_items(100));
      } catch (const Error& e) {
        said = e.what();
      }
      Coordinator last(transport, 1, first);
    });
    return said;
  };
  EXPECT_THAT(with([](FakeModel& m) { m.info().precision = "bf16"; }),
              HasSubstr("process 1 on here would give different scores: it computes in bf16, the "
                        "first process in fp32"));
  EXPECT_THAT(with([](FakeModel&) {}, 1), HasSubstr("its model has different weights"));
  EXPECT_THAT(with([](FakeModel& m) { m.info().fingerprint = "fake 0"; }, 1),
              HasSubstr("its processor rounds differently"));
}

TEST(Messages, QueriesAndAnswersSurvive) {
  std::vector<query::Query> queries = {
      {{5, 100000, 7}, {{0, query::Targets{{5}}}, {2, query::Targets{{7, 9, 11}, false}}}, {}},
      {{1}, {}, {}}};
  std::string bytes = message(Say::batch, 300, queries_text(queries));
  Message m = parse_message(bytes);
  EXPECT_EQ(m.say, Say::batch);
  EXPECT_EQ(m.number, 300u);
  EXPECT_EQ(parse_queries(m.rest), queries);
  std::vector<query::Answer> answers = {
      {query::Logits{{1.5f}, 12.25}, query::Logits{{-1, 2, 3}, 0}}, {}};
  std::string text = answers_text(answers);
  std::vector<query::Answer> back = parse_answers(text, queries);
  EXPECT_EQ(back, answers);
  EXPECT_THROW(parse_answers(text.substr(1), queries), Error);
  EXPECT_THROW(parse_answers(text + "x", queries), Error);
}

}  // namespace
}  // namespace minpair::engine
