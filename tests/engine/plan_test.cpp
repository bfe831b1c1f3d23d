#include "engine/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "base/random.h"
#include "engine/distinct.h"
#include "engine/journal.h"
#include "engine/sorted_records.h"
#include "fake.h"
#include "model/model.h"
#include "support.h"
#include "tokenizer/word_ends.h"

namespace minpair::engine {
namespace {

using testing::FakeModel;
using testing::TemporaryFolder;

// --- the oracle: one item, one method, one query at a time ---

struct Naive {
  judge::Reason excluded = judge::Reason::none;
  std::vector<judge::SentenceScore> sentences;
};

Naive naive_score(query::Model& model, const method::Method& method, const suite::Item& item) {
  method::MethodContext context{model.tokenizer(), model.info()};
  method::Questions plan = method.ask(item, context);
  std::vector<query::Answer> answers;
  for (const query::Query& q : plan.queries) answers.push_back(model.answer({&q, 1}).front());
  std::vector<const query::Answer*> pointers;
  for (const query::Answer& a : answers) pointers.push_back(&a);
  if (plan.excluded != judge::Reason::none) return {plan.excluded, {}};
  return {judge::Reason::none, method.score(plan, pointers)};
}

void expect_same(const Naive& a, judge::Reason excluded,
                 const std::vector<judge::SentenceScore>& sentences) {
  ASSERT_EQ(a.excluded, excluded);
  ASSERT_EQ(a.sentences.size(), sentences.size());
  for (size_t s = 0; s < sentences.size(); ++s) {
    ASSERT_EQ(a.sentences[s].tokens.size(), sentences[s].tokens.size());
    for (size_t t = 0; t < sentences[s].tokens.size(); ++t) {
      const judge::TokenScore &x = a.sentences[s].tokens[t], &y = sentences[s].tokens[t];
      ASSERT_EQ(x.id, y.id);
      ASSERT_EQ(x.span, y.span);
      ASSERT_EQ(x.logit, y.logit);
      ASSERT_EQ(x.logprob, y.logprob);
    }
  }
}

// Sentences from few words, so that many contexts are shared.
std::vector<suite::Item> random_items(size_t n, uint64_t seed) {
  const std::vector<std::string> words = {"Sie",  "die",       "kam", "ging", "verfolgt",
                                          "heim", "verfolgen", "Qx",  ",",    "oft"};
  Random random(seed);
  std::vector<suite::Item> items;
  while (items.size() < n) {
    size_t length = 2 + random.below(4), locus = random.below(length);
    suite::Item item;
    item.id = std::to_string(items.size());
    for (int s = 0; s < 2 + int(random.below(2)); ++s) item.sentences.push_back({{""}, {}, s == 0});
    for (size_t w = 0; w < length; ++w) {
      const std::string& shared = words[random.below(words.size())];
      for (suite::Sentence& s : item.sentences)
        s.text += (w ? " " : "") + (w == locus ? words[random.below(words.size())] : shared);
    }
    suite::align_loci(item.sentences);
    items.push_back(item);
  }
  return items;
}

// Minimal pairs from words that the model knows, beginnings shared.
std::vector<suite::Item> items_in_words_of(const query::Model& model, size_t n) {
  std::vector<std::string> words;
  const tokenizer::Tokenizer& tokenizer = model.tokenizer();
  for (size_t id = 0; id < tokenizer.vocabulary_size() && words.size() < 12; ++id) {
    std::string word = tokenizer::whole_word(tokenizer, tokenizer::TokenId(id));
    tokenizer::Encoding e = tokenizer.encode(word, false);
    bool plain = valid_utf8(word) && !word.empty() && std::isalnum(uint8_t(word[0]));
    if (plain && !e.tokens.empty() && e.tokens[0].id != tokenizer.special().unk)
      words.push_back(word);
  }
  EXPECT_GE(words.size(), 3u);
  Random random(3);
  std::vector<suite::Item> items(n);
  for (suite::Item& item : items) {
    std::string start = words[random.below(2)], end;
    for (uint64_t w = random.below(3); w > 0; --w) start += " " + words[random.below(words.size())];
    for (uint64_t w = 1 + random.below(2); w > 0; --w)
      end += " " + words[random.below(words.size())];
    for (size_t s = 0; s < 2; ++s)
      item.sentences.push_back(
          {{start + " " + words[(random.below(2) + s) % words.size()] + end}, {}, s == 0});
    suite::align_loci(item.sentences);
  }
  return items;
}

constexpr const char* kArpa =
    "\\data\\\nngram 1=6\nngram 2=3\n\n\\1-grams:\n-1.0\t<unk>\n-99\t<s>\t-0.5\n-0.7\t</s>\n"
    "-0.6\tder\t-0.3\n-0.9\thund\t-0.2\n-0.8\thof\n\n\\2-grams:\n-0.2\t<s> der\n-0.4\tder hund\n"
    "-0.1\thund </s>\n\n\\end\\\n";

ItemSource source_of(const std::vector<suite::Item>& items) {
  return [&items](const EachItem& each) {
    for (size_t i = 0; i < items.size(); ++i) each(i, items[i]);
  };
}

std::vector<const method::Method*> masked_methods() {
  return method::find_methods("all", {.kind = query::ModelInfo::Kind::masked});
}

TEST(Planner, AgreesWithTheOracleBitForBit) {
  FakeModel model;
  std::vector<suite::Item> items = random_items(300, 1);
  TemporaryFolder folder;
  for (uint32_t batch : {1u, 50u, 100000u})
    for (size_t memory : {size_t{2000}, size_t{1} << 26}) {
      Planner planner(model, masked_methods(), {memory, folder.path(), batch});
      planner.plan(source_of(items));
      planner.answer();
      size_t seen = 0;
      planner.assemble(source_of(items), [&](Scored& s) {
        ++seen;
        const method::Method& method = *planner.methods()[s.method];
        expect_same(naive_score(model, method, items[s.ordinal]), s.excluded, s.sentences);
      });
      EXPECT_EQ(seen, items.size() * masked_methods().size());
    }
}

// Real networks of every kind, from the tree: what the planner shares, cuts and keeps on disk gives
// the bits of one query at a time.
TEST(Planner, AgreesWithTheOracleForEveryKindOfModelAndEveryMethod) {
  std::filesystem::path tests = testing::source_dir() / "tests";
  model::LoadOptions words;
  words.vocabulary = tests / "golden/recurrent/vocab.txt";
  std::vector<std::unique_ptr<query::Model>> models;
  models.push_back(model::load_model((tests / "model/golden/bert").string()));
  models.push_back(model::load_model((tests / "model/golden/llama").string()));
  models.push_back(model::load_model((tests / "golden/recurrent/lstm0.pt").string(), words));
  TemporaryFolder folder;
  write_file(folder / "x.arpa", kArpa);
  models.push_back(model::load_model((folder / "x.arpa").string()));
  for (std::unique_ptr<query::Model>& model : models) {
    SCOPED_TRACE(model->info().architecture);
    std::vector<suite::Item> items = items_in_words_of(*model, 60);
    for (uint32_t batch : {1u, 60u, 0u}) {
      std::vector<const method::Method*> methods;
      for (const method::Method* m : method::find_methods("all", model->info()))
        if (!m->info().cloze) methods.push_back(m);
      ASSERT_GE(methods.size(), 5u);
      Planner planner(*model, methods, {1 << 14, folder.path(), batch});
      planner.plan(source_of(items));
      AnswerJournal journal(folder / "journal", {{}, planner.key(), "the suite"});
      planner.answer(nullptr, &journal);
      uint64_t scored = 0;
      planner.assemble(source_of(items), [&](Scored& s) {
        scored += s.excluded == judge::Reason::none;
        expect_same(naive_score(*model, *methods[s.method], items[s.ordinal]), s.excluded,
                    s.sentences);
      });
      EXPECT_GT(scored, items.size());
      journal.remove();
    }
  }
}

// The model is asked for what it cannot say before anything is computed.
TEST(Planner, RefusesWhatTheModelCannotSay) {
  struct Curious : method::Method {
    const judge::MethodInfo& info() const override {
      static const judge::MethodInfo info{"curious", "", ""};
      return info;
    }
    bool supports(const query::ModelInfo&) const override { return true; }
    method::Questions questions(const suite::Item&, std::vector<method::SentenceTokens>,
                                const method::MethodContext&) const override {
      method::Questions questions;
      questions.queries = {{{5, 6}, {{0, query::Hidden{3}}}, {}}};
      return questions;
    }
  } curious;
  FakeModel model;
  std::vector<suite::Item> items = random_items(1, 1);
  Planner planner(model, {&curious});
  try {
    planner.plan(source_of(items));
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.message().c_str(), "fake cannot be asked for hidden states");
  }
  EXPECT_EQ(model.calls, 0u);
}

// Changed and unchanged queries of one input are two, and both keep what was asked of them.
TEST(DistinctQueries, AChangeMakesAnotherQuery) {
  SortedRecords sorted(".", 1 << 20);
  query::Query plain{{1, 2, 3}, {{1, query::Targets{{5}}}}, {}}, changed = plain;
  changed.changes = {{{query::Site::mlp, 2, 0, 1}, query::Zero{}}};
  add_question(sorted, {0, 0, 0}, plain);
  add_question(sorted, {0, 0, 1}, changed);
  add_question(sorted, {1, 0, 0},
               {{1, 2, 3}, {{1, query::Targets{{4}}}, {1, query::Entropy{}}}, {}});
  query::Reducers none;
  DistinctQueries all(sorted, none);
  DistinctQuery first, second, third;
  ASSERT_TRUE(all.next(first) && all.next(second));
  EXPECT_FALSE(all.next(third));
  query::Query together{{1, 2, 3}, {{1, query::Targets{{4, 5}}}, {1, query::Entropy{}}}, {}};
  EXPECT_EQ(first.query, together);
  EXPECT_EQ(second.query, changed);
}

TEST(Planner, AsksTheModelOncePerDistinctInput) {
  FakeModel model;
  std::vector<suite::Item> items = random_items(300, 2);
  std::set<std::vector<tokenizer::TokenId>> distinct;
  method::MethodContext context{model.tokenizer(), model.info()};
  uint64_t asked = 0;
  for (const suite::Item& item : items)
    for (const method::Method* m : masked_methods())
      for (const query::Query& q : m->ask(item, context).queries) {
        distinct.insert(q.ids);
        ++asked;
      }
  Planner planner(model, masked_methods());
  planner.plan(source_of(items));
  EXPECT_EQ(planner.counts().asked, asked);
  EXPECT_EQ(planner.counts().distinct, distinct.size());
  EXPECT_LT(distinct.size(), asked / 2);
  planner.answer();
  EXPECT_EQ(model.forward_passes, distinct.size());
  EXPECT_EQ(model.tokens, planner.counts().tokens);
}

TEST(Planner, BatchesKeepToTheirSize) {
  struct Watching : FakeModel {
    std::vector<query::Answer> answer(std::span<const query::Query> queries) override {
      uint64_t n = 0;
      for (const query::Query& q : queries) n += q.ids.size();
      EXPECT_LE(n, 40u);
      for (const query::Query& q : queries) {
        EXPECT_GE(q.ids.size(), longest);
        longest = q.ids.size();
        for (size_t r = 1; r < q.asks.size(); ++r)
          EXPECT_LT(q.asks[r - 1].position, q.asks[r].position);
      }
      return FakeModel::answer(queries);
    }
    size_t longest = 0;
  } model;
  std::vector<suite::Item> items = random_items(100, 3);
  Planner planner(model, masked_methods(), {1 << 20, ".", 40});
  planner.plan(source_of(items));
  planner.answer();
}

TEST(Planner, SkipsWhatIsStored) {
  FakeModel model;
  std::vector<suite::Item> items = random_items(50, 4);
  Planner planner(model, {&method::find_method("ce")});
  planner.plan(source_of(items),
               [](uint64_t ordinal, const suite::Item&, size_t) { return ordinal >= 10; });
  planner.answer();
  EXPECT_LE(model.forward_passes, 30u);
  planner.assemble(source_of(items), [&](Scored& s) { EXPECT_EQ(s.skipped, s.ordinal >= 10); });
}

TEST(Planner, NoticesAChangedSuite) {
  FakeModel model;
  std::vector<suite::Item> items = random_items(50, 5), fewer = random_items(49, 5);
  Planner planner(model, {&method::find_method("ce")});
  planner.plan(source_of(items));
  planner.answer();
  EXPECT_THROW(planner.assemble(source_of(fewer), [](Scored&) {}), Error);
}

TEST(Planner, KeyNamesThePlan) {
  FakeModel model, other(7);
  std::vector<suite::Item> items = random_items(20, 6), others = random_items(20, 7);
  auto key = [](FakeModel& m, const std::vector<suite::Item>& it, const char* method) {
    Planner planner(m, {&method::find_method(method)});
    planner.plan(source_of(it));
    return planner.key();
  };
  EXPECT_EQ(key(model, items, "ce"), key(model, items, "ce"));
  EXPECT_NE(key(model, items, "ce"), key(other, items, "ce"));
  EXPECT_NE(key(model, items, "ce"), key(model, others, "ce"));
  EXPECT_NE(key(model, items, "ce"), key(model, items, "pll"));
}

// A model that dies after some batches, as a process would.
struct Dying : FakeModel {
  std::vector<query::Answer> answer(std::span<const query::Query> queries) override {
    if (lives-- == 0) throw cannot("killed");
    return FakeModel::answer(queries);
  }
  int lives = 0;
};

TEST(Journal, AnInterruptedRunComputesNothingTwice) {
  std::vector<suite::Item> items = random_items(200, 8);
  TemporaryFolder folder;
  FakeModel undisturbed;
  uint64_t total = 0;
  {
    Planner planner(undisturbed, masked_methods(), {1 << 20, folder.path(), 64});
    planner.plan(source_of(items));
    planner.answer();
    total = undisturbed.forward_passes;
  }
  uint64_t computed = 0;
  for (int round = 0;; ++round) {
    Dying model;
    model.lives = round < 5 ? 3 + round : 1000000;
    Planner planner(model, masked_methods(), {1 << 20, folder.path(), 64});
    planner.plan(source_of(items));
    AnswerJournal journal(folder / "journal", {{}, planner.key(), "the suite"});
    try {
      planner.answer(nullptr, &journal);
    } catch (const Error&) {
      computed += model.forward_passes;
      // The last write may be cut anywhere.
      if (round == 2) std::ofstream(folder / "journal", std::ios::app) << "half a batch";
      continue;
    }
    computed += model.forward_passes;
    EXPECT_GT(planner.answered_from_journal(), 0u);
    planner.assemble(source_of(items), [&](Scored& s) {
      expect_same(naive_score(undisturbed, *planner.methods()[s.method], items[s.ordinal]),
                  s.excluded, s.sentences);
    });
    break;
  }
  EXPECT_EQ(computed, total);
}

JobKey key(uint64_t content = 1, uint64_t plan = 1) { return {{0, content}, {0, plan}, "x.jsonl"}; }

const std::vector<query::Ask> kOneLogit{{0, query::Targets{{7}}}};

TEST(Journal, AnswersOfAnotherPlanAreNotUsed) {
  TemporaryFolder folder;
  query::Answer a{query::Logits{{1.5f}, 2.5}}, found;
  { AnswerJournal(folder / "j", key()).append({&a, 1}); }
  EXPECT_FALSE(AnswerJournal(folder / "j", key(1, 2)).next(kOneLogit, found));
}

// Answers to two versions of the input would otherwise be put together.
TEST(Journal, ChangedInputIsAnErrorThatNamesInputAndJournal) {
  TemporaryFolder folder;
  query::Answer a{query::Logits{{1.5f}, 2.5}}, found;
  { AnswerJournal(folder / "j", key()).append({&a, 1}); }
  const std::string before = read_file(folder / "j");
  try {
    AnswerJournal(folder / "j", key(2, 1));
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(e.message().find("x.jsonl changed"), std::string::npos) << e.what();
    EXPECT_NE(e.next().find((folder / "j").string()), std::string::npos) << e.what();
  }
  EXPECT_EQ(read_file(folder / "j"), before);
  EXPECT_TRUE(AnswerJournal(folder / "j", key()).next(kOneLogit, found));
}

// The journal's name can be foreseen: an archive may bring a link of that name.
TEST(Journal, LinksAreNotFollowed) {
  TemporaryFolder folder;
  query::Answer a{query::Logits{{1.5f}, 2.5}};
  for (bool symbolic : {true, false}) {
    write_file(folder / "precious", "precious");
    symbolic ? std::filesystem::create_symlink(folder / "precious", folder / "j")
             : std::filesystem::create_hard_link(folder / "precious", folder / "j");
    EXPECT_THROW(AnswerJournal(folder / "j", key()).append({&a, 1}), Error);
    EXPECT_EQ(read_file(folder / "precious"), "precious");
    std::filesystem::remove(folder / "j");
  }
}

TEST(Journal, ABrokenBatchEndsWhatIsKnown) {
  TemporaryFolder folder;
  for (int i = 0; i < 3; ++i) {
    AnswerJournal journal(folder / "j", key());
    query::Answer a{query::Logits{{float(i)}, 2.5}}, found;
    while (journal.next(kOneLogit, found)) {
    }
    journal.append({&a, 1});
  }
  {
    std::fstream file(folder / "j", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-2, std::ios::end);
    file.put('x');
  }
  AnswerJournal journal(folder / "j", key());
  query::Answer found;
  EXPECT_TRUE(journal.next(kOneLogit, found));
  EXPECT_TRUE(journal.next(kOneLogit, found));
  EXPECT_EQ(logits_of(found[0]).logits[0], 1.0f);
  EXPECT_FALSE(journal.next(kOneLogit, found));
}

TEST(Journal, ABatchThatWasCutOffEndsWhatIsKnown) {
  TemporaryFolder folder;
  query::Answer a{query::Logits{{1.0f}, 2.5}}, found;
  { AnswerJournal(folder / "j", key()).append({&a, 1}); }
  const auto whole = std::filesystem::file_size(folder / "j");
  {
    AnswerJournal journal(folder / "j", key());
    ASSERT_TRUE(journal.next(kOneLogit, found));
    ASSERT_FALSE(journal.next(kOneLogit, found));
    journal.append({&a, 1});
  }
  const auto two = std::filesystem::file_size(folder / "j");
  for (auto size = whole; size < two; ++size) {
    std::filesystem::copy_file(folder / "j", folder / "cut",
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(folder / "cut", size);
    AnswerJournal journal(folder / "cut", key());
    EXPECT_TRUE(journal.next(kOneLogit, found));
    EXPECT_FALSE(journal.next(kOneLogit, found)) << size;
  }
}

TEST(Journal, IsRemovedUnlessAProcessHasIt) {
  TemporaryFolder folder;
  {
    AnswerJournal journal(folder / "j", key());
    remove_left_over(folder / "j");
    EXPECT_TRUE(std::filesystem::exists(folder / "j"));
  }
  remove_left_over(folder / "j");
  EXPECT_FALSE(std::filesystem::exists(folder / "j"));
  remove_left_over(folder / "absent");
}

TEST(Journal, OneProcessAtATime) {
  TemporaryFolder folder;
  AnswerJournal first(folder / "j", {1, 1});
  EXPECT_THROW(AnswerJournal(folder / "j", key()), Error);
}

TEST(SortedRecords, SortsInBoundedMemory) {
  TemporaryFolder folder;
  for (size_t memory : {size_t{100}, size_t{5000}, size_t{1} << 24}) {
    SortedRecords records(folder.path(), memory);
    Random random(9);
    std::vector<std::pair<std::string, std::string>> expected;
    for (int i = 0; i < 2000; ++i) {
      std::string key;
      append_key(key, random.below(300), 4);
      expected.push_back({key, std::to_string(i)});
      records.add(key, expected.back().second);
    }
    std::stable_sort(expected.begin(), expected.end(),
                     [](auto& a, auto& b) { return a.first < b.first; });
    for (int round = 0; round < 2; ++round) {
      records.rewind();
      std::string_view key, value;
      for (auto& [k, v] : expected) {
        ASSERT_TRUE(records.next(key, value));
        ASSERT_EQ(key, k);
        ASSERT_EQ(value, v);
      }
      EXPECT_FALSE(records.next(key, value));
    }
    EXPECT_EQ(records.files() > 0, memory < 100000);
  }
}

}  // namespace
}  // namespace minpair::engine
