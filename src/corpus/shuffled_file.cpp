#include "corpus/shuffled_file.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"

namespace minpair::corpus {

ShuffledFile::ShuffledFile(std::filesystem::path target, uint64_t seed, size_t buckets)
    : target_(std::move(target)), random_(seed) {
  for (size_t i = 0; i < buckets; ++i) {
    buckets_.emplace_back(bucket_path(i), std::ios::binary | std::ios::trunc);
    if (!buckets_.back())
      throw cannot_errno(fmt::format("cannot write {}", bucket_path(i).string()));
  }
}

ShuffledFile::~ShuffledFile() {
  std::error_code ignored;
  for (size_t i = 0; i < buckets_.size(); ++i) std::filesystem::remove(bucket_path(i), ignored);
}

std::filesystem::path ShuffledFile::bucket_path(size_t i) const {
  return target_.string() + fmt::format(".part{}", i);
}

void ShuffledFile::add(std::string_view line) {
  buckets_[random_.below(buckets_.size())] << line << '\n';
}

void ShuffledFile::commit() {
  AtomicFile out(target_);
  for (size_t i = 0; i < buckets_.size(); ++i) {
    buckets_[i].close();
    if (!buckets_[i])
      throw cannot(fmt::format("cannot write {}", bucket_path(i).string()))
          .hint("is the disk full?");
    const std::string text = read_file(bucket_path(i), uint64_t{1} << 36);
    std::vector<std::string_view> lines;
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      lines.push_back(std::string_view(text).substr(at, end + 1 - at));
      at = end + 1;
    }
    random_.shuffle(std::span(lines));
    for (const std::string_view line : lines) out.write(line);
  }
  out.commit();
}

}  // namespace minpair::corpus
