#pragma once
// Records sorted by key, in bounded memory: what does not fit is sorted in pieces into unnamed
// files, which are merged while reading. Equal keys keep the order in which they were added.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace minpair::engine {

class SortedRecords {
 public:
  // `folder`: where the unnamed files go. They vanish with the process, however it ends.
  SortedRecords(std::filesystem::path folder, size_t memory_limit);
  ~SortedRecords();

  void add(std::string_view key, std::string_view value);

  // Reading, from the first record: as often as wanted, but nothing is added any more.
  void rewind();
  bool next(std::string_view& key, std::string_view& value);  // valid until the next call

  uint64_t count() const { return count_; }
  size_t files() const { return runs_.size(); }

 private:
  struct Entry {
    size_t at;
    uint32_t key, value;
  };
  struct Run;  // one sorted file, and how far it has been read

  void sort_memory();
  void spill();
  std::string_view key_of(const Entry& e) const { return {arena_.data() + e.at, e.key}; }

  std::filesystem::path folder_;
  size_t memory_limit_;
  uint64_t count_ = 0;
  std::string arena_;
  std::vector<Entry> entries_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::vector<size_t> heap_;  // indices of runs that have a record
  size_t position_ = 0;       // in entries_, when everything fits in memory
  bool sorted_ = false;
};

}  // namespace minpair::engine
