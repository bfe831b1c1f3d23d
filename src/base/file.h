#pragma once
// Files: read whole, by line, or mapped; written to a temporary name and renamed when complete.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace minpair::inline base {

// The whole file. Refuses more than `limit` bytes: untrusted files must not exhaust memory.
std::string read_file(const std::filesystem::path& path, uint64_t limit = uint64_t{1} << 31);

// A read-only memory map. Empty files map to an empty view.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(MappedFile&&) noexcept;
  MappedFile& operator=(MappedFile&&) noexcept;
  ~MappedFile();

  std::string_view bytes() const { return {data_, size_}; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  const char* data_ = nullptr;
  size_t size_ = 0;
};

// Lines of a file (or of standard input for "-") in constant memory. The line has no end-of-line
// characters, the first one no byte-order mark; a line longer than the limit is an error.
class LineReader {
 public:
  explicit LineReader(const std::filesystem::path& path, size_t line_limit = size_t{1} << 26);
  ~LineReader();
  bool next(std::string_view& line);  // valid until the next call
  uint64_t line_number() const { return line_number_; }
  const std::string& name() const { return name_; }

 private:
  bool fill();

  std::string name_;
  size_t line_limit_;
  int fd_ = -1;
  std::string buffer_;
  size_t begin_ = 0, end_ = 0;
  bool at_end_ = false;
  uint64_t line_number_ = 0;
};

// Writes beside the target and renames on commit(); destroyed without commit, nothing stays behind.
// "-" is standard output; other non-regular targets (/dev/null, pipes) are written directly.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  void flush();

  std::filesystem::path path_, temporary_;
  int fd_ = -1;
  bool direct_ = false;
  std::string buffer_;
};

// Puts a file that is synced in the place of another, and syncs the folder.
void rename_and_sync(const std::filesystem::path& from, const std::filesystem::path& to);

void write_file(const std::filesystem::path& path, std::string_view bytes);  // atomically

// All of the bytes, at the descriptor's current position; errors name `path`.
void write_all(int fd, std::string_view bytes, const std::filesystem::path& path);
// Throws when the file is there and is not a regular file with a single name: a link, a pipe or a
// second name would lead what is written, truncated or deleted to another file. Files that the user
// names may be links; files beside them, whose names minpair chooses, may not.
void refuse_unusual_file(const std::filesystem::path& path);
// The same for a file that is open.
void refuse_unusual_file(int fd, const std::filesystem::path& path);
bool file_ends_with(const std::filesystem::path& path, std::string_view end);  // false: no such file
// A file without a name, to write and read: the system removes it with the process, however it
// ends.
int unnamed_file(const std::filesystem::path& folder);

}  // namespace minpair::inline base
