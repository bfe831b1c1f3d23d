#include "hub/fetch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace minpair::hub {
namespace {

void check_space(const fs::path& part, uint64_t bytes) {
  std::error_code ignored;
  fs::space_info space = fs::space(part.parent_path(), ignored);
  uint64_t have = fs::file_size(part, ignored);
  if (ignored) have = 0;
  if (space.available != uintmax_t(-1) && bytes > have && space.available < bytes - have)
    throw cannot(fmt::format("{} MB are needed and {} MB are free", (bytes - have) / 1'000'000,
                             space.available / 1'000'000))
        .at(part.parent_path().string())
        .hint("free some space, or set HF_HOME to a folder on another disk");
}

}  // namespace

std::string escaped(const std::string& path) {
  std::string s;
  for (char c : path) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '-' || c == '_' || c == '.' || c == '~' || c == '/';
    s += plain ? std::string(1, c) : fmt::format("%{:02X}", uint8_t(c));
  }
  return s;
}

void Fetcher::fetch(const std::string& url, const Content& wanted, const fs::path& to,
                    const std::string& who, const Tick& tick) {
  fs::path part = to;
  part += ".incomplete";
  check_space(part, wanted.bytes);
  for (int attempt = 0; attempt < 2; ++attempt) {
    download(url, wanted, part, tick);
    if (fs::file_size(part) == wanted.bytes && has_hash(part, wanted.hash)) {
      fs::rename(part, to);
      return;
    }
    fs::remove(part);  // what is wrong somewhere cannot be continued
  }
  throw bad_input(
      fmt::format("{}: what arrives does not have the hash {} that {}", url, wanted.hash, who))
      .hint("the server or a proxy on the way changes the file; nothing was kept");
}

void Fetcher::download(const std::string& url, const Content& wanted, const fs::path& part,
                       const Tick& tick) {
  uint64_t before = 0;
  auto size = [&] {
    std::error_code none;
    uint64_t n = fs::file_size(part, none);
    return none ? 0 : n;
  };
  persist(
      [&] {
        before = size();
        if (before > wanted.bytes) fs::remove(part), before = 0;
        if (before == wanted.bytes && before > 0) return;
        uint64_t last = before;
        connection_.download(url, part, wanted.bytes, [&](uint64_t now) {
          fetched_ += now > last ? now - last : 0;
          last = now;
          tick(now);
        });
        if (size() < wanted.bytes) {
          Interrupted again(Error::Kind::environment, fmt::format("{} ended after {} of {} bytes",
                                                                  url, size(), wanted.bytes));
          again.hint("run the same command again: it continues where it stopped");
          throw again;
        }
      },
      [&] { return size() > before; });
}

Lock::Lock(const fs::path& path) {
  fs::create_directories(path.parent_path());
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0) throw cannot_errno("cannot write").at(path.string());
  while (::flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

Lock::~Lock() { ::close(fd_); }

}  // namespace minpair::hub
