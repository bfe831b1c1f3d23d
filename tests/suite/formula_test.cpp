#include "suite/formula.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"

namespace minpair::suite {

// As brackets, so that precedence is seen.
static std::string shown(const std::string& text, std::string_view metric = {}) {
  Formula f = parse_formula(text, metric);
  std::function<std::string(uint32_t)> show = [&](uint32_t i) -> std::string {
    const Formula::Node& n = f.nodes[i];
    if (n.kind == Formula::Kind::number) return std::to_string(n.number).substr(0, 3);
    if (n.kind == Formula::Kind::score)
      return (n.metric == Metric::sum ? "" : std::string(name_of(n.metric)) + ":") + n.region +
             "@" + n.sentence;
    return "(" + show(n.left) + " " + "??+-<>=&|"[size_t(n.kind)] + " " + show(n.right) + ")";
  };
  return show(uint32_t(f.nodes.size() - 1));
}

static std::string reason(const std::string& text, std::string_view metric = {}) {
  try {
    parse_formula(text, metric);
  } catch (const Error& e) {
    return e.message();
  }
  return "no error";
}

TEST(Formula, ReadsSyntaxGymsNotationWithEitherBrackets) {
  EXPECT_EQ(shown("[(6;%a%) < (6;%b%)] & [(6;%c%)<(6;%d%)]"), "((6@a < 6@b) & (6@c < 6@d))");
  EXPECT_EQ(shown("((6;%a%) < (6;%b%)) & ((6;%c%)<(6;%d%))"), "((6@a < 6@b) & (6@c < 6@d))");
  EXPECT_EQ(shown("[(6;%np_x%)-(6;%np_y%)]+[[(5;%v%)+(6;%v%)]-[(5;%w%)+(6;%w%)]]>0"),
            "(((6@np_x - 6@np_y) + ((5@v + 6@v) - (5@w + 6@w))) > 0.0)");
  EXPECT_EQ(shown("(*;%a%) = (verb phrase;%no-gap%)"), "(*@a = verb phrase@no-gap)");
}

TEST(Formula, SumsBeforeComparisonsBeforeAndWithOr) {
  EXPECT_EQ(shown("(1;%a%) + (2;%a%) - (3;%a%) < (1;%b%) & (1;%c%) > (2;%c%) | (1;%a%) = (1;%b%)"),
            "(((((1@a + 2@a) - 3@a) < 1@b) & (1@c > 2@c)) | (1@a = 1@b))");
}

TEST(Formula, ReadsTheSameInWords) {
  EXPECT_EQ(shown("verb in match < verb in mis-match and match < mis-match"),
            "((verb@match < verb@mis-match) & (*@match < *@mis-match))");
  EXPECT_EQ(shown("6 in a is more surprising than mean of \"the verb\" in b - 2"),
            "(6@a > (mean:the verb@b - 2.0))");
  EXPECT_EQ(shown("a is less surprising than b or a is as surprising as b"),
            "((*@a < *@b) | (*@a = *@b))");
  EXPECT_EQ(shown("v in a > max of v in b", "median"), "(median:v@a > max:v@b)");
  EXPECT_EQ(shown("Prädikat in wie > Prädikat in daß"), "(Prädikat@wie > Prädikat@daß)");
}

// SyntaxGym's own parser needs no spaces around a minus.
TEST(Formula, SubtractsNumbersWithoutSpaces) {
  EXPECT_EQ(shown("(1;%a%)>5-3"), "(1@a > (5.0 - 3.0))");
  EXPECT_EQ(shown("(1;%a%)-2.5-1<0"), "(((1@a - 2.5) - 1.0) < 0.0)");
  EXPECT_EQ(shown("3-gram in a > 6 in 2-gram"), "(3-gram@a > 6@2-gram)");
  EXPECT_EQ(shown("3 in a > 6 in b"), "(3@a > 6@b)");
}

TEST(Formula, SaysWhereItIsWrong) {
  EXPECT_EQ(
      reason("(6;%ä%) < (6;%b"),
      "in the formula '(6;%ä%) < (6;%b', character 15: a sentence's name is written between two %");
  EXPECT_EQ(reason("[(6;%a%) < (6;%b%)"),
            "in the formula '[(6;%a%) < (6;%b%)', character 19: ']' is missing here");
  EXPECT_NE(reason("(6;%a%)").find("compare it with another"), std::string::npos);
  EXPECT_NE(reason("a < b < c").find("character 10: only numbers"), std::string::npos);
  EXPECT_NE(reason("a & b").find("join comparisons"), std::string::npos);
  EXPECT_NE(reason("a < b c").find("character 7: an operator is missing"), std::string::npos);
  EXPECT_NE(reason("a <").find("character 4: something is missing"), std::string::npos);
  EXPECT_NE(reason("").find("something is missing"), std::string::npos);
  EXPECT_NE(reason("(;%a%) < b").find("the region is missing"), std::string::npos);
  EXPECT_EQ(reason("a < b", "average"), "there is no metric 'average'");
  EXPECT_NE(reason(std::string(100000, '(')).find("too many brackets"), std::string::npos);
}

}  // namespace minpair::suite
