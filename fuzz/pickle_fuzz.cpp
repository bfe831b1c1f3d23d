// Any bytes are a pickle or a minpair::Error, and what was read can be walked.

#include "base/error.h"
#include "checkpoint/pickle/pickle.h"

static size_t walk(const minpair::checkpoint::pickle::Value& v) {
  size_t n = 1 + v.text.size() / 64;
  for (const auto& item : v.items) n += walk(*item);
  for (const auto& [key, value] : v.entries) n += walk(*key) + walk(*value);
  if (v.callable) n += walk(*v.callable);
  if (v.state) n += walk(*v.state);
  return n;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  minpair::checkpoint::pickle::Limits limits;
  limits.max_walk = 100'000;
  try {
    auto v = minpair::checkpoint::pickle::read({reinterpret_cast<const char*>(data), size}, "fuzz",
                                               nullptr, limits);
    if (walk(*v) > limits.max_walk) __builtin_trap();
  } catch (const minpair::Error&) {
  }
  return 0;
}
