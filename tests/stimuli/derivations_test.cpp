#include "stimuli/grammar/derivations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "suite/suite.h"

namespace minpair::stimuli {
namespace {

using ::testing::ElementsAre;

std::vector<suite::Item> all_items(const Derivations& l) {
  std::vector<suite::Item> items;
  l.expand([&](const suite::Item& i) { items.push_back(i); });
  return items;
}

std::string text_of(const Derivations& l) {
  std::string out;
  l.write_text([&](std::string_view s) { out += s; });
  return out;
}

// der|die + noun + verb, with marks; two conditions.
Derivations example() {
  Derivations l("t", "de");
  auto der = l.add_word("der"), comma = l.add_word(","), end = l.add_word(".");
  auto nouns = l.add_choice({{l.add_word("Ärztebund")}, {l.add_word("Autor")}});
  auto verbs = l.add_choice({{l.add_locus("läuft", {"laufen"})},
                             {l.add_locus("ruft \"hu\"", {"rufen \"hu\"", "rufe \"hu\""})}});
  auto subject = l.add_mark(Derivations::Mark::subject);
  auto attractor = l.add_mark(Derivations::Mark::attractor);
  auto clause = l.add_choice({{comma, l.add_word("den wir sehen"), attractor, comma}, {}});
  Section one{"sg", "t/1", {{"kind", "a"}, {"weight", 0.5}}, 0};
  one.root = l.add_choice({{der, nouns, subject, clause, verbs, end}});
  Section two{"pl", "t/2", {}, l.add_choice({{verbs, nouns, end}})};
  l.add_section(one);
  l.add_section(two);
  one.attracting = false;
  l.add_section(one);
  return l;
}

TEST(Derivations, WritesAsAPersonDoes) {
  Derivations l("t", "de");
  auto s = l.add_choice({{l.add_word("„"), l.add_word("äpfel"), l.add_word(","), l.add_word(""),
                          l.add_word("( sagt"), l.add_word("er )"), l.add_word("!")}});
  l.add_section({"", "", {}, s});
  EXPECT_EQ(text_of(l), "„Äpfel, (sagt er)!\n");
  l.style() = {false, false, true, true};
  EXPECT_EQ(text_of(l), "„ äpfel , ( sagt er ) ! <eos>\n");
}

TEST(Derivations, CapitalizesTheFirstWordAndTheLocus) {
  Derivations l("t", "de");
  l.add_section({"", "", {}, l.add_choice({{l.add_locus("über", {"unter"}), l.add_word("uns")}})});
  l.style().period = true;
  EXPECT_EQ(text_of(l), "Über uns.\n*Unter uns.\n");
  std::vector<suite::Item> items = all_items(l);
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(slice(items[0].sentences[0].text, items[0].sentences[0].locus), "Über");
  EXPECT_EQ(slice(items[0].sentences[1].text, items[0].sentences[1].locus), "Unter");
}

TEST(Derivations, CountsWithoutExpanding) {
  Derivations l = example();
  EXPECT_EQ(l.count(), 8u + 4u + 8u);
  EXPECT_EQ(all_items(l).size(), 20u);
  EXPECT_THAT(l.count_by_condition(),
              ElementsAre(std::pair("sg", Count(16)), std::pair("pl", Count(4))));
}

TEST(Derivations, ItemsSayDistanceAndAttractors) {
  std::vector<suite::Item> items = all_items(example());
  auto number = [](const suite::Item& i, const std::string& name) {
    for (const auto& [n, v] : i.features)
      if (n == name) return std::get<double>(v);
    return -1.0;
  };
  EXPECT_EQ(items[0].sentences[0].text, "Der Ärztebund, den wir sehen, läuft.");
  EXPECT_EQ(number(items[0], "distance"), 3);
  EXPECT_EQ(number(items[0], "attractors"), 1);
  EXPECT_EQ(items[2].sentences[0].text, "Der Ärztebund läuft.");
  EXPECT_EQ(number(items[2], "distance"), 0);
  EXPECT_EQ(number(items[2], "attractors"), 0);
  EXPECT_EQ(number(items[12], "attractors"), 0);  // the section's distractors do not attract
  EXPECT_EQ(number(items[8], "distance"), -1);    // no subject is marked
}

// Where subject and attractor are: the same by walking and by rank, in the wrong sentence too.
TEST(Derivations, ItemsSayTheirRoles) {
  Derivations l("t", "de");
  using Mark = Derivations::Mark;
  auto begin = l.add_mark(Mark::before_subject), before = l.add_mark(Mark::before);
  auto subject = l.add_mark(Mark::subject), attractor = l.add_mark(Mark::attractor);
  auto like = l.add_mark(Mark::distractor), unopened = l.add_mark(Mark::attractor);
  auto noun = l.add_choice({{l.add_word("der Ärztebund")}, {l.add_word("der Autor")}});
  auto inner = l.add_choice({{before, l.add_word("von Rom"), attractor}, {}});
  auto verb = l.add_locus("läuft", {"laufen"});
  auto after = l.add_choice({{before, l.add_word("den Mann"), like}, {l.add_word("es"), unopened}});
  l.add_section({"", "", {}, l.add_choice({{begin, noun, inner, subject, verb, after}})});
  auto texts = [](const suite::Item& item) {
    std::string all;
    for (const suite::Sentence& s : item.sentences)
      for (const suite::Region& r : s.regions)
        all += r.name + "=" + std::string(slice(s.text, r.span)) + ";";
    return all;
  };
  EXPECT_EQ(texts(all_items(l)[0]), "");
  l.name_roles();
  std::vector<suite::Item> items = all_items(l);
  ASSERT_EQ(items.size(), 8u);
  EXPECT_EQ(texts(items[0]),
            "subject=Der Ärztebund von Rom;attractor=von Rom;attractor=den Mann;"
            "subject=Der Ärztebund von Rom;attractor=von Rom;attractor=den Mann;");
  EXPECT_EQ(texts(items[1]),
            "subject=Der Ärztebund von Rom;attractor=von Rom;"
            "subject=Der Ärztebund von Rom;attractor=von Rom;");
  EXPECT_EQ(texts(items[6]),
            "subject=Der Autor;attractor=den Mann;subject=Der Autor;attractor=den Mann;");
  DerivedItems by_rank(l);
  std::string lines, expected;
  for (size_t i = 0; i < items.size(); ++i) {
    suite::Item item;
    by_rank.at(i, item);
    EXPECT_EQ(item, items[i]);
    suite::append_json_line(expected, items[i]);
  }
  l.write_jsonl([&](std::string_view s) { lines += s; });
  EXPECT_EQ(lines, expected);
}

TEST(Derivations, NumbersConditionsThrough) {
  std::vector<suite::Item> items = all_items(example());
  EXPECT_EQ(items[0].id, "t/sg/0001");
  EXPECT_EQ(items[8].id, "t/pl/0001");
  EXPECT_EQ(items[12].id, "t/sg/0009");
  std::set<std::string> ids;
  for (const suite::Item& i : items) ids.insert(i.id);
  EXPECT_EQ(ids.size(), items.size());
}

// The slow way judges the fast one.
TEST(Derivations, LinesAreThoseOfTheItems) {
  for (bool capitalize : {true, false}) {
    Derivations l = example();
    l.style().capitalize = capitalize;
    l.style().eos = !capitalize;
    std::string expected, fast;
    l.expand([&](const suite::Item& i) { suite::append_json_line(expected, i); });
    l.write_jsonl([&](std::string_view s) { fast += s; });
    EXPECT_EQ(fast, expected);
    EXPECT_NE(fast.find(R"(\"hu\")"), std::string::npos);
  }
}

TEST(Derivations, RanksAreInTheOrderOfExpansion) {
  Derivations l = example();
  DerivedItems by_rank(l);
  std::vector<suite::Item> items = all_items(l);
  for (size_t i = 0; i < items.size(); ++i) {
    suite::Item item;
    by_rank.at(i, item);
    EXPECT_EQ(item, items[i]);
  }
}

TEST(Derivations, SamplesAreDifferentItemsOfTheLanguage) {
  Derivations l = example();
  std::vector<suite::Item> items = all_items(l);
  for (uint64_t n : {0, 1, 7, 20, 100}) {
    Random random(n);
    std::vector<suite::Item> sample;
    l.sample(n, random, [&](const suite::Item& i) { sample.push_back(i); });
    EXPECT_EQ(sample.size(), std::min<size_t>(n, items.size()));
    size_t at = 0;
    for (const suite::Item& s : sample) {
      while (at < items.size() && items[at].id != s.id) ++at;
      ASSERT_LT(at, items.size()) << "not in order, or twice: " << s.id;
      EXPECT_EQ(s, items[at++]);
    }
  }
}

TEST(Derivations, EveryItemIsEquallyLikely) {
  Derivations l = example();
  std::map<std::string, int> drawn;
  Random random(1);
  for (int i = 0; i < 4000; ++i)
    l.sample(5, random, [&](const suite::Item& item) { ++drawn[item.id]; });
  EXPECT_EQ(drawn.size(), 20u);
  for (const auto& [id, n] : drawn) EXPECT_NEAR(n, 1000, 140) << id;  // five standard deviations
}

TEST(Derivations, CountsAndSamplesWhatCannotBeExpanded) {
  Derivations l("t", "de");
  auto word = l.add_choice({{l.add_word("a")}, {l.add_word("b")}});
  auto verb = l.add_locus("v", {"w"});
  std::vector<Derivations::Node> words(100, word);
  words.push_back(verb);
  l.add_section({"", "", {}, l.add_choice({words})});
  EXPECT_EQ(count_digits(l.count()), "1267650600228229401496703205376");  // 2^100
  Random random(3);
  std::set<std::string> texts;
  l.sample(50, random, [&](const suite::Item& i) { texts.insert(i.sentences[0].text); });
  EXPECT_EQ(texts.size(), 50u);
  words.insert(words.begin(), 100, word);
  l.add_section({"", "", {}, l.add_choice({words})});
  EXPECT_EQ(l.count(), kCountless);
  EXPECT_THROW(l.sample(1, random, [](const suite::Item&) {}), Error);
}

TEST(Derivations, RefusesSentencesWithNoOrTwoLoci) {
  Derivations l("t", "de");
  auto word = l.add_word("a"), locus = l.add_locus("b", {"c"});
  EXPECT_THROW(l.add_section({"", "", {}, l.add_choice({{locus, locus}})}), Error);
  EXPECT_THROW(l.add_section({"", "", {}, l.add_choice({{locus}, {word}})}), Error);
  l.add_section({"", "", {}, l.add_choice({{locus}})});
  EXPECT_THROW(l.add_section({"", "", {}, l.add_choice({{word}})}), Error);
}

TEST(Derivations, NeedsALocusForItems) {
  Derivations l("t", "de");
  l.add_section({"", "", {}, l.add_choice({{l.add_word("a")}})});
  EXPECT_THROW(l.expand([](const suite::Item&) {}), Error);
  EXPECT_THROW(l.write_jsonl([](std::string_view) {}), Error);
  EXPECT_EQ(text_of(l), "A\n");
}

TEST(Derivations, KeepsChosenConditions) {
  Derivations l = example();
  l.keep_conditions([](const std::string& c) { return c == "pl"; });
  EXPECT_EQ(l.count(), 4u);
}

TEST(Derivations, OutputLargerThanTheBufferIsWhole) {
  Derivations l("t", "de");
  std::vector<std::vector<Derivations::Node>> letters;
  for (int i = 0; i < 30; ++i) letters.push_back({l.add_word(std::string(1 + i * 37, 'x'))});
  auto word = l.add_choice(letters);
  l.add_section({"", "", {}, l.add_choice({{word, word, l.add_locus("y", {"zz"})}})});
  std::string slow, fast;
  l.expand([&](const suite::Item& i) { suite::append_json_line(slow, i); });
  size_t pieces = 0;
  l.write_jsonl([&](std::string_view s) {
    fast += s;
    ++pieces;
  });
  EXPECT_GT(pieces, 10u);
  EXPECT_EQ(fast, slow);
}

}  // namespace
// Drawn straight into text, as lines, as items, and by their ranks: the same sentences. With 70
// words there are more than 64 bits can count.
TEST(Derivations, ASampleIsTheSameInEveryForm) {
  for (int size : {3, 70}) {
    Derivations l("test", "de");
    std::vector<Derivations::Node> parts;
    for (int i = 0; i < size; ++i)
      parts.push_back(l.add_choice({{l.add_word("a")}, {l.add_word("b"), l.add_word("c")}}));
    // Alternatives with different numbers of derivations.
    parts[0] = l.add_choice({{l.add_word("d")}, {parts[1], parts[2]}, {parts[1]}});
    parts.push_back(l.add_locus("x", {"y"}));
    l.add_section({"one", "first", {}, l.add_choice({parts})});
    l.add_section({"two", "second", {}, l.add_choice({{parts[1], parts.back()}})});
    std::string items, sentences, lines, text;
    DerivedItems by_rank(l);
    const Count all = l.count(), first = l.count_of(l.sections()[0]);
    Random a(3), b(3), c(3);
    l.sample(20, a, [&](const suite::Item& item) {
      suite::append_json_line(items, item);
      sentences += item.sentences[0].text + "\n*" + item.sentences[1].text + "\n";
      if (size > 3) return;
      const Count number = Count(std::stoull(item.id.substr(item.id.rfind('/') + 1))) - 1;
      suite::Item same;
      by_rank.at(item.condition == "one" ? number : first + number, same);
      EXPECT_EQ(same, item);
    });
    l.sample_jsonl(20, b, [&](std::string_view s) { lines += s; });
    l.sample_text(20, c, [&](std::string_view s) { text += s; });
    EXPECT_EQ(lines, items);
    EXPECT_EQ(text, sentences);
    EXPECT_EQ(std::count(items.begin(), items.end(), '\n'), all < 20 ? long(all) : 20);
  }
}

}  // namespace minpair::stimuli
