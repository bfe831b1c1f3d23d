#pragma once
// For the fuzz targets of the checkpoint readers: any bytes are tensors that can be read to the
// end, or a minpair::Error.

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "checkpoint/checkpoint.h"

namespace minpair::fuzzing {

// The bytes as a file in memory: a fuzzer must not wait for a disk.
inline std::filesystem::path file_in_memory(const uint8_t* data, size_t size) {
  static const int fd = ::memfd_create("minpair-fuzz", MFD_CLOEXEC);
  if (fd < 0 || ::ftruncate(fd, 0) != 0 || ::pwrite(fd, data, size, 0) != ssize_t(size))
    std::abort();
  return "/proc/self/fd/" + std::to_string(fd);
}

inline int open_and_read(const uint8_t* data, size_t size) {
  try {
    auto checkpoint = checkpoint::open_checkpoint(file_in_memory(data, size));
    for (const checkpoint::TensorView& t : checkpoint->tensors()) {
      if (uint64_t(t.elements()) > 256 * (size + 1)) __builtin_trap();
      std::vector<float> to(size_t(t.elements()));
      checkpoint::to_float(t, to.data());
      if (!t.shape.empty() && t.shape[0] > 0)
        checkpoint::rows_to_float(t, t.shape[0] - 1, t.shape[0], to.data());
    }
    const checkpoint::Metadata& m = checkpoint->metadata();
    for (std::string_view key : m.keys()) {
      auto attempt = [&](auto get) {
        try {
          get();
        } catch (const Error&) {
        }
      };
      attempt([&] { m.integer(key); });
      attempt([&] { m.real(key); });
      attempt([&] { m.text(key); });
      attempt([&] { m.integers(key); });
      attempt([&] { m.reals(key); });
      attempt([&] { m.texts(key); });
    }
    checkpoint->fingerprint();
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace minpair::fuzzing
