#include "suite/prepare.h"

#include <gtest/gtest.h>

namespace minpair::suite {
namespace {

Item item_of(std::string good, Span a, std::string bad, Span b) {
  Item item;
  item.sentences = {{{std::move(good)}, a, true}, {{std::move(bad)}, b, false}};
  return item;
}

TEST(Prepare, CapitalsLeaveTheLocusWhereItWas) {
  Item item = item_of("der Koch lacht", {9, 14}, "der Koch lachen", {9, 15});
  prepare({.capitalize = true}, item);
  EXPECT_EQ(item.sentences[0].text, "Der Koch lacht");
  EXPECT_EQ(slice(item.sentences[1].text, item.sentences[1].locus), "lachen");
  prepare({.lower_first = true}, item);
  EXPECT_EQ(item.sentences[0].text, "der Koch lacht");
}

TEST(Prepare, ALongerCapitalMovesTheRest) {
  // U+0250 has two bytes, its capital U+2C6F three.
  Item item = item_of("\u0250 b c", {3, 4}, "\u0250 d c", {3, 4});
  prepare({.capitalize = true}, item);
  EXPECT_EQ(item.sentences[0].text, "\u2C6F b c");
  EXPECT_EQ(slice(item.sentences[0].text, item.sentences[0].locus), "b");
}

TEST(Prepare, ALocusAtTheBeginningGrowsWithIt) {
  Item item = item_of("\u0250 b", {0, 2}, "e b", {0, 1});
  prepare({.capitalize = true, .period = true}, item);
  EXPECT_EQ(slice(item.sentences[0].text, item.sentences[0].locus), "\u2C6F");
  EXPECT_EQ(item.sentences[1].text, "E b.");
}

TEST(Prepare, AddsPeriodsOnlyWithoutPunctuation) {
  Item item = item_of("er ruht!", {3, 7}, "er ruhen", {3, 8});
  prepare({.period = true}, item);
  EXPECT_EQ(item.sentences[0].text, "er ruht!");
  EXPECT_EQ(item.sentences[1].text, "er ruhen.");
}

}  // namespace
}  // namespace minpair::suite
