#include "engine/engine.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/random.h"
#include "engine/made_up.h"
#include "engine/selected.h"
#include "fake.h"
#include "model/model.h"
#include "store/pack.h"
#include "support.h"

namespace minpair::engine {
namespace {

using testing::bytes_of;
using testing::FakeModel;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run_command;
using testing::some_items;
using testing::source_of;
using testing::TemporaryFolder;
using testing::three_methods;

std::vector<std::string> files_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& e : std::filesystem::directory_iterator(folder))
    names.push_back(e.path().filename().string());
  return names;
}

TEST(Run, AnUnchangedRunComputesNothing) {
  TemporaryFolder folder;
  std::vector<suite::Item> items = some_items(60);
  FakeModel model;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  RunReport first = run_suite(&store, source_of(items), model, three_methods(), {});
  EXPECT_EQ(first.stored_before, 0u);
  EXPECT_EQ(model.forward_passes, first.counts.distinct);
  EXPECT_EQ(first.excluded, 60u);  // 'verfolgten' is three pieces
  std::string bytes = bytes_of(folder / "r.db");
  uint64_t before = model.forward_passes;
  RunReport second = run_suite(&store, source_of(items), model, three_methods(), {});
  EXPECT_EQ(model.forward_passes, before);
  EXPECT_EQ(second.stored_before, 180u);
  EXPECT_TRUE(bytes_of(folder / "r.db") == bytes);
  EXPECT_EQ(files_in(folder.path()), std::vector<std::string>{"r.db"});
}

TEST(Run, OtherWeightsMeetNoOldScores) {
  TemporaryFolder folder;
  std::vector<suite::Item> items = some_items(20);
  store::Store store(folder / "r.db", store::Store::Mode::write);
  FakeModel one(1), two(2);
  run_suite(&store, source_of(items), one, three_methods(), {});
  run_suite(&store, source_of(items), two, three_methods(), {});
  EXPECT_EQ(one.forward_passes, two.forward_passes);
  EXPECT_EQ(store.runs().size(), 6u);
}

TEST(Run, PartsAddUpAndOtherSuitesShare) {
  TemporaryFolder folder;
  std::vector<suite::Item> items = some_items(60);
  store::Store store(folder / "r.db", store::Store::Mode::write);
  FakeModel model, whole;
  RunOptions some;
  some.selection.limit = 10;
  run_suite(&store, source_of(items), model, three_methods(), some);
  some = {};
  some.selection.tests = {"hard"};
  RunReport hard = run_suite(&store, source_of(items), model, three_methods(), some);
  EXPECT_GT(hard.stored_before, 0u);
  run_suite(&store, source_of(items), model, three_methods(), {});
  uint64_t parts = model.forward_passes;
  std::vector<suite::Item> reordered(items.rbegin(), items.rend());
  RunReport other = run_suite(&store, source_of(reordered, "other"), model, three_methods(), {});
  EXPECT_EQ(model.forward_passes, parts);
  EXPECT_EQ(other.stored_before, 180u);
  // The parts give the same summary as the whole.
  store::Store fresh(folder / "fresh.db", store::Store::Mode::write);
  run_suite(&fresh, source_of(items), whole, three_methods(), {});
  for (int64_t run = 1; run <= 3; ++run) {
    std::vector<store::SummaryRow> a = store.summary(run), b = fresh.summary(run);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].counts.items, b[i].counts.items);
      EXPECT_EQ(a[i].counts.right, b[i].counts.right);
      EXPECT_EQ(a[i].counts.ties, b[i].counts.ties);
    }
  }
}

TEST(Run, NothingSelectedIsAnError) {
  TemporaryFolder folder;
  std::vector<suite::Item> items = some_items(5), none;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  FakeModel model;
  RunOptions options;
  options.selection.tests = {"absent"};
  EXPECT_THROW(run_suite(&store, source_of(items), model, three_methods(), options), Error);
  EXPECT_THROW(run_suite(&store, source_of(none), model, three_methods(), {}), Error);
}

TEST(Run, DryRunOnlyCounts) {
  std::vector<suite::Item> items = some_items(50);
  FakeModel model;
  RunOptions options;
  options.dry_run = true;
  RunReport report = run_suite(nullptr, source_of(items), model, three_methods(), options);
  EXPECT_GT(report.counts.distinct, 0u);
  EXPECT_LT(report.counts.distinct, report.counts.asked);
  EXPECT_GT(report.estimated_seconds, 1e-7);  // no model is faster
  EXPECT_LT(report.estimated_seconds, 1e6);   // and something was timed
}

// --- kill -9 ---

struct Slow : FakeModel {
  std::vector<query::Answer> answer(std::span<const query::Query> queries) override {
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    if (log >= 0) {
      std::string line;
      for (const query::Query& q : queries) {
        std::string_view ids(reinterpret_cast<const char*>(q.ids.data()), q.ids.size() * 4);
        line += std::to_string(hash128(ids).low) + "\n";
      }
      if (::write(log, line.data(), line.size()) < 0) std::abort();
    }
    return FakeModel::answer(queries);
  }
  int log = -1;
};

