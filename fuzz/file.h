#pragma once
// For readers that take a path: the input as a file of this process, in memory where the system has
// such a folder: a fuzzer must not wait for a disk. TMPDIR takes another one.

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace minpair::fuzzing {

namespace fs = std::filesystem;

// A folder that is gone when the process ends.
inline const fs::path& folder() {
  static const struct Folder {
    static fs::path parent() {
      const bool chosen = ::getenv("TMPDIR") || ::access("/dev/shm", W_OK) != 0;
      return chosen ? fs::temp_directory_path() : "/dev/shm";
    }
    fs::path path = parent() / ("minpair-fuzz-" + std::to_string(::getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
  } made;
  return made.path;
}

// Written in place: nobody else looks.
inline fs::path put(const fs::path& path, std::string_view bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || ::write(fd, bytes.data(), bytes.size()) != ssize_t(bytes.size())) std::abort();
  ::close(fd);
  return path;
}

inline fs::path file(std::string_view bytes, const std::string& name) {
  return put(folder() / name, bytes);
}

inline fs::path file(const uint8_t* data, size_t size, const std::string& name) {
  return file({reinterpret_cast<const char*>(data), size}, name);
}

}  // namespace minpair::fuzzing
