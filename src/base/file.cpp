#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/error.h"
#include "base/inputs.h"
#include "base/outgoing.h"

namespace minpair::inline base {

namespace fs = std::filesystem;

namespace {

constexpr int kPatience = 5000;  // milliseconds

// `wait`: for somebody to write into a named pipe; else one without a writer is an empty file.
int open_to_read(const fs::path& path, bool wait) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) throw cannot_errno("cannot read").at(path.string());
  struct stat st;
  const bool known = ::fstat(fd, &st) == 0;
  if (known && S_ISDIR(st.st_mode)) {
    ::close(fd);
    throw bad_input("this is a folder, a file is needed").at(path.string());
  }
  if (known) record_input(path, st);
  pollfd writer{fd, POLLIN, 0};
  char nothing;
  // Of a pipe that somebody has open to write, reading fails as long as there is nothing.
  if (wait && known && S_ISFIFO(st.st_mode) && ::poll(&writer, 1, kPatience) == 0 &&
      ::read(fd, &nothing, 1) == 0) {
    ::close(fd);
    throw bad_input("this is a named pipe, and nobody writes into it").at(path.string());
  }
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

fs::path temporary_name(const fs::path& path) {
  return path.string() + fmt::format(".{}.tmp", ::getpid());
}

std::string path_of(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

size_t read_some(int fd, char* to, size_t n, const std::string& name) {
  for (;;) {
    ssize_t got = ::read(fd, to, n);
    if (got >= 0) return size_t(got);
    if (errno != EINTR) throw cannot_errno("reading failed").at(name);
  }
}

// What a reader of lines begins with: no more than the file has, for most files are small.
size_t first_buffer(int fd) {
  constexpr size_t kMost = size_t{1} << 17;
  struct stat st;
  if (::fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) return kMost;
  return std::clamp<uint64_t>(uint64_t(st.st_size) + 1, 256, kMost);
}

}  // namespace

void write_all(int fd, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw cannot_errno("writing failed").at(path.string()).hint("is the disk full?");
    bytes.remove_prefix(size_t(n));
  }
}

namespace {

void refuse_unusual(const struct stat& st, const fs::path& path) {
  if (S_ISREG(st.st_mode) && st.st_nlink <= 1) return;
  throw bad_input(S_ISREG(st.st_mode)   ? "this file has a second name"
                  : S_ISLNK(st.st_mode) ? "this file is a link to another one"
                                        : "this is not a regular file")
      .at(path.string())
      .hint("what minpair writes there would change something else; move it away");
}

}  // namespace

void refuse_unusual_file(const fs::path& path) {
  struct stat st;
  if (::lstat(path.c_str(), &st) == 0) refuse_unusual(st, path);
}

void refuse_unusual_file(int fd, const fs::path& path) {
  struct stat st;
  if (::fstat(fd, &st) != 0) throw cannot_errno("cannot read").at(path.string());
  refuse_unusual(st, path);
}

bool file_ends_with(const fs::path& path, std::string_view end) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::string last(end.size(), '\0');
  if (!file || file.tellg() < std::streamoff(end.size())) return false;
  file.seekg(-std::streamoff(end.size()), std::ios::end);
  return file.read(last.data(), std::streamsize(last.size())) && last == end;
}

int unnamed_file(const fs::path& folder) {
  int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  // Not every file system has unnamed files.
  std::string name = (folder / ".minpair-XXXXXX").string();
  fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0) throw cannot_errno("cannot make a temporary file").at(folder.string());
  ::unlink(name.c_str());
  return fd;
}

std::string read_file(const fs::path& path, uint64_t limit) {
  bool standard_input = path == "-";
  int fd = standard_input ? 0 : open_to_read(path, false);
  std::string all;
  try {
    char chunk[1 << 16];
    while (size_t n = read_some(fd, chunk, sizeof chunk, path.string())) {
      all.append(chunk, n);
      if (all.size() > limit)
        throw bad_input(fmt::format("the file is larger than {} bytes", limit)).at(path.string());
    }
  } catch (...) {
    if (!standard_input) ::close(fd);
    throw;
  }
  if (!standard_input) ::close(fd);
  return all;
}

MappedFile::MappedFile(const fs::path& path) : path_(path) {
  int fd = open_to_read(path, false);
  struct stat st;
  if (::fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
    ::close(fd);
    throw bad_input("this is not a regular file").at(path.string());
  }
  size_ = size_t(st.st_size);
  if (size_ > 0) {
    void* p = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED) {
      ::close(fd);
      throw cannot_errno("cannot map the file").at(path.string());
    }
    data_ = static_cast<const char*>(p);
    record_mapping(data_, size_, path);
  }
  ::close(fd);
}