void run_once(const std::filesystem::path& results, const std::vector<suite::Item>& items) {
  Slow model;
  store::Store store(results, store::Store::Mode::write);
  RunOptions options;
  options.plan.batch_tokens = 24;
  run_suite(&store, source_of(items), model, three_methods(), options);
}

TEST(Run, KilledAnywhereItEndsWithTheSameBytes) {
  TemporaryFolder folder;
  std::vector<suite::Item> items = some_items(150);
  run_once(folder / "undisturbed.db", items);
  std::string expected = bytes_of(folder / "undisturbed.db");
  Random random{static_cast<uint64_t>(::getpid())};
  int killed = 0;
  for (int round = 0; round < 6; ++round) {
    std::filesystem::path results = folder / ("killed" + std::to_string(round) + ".db");
    for (bool done = false; !done;) {
      pid_t child = ::fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        try {
          run_once(results, items);
        } catch (...) {
          ::_exit(3);
        }
        ::_exit(0);
      }
      std::this_thread::sleep_for(std::chrono::microseconds(random.below(60000)));
      ::kill(child, SIGKILL);
      int status = 0;
      ::waitpid(child, &status, 0);
      ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
      done = WIFEXITED(status);
      killed += !done;
      // Too slow a machine must not make this endless.
      if (killed > 200) run_once(results, items), done = true;
    }
    run_once(results, items);
    ASSERT_EQ(bytes_of(results) == expected, true) << "round " << round;
  }
  EXPECT_GT(killed, 0);
}

