// AMX's products of bytes in portable C++: TDPBSSD and TDPBUSD as Intel's manual states them.

#include "nn/integers_tiles.inc"

namespace minpair::nn {
namespace {

// Wrong use ends the program as the processor would.
class EmulatedBytes {
 public:
  static EmulatedBytes& here() {
    static thread_local EmulatedBytes registers;
    return registers;
  }
  void configure(const TileConfig& config) {
    config_ = config;
    for (size_t i = 0; i < 8; ++i)
      if (config.rows[i] > 16 || config.row_bytes[i] > 64) __builtin_trap();
    std::memset(tiles_, 0, sizeof tiles_);
    configured_ = true;
  }
  void release() { configured_ = false; }

  template <int T>
  void zero() {
    std::memset(at<T>(), 0, 1024);
  }
  template <int T>
  void load(const void* from, size_t stride) {
    uint8_t* to = at<T>();
    std::memset(to, 0, 1024);
    for (size_t row = 0; row < config_.rows[T]; ++row)
      std::memcpy(to + row * 64, static_cast<const uint8_t*>(from) + row * stride,
                  config_.row_bytes[T]);
  }
  template <int T>
  void store(void* to, size_t stride) {
    const uint8_t* from = at<T>();
    for (size_t row = 0; row < config_.rows[T]; ++row)
      std::memcpy(static_cast<uint8_t*>(to) + row * stride, from + row * 64, config_.row_bytes[T]);
  }
  template <int C>
  void dot() {
    constexpr int A = C % 2 ? 5 : 4, B = C < 2 ? 6 : 7;
    if (config_.row_bytes[A] != 4 * config_.rows[B]) __builtin_trap();
    const uint8_t *a = at<A>(), *b = at<B>();
    for (size_t row = 0; row < config_.rows[C]; ++row)
      for (size_t n = 0; n < 16; ++n) {
        int32_t sum;
        std::memcpy(&sum, at<C>() + row * 64 + n * 4, 4);
        for (size_t k = 0; k < config_.row_bytes[A]; ++k) {
          const uint8_t x = a[row * 64 + k];
          sum += (C % 2 ? int(x) : int(int8_t(x))) * int8_t(b[k / 4 * 64 + n * 4 + k % 4]);
        }
        std::memcpy(at<C>() + row * 64 + n * 4, &sum, 4);
      }
  }

 private:
  template <int T>
  uint8_t* at() {
    static_assert(T >= 0 && T < 8);
    if (!configured_) __builtin_trap();
    return tiles_[T];
  }

  TileConfig config_;
  alignas(64) uint8_t tiles_[8][1024];
  bool configured_ = false;
};

}  // namespace

const IntegerTiles& emulated_integer_tiles() {
  static constexpr IntegerTiles tiles{"emulated", arrange, begin<EmulatedBytes>,
                                      multiply<EmulatedBytes>, end<EmulatedBytes>};
  return tiles;
}

}  // namespace minpair::nn
