#include "base/streams.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/outgoing.h"

namespace minpair::inline base {
namespace {

// The sequences that tables are drawn with, and the one that a progress line begins with.
constexpr std::string_view kOwn[] = {"\033[0m", "\033[1m", "\033[2m", "\033[4m", "\r\033[K"};
constexpr std::string_view kClearLine = kOwn[4];

class Stream {
 public:
  explicit Stream(int fd) : fd_(fd) {}

  // False: not all of it could be written.
  bool write(std::string_view bytes) {
    pending_ += bytes;
    std::string out;
    std::string_view rest = pending_;
    for (size_t plain; !rest.empty(); rest.remove_prefix(plain)) {
      if (std::string_view own = own_sequence(rest, rest.data() == pending_.data()); !own.empty()) {
        out += own;
        plain = own.size();
        continue;
      }
      plain = std::min(rest.find_first_of("\033\r", 1), rest.size());
      if (plain == rest.size()) plain -= unfinished(rest);
      if (plain == 0) break;
      append_outgoing(out, rest.substr(0, plain), Medium::lines);
    }
    pending_ = rest;
    return write_all(out);
  }

  bool finish() { return write_all(outgoing(std::exchange(pending_, {}), Medium::lines)); }

 private:
  static std::string_view own_sequence(std::string_view text, bool first) {
    for (std::string_view own : kOwn)
      if (text.starts_with(own) && (first || own != kClearLine)) return own;
    return {};
  }

  // How many bytes at the end may be the beginning of a character or a sequence.
  static size_t unfinished(std::string_view text) {
    for (size_t n = std::min<size_t>(3, text.size()); n > 0; --n) {
      const std::string_view end = text.substr(text.size() - n);
      const auto byte = static_cast<unsigned char>(end[0]);
      if (byte >= 0xC0 && n < (byte >= 0xF0 ? 4u : byte >= 0xE0 ? 3u : 2u)) return n;
      if (std::ranges::any_of(kOwn, [&](std::string_view own) { return own.starts_with(end); }))
        return n;
    }
    return 0;
  }

  bool write_all(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      bytes.remove_prefix(size_t(n));
    }
    return true;
  }

  int fd_;
  std::string pending_;
};

// Never destroyed: the C library writes what is left after all destructors.
Stream &results = *new Stream(1), &messages = *new Stream(2);

ssize_t write_or_lose(void*, const char* bytes, size_t n) {
  messages.write({bytes, n});
  messages.finish();  // nothing of a message waits for the next one
  return ssize_t(n);
}

ssize_t write_or_fail(void*, const char* bytes, size_t n) {
  return results.write({bytes, n}) ? ssize_t(n) : 0;
}

FILE* open_stream(ssize_t (*write)(void*, const char*, size_t), int buffering) {
  cookie_io_functions_t functions{};
  functions.write = write;
  FILE* stream = ::fopencookie(nullptr, "w", functions);
  if (stream) std::setvbuf(stream, nullptr, buffering, buffering == _IONBF ? 0 : 1 << 16);
  return stream;
}

[[noreturn]] void end_with_a_message() {
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    static constexpr char text[] = "minpair: out of memory\n";
    (void)!::write(2, text, sizeof text - 1);
    ::_exit(1);
  } catch (...) {
  }
  std::abort();
}

}  // namespace

void guard_standard_streams() {
  // Opened the wrong way round, so that using it fails as it should.
  for (int fd : {0, 1, 2})
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF)
      (void)!::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
  if (FILE* stream = open_stream(write_or_lose, _IONBF)) stderr = stream;
  if (FILE* stream = open_stream(write_or_fail, ::isatty(1) == 1 ? _IOLBF : _IOFBF))
    stdout = stream;
  // A file for each test, open at once, is what some formats need.
  rlimit files;
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(end_with_a_message);
}

void finish_standard_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !results.finish())
    throw cannot_errno("writing failed").at("standard output").hint("is the disk full?");
}

}  // namespace minpair::inline base
