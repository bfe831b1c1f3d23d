#pragma once
// For readers that take a path: the input as a file of this process.

#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/file.h"

namespace minpair::fuzzing {

// A folder that is gone when the process ends.
inline const std::filesystem::path& folder() {
  static const struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("minpair-fuzz-" + std::to_string(::getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
  } made;
  return made.path;
}

inline std::filesystem::path file(const uint8_t* data, size_t size, const std::string& name) {
  std::filesystem::path path = folder() / name;
  write_file(path, {reinterpret_cast<const char*>(data), size});
  return path;
}

}  // namespace minpair::fuzzing
