#pragma once
// Is a results file intact? Every row against its checksum, every verdict and every sum recomputed.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace minpair::store {

struct Checked {
  uint64_t runs = 0, scores = 0;
  uint64_t sweeps = 0, effects = 0;   // effects.h: and items that they have effects of
  std::vector<std::string> findings;  // the first hundred; empty: all is well
};

// Throws only when the file cannot be read at all.
Checked check_results(const std::filesystem::path& path);

}  // namespace minpair::store
