#include "suite/filter.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace minpair::suite {

static Item item() {
  Item item;
  item.id = "007";
  item.test = "simple sentence";
  item.condition = "sg_pl";
  item.language = "de";
  item.features = {{"attractors", 2.0}, {"animacy", "animate"}, {"count", "3"}, {"delta", -1.5}};
  return item;
}

static bool holds(const std::string& text) { return Filter(text).holds(item()); }

static std::string reason(const std::string& text) {
  try {
    Filter filter(text);
    filter.holds(item());
    filter.check();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), Error::Kind::usage);
    return e.message() + " | " + e.next();
  }
  return "no error";
}

TEST(Filter, ComparesNumbers) {
  EXPECT_TRUE(holds("attractors > 0"));
  EXPECT_TRUE(holds("attractors>=2"));
  EXPECT_TRUE(holds("attractors <= 2"));
  EXPECT_TRUE(holds("attractors = 2.0"));
  EXPECT_FALSE(holds("attractors > 2"));
  EXPECT_FALSE(holds("attractors < 2"));
  EXPECT_FALSE(holds("attractors != 2"));
  EXPECT_TRUE(holds("delta < -1"));
  EXPECT_FALSE(holds("delta < -2"));
  EXPECT_TRUE(holds("count > 2 and count == 3")) << "a number that was read as text";
}

TEST(Filter, ComparesTexts) {
  EXPECT_TRUE(holds("animacy = animate"));
  EXPECT_TRUE(holds("animacy != 'inanimate'"));
  EXPECT_TRUE(holds("test = 'simple sentence'"));
  EXPECT_TRUE(holds("test = \"simple sentence\" and \"language\" = de"));
  EXPECT_TRUE(holds("attractors = '2'"));
  EXPECT_FALSE(holds("attractors = '2.0'"));
  EXPECT_TRUE(holds("id = 007"));
  EXPECT_FALSE(holds("id = '7'"));
  EXPECT_TRUE(holds("cluster = ''"));
  EXPECT_TRUE(holds("condition in (sg_sg, 'sg_pl')"));
  EXPECT_FALSE(holds("condition in (sg_sg, pl_pl)"));
  EXPECT_TRUE(holds("attractors in (1, 2)"));
}

TEST(Filter, NotBeforeAndBeforeOr) {
  EXPECT_TRUE(holds("id = 007 or id = 1 and id = 2"));
  EXPECT_FALSE(holds("(id = 007 or id = 1) and id = 2"));
  EXPECT_TRUE(holds("not id = 1 and not not id = 007"));
  EXPECT_FALSE(holds("not (id = 1 or id = 007)"));
  EXPECT_TRUE(holds(""));
  EXPECT_TRUE(holds("  "));
}

TEST(Filter, ItemsWithoutTheFeatureAreOnNeitherSide) {
  EXPECT_FALSE(holds("distance > 0"));
  EXPECT_FALSE(holds("not distance > 0"));
  EXPECT_FALSE(holds("distance != 1"));
  EXPECT_TRUE(holds("distance > 0 or id = 007"));
  EXPECT_FALSE(holds("distance > 0 and id = 007"));
}

TEST(Filter, ValuesMayLieInColumns) {
  Filter filter("b > 1 and a = x and b < 3");
  ASSERT_EQ(filter.names(), (std::vector<std::string>{"b", "a"}));
  EXPECT_TRUE(filter.holds(std::vector<Filter::Value>{2.0, "x"}));
  EXPECT_FALSE(filter.holds(std::vector<Filter::Value>{3.0, "x"}));
  EXPECT_FALSE(filter.holds(std::vector<Filter::Value>{2.0, {}}));
  EXPECT_NO_THROW(filter.check());
}

TEST(Filter, AFeatureOfNoItemIsAnError) {
  EXPECT_EQ(reason("atractors > 0"),
            "in the filter 'atractors > 0': no item has a feature 'atractors' | "
            "did you mean 'attractors'?");
  EXPECT_EQ(reason("id = 1 and lenguage = de"),
            "in the filter 'id = 1 and lenguage = de': no item has a feature 'lenguage' | "
            "did you mean 'language'?");
  EXPECT_NE(reason("xyz = 1").find("one of: animacy, attractors, count, delta, id"),
            std::string::npos);
  EXPECT_EQ(reason("animacy > 0"),
            "in the filter 'animacy > 0': 'animacy' is never a number, but 'animate', for example "
            "| compare it with = or in: animacy = 'animate'");
  EXPECT_TRUE(reason("attractors > 99").starts_with("no item satisfies 'attractors > 99' |"));
  Filter filter("rare = 1");
  EXPECT_FALSE(filter.holds(item()));
  Item rare = item();
  rare.features.emplace_back("rare", 1.0);
  EXPECT_TRUE(filter.holds(rare));
  EXPECT_NO_THROW(filter.check()) << "one item had it";
}

TEST(Filter, SaysWhereItIsWrong) {
  EXPECT_TRUE(reason("attractors > ")
                  .starts_with("in the filter 'attractors >', character 13: a value is missing"));
  EXPECT_NE(reason("attractors").find("character 11: a comparison is missing"), std::string::npos);
  EXPECT_NE(reason("id = 1 id = 2").find("character 8: 'and' or 'or'"), std::string::npos);
  EXPECT_NE(reason("(id = 1").find("character 8: ')' is missing"), std::string::npos);
  EXPECT_NE(reason("id in 1").find("character 7: '(' is missing"), std::string::npos);
  EXPECT_NE(reason("id in (1 2)").find("character 10: ')' or ','"), std::string::npos);
  EXPECT_NE(reason("id < 'b'").find("compare numbers, and 'b' is none"), std::string::npos);
  EXPECT_NE(reason("id = 'b").find("character 7: the name that begins here"), std::string::npos);
  EXPECT_NE(reason("= 2").find("character 1: the name of a feature"), std::string::npos);
  EXPECT_NE(reason("id = 1)").find("character 7"), std::string::npos);
  EXPECT_NE(reason(std::string(100000, '(')).find("too many brackets"), std::string::npos);
}

}  // namespace minpair::suite
