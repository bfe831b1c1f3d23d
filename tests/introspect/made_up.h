#pragma once
// Pairs with subjects and attractors, made up for tests.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "suite/suite.h"

namespace minpair::testing {

inline suite::Item item_of(const std::string& id, const std::string& condition,
                           const std::string& good, const std::string& bad,
                           const std::string& cluster = "c") {
  suite::Item item;
  item.id = id, item.test = "agreement", item.condition = condition, item.cluster = cluster;
  item.sentences = {{{bad}, {}, false}, {{good}, {}, true}};
  suite::align_loci(item.sentences);
  return item;
}

// For tiny models: the first word is the subject, the second the attractor.
inline std::vector<suite::Item> agreement(const std::string& w) {
  std::vector<suite::Item> items;
  for (int noun = 0; noun < 6; ++noun)
    for (int number = 0; number < 2; ++number)
      for (int other = 0; other < 2; ++other) {
        const std::string before =
            fmt::format("{}{} {}{} ", w, 10 + 2 * noun + number, w, 24 + other);
        const std::string sg = before + w + "7 " + w + "9", pl = before + w + "8 " + w + "9";
        items.push_back(item_of(fmt::format("{}", items.size()),
                                fmt::format("{}_{}", number ? "pl" : "sg", other ? "pl" : "sg"),
                                number ? pl : sg, number ? sg : pl, fmt::format("noun{}", noun)));
        for (suite::Sentence& sentence : items.back().sentences) {
          const size_t space = sentence.text.find(' ');
          sentence.regions = {{"subject", {0, space}},
                              {"attractor", {space + 1, sentence.locus.begin - 1}}};
        }
      }
  return items;
}

}  // namespace minpair::testing
