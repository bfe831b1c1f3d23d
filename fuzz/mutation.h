#pragma once
// For targets whose format plain bytes do not get into: a mutation takes the input apart, changes
// one thing, and puts it together so that lengths and checksums are right again.
//
//   extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned
//   seed) {
//     return fuzzing::mutate(data, size, most, seed, [](std::string s, fuzzing::Choice& choose) {
//     ... });
//   }

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/random.h"

// Of libFuzzer; of replay.cpp without it.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

namespace minpair::fuzzing {

// The same choices for the same seed.
class Choice {
 public:
  explicit Choice(uint64_t seed) : random_(seed) {}
  size_t below(size_t n) { return n ? size_t(random_.below(n)) : 0; }
  bool one_in(size_t n) { return below(n) == 0; }
  template <class Many>
  auto& of(Many& many) {
    return many[below(std::size(many))];
  }

 private:
  Random random_;
};

// As libFuzzer changes any bytes, with its dictionary.
inline std::string any_change(std::string bytes, size_t room = 64) {
  const size_t size = bytes.size();
  bytes.resize(size + room);
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(bytes.data()), size, bytes.size()));
  return bytes;
}

// `change` gets the input and gives the new one. Now and then, and where it does not fit, any bytes
// are changed instead.
template <class Change>
size_t mutate(uint8_t* data, size_t size, size_t most, unsigned seed, Change change) {
  Choice choose(seed);
  if (choose.one_in(5)) return LLVMFuzzerMutate(data, size, most);
  const std::string now = change(std::string(reinterpret_cast<char*>(data), size), choose);
  if (now.empty() || now.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, now.data(), now.size());
  return now.size();
}

inline uint64_t number_at(std::string_view bytes, size_t at, size_t width) {
  uint64_t n = 0;
  for (size_t i = width; i-- > 0;) n = n << 8 | uint8_t(bytes[at + i]);
  return n;
}
inline void append_little(std::string& to, uint64_t n, size_t width) {
  for (size_t i = 0; i < width; ++i) to.push_back(i < 8 ? char(n >> (8 * i)) : '\0');
}

// Numbers at which readers go wrong.
inline uint64_t odd_number(Choice& choose) {
  static constexpr uint64_t kOdd[] = {0,          1,          2,          7,          255,
                                      256,        0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
                                      1ull << 40, 1ull << 62, 1ull << 63, ~0ull,      ~0ull - 7};
  return choose.one_in(3) ? choose.below(300) : choose.of(kOdd) + choose.below(3) - 1;
}

}  // namespace minpair::fuzzing
