#pragma once
// Results files into one. Parts of one run, made with --shard, give the bytes that a single process
// would have written; results of other suites, models and methods are collected beside them.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace minpair::store {

struct Merged {
  uint64_t runs = 0;
  uint64_t scores = 0;  // items × methods, over all files
  uint64_t sweeps = 0;  // effects.h
};

// Throws before anything is written when a shard is missing, is there twice, or does not belong to
// the others. Merging the same files again changes nothing.
Merged merge_results(const std::vector<std::filesystem::path>& files,
                     const std::filesystem::path& output);

}  // namespace minpair::store
