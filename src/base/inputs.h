#pragma once
// Files that were read, as they were when they were opened. What is computed from them must not be
// stored once one of them has changed: the results would name a file that they do not come from.
//
//   RecordedInputs recorded;               // every file that this thread opens from here on
//   MappedFile weights("model.safetensors");
//   check_unchanged(recorded.files());     // throws, naming the first file that has changed

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

struct stat;

namespace minpair::inline base {

struct InputFile {
  std::filesystem::path path;
  uint64_t device = 0, inode = 0, size = 0;
  int64_t modified = 0, changed = 0;  // nanoseconds
  bool operator==(const InputFile&) const = default;
};

class RecordedInputs {
 public:
  RecordedInputs();
  ~RecordedInputs();
  RecordedInputs(const RecordedInputs&) = delete;
  RecordedInputs& operator=(const RecordedInputs&) = delete;

  const std::vector<InputFile>& files() const { return files_; }

 private:
  friend void record_input(const std::filesystem::path& path, const struct stat& opened);
  RecordedInputs* outer_;
  std::vector<InputFile> files_;
};

// For whoever opens files to read (file.cpp). Only regular files are recorded, each once.
void record_input(const std::filesystem::path& path, const struct stat& opened);
void check_unchanged(std::span<const InputFile> files);

// A page of a mapped file that is not there any more ends the program by a signal. From here on the
// signal says which file it was, and the exit status is 1. For programs, not for libraries.
void explain_bus_errors();
// For whoever maps files (file.cpp).
void record_mapping(const void* data, size_t size, const std::filesystem::path& path);
void forget_mapping(const void* data);

}  // namespace minpair::inline base