MappedFile::MappedFile(MappedFile&& o) noexcept
    : path_(std::move(o.path_)),
      data_(std::exchange(o.data_, nullptr)),
      size_(std::exchange(o.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& o) noexcept {
  std::swap(path_, o.path_);
  std::swap(data_, o.data_);
  std::swap(size_, o.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!data_) return;
  forget_mapping(data_);
  ::munmap(const_cast<char*>(data_), size_);
}

LineReader::LineReader(const fs::path& path, size_t line_limit)
    : name_(path == "-" ? "standard input" : path.string()), line_limit_(line_limit) {
  fd_ = path == "-" ? 0 : open_to_read(path, true);
  buffer_.resize(first_buffer(fd_));
}

LineReader::~LineReader() {
  if (fd_ > 0) ::close(fd_);
}

bool LineReader::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (buffer_.size() >= line_limit_)
      throw bad_input(fmt::format("a line is longer than {} bytes", line_limit_))
          .at(name_, line_number_ + 1);
    buffer_.resize(buffer_.size() * 2);
  }
  size_t n = read_some(fd_, buffer_.data() + end_, buffer_.size() - end_, name_);
  end_ += n;
  if (n == 0) at_end_ = true;
  return n > 0;
}

bool LineReader::next(std::string_view& line) {
  size_t searched = begin_;
  for (;;) {
    if (const void* hit = std::memchr(buffer_.data() + searched, '\n', end_ - searched)) {
      size_t eol = size_t(static_cast<const char*>(hit) - buffer_.data());
      line = {buffer_.data() + begin_, eol - begin_};
      begin_ = eol + 1;
      break;
    }
    size_t pending = end_ - begin_;
    if (!at_end_ && fill()) {
      searched = begin_ + pending;
      continue;
    }
    if (begin_ == end_) return false;
    line = {buffer_.data() + begin_, end_ - begin_};
    begin_ = end_;
    break;
  }
  if (++line_number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return true;
}

namespace {

void sync_folder(const fs::path& to) {
  const fs::path folder = to.has_parent_path() ? to.parent_path() : fs::path(".");
  int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;  // a folder may be writable and not readable
  const int error = ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  if (error == 0 || error == EINVAL || error == ENOTSUP) return;  // not every file system can
  errno = error;
  throw cannot_errno("cannot sync the folder of the finished file")
      .at(to.string())
      .hint("is the disk failing?");
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& path) : path_(path) {
  std::error_code ignored;
  if (path == "-") {
    fd_ = 1;
    direct_ = true;
    return;
  }
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    direct_ = true;
    fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    // Without a name until it is complete: nothing stays behind, however the process ends.
    fd_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
    if (fd_ < 0 || ::access(path_of(fd_).c_str(), F_OK) != 0) {
      if (fd_ >= 0) ::close(fd_);
      temporary_ = temporary_name(path);
      ::unlink(temporary_.c_str());  // a link there would lead elsewhere
      fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    }
  }
  if (fd_ < 0)
    throw cannot_errno("cannot write")
        .at(path.string())
        .hint(errno == EMFILE ? "'ulimit -n 4096' allows more files at once"
                              : "does the folder exist, and may you write there?");
}

AtomicFile::~AtomicFile() {
  if (fd_ > 1) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  buffer_.append(bytes);
  if (buffer_.size() >= (1 << 18)) flush();
}

void AtomicFile::flush() {
  if (fd_ == 1 && ::isatty(1) == 1) buffer_ = outgoing(buffer_, Medium::lines);
  write_all(fd_, buffer_, path_);
  buffer_.clear();
}

void AtomicFile::commit() {
  flush();
  if (direct_) return;
  // Synced before it gets its name: after a power cut, the name has either the old file or the
  // whole new one.
  if (::fsync(fd_) != 0)
    throw cannot_errno("writing failed").at(path_.string()).hint("is the disk full?");
  const auto named = [&](const fs::path& name) {
    return ::linkat(AT_FDCWD, path_of(fd_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  const bool in_place = temporary_.empty() && named(path_);
  if (temporary_.empty() && !in_place) {
    temporary_ = temporary_name(path_);
    ::unlink(temporary_.c_str());
    if (!named(temporary_))
      throw cannot_errno("cannot give the finished file its name").at(path_.string());
  }
  if (::close(std::exchange(fd_, -1)) != 0)
    throw cannot_errno("writing failed").at(path_.string()).hint("is the disk full?");
  if (in_place) return sync_folder(path_);
  rename_and_sync(temporary_, path_);
  temporary_.clear();
}

void rename_and_sync(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0)
    throw cannot_errno("cannot rename the finished file into place").at(to.string());
  sync_folder(to);
}

void write_file(const fs::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace minpair::inline base
