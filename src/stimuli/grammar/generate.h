#pragma once
// From grammars to a suite file or to lines of text.

#include <optional>
#include <string>
#include <vector>

#include "stimuli/grammar/grammar.h"

namespace minpair::stimuli {

struct GenerateOptions {
  enum class Format { text, clams, jsonl };
  std::optional<Format> format;    // unset: text for "x.txt" and where there is no locus
  std::optional<uint64_t> sample;  // this many items of each test
  uint64_t seed = 0;
  uint64_t most = 10'000'000;  // without a sample, larger suites are refused
};

void generate(const std::vector<Derivations>& tests, const std::filesystem::path& output,
              const GenerateOptions& options);

Count count_of(const std::vector<Derivations>& tests);
// "simple_sentence  sg  65", aligned, with a sum.
std::string count_table(const std::vector<Derivations>& tests);

}  // namespace minpair::stimuli
