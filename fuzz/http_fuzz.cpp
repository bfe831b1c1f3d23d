// Any bytes as a request, whole and in two parts: refused, or understood as something that can be
// asked here.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "serve/access.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace minpair::serve;
  static const Access access("0.0.0.0", 8017, "0123456789abcdef");
  for (size_t first : {size, size / 2}) {
    RequestReader reader;
    std::string bytes;
    for (auto [from, to] : {std::pair{size_t{0}, first}, {first, size}}) {
      bytes.append(reinterpret_cast<const char*>(data) + from, to - from);
      if (reader.take(bytes, [](const Request& r) { return access.check(r); })) return 0;
    }
    const Request& request = reader.request;
    if (reader.has_head() && !request.target.starts_with('/')) std::abort();
    if (request.body.size() > kBodyLimit) std::abort();
    request.parameter("v");
  }
  return 0;
}
