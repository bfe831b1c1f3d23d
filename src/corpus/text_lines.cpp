#include "corpus/text_lines.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <lzma.h>
#include <unistd.h>

#include "base/error.h"

namespace minpair::corpus {

namespace {

constexpr size_t kBlock = size_t{1} << 18;
constexpr uint64_t kMemory = uint64_t{1} << 30;
constexpr std::string_view kMagic("\xFD\x37zXZ\0", 6);

}  // namespace

struct TextLines::Decoder {
  lzma_stream stream = LZMA_STREAM_INIT;
  bool finished = false;
  ~Decoder() { lzma_end(&stream); }
};

TextLines::TextLines(const std::filesystem::path& path, size_t line_limit)
    : path_(path), line_limit_(line_limit) {
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) throw cannot_errno(fmt::format("cannot read {}", path.string()));
  raw_.resize(kBlock);
  char first[6];
  const ssize_t n = ::pread(fd_, first, sizeof first, 0);
  if (n == 6 && std::string_view(first, 6) == kMagic) {
    decoder_ = std::make_unique<Decoder>();
    if (lzma_stream_decoder(&decoder_->stream, kMemory, LZMA_CONCATENATED) != LZMA_OK)
      throw cannot("cannot start the xz decoder");
  }
}

TextLines::~TextLines() {
  if (fd_ >= 0) ::close(fd_);
}

// Appends more text; false at the end.
bool TextLines::fill() {
  text_.erase(0, at_);
  at_ = 0;
  if (decoder_) return fill_decoded();
  const ssize_t n = ::read(fd_, raw_.data(), raw_.size());
  if (n < 0) throw cannot_errno(fmt::format("cannot read {}", path_.string()));
  bytes_read_ += static_cast<uint64_t>(n);
  text_.append(raw_.data(), static_cast<size_t>(n));
  return n > 0;
}

bool TextLines::fill_decoded() {
  lzma_stream& s = decoder_->stream;
  if (decoder_->finished) return false;
  if (s.avail_in == 0) {
    const ssize_t n = ::read(fd_, raw_.data(), raw_.size());
    if (n < 0) throw cannot_errno(fmt::format("cannot read {}", path_.string()));
    bytes_read_ += static_cast<uint64_t>(n);
    s.next_in = reinterpret_cast<const uint8_t*>(raw_.data());
    s.avail_in = static_cast<size_t>(n);
  }
  const size_t had = text_.size();
  text_.resize(had + kBlock);
  s.next_out = reinterpret_cast<uint8_t*>(text_.data() + had);
  s.avail_out = kBlock;
  const lzma_ret result = lzma_code(&s, s.avail_in == 0 ? LZMA_FINISH : LZMA_RUN);
  text_.resize(had + kBlock - s.avail_out);
  if (result == LZMA_STREAM_END) {
    decoder_->finished = true;
  } else if (result != LZMA_OK) {
    throw bad_input("the xz data is damaged or cut off")
        .at_byte(path_.string(), bytes_read_ - s.avail_in)
        .hint("check it with 'xz -t', or get the file again");
  }
  return true;
}

bool TextLines::next(std::string_view& line) {
  size_t searched = at_;
  for (;;) {
    const size_t end = text_.find('\n', searched);
    if (end != std::string::npos) {
      line = std::string_view(text_).substr(at_, end - at_);
      at_ = end + 1;
      break;
    }
    if (text_.size() - at_ > line_limit_)
      throw bad_input("a line is too long for a sentence")
          .at(path_.string(), line_number_ + 1)
          .hint("give a text file with one sentence per line");
    if (at_end_) {
      if (at_ == text_.size()) return false;
      line = std::string_view(text_).substr(at_);
      at_ = text_.size();
      break;
    }
    searched = text_.size() - at_;
    at_end_ = !fill();
  }
  ++line_number_;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return true;
}

}  // namespace minpair::corpus
