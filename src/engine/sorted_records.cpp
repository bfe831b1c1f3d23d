#include "engine/sorted_records.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"

namespace minpair::engine {
namespace {

constexpr size_t kBuffer = size_t{1} << 16;

}  // namespace

struct SortedRecords::Run {
  int fd = -1;
  std::string buffer;
  size_t begin = 0, end = 0;
  uint64_t offset = 0;
  std::string_view key, value;

  ~Run() {
    if (fd >= 0) ::close(fd);
  }

  bool have(size_t n) {
    if (end - begin >= n) return true;
    std::memmove(buffer.data(), buffer.data() + begin, end - begin);
    end -= begin;
    begin = 0;
    if (buffer.size() < n) buffer.resize(n);
    while (end < n) {
      ssize_t got = ::pread(fd, buffer.data() + end, buffer.size() - end, off_t(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw cannot_errno("reading the plan failed");
      if (got == 0) return false;
      end += size_t(got);
      offset += uint64_t(got);
    }
    return true;
  }

  bool advance() {
    if (!have(8)) return false;
    uint32_t sizes[2];
    std::memcpy(sizes, buffer.data() + begin, 8);
    if (!have(8 + size_t{sizes[0]} + sizes[1])) throw cannot("the plan's temporary file is broken");
    key = {buffer.data() + begin + 8, sizes[0]};
    value = {key.data() + sizes[0], sizes[1]};
    begin += 8 + size_t{sizes[0]} + sizes[1];
    return true;
  }

  void rewind() {
    begin = end = 0;
    offset = 0;
    buffer.resize(kBuffer);
  }
};

SortedRecords::SortedRecords(std::filesystem::path folder, size_t memory_limit)
    : folder_(std::move(folder)), memory_limit_(memory_limit) {}

SortedRecords::~SortedRecords() = default;

void SortedRecords::add(std::string_view key, std::string_view value) {
  size_t need = key.size() + value.size() + sizeof(Entry);
  size_t used = arena_.size() + entries_.size() * sizeof(Entry);
  if (used + need > memory_limit_ && !entries_.empty()) spill();
  // At once and not by doubling, which would need half as much again; what is never touched costs
  // nothing.
  if (arena_.capacity() < memory_limit_) arena_.reserve(memory_limit_);
  entries_.push_back({arena_.size(), uint32_t(key.size()), uint32_t(value.size())});
  arena_.append(key);
  arena_.append(value);
  ++count_;
  sorted_ = false;
}

void SortedRecords::sort_memory() {
  if (sorted_) return;
  std::sort(entries_.begin(), entries_.end(), [&](const Entry& a, const Entry& b) {
    int c = key_of(a).compare(key_of(b));
    return c != 0 ? c < 0 : a.at < b.at;
  });
  sorted_ = true;
}

void SortedRecords::spill() {
  sort_memory();
  auto run = std::make_unique<Run>();
  run->fd = unnamed_file(folder_);
  std::string out;
  for (const Entry& e : entries_) {
    append_raw(out, e.key);
    append_raw(out, e.value);
    out.append(arena_, e.at, size_t{e.key} + e.value);
    if (out.size() >= kBuffer) {
      write_all(run->fd, out, folder_);
      out.clear();
    }
  }
  write_all(run->fd, out, folder_);
  runs_.push_back(std::move(run));
  arena_.clear();
  entries_.clear();
}

void SortedRecords::rewind() {
  if (!runs_.empty() && !entries_.empty()) spill();
  if (!runs_.empty()) {
    arena_ = {};
    entries_ = {};
  }
  sort_memory();
  position_ = 0;
  heap_.clear();
  for (size_t i = 0; i < runs_.size(); ++i) {
    runs_[i]->rewind();
    if (runs_[i]->advance()) heap_.push_back(i);
  }
  auto later = [&](size_t a, size_t b) {
    int c = runs_[a]->key.compare(runs_[b]->key);
    return c != 0 ? c > 0 : a > b;
  };
  std::make_heap(heap_.begin(), heap_.end(), later);
  // The run whose record was given out last waits at the back.
  heap_.push_back(SIZE_MAX);
}

bool SortedRecords::next(std::string_view& key, std::string_view& value) {
  if (runs_.empty()) {
    if (position_ == entries_.size()) return false;
    const Entry& e = entries_[position_++];
    key = key_of(e);
    value = {key.data() + e.key, e.value};
    return true;
  }
  auto later = [&](size_t a, size_t b) {
    int c = runs_[a]->key.compare(runs_[b]->key);
    return c != 0 ? c > 0 : a > b;
  };
  size_t last = heap_.back();
  heap_.pop_back();
  if (last != SIZE_MAX && runs_[last]->advance()) {
    heap_.push_back(last);
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  if (heap_.empty()) {
    heap_.push_back(SIZE_MAX);
    return false;
  }
  std::pop_heap(heap_.begin(), heap_.end(), later);
  key = runs_[heap_.back()]->key;
  value = runs_[heap_.back()]->value;
  return true;
}

}  // namespace minpair::engine
