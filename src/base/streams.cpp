#include "base/streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "base/error.h"

namespace minpair::inline base {
namespace {

ssize_t write_or_lose(void*, const char* bytes, size_t n) {
  for (size_t done = 0; done < n;) {
    ssize_t more = ::write(2, bytes + done, n - done);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) break;
    done += size_t(more);
  }
  return ssize_t(n);
}

[[noreturn]] void end_with_a_message() {
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    static constexpr char text[] = "minpair: out of memory\n";
    write_or_lose(nullptr, text, sizeof text - 1);
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
  cookie_io_functions_t functions{};
  functions.write = write_or_lose;
  if (FILE* messages = ::fopencookie(nullptr, "w", functions)) {
    std::setvbuf(messages, nullptr, _IONBF, 0);
    stderr = messages;
  }
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(end_with_a_message);
}

void finish_standard_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw cannot_errno("writing failed").at("standard output").hint("is the disk full?");
}

}  // namespace minpair::inline base
