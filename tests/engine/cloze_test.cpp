#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "engine/made_up.h"
#include "engine/plan.h"
#include "engine/processes/messages.h"
#include "fake.h"
#include "method/words.h"
#include "support.h"

namespace minpair::engine {
namespace {

using ::testing::ElementsAre;
using testing::FakeModel;
using testing::FakeTokenizer;
using testing::TemporaryFolder;

constexpr const char* kHeader = "language\tform\tlemma\tpos\tnumber\tgender\tcase\tperson\n";

// The words of at most four letters are pieces of the fake vocabulary.
class ClozeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write_file(folder / "lexicon.tsv", std::string(kHeader) +
                                           "de\thund\thund\tNOUN\tSing\tMasc\t\t\n"
                                           "de\thof\thof\tNOUN\tSing\tMasc\t\t\n"
                                           "de\thöfe\thof\tNOUN\tPlur\tMasc\t\t\n"
                                           "de\trad\trad\tNOUN\tSing\tNeut\t\t\n"
                                           "de\ttier\ttier\tNOUN\tSing\tNeut\t\t\n"
                                           "de\ttor\ttor\tNOUN\tSing\tNeut\t\t\n"
                                           "de\ttor\ttor\tNOUN\tSing\tMasc\t\t\n"
                                           "de\ttore\ttor\tNOUN\tPlur\tNeut\t\t\n"
                                           "de\ttagen\ttag\tNOUN\tPlur\tMasc\t\t\n"
                                           "de\ttag\ttag\tVERB\tSing\t\t\t3\n"
                                           "nl\thond\thond\tNOUN\tSing\t\t\t\n");
    // The fake tokenizer has a word in its vocabulary once it has seen it.
    for (const char* word : {"Hund", "hund", "Hof", "hof", "Rad", "Tier", "Tor", "Tore", "tag"})
      tokenizer().encode(word);
  }

  const tokenizer::Tokenizer& tokenizer() { return model.tokenizer(); }
  method::VocabularyWords words(uint32_t minimum = 1) {
    return {folder / "lexicon.tsv", tokenizer(), FakeTokenizer::kVocabulary, minimum};
  }
  static suite::Item cloze(const std::string& text, const std::string& word) {
    suite::Item item;
    item.id = text;
    item.language = "de";
    item.cloze = true;
    size_t at = text.find(word);
    item.sentences.push_back({{text}, {at, at + word.size()}, true});
    item.features = {{"pos", "NOUN"}, {"lemma", "hof"}, {"number", "Sing"}, {"gender", "Masc"}};
    return item;
  }
  float logit(const suite::Item& item, const std::string& piece) {
    query::Query q = method::find_method("feature-class").ask(item, context).queries.at(0);
    q.asks[0].what = query::Targets{{*tokenizer().id(piece)}, false};
    return logits_of(model.answer({&q, 1})[0][0]).logits[0];
  }

  TemporaryFolder folder;
  FakeModel model;
  method::MethodContext context{model.tokenizer(), model.info()};
};

TEST_F(ClozeTest, WordsAreWholePiecesOfTheVocabularyInAllTheirCasings) {
  method::VocabularyWords all = words();
  const method::WordsOfPart* nouns = all.part("de", "NOUN");
  ASSERT_NE(nouns, nullptr);
  std::vector<std::string> forms;
  for (const method::VocabularyWord& w : nouns->words) forms.push_back(w.form);
  // "tagen" is two pieces, "höfe" was never seen, "tag" is a verb here.
  EXPECT_THAT(forms, ElementsAre("hof", "hund", "rad", "tier", "tor", "tore"));
  EXPECT_EQ(nouns->words[0].pieces.size(), 2u);
  EXPECT_EQ(nouns->words[4].bundles.size(), 2u);
  EXPECT_EQ(all.part("de", "ADJ"), nullptr);
  EXPECT_EQ(all.part("nl", "NOUN"), nullptr);
  EXPECT_NE(all.fingerprint(), words(2).fingerprint());
}

