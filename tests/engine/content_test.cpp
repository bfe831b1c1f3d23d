// The key of a stored score holds everything that the score depends on.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"
#include "base/file.h"
#include "engine/made_up.h"
#include "fake.h"
#include "method/words.h"
#include "query/bytes.h"
#include "store/store.h"
#include "support.h"

namespace minpair::engine {
namespace {

using testing::FakeModel;
using testing::FakeTokenizer;
using testing::source_of;
using testing::TemporaryFolder;

constexpr const char* kLexicon =
    "language\tform\tlemma\tpos\tnumber\tgender\tcase\tperson\n"
    "de\thund\thund\tNOUN\tSing\tMasc\tNom\t\n"
    "de\thof\thof\tNOUN\tSing\tMasc\tNom\t\n"
    "de\thof\thof\tNOUN\tSing\tMasc\tAcc\t\n"
    "de\thofe\thof\tNOUN\tPlur\tMasc\tNom\t\n"
    "de\trad\trad\tNOUN\tSing\tNeut\tNom\t\n"
    "de\trade\trad\tNOUN\tPlur\tNeut\tNom\t\n"
    "de\thof\thof\tADJ\tSing\tMasc\tNom\t\n"
    "de\thofe\thof\tADJ\tPlur\tMasc\tNom\t\n"
    "nl\thof\thof\tNOUN\tSing\tMasc\tNom\t\n"
    "nl\trade\trade\tNOUN\tPlur\tMasc\tNom\t\n";

class ContentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write_file(folder / "lexicon.tsv", kLexicon);
    // The fake tokenizer has a word in its vocabulary once it has seen it.
    for (const char* word : {"hund", "hof", "hofe", "rad", "rade"}) model.tokenizer().encode(word);
  }
  method::VocabularyWords words() {
    return {folder / "lexicon.tsv", model.tokenizer(), FakeTokenizer::kVocabulary, 1};
  }

  TemporaryFolder folder;
  FakeModel model;
};

suite::Item pair() {
  suite::Item item;
  item.id = "1";
  item.test = "agreement";
  item.language = "de";
  item.sentences = {{{"der hof war da ."}, {4, 7}, true}, {{"der hofe war da ."}, {4, 8}, false}};
  item.features = {{"pos", "NOUN"}};
  return item;
}

suite::Item with_context() {
  suite::Item item = pair();
  item.sentences[0].context = "Es war Tag .";
  return item;
}

suite::Item cloze() {
  suite::Item item = pair();
  item.sentences.pop_back();
  item.cloze = true;
  item.features = {{"pos", "NOUN"},    {"lemma", "hof"}, {"number", "Sing"},
                   {"gender", "Masc"}, {"case", "Nom"},  {"distance", 2.0}};
  return item;
}

struct Change {
  std::string name;
  std::function<void(suite::Item&)> apply;
};

std::vector<Change> changes_of(const suite::Item& base) {
  std::vector<Change> all = {
      {"id", [](suite::Item& i) { i.id = "2"; }},
      {"test", [](suite::Item& i) { i.test = "other"; }},
      {"condition", [](suite::Item& i) { i.condition = "sg"; }},
      {"language", [](suite::Item& i) { i.language = "nl"; }},
      {"cluster", [](suite::Item& i) { i.cluster = "c"; }},
      {"cloze", [](suite::Item& i) { i.cloze = !i.cloze; }},
      {"design", [](suite::Item& i) { i.design = !i.design; }},
      {"order", [](suite::Item& i) { std::swap(i.sentences.front(), i.sentences.back()); }},
      {"fewer", [](suite::Item& i) { i.sentences.pop_back(); }},
      {"more", [](suite::Item& i) { i.sentences.push_back(i.sentences[0]); }},
  };
  for (size_t s = 0; s < base.sentences.size(); ++s) {
    auto add = [&](const char* name, std::function<void(suite::Sentence&)> apply) {
      all.push_back(
          {name + std::to_string(s), [s, apply](suite::Item& i) { apply(i.sentences[s]); }});
    };
    add("text", [](suite::Sentence& t) { t.text.insert(t.text.size() - 2, " nie"); });
    add("context", [](suite::Sentence& t) { t.context += " Es war kalt ."; });
    add("locus begin", [](suite::Sentence& t) { t.locus.begin = 0; });
    add("locus end", [](suite::Sentence& t) { t.locus.end += 4; });
    add("grammatical", [](suite::Sentence& t) { t.grammatical = !t.grammatical; });
    add("name", [](suite::Sentence& t) { t.name = "other"; });
    add("regions", [](suite::Sentence& t) { t.regions = {{"subject", {0, 7}}}; });
  }
  for (const char* name :
       {"pos", "lemma", "number", "gender", "case", "person", "distance", "other"}) {
    for (const suite::FeatureValue& value : std::vector<suite::FeatureValue>{
             "Plur", "ADJ", "rad", "Neut", "Acc", "3", 3.0, "8-11", ""})
      all.push_back({std::string("feature ") + name, [name, value](suite::Item& i) {
                       std::erase_if(i.features, [&](auto& f) { return f.first == name; });
                       i.features.emplace_back(name, value);
                     }});
    all.push_back({std::string("without feature ") + name, [name](suite::Item& i) {
                     std::erase_if(i.features, [&](auto& f) { return f.first == name; });
                   }});
  }
  return all;
}

