#pragma once
// Items and suites made up for tests of runs.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/random.h"
#include "engine/engine.h"

namespace minpair::testing {

using namespace minpair::engine;

// A stream over items in memory.
struct InMemory : suite::ItemStream {
  explicit InMemory(const std::vector<suite::Item>& all) : items(all) {}
  bool next(suite::Item& item) override {
    if (at == items.size()) return false;
    item = items[at++];
    return true;
  }
  const std::vector<suite::Item>& items;
  size_t at = 0;
};

inline SuiteSource source_of(const std::vector<suite::Item>& items,
                             const std::string& name = "suite") {
  SuiteSource source;
  source.manifest.name = name;
  source.open = [&items] { return std::make_unique<InMemory>(items); };
  return source;
}

inline std::vector<suite::Item> some_items(size_t n, uint64_t seed = 1) {
  const std::vector<std::string> words = {"Sie", "die", "kam", "ging", "verfolgt", "heim", "oft"};
  Random random(seed);
  std::vector<suite::Item> items;
  for (size_t i = 0; i < n; ++i) {
    suite::Item item;
    item.id = std::to_string(i);
    item.test = i % 3 ? "simple" : "hard";
    item.condition = i % 2 ? "sg" : "pl";
    std::string start = words[random.below(7)] + " " + words[random.below(7)] + " ";
    item.sentences = {{{start + "kam ."}, {}, true}, {{start + "verfolgten ."}, {}, false}};
    suite::align_loci(item.sentences);
    items.push_back(item);
  }
  return items;
}

inline std::vector<const method::Method*> three_methods() {
  return method::find_methods("ce,masked,pll", {.kind = query::ModelInfo::Kind::masked});
}

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace minpair::testing