// Vocabularies without special tokens begin with a word.
TEST_F(ClozeTest, TheFirstPieceIsAWordLikeAnyOther) {
  struct FirstIsAWord : FakeTokenizer {
    tokenizer::Encoding encode(std::string_view text, bool with_special) const override {
      tokenizer::Encoding e = FakeTokenizer::encode(text, with_special);
      for (tokenizer::Token& token : e.tokens)
        if (slice(text, token.span) == "rad") token.id = 0;
      return e;
    }
    std::string piece(tokenizer::TokenId id) const override {
      return id == 0 ? "rad" : FakeTokenizer::piece(id);
    }
  } first;
  first.encode("tore", true);
  first.encode("tor", true);
  method::VocabularyWords all(folder / "lexicon.tsv", first, FakeTokenizer::kVocabulary, 1);
  const method::WordsOfPart* nouns = all.part("de", "NOUN");
  ASSERT_NE(nouns, nullptr);
  ASSERT_EQ(nouns->words.size(), 3u);
  EXPECT_EQ(nouns->words[0].form, "rad");
  EXPECT_EQ(nouns->targets[0], 0);
  // A cut reads the whole vocabulary, from its first piece to its last.
  method::VocabularyWords::Question cut =
      all.cut(all.lemma_pairs_like("de", "NOUN", "tor", "tore"), {});
  ASSERT_NE(cut, nullptr);
  EXPECT_EQ(cut->ids().front(), 0);
  EXPECT_EQ(cut->ids().back(), FakeTokenizer::kVocabulary - 1);
}

TEST_F(ClozeTest, FeatureClassIsTheMeanOverWordsOfTheMeanOverCasings) {
  method::VocabularyWords all = words();
  context.words = &all;
  suite::Item item = cloze("Der Hof war da .", "Hof");
  Planner planner(model, {&method::find_method("feature-class")}, {}, &all);
  ItemSource source = [&](const EachItem& each) { each(0, item); };
  planner.plan(source);
  planner.answer();
  std::vector<judge::SentenceScore> scores;
  planner.assemble(source, [&](Scored& s) { scores = s.sentences; });
  ASSERT_EQ(scores.size(), 2u);
  auto mean = [&](std::vector<std::vector<std::string>> side, bool probabilities) {
    double sum = 0;
    for (const auto& casings : side)
      for (const std::string& piece : casings) {
        double z = logit(item, piece);
        sum += (probabilities ? std::exp(z) : z) / double(casings.size());
      }
    return sum / double(side.size());
  };
  double all_words = 0;
  for (const char* piece : {"Hund", "hund", "Hof", "hof", "Rad", "Tier", "Tor", "Tore"})
    all_words += std::exp(logit(item, piece));
  // "tor" can be masculine as well: one right bundle is enough.
  std::vector<std::vector<std::string>> right = {{"Hof", "hof"}, {"Hund", "hund"}, {"Tor"}};
  std::vector<std::vector<std::string>> wrong = {{"Rad"}, {"Tier"}, {"Tore"}};
  ASSERT_TRUE(scores[0].cloze && scores[1].cloze);
  EXPECT_EQ(scores[0].cloze->count, 3u);
  EXPECT_NEAR(scores[0].cloze->views[0], std::log(mean(right, true) / all_words), 1e-5);
  EXPECT_NEAR(scores[1].cloze->views[0], std::log(mean(wrong, true) / all_words), 1e-5);
  EXPECT_NEAR(scores[0].cloze->views[1], mean(right, false), 1e-5);
  EXPECT_NEAR(scores[1].cloze->views[1], mean(wrong, false), 1e-5);
  ASSERT_EQ(scores[1].cloze->best.size(), 3u);
  EXPECT_GE(scores[1].cloze->best[0].logprob, scores[1].cloze->best[1].logprob);
}

TEST_F(ClozeTest, LemmaPairsCountLemmasEquallyOrByProbability) {
  method::VocabularyWords all = words();
  context.words = &all;
  suite::Item item = cloze("Das Rad war da .", "Rad");
  item.features = {{"pos", "NOUN"}, {"number", "Sing"}, {"gender", "Neut"}};
  method::Questions p = method::find_method("lemma-pairs").ask(item, context);
  ASSERT_EQ(p.excluded, judge::Reason::none);
  // Only "tor" has a right form and another one.
  const auto& reducer = *std::get<query::Classes>(p.queries[0].asks[0].what).reducer;
  const auto& words_asked = dynamic_cast<const method::WordQuestion&>(reducer);
  EXPECT_EQ(words_asked.smaller_side(), 1u);
  std::vector<float> logits;
  for (tokenizer::TokenId t : reducer.ids())
    logits.push_back(tokenizer().piece(t) == "Tor" ? 2 : tokenizer().piece(t) == "Tore" ? 1 : 9);
  std::vector<judge::WordScore> sides = words_asked.score(reducer.reduce(logits));
  EXPECT_EQ(sides[0].views[1], 1);
  EXPECT_EQ(sides[1].views[1], 0);
  EXPECT_NEAR(std::exp(sides[0].views[0]), 1 / (1 + std::exp(-1.0)), 1e-6);
  EXPECT_EQ(sides[0].best[0].form, "tor");
}