// Everything that a stored score is made from, beside the model's answers.
std::string asked_of(const method::Method& method, const suite::Item& item,
                     const method::MethodContext& context) {
  const method::Questions q = method.ask(item, context);
  std::string all(judge::key_of(q.excluded));
  for (const query::Query& query : q.queries) all += " " + hex_of(query::identity(query));
  for (const method::SentenceQuestions& s : q.sentences) {
    all += "\n" + s.form;
    for (size_t t = 0; t < s.tokens.size(); ++t) {
      const judge::TokenScore& token = s.tokens[t];
      all += fmt::format(" {},{}-{},{}{}{},{}/{}/{}", token.id, token.span.begin, token.span.end,
                         int(token.special), int(token.in_locus), int(token.begins_word),
                         s.asked[t].query, s.asked[t].ask, s.asked[t].target);
    }
  }
  std::vector<judge::SentenceScore> sizes(item.sentences.size());
  judge::measure(item, method.info().scope, sizes);
  for (const judge::SentenceScore& s : sizes)
    all += fmt::format("\n{} {} {}", s.words, s.characters, s.bytes);
  return all;
}

TEST_F(ContentTest, HoldsWhateverAMethodReadsOfAnItem) {
  const method::VocabularyWords lexicon = words();
  std::vector<const method::Method*> methods = method::all_methods();
  methods.push_back(&method::find_method("lemma-pairs:top0.9"));
  using Kind = query::ModelInfo::Kind;
  size_t recomputed = 0, irrelevant = 0;
  for (const suite::Item& base : {pair(), with_context(), cloze()})
    for (Kind kind : {Kind::masked, Kind::causal})
      for (const method::Method* m : methods) {
        query::ModelInfo info;
        info.kind = kind;
        info.max_tokens = 64;
        if (!m->supports(info)) continue;
        const method::MethodContext context{model.tokenizer(), info, &lexicon};
        const Hash128 key = judge::content_of(base, m->reads());
        const std::string asked = asked_of(*m, base, context);
        for (const Change& change : changes_of(base)) {
          suite::Item item = base;
          change.apply(item);
          if (item.sentences.empty()) continue;
          if (judge::content_of(item, m->reads()) != key) {
            ++recomputed;
            continue;
          }
          ++irrelevant;
          EXPECT_EQ(asked_of(*m, item, context), asked) << m->name() << ": " << change.name;
        }
      }
  EXPECT_GT(recomputed, 500u);
  EXPECT_GT(irrelevant, 500u);
}

TEST_F(ContentTest, LeavesOutWhatNoMethodReads) {
  suite::Item other = pair();
  other.id = "2", other.test = "t", other.condition = "c", other.cluster = "k";
  other.features.emplace_back("distance", 3.0);
  for (const method::Method* m : method::all_methods())
    EXPECT_EQ(judge::content_of(other, m->reads()), judge::content_of(pair(), m->reads()))
        << m->name();
}

TEST(Reads, AreWrittenAndReadBack) {
  for (const method::Method* m : method::all_methods())
    EXPECT_EQ(judge::parse_reads(judge::text_of(m->reads())), m->reads()) << m->name();
  EXPECT_EQ(judge::text_of({true, true, {"pos"}}), "grammatical language feature:pos");
  EXPECT_THROW(judge::parse_reads("language whatever"), Error);
}

TEST_F(ContentTest, RepairedItemsAreScoredAgain) {
  std::vector<suite::Item> items = {pair(), pair()};
  for (suite::Item& item : items) item.language = "xx", item.features.clear();
  items[1].id = "2";
  const std::vector<const method::Method*> methods = {&method::find_method("lemma-pairs")};
  store::Store store(folder / "r.db", store::Store::Mode::write);
  RunOptions options{.lexicon = folder / "lexicon.tsv", .min_words = 1, .quiet = true};
  const RunReport before = run_suite(&store, source_of(items), model, methods, options);
  EXPECT_EQ(before.excluded, 2u);
  EXPECT_EQ(run_suite(&store, source_of(items), model, methods, options).stored_before, 2u);
  items[1].language = "de";
  const RunReport after = run_suite(&store, source_of(items), model, methods, options);
  EXPECT_EQ(after.stored_before, 1u);
  EXPECT_EQ(after.excluded, 0u);
}

// A list of words also tells what the words of a pair are that the vocabulary lacks.
TEST_F(ContentTest, WordsThatTheVocabularyLacksArePartOfTheFingerprint) {
  const std::string before = words().fingerprint();
  write_file(folder / "lexicon.tsv",
             kLexicon + std::string("de\tverfolger\tverfolger\tNOUN\tSing\tMasc\tNom\t\n"));
  EXPECT_NE(words().fingerprint(), before);
}

}  // namespace
}  // namespace minpair::engine