TEST(Run, TwoProcessesOnOneFile) {
  TemporaryFolder folder;
  std::vector<suite::Item> items = some_items(100);
  std::vector<pid_t> children;
  for (uint64_t seed : {1, 2, 3}) {
    pid_t child = ::fork();
    if (child == 0) {
      try {
        FakeModel model(seed);
        store::Store store(folder / "r.db", store::Store::Mode::write);
        run_suite(&store, source_of(items), model, three_methods(), {});
      } catch (const std::exception& e) {
        fprintf(stderr, "%s\n", e.what());
        ::_exit(1);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  store::Store store(folder / "r.db", store::Store::Mode::read);
  EXPECT_EQ(store.runs().size(), 9u);
  for (const store::RunRecord& r : store.runs()) {
    uint64_t items_of_run = 0;
    store.each_item(r.id, false, [&](const store::StoredItem&) { ++items_of_run; });
    EXPECT_EQ(items_of_run, 100u);
  }
}

// Drawn by place and seed alone: a larger sample contains the smaller one, and a seed another.
TEST(Run, SamplesAndLanguages) {
  TemporaryFolder folder;
  FakeModel model(1);
  std::vector<suite::Item> items = some_items(60);
  for (size_t i = 0; i < items.size(); ++i) items[i].language = i % 3 ? "de" : "fr";
  auto ordinals = [&](const Selection& selection) {
    static int n = 0;
    store::Store store(folder / fmt::format("{}.db", n++), store::Store::Mode::write);
    RunOptions options;
    options.selection = selection;
    run_suite(&store, source_of(items), model, three_methods(), options);
    std::set<uint64_t> found;
    store.each_item(store.runs().front().id, false,
                    [&](const store::StoredItem& item) { found.insert(item.ordinal); });
    return found;
  };
  std::set<uint64_t> ten = ordinals({.sample = 10}), twenty = ordinals({.sample = 20}),
                     other = ordinals({.sample = 10, .seed = 2}),
                     french = ordinals({.languages = {"fr"}, .sample = 5});
  EXPECT_EQ(ten.size(), 10u);
  EXPECT_EQ(twenty.size(), 20u);
  EXPECT_TRUE(std::includes(twenty.begin(), twenty.end(), ten.begin(), ten.end()));
  EXPECT_NE(ten, other);
  EXPECT_EQ(french.size(), 5u);
  for (uint64_t ordinal : french) EXPECT_EQ(ordinal % 3, 0u);
  EXPECT_EQ(ordinals({.sample = 1000}).size(), 60u);
  EXPECT_THROW(ordinals({.languages = {"nl"}}), Error);
}

// A suite is called the same however few of its items are used.
TEST(EachSelected, NamesTheWholeSuite) {
  const std::vector<suite::Item> nine = some_items(9);
  const SuiteSource suite = source_of(nine);
  auto used = [&](const Selection& selection) {
    size_t items = 0;
    SuiteContent content =
        each_selected(suite, selection, [&](uint64_t, const suite::Item&) { ++items; });
    EXPECT_EQ(items, selection.limit);
    EXPECT_EQ(content.items, 9u);
    return content.fingerprint;
  };
  EXPECT_EQ(used({.limit = 1}), used({.limit = 9}));
  TemporaryFolder folder;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  FakeModel model(1);
  run_suite(&store, suite, model, three_methods(), {});
  EXPECT_EQ(store.runs().at(0).suite.fingerprint, used({.limit = 2}));
}

TEST(Run, RecordsTheCommandThatMakesItAgain) {
  TemporaryFolder folder;
  FakeModel model(1);
  RunOptions options;
  options.selection = {.tests = {"two words"}, .limit = 7};
  options.load.vocabulary = "vocab.txt";
  options.load.threads = 3;
  SuiteSource suite = source_of({}, "suite");
  suite.called = "it's here.jsonl";
  store::Facts facts = facts_of(suite, model, three_methods(), options);
  EXPECT_EQ(facts["command"],
            "minpair run -s 'it'\\''s here.jsonl' -m fake --method ce,masked,pll"
            " --test 'two words' --limit 7 --vocab vocab.txt --precision fp32");
  EXPECT_FALSE(facts["version"].empty());
  EXPECT_EQ(facts.count("start"), 0u);
  // One is a number, too.
  options.selection = {.limit = 1, .sample = 1, .seed = 5};
  EXPECT_EQ(facts_of(suite, model, three_methods(), options)["command"],
            "minpair run -s 'it'\\''s here.jsonl' -m fake --method ce,masked,pll"
            " --sample 1 --seed 5 --limit 1 --vocab vocab.txt --precision fp32");
}

// A method is one file: nobody else need know it.
TEST(Run, AMethodFromElsewhereRunsLikeAnyOther) {
  // The rank of the second token, and whether it is the best.
  struct Rank : method::Method {
    const judge::MethodInfo& info() const override {
      static const judge::MethodInfo info{"rank", "the rank of the second token", ""};
      return info;
    }
    bool supports(const query::ModelInfo&) const override { return true; }
    method::Questions questions(const suite::Item&, std::vector<method::SentenceTokens> sentences,
                                const method::MethodContext&) const override {
      method::Questions questions;
      for (const method::SentenceTokens& sentence : sentences) {
        query::Query query{sentence.ids, {}, {}};
        query.asks = {{1, query::Rank{query.ids[1]}}, {1, query::Best{1}}};
        questions.queries.push_back(std::move(query));
      }
      return questions;
    }
    std::vector<judge::SentenceScore> score(
        const method::Questions& questions,
        const std::vector<const query::Answer*>& answers) const override {
      std::vector<judge::SentenceScore> scores;
      for (size_t i = 0; i < answers.size(); ++i) {
        judge::TokenScore token;
        token.id = questions.queries[i].ids[1];
        token.logprob = -double(std::get<query::Ranked>(answers[i]->at(0)).rank);
        bool best = std::get<query::BestTokens>(answers[i]->at(1)).tokens.at(0).id == token.id;
        EXPECT_EQ(token.logprob == -1, best);
        scores.push_back({{token}, {}});
      }
      return scores;
    }
  } rank;
  TemporaryFolder folder;
  FakeModel model;
  std::vector<suite::Item> items = some_items(20);
  for (suite::Item& item : items)
    for (suite::Sentence& s : item.sentences) s.text = "Sie kam", s.locus = {4, 7};
  store::Store store(folder / "r.db", store::Store::Mode::write);
  RunReport report = run_suite(&store, source_of(items), model, {&rank}, {});
  EXPECT_EQ(report.methods, std::vector<std::string>{"rank"});
  uint64_t seen = 0;
  store.each_item(report.runs.at(0), false, [&](const store::StoredItem& item) {
    std::vector<judge::SentenceScore> sentences = store::unpack_scores(item.tokens);
    ASSERT_EQ(sentences.size(), 2u);
    double value = sentences[0].tokens.at(0).logprob;
    EXPECT_LE(value, -1);
    EXPECT_GE(value, -double(testing::FakeTokenizer::kVocabulary));
    EXPECT_EQ(value, std::floor(value));
    ++seen;
  });
  EXPECT_EQ(seen, items.size());
  // Stored like any other: a second run has nothing to do.
  EXPECT_EQ(run_suite(&store, source_of(items), model, {&rank}, {}).stored_before, items.size());
}

TEST(Run, SelfTestCatchesABrokenModel) {
  struct Broken : FakeModel {
    std::vector<query::Answer> answer(std::span<const query::Query> queries) override {
      std::vector<query::Answer> answers = FakeModel::answer(queries);
      for (query::Answer& a : answers)
        std::get<query::Logits>(a[0]).log_sum_exp += double(queries.size());
      return answers;
    }
  } broken;
  EXPECT_THROW(self_test(broken), Error);
}

// What a file says is not computed here: the file is to blame, not the machine.
TEST(Run, SelfTestNamesAFileWhoseProbabilitiesAreNone) {
  TemporaryFolder folder;
  write_file(
      folder / "odd.arpa",
      "\\data\\\nngram 1=4\n\n\\1-grams:\n-99\t<s>\n-0.1\t</s>\n-0.1\t<unk>\n-0.1\ta\n\n\\end\\\n");
  auto model = model::load_model((folder / "odd.arpa").string(), {.threads = 1});
  try {
    self_test(*model);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("odd.arpa"));
    EXPECT_THAT(e.what(), HasSubstr("sum to 2.38"));
    EXPECT_THAT(e.what(), Not(HasSubstr("this machine")));
  }
}

}  // namespace
}  // namespace minpair::engine
