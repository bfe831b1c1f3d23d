// Any bytes as the head of a request: refused, or understood as something that can be asked here.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "serve/access.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace minpair::serve;
  static const Access access("0.0.0.0", 8017, "0123456789abcdef");
  Request request;
  if (parse_head({reinterpret_cast<const char*>(data), size}, request)) return 0;
  if (!request.target.starts_with('/') || request.length > kBodyLimit) std::abort();
  request.parameter("v");
  access.check(request);
  return 0;
}
