#include "nn/integers.h"

// GCC's name, and that of clang before 16.
#if (defined(__AMX_INT8__) || defined(__AMXINT8__)) && defined(__x86_64__)
#include "nn/amx_registers.inc"
#include "nn/integers_tiles.inc"

namespace minpair::nn {
namespace {

class AmxBytes : public AmxRegisters {
 public:
  static AmxBytes& here() {
    static AmxBytes registers;  // of whichever thread asks
    return registers;
  }
  // High bytes have a sign, low ones have none; codes have one.
  template <int C>
  void dot() {
    if constexpr (C == 0) _tile_dpbssd(0, 4, 6);
    if constexpr (C == 1) _tile_dpbusd(1, 5, 6);
    if constexpr (C == 2) _tile_dpbssd(2, 4, 7);
    if constexpr (C == 3) _tile_dpbusd(3, 5, 7);
    static_assert(C >= 0 && C < 4);
  }
};

}  // namespace

const IntegerTiles* amx_integer_tiles() {
  static constexpr IntegerTiles tiles{"AMX", arrange, begin<AmxBytes>, multiply<AmxBytes>,
                                      end<AmxBytes>};
  return &tiles;
}

}  // namespace minpair::nn

#else

namespace minpair::nn {

const IntegerTiles* amx_integer_tiles() { return nullptr; }

}  // namespace minpair::nn

#endif