// A list of verbs instead of features, and a pair instead of a cloze: its own words say which forms
// are right, also where the vocabulary lacks them.
TEST_F(ClozeTest, LemmaPairsAskPairsAboutAllLemmasOfAList) {
  write_file(folder / "verbs.csv",
             "idx,sing,plur,freq\n_,Sagt,sage,_\n_,ruft,rufe,_\n_,lebt,lebe,_\n_,geht,gehe,_\n");
  for (const char* word : {"sagt", "sage", "ruft", "rufe", "lebt"}) tokenizer().encode(word);
  method::VocabularyWords verbs(folder / "verbs.csv", tokenizer(), FakeTokenizer::kVocabulary, 1);
  context.words = &verbs;
  suite::Item pair;
  pair.id = "1";
  pair.language = "de";
  pair.sentences = {{{"Er geht da ."}, {}, true}, {{"Er gehe da ."}, {}, false}};
  suite::align_loci(pair.sentences);
  const method::Method& method = method::find_method("lemma-pairs");
  auto sides = [&](const method::Questions& asked) {
    EXPECT_EQ(asked.excluded, judge::Reason::none);
    const auto& reducer = *std::get<query::Classes>(asked.queries.at(0).asks[0].what).reducer;
    std::map<std::string, float> bits = {{"sagt", 2}, {"sage", 1}, {"ruft", 0}, {"rufe", 3}};
    std::vector<float> logits;
    for (tokenizer::TokenId t : reducer.ids()) {
      auto known = bits.find(tokenizer().piece(t));
      logits.push_back(known == bits.end() ? 9 : known->second);
    }
    const auto& words_asked = dynamic_cast<const method::WordQuestion&>(reducer);
    EXPECT_EQ(words_asked.smaller_side(), 2u);
    return words_asked.score(reducer.reduce(logits));
  };
  method::Questions asked = method.ask(pair, context);
  std::vector<judge::WordScore> right_first = sides(asked);
  EXPECT_EQ(asked.queries[0].ids[asked.queries[0].asks[0].position], FakeTokenizer::kMask);
  EXPECT_EQ(right_first[0].views[1], 0.5);
  const double good = std::exp(2) + 1, bad = std::exp(1) + std::exp(3);
  EXPECT_NEAR(std::exp(right_first[0].views[0]), good / (good + bad), 1e-6);
  // Where both forms of a lemma are equally likely, neither wins.
  const auto& tied = dynamic_cast<const method::WordQuestion&>(
      *std::get<query::Classes>(asked.queries.at(0).asks[0].what).reducer);
  for (const judge::WordScore& side :
       tied.score(tied.reduce(std::vector<float>(tied.ids().size(), 1))))
    EXPECT_EQ(side.views[1], 0);
  // Scores are parallel to the sentences, whichever is the right one.
  std::swap(pair.sentences[0], pair.sentences[1]);
  EXPECT_NEAR(std::exp(sides(method.ask(pair, context))[1].views[0]), good / (good + bad), 1e-6);
  model.info().kind = query::ModelInfo::Kind::causal;
  model.info().start = 9;
  asked = method.ask(pair, context);
  EXPECT_THAT(asked.queries[0].ids, ElementsAre(9, *tokenizer().id("Er")));
  EXPECT_EQ(asked.queries[0].asks[0].position, 1u);
  sides(asked);
  suite::Item other = pair;
  for (suite::Sentence& s : other.sentences) s.text.replace(3, 4, s.grammatical ? "ist" : "sei");
  for (suite::Sentence& s : other.sentences) s.locus = {3, 6};
  EXPECT_EQ(method.ask(other, context).excluded, judge::Reason::no_features);
  pair.sentences.push_back(pair.sentences[0]);
  EXPECT_EQ(method.ask(pair, context).excluded, judge::Reason::not_a_cloze);
  write_file(folder / "verbs.csv", "idx,sing,plur\n_,geht\n");
  EXPECT_THROW(
      method::VocabularyWords(folder / "verbs.csv", tokenizer(), FakeTokenizer::kVocabulary, 1),
      Error);
}

