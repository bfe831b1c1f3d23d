#pragma once
// Writes lines in random order without holding them all: lines go to a bucket by chance, and each
// bucket is shuffled on its own.

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace minpair::corpus {

class ShuffledFile {
 public:
  ShuffledFile(std::filesystem::path target, uint64_t seed, size_t buckets = 32);
  ~ShuffledFile();  // removes the buckets
  void add(std::string_view line);
  void commit();  // writes the target

 private:
  std::filesystem::path bucket_path(size_t i) const;

  std::filesystem::path target_;
  Random random_;
  std::vector<std::ofstream> buckets_;
};

}  // namespace minpair::corpus
