#pragma once
// Random numbers that are the same on every machine: xoshiro256** seeded by splitmix64.
// (The standard library's distributions differ between implementations.)

#include <cstdint>
#include <span>
#include <utility>

namespace minpair::inline base {

__extension__ typedef unsigned __int128 Wide;

class Random {
 public:
  struct State {
    uint64_t s[4];
  };

  explicit Random(uint64_t seed = 0) {
    for (uint64_t& s : state_.s) {
      seed += 0x9e3779b97f4a7c15;
      uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
      z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
      s = z ^ (z >> 31);
    }
  }

  uint64_t next() {
    uint64_t* s = state_.s;
    uint64_t result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
  }

  // Uniform in [0, n), without bias. n must be positive.
  uint64_t below(uint64_t n) {
    for (;;) {
      Wide m = static_cast<Wide>(next()) * n;
      if (static_cast<uint64_t>(m) >= (0 - n) % n) return static_cast<uint64_t>(m >> 64);
    }
  }

  // Uniform in [0, 1), 53 bits.
  double uniform() { return double(next() >> 11) * 0x1p-53; }

  template <class T>
  void shuffle(std::span<T> values) {
    for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

  const State& state() const { return state_; }
  void restore(const State& state) { state_ = state; }

 private:
  static uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  State state_;
};

}  // namespace minpair::inline base