// Worked out by hand: sagt 0.4, sage 0.3, rufe 0.2, ruft 0.1, everything else next to nothing.
TEST_F(ClozeTest, LemmaPairsWithinAPartOfTheProbability) {
  write_file(folder / "verbs.csv", "sing,plur\nsagt,sage\nruft,rufe\n");
  const std::map<std::string, double> given = {
      {"sagt", 0.4}, {"sage", 0.3}, {"rufe", 0.2}, {"ruft", 0.1}};
  std::vector<float> logits(FakeTokenizer::kVocabulary, -100.f);
  for (const auto& [word, p] : given) {
    tokenizer().encode(word);
    logits[size_t(*tokenizer().id(word))] = float(std::log(p));
  }
  method::VocabularyWords verbs(folder / "verbs.csv", tokenizer(), FakeTokenizer::kVocabulary, 1);
  context.words = &verbs;
  suite::Item pair;
  pair.id = "1";
  pair.sentences = {{{"Er sagt da ."}, {3, 7}, true}, {{"Er sage da ."}, {3, 7}, false}};
  struct Expected {
    const char* method;
    double ew, mw;
  };
  for (const Expected& e : {Expected{"lemma-pairs:top0.5", 1, 2.0 / 3 + 4.0 / 7 / 3},
                            Expected{"lemma-pairs:top0.95", 0.5, (4.0 / 9 + 0.5) / 2},
                            Expected{"lemma-pairs:bottom0.2", 0, 1.0 / 3}}) {
    const method::Method& method = method::find_method(e.method);
    EXPECT_EQ(method.name(), e.method);
    method::Questions asked = method.ask(pair, context);
    ASSERT_EQ(asked.excluded, judge::Reason::none);
    const auto& reducer = *std::get<query::Classes>(asked.queries[0].asks[0].what).reducer;
    ASSERT_EQ(reducer.ids().size(), logits.size());
    const query::ClassRecords sides = reducer.reduce(logits);
    EXPECT_NEAR(sides[0].figures[1], e.ew, 1e-5) << e.method;
    EXPECT_NEAR(sides[1].figures[1], 1 - e.ew, 1e-5) << e.method;
    EXPECT_NEAR(std::exp(sides[0].figures[0]), e.mw, 1e-5) << e.method;
    EXPECT_NEAR(std::exp(sides[1].figures[0]), 1 - e.mw, 1e-5) << e.method;
  }
  // Where both forms of a lemma are equally likely, neither wins.
  std::vector<float> even = logits;
  for (const auto& [word, p] : given) even[size_t(*tokenizer().id(word))] = float(std::log(0.25));
  method::Questions tied = method::find_method("lemma-pairs:top0.95").ask(pair, context);
  for (const auto& side :
       std::get<query::Classes>(tied.queries[0].asks[0].what).reducer->reduce(even))
    EXPECT_EQ(side.figures[1], 0);
  // No verb of the list lies in the first tenth of another distribution.
  logits[1] = 5;
  method::Questions few = method::find_method("lemma-pairs:top0.1").ask(pair, context);
  const auto& reducer = *std::get<query::Classes>(few.queries[0].asks[0].what).reducer;
  EXPECT_TRUE(std::isnan(reducer.reduce(logits)[0].figures[1]));
  EXPECT_EQ(&method::find_method("lemma-pairs:top0.10"),
            &method::find_method("lemma-pairs:top0.1"));
  for (const char* wrong :
       {"lemma-pairs:", "lemma-pairs:0.5", "lemma-pairs:top1", "lemma-pairs:topx"})
    EXPECT_THROW(method::find_method(wrong), Error) << wrong;
}

TEST_F(ClozeTest, LemmaFormsAreThoseOfTheMaskedWordInItsCasing) {
  tokenizer().encode("tor tore");
  method::VocabularyWords all = words();
  context.words = &all;
  suite::Item item = cloze("Das Tor war da .", "Tor");
  item.features = {{"pos", "NOUN"}, {"lemma", "tor"}, {"number", "Sing"}, {"gender", "Neut"}};
  method::Questions p = method::find_method("lemma-forms").ask(item, context);
  ASSERT_EQ(p.excluded, judge::Reason::none);
  EXPECT_THAT(std::get<query::Targets>(p.queries[0].asks[0].what).ids,
              ElementsAre(*tokenizer().id("Tor"), *tokenizer().id("Tore")));
  EXPECT_EQ(p.queries[0].ids[2], FakeTokenizer::kMask);
  item = cloze("Der Hof war da .", "Hof");
  EXPECT_EQ(method::find_method("lemma-forms").ask(item, context).excluded,
            judge::Reason::no_other_form);
}

TEST_F(ClozeTest, ExclusionsHaveReasons) {
  method::VocabularyWords all = words(3), many = words(4);
  const method::Method& method = method::find_method("feature-class");
  suite::Item item = cloze("Der Hof war da .", "Hof");
  EXPECT_THROW(method.ask(item, context), Error);  // no lexicon
  context.words = &all;
  EXPECT_EQ(method.ask(item, context).excluded, judge::Reason::none);
  item.features.push_back({"person", 1e300});  // a number, though nobody's
  EXPECT_EQ(method.ask(item, context).excluded, judge::Reason::none);
  item.features.pop_back();
  context.words = &many;
  EXPECT_EQ(method.ask(item, context).excluded, judge::Reason::too_few_words);
  context.words = &all;
  item.language = "fr";
  EXPECT_EQ(method.ask(item, context).excluded, judge::Reason::too_few_words);
  item.features.clear();
  EXPECT_EQ(method.ask(item, context).excluded, judge::Reason::no_features);
  item.cloze = false;
  EXPECT_EQ(method.ask(item, context).excluded, judge::Reason::not_a_cloze);
}

