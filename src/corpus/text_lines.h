#pragma once
// Lines of a text file, plain or compressed with xz, in constant memory.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace minpair::corpus {

class TextLines {
 public:
  explicit TextLines(const std::filesystem::path& path, size_t line_limit = size_t{1} << 24);
  ~TextLines();
  TextLines(const TextLines&) = delete;
  TextLines& operator=(const TextLines&) = delete;

  // The line without its end; valid until the next call. The first bytes say
  // whether the file is compressed, not its name.
  bool next(std::string_view& line);
  uint64_t line_number() const { return line_number_; }
  uint64_t bytes_read() const { return bytes_read_; }  // of the file as it is on disk

 private:
  struct Decoder;
  bool fill();
  bool fill_decoded();

  std::filesystem::path path_;
  size_t line_limit_;
  int fd_ = -1;
  std::unique_ptr<Decoder> decoder_;
  std::string raw_, text_;
  size_t at_ = 0;
  bool at_end_ = false;
  uint64_t line_number_ = 0, bytes_read_ = 0;
};

}  // namespace minpair::corpus
