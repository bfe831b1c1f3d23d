#include "checkpoint/checkpoint.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "base/hash.h"
#include "base/team.h"
#include "checkpoint/parts.h"

namespace minpair::checkpoint {

namespace {

constexpr uint64_t chunk = uint64_t{8} << 20;

void release(std::string_view bytes) {
  static const uint64_t page = uint64_t(::sysconf(_SC_PAGESIZE));
  uint64_t begin = (reinterpret_cast<uint64_t>(bytes.data()) + page - 1) / page * page;
  uint64_t end = (reinterpret_cast<uint64_t>(bytes.data()) + bytes.size()) / page * page;
  // A file-backed page that was never written: dropping it loses nothing, failing to costs nothing.
  if (end > begin) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

// The file's chunks are hashed side by side, then their hashes in order: the same value whatever
// the number of threads. Pages are given back as they are read, for they may never be needed again.
void hash_file(std::string_view bytes, std::string& into) {
  std::vector<Hash128> hashes((bytes.size() + chunk - 1) / chunk);
  share(hashes.size(), std::min(std::thread::hardware_concurrency(), 8u), [&](size_t i) {
    std::string_view piece = bytes.substr(i * chunk, chunk);
    hashes[i] = fingerprint128(piece, i);
    release(piece);
  });
  into += fmt::format("{}:", bytes.size());
  for (const Hash128& h : hashes) into += hex_of(h);
}

}  // namespace

MappedCheckpoint::MappedCheckpoint(std::string format, std::vector<MappedFile> files,
                                   std::vector<TensorView> tensors, Metadata metadata,
                                   std::vector<std::unique_ptr<std::byte[]>> inflated)
    : format_(std::move(format)),
      files_(std::move(files)),
      tensors_(std::move(tensors)),
      metadata_(std::move(metadata)),
      inflated_(std::move(inflated)) {
  std::stable_sort(tensors_.begin(), tensors_.end(),
                   [](const TensorView& a, const TensorView& b) { return a.name < b.name; });
  for (size_t i = 1; i < tensors_.size(); ++i)
    if (tensors_[i].name == tensors_[i - 1].name)
      throw tensor_error(tensors_[i], "two tensors have this name");
}

const std::string& MappedCheckpoint::fingerprint() const {
  std::call_once(hashed_, [&] {
    std::string all;
    for (const MappedFile& f : files_) hash_file(f.bytes(), all);
    fingerprint_ = hex_of(fingerprint128(all));
  });
  return fingerprint_;
}

uint64_t MappedCheckpoint::file_bytes() const {
  uint64_t n = 0;
  for (const MappedFile& f : files_) n += f.bytes().size();
  return n;
}

void MappedCheckpoint::release_memory() const {
  for (const MappedFile& f : files_) release(f.bytes());
}

const TensorView* Checkpoint::find(std::string_view name) const {
  const std::vector<TensorView>& all = tensors();
  auto found = std::lower_bound(
      all.begin(), all.end(), name,
      [](const TensorView& t, std::string_view wanted) { return t.name < wanted; });
  return found != all.end() && found->name == name ? &*found : nullptr;
}

std::string shown(std::string_view name) {
  std::string s;
  for (char c : name.substr(0, 100)) s += uint8_t(c) < 32 || c == 127 ? '?' : c;
  return name.size() > 100 ? s + "..." : s;
}

Error tensor_error(const TensorView& t, const std::string& what) {
  return bad_input(fmt::format("tensor '{}': {}", shown(t.name), what))
      .at_byte(t.file, t.offset)
      .hint("the file is damaged, incomplete or not a model's weights; download it again");
}

Error file_error(const MappedFile& file, uint64_t byte, const std::string& what) {
  return bad_input(what)
      .at_byte(file.path().string(), byte)
      .hint("the file is damaged, incomplete or not a model's weights; download it again");
}

}  // namespace minpair::checkpoint