TEST_F(ClozeTest, EqualMaskedSentencesAreOneForwardPassForAllMethods) {
  method::VocabularyWords all = words();
  std::vector<suite::Item> items = {cloze("Der Hof war da .", "Hof"),
                                    cloze("Der Hund war da .", "Hund")};
  Planner planner(model,
                  {&method::find_method("feature-class"), &method::find_method("lemma-pairs")}, {},
                  &all);
  ItemSource source = [&](const EachItem& each) {
    for (size_t i = 0; i < items.size(); ++i) each(i, items[i]);
  };
  planner.plan(source);
  EXPECT_EQ(planner.counts().distinct, 1u);
  planner.answer();
  EXPECT_EQ(model.forward_passes, 1u);
}

TEST_F(ClozeTest, ReducersAreKnownByWhatTheyAskAndAboutWhichWords) {
  method::VocabularyWords all = words(), same = words(), other = words(2);
  suite::Item item = cloze("Der Hof war da .", "Hof");
  auto identity = [&](const method::VocabularyWords& w, const char* method) {
    context.words = &w;
    query::Query q = method::find_method(method).ask(item, context).queries.at(0);
    return std::get<query::Classes>(q.asks[0].what).reducer->identity();
  };
  EXPECT_EQ(identity(all, "feature-class"), identity(same, "feature-class"));
  EXPECT_NE(identity(all, "feature-class"), identity(other, "feature-class"));
  EXPECT_NE(identity(all, "feature-class"), identity(all, "lemma-pairs"));
}

// What a reducer keeps survives the words it came from, and the way through another process.
TEST_F(ClozeTest, AnotherProcessIsAskedForLogitsAndTheRecordIsTheSame) {
  std::vector<query::Query> queries;
  {
    method::VocabularyWords all = words();
    context.words = &all;
    queries.push_back(method::find_method("feature-class")
                          .ask(cloze("Der Hof war da .", "Hof"), context)
                          .queries.at(0));
  }
  std::vector<query::Query> theirs = parse_queries(queries_text(queries));
  EXPECT_TRUE(std::holds_alternative<query::Targets>(theirs[0].asks[0].what));
  std::string text = answers_text(model.answer(theirs));
  EXPECT_EQ(parse_answers(text, queries), model.answer(queries));
}

TEST_F(ClozeTest, StoredScoresAreFoundByTheirWords) {
  std::vector<suite::Item> items = {cloze("Der Hof war da .", "Hof"),
                                    cloze("Der Hund kam .", "Hund")};
  RunOptions options;
  options.lexicon = folder / "lexicon.tsv";
  options.min_words = 1;
  store::Store store(folder / "r.db", store::Store::Mode::write);
  auto run = [&] {
    return run_suite(&store, testing::source_of(items), model,
                     {&method::find_method("feature-class")}, options);
  };
  EXPECT_EQ(run().stored_before, 0u);
  EXPECT_EQ(store.runs().at(0).version, 1);
  EXPECT_EQ(store.runs()[0].words, words().fingerprint());
  EXPECT_EQ(store.runs()[0].facts.at("words"), words().fingerprint().substr(0, 16));
  EXPECT_EQ(run().stored_before, 2u);
  options.min_words = 2;  // other words, as it were
  EXPECT_EQ(run().stored_before, 0u);
}

TEST_F(ClozeTest, DistanceIsCountedInPiecesFromBeginningToBeginning) {
  suite::Item item = cloze("Der Hof wackelte dort sehr .", "Hof");
  EXPECT_EQ(method::distance_in_pieces(item, tokenizer()), std::nullopt);
  item.features.push_back({"other", "17-21"});  // "dort", after "wack", "##elte"
  EXPECT_EQ(method::distance_in_pieces(item, tokenizer()), 3u);
  for (const char* nowhere : {"x", "3-4", "100-110"}) {  // no span, a space, beyond the end
    item.features.back().second = nowhere;
    EXPECT_EQ(method::distance_in_pieces(item, tokenizer()), std::nullopt) << nowhere;
  }
}

}  // namespace
}  // namespace minpair::engine
