#pragma once
// Sixteen floats at a time, on whatever registers the file that includes this is compiled for.
// Everything is in an unnamed namespace: the linker must not mix code of two instruction sets.

#include <cstdint>
#include <cstring>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

namespace minpair {
namespace {

#if defined(__AVX512F__)

struct Lanes {
  __m512 v;
};
inline Lanes load(const float* p) { return {_mm512_loadu_ps(p)}; }
inline void store(float* p, Lanes a) { _mm512_storeu_ps(p, a.v); }
inline Lanes splat(float x) { return {_mm512_set1_ps(x)}; }
inline Lanes zero() { return {_mm512_setzero_ps()}; }
inline Lanes operator+(Lanes a, Lanes b) { return {_mm512_add_ps(a.v, b.v)}; }
inline Lanes operator-(Lanes a, Lanes b) { return {_mm512_sub_ps(a.v, b.v)}; }
inline Lanes operator*(Lanes a, Lanes b) { return {_mm512_mul_ps(a.v, b.v)}; }
inline Lanes operator/(Lanes a, Lanes b) { return {_mm512_div_ps(a.v, b.v)}; }
inline Lanes fma(Lanes a, Lanes b, Lanes c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
inline Lanes max(Lanes a, Lanes b) { return {_mm512_max_ps(a.v, b.v)}; }
inline Lanes min(Lanes a, Lanes b) { return {_mm512_min_ps(a.v, b.v)}; }
inline float chain(float a, float b, float c) {
  return _mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c)));
}
// 2^n for whole n in [-126, 127].
inline Lanes power_of_two(Lanes n) {
  return {_mm512_castsi512_ps(
      _mm512_slli_epi32(_mm512_add_epi32(_mm512_cvtps_epi32(n.v), _mm512_set1_epi32(127)), 23))};
}
// a * 2^n for the same n.
inline Lanes scaled(Lanes a, Lanes n) { return {_mm512_scalef_ps(a.v, n.v)}; }
inline Lanes round(Lanes a) {
  return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}
// Sixteen words of four bytes.
struct Words {
  __m512i v;
};
inline Words load_words(const void* p) { return {_mm512_loadu_si512(p)}; }
inline void store_words(void* p, Words w) { _mm512_storeu_si512(p, w.v); }
inline Words splat_word(uint32_t x) { return {_mm512_set1_epi32(int32_t(x))}; }
inline Words operator&(Words a, Words b) { return {_mm512_and_si512(a.v, b.v)}; }
inline Words operator|(Words a, Words b) { return {_mm512_or_si512(a.v, b.v)}; }
inline Words operator^(Words a, Words b) { return {_mm512_xor_si512(a.v, b.v)}; }
inline Words operator>>(Words a, int n) { return {_mm512_srli_epi32(a.v, uint32_t(n))}; }
inline Words operator<<(Words a, int n) { return {_mm512_slli_epi32(a.v, uint32_t(n))}; }
inline Words operator+(Words a, Words b) { return {_mm512_add_epi32(a.v, b.v)}; }
// Eight words from one place, eight from another.
inline Words load_words(const void* low, const void* high) {
  const auto *a = static_cast<const __m256i*>(low), *b = static_cast<const __m256i*>(high);
  return {
      _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256(a)), _mm256_loadu_si256(b), 1)};
}
// Four words of sixteen rows: word j of row i becomes word i of to[j]. Like transpose(), always
// where it is used: a call would pass the words through memory.
[[gnu::always_inline]] inline void load_four(const uint8_t* const* rows, size_t at, Words* to) {
  __m512i a[4], b[4];
  auto row = [&](int i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[i] + at)); };
  for (int i = 0; i < 4; ++i) {  // rows i, i + 4, i + 8, i + 12
    a[i] = _mm512_inserti32x4(_mm512_castsi128_si512(row(i)), row(i + 4), 1);
    a[i] = _mm512_inserti32x4(_mm512_inserti32x4(a[i], row(i + 8), 2), row(i + 12), 3);
  }
  for (int i = 0; i < 4; i += 2) {
    b[i] = _mm512_unpacklo_epi32(a[i], a[i + 1]);
    b[i + 1] = _mm512_unpackhi_epi32(a[i], a[i + 1]);
  }
  for (int i = 0; i < 2; ++i) {
    to[2 * i].v = _mm512_unpacklo_epi64(b[i], b[i + 2]);
    to[2 * i + 1].v = _mm512_unpackhi_epi64(b[i], b[i + 2]);
  }
}
// Numbers of 16 bits in the lower halves of words.
inline Lanes halves(Words w) { return {_mm512_cvtph_ps(_mm512_cvtepi32_epi16(w.v))}; }
inline Lanes to_lanes(Words w) { return {_mm512_cvtepi32_ps(w.v)}; }
inline Lanes as_lanes(Words w) { return {_mm512_castsi512_ps(w.v)}; }
// Byte `Byte` of each word, with its sign.
template <int Byte>
inline Lanes byte_of(Words w) {
  return {_mm512_cvtepi32_ps(_mm512_srai_epi32(_mm512_slli_epi32(w.v, 24 - 8 * Byte), 24))};
}
#if defined(__AVX512BW__)
// Bytes 0 and 2, or 1 and 3, of each word as numbers with sign.
inline Words even_bytes(Words w) { return {_mm512_srai_epi16(_mm512_slli_epi16(w.v, 8), 8)}; }
inline Words odd_bytes(Words w) { return {_mm512_srai_epi16(w.v, 8)}; }
#endif
// Word j of row i becomes word i of row j.
[[gnu::always_inline]] inline void transpose(Words* w) {
  __m512i a[16], b[16];
  for (int i = 0; i < 16; i += 2) {
    a[i] = _mm512_unpacklo_epi32(w[i].v, w[i + 1].v);
    a[i + 1] = _mm512_unpackhi_epi32(w[i].v, w[i + 1].v);
  }
  for (int i = 0; i < 16; i += 4)
    for (int j = 0; j < 2; ++j) {
      b[i + 2 * j] = _mm512_unpacklo_epi64(a[i + j], a[i + j + 2]);
      b[i + 2 * j + 1] = _mm512_unpackhi_epi64(a[i + j], a[i + j + 2]);
    }
  // Four blocks of four rows, of which b[4 * block + j] has words j, j + 4, j + 8, j + 12.
  for (int j = 0; j < 4; ++j) {
    __m512i even01 = _mm512_shuffle_i32x4(b[j], b[j + 4], 0x88),
            odd01 = _mm512_shuffle_i32x4(b[j], b[j + 4], 0xdd),
            even23 = _mm512_shuffle_i32x4(b[j + 8], b[j + 12], 0x88),
            odd23 = _mm512_shuffle_i32x4(b[j + 8], b[j + 12], 0xdd);
    w[j].v = _mm512_shuffle_i32x4(even01, even23, 0x88);
    w[j + 4].v = _mm512_shuffle_i32x4(odd01, odd23, 0x88);
    w[j + 8].v = _mm512_shuffle_i32x4(even01, even23, 0xdd);
    w[j + 12].v = _mm512_shuffle_i32x4(odd01, odd23, 0xdd);
  }
}
struct DoubleLanes {
  __m512d low, high;
};
inline DoubleLanes double_zero() { return {_mm512_setzero_pd(), _mm512_setzero_pd()}; }
inline void add(DoubleLanes& sum, Lanes a) {
  sum.low = _mm512_add_pd(sum.low, _mm512_cvtps_pd(_mm512_castps512_ps256(a.v)));
  __m256 high = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(a.v), 1));
  sum.high = _mm512_add_pd(sum.high, _mm512_cvtps_pd(high));
}
inline void store(double* p, DoubleLanes a) {
  _mm512_storeu_pd(p, a.low);
  _mm512_storeu_pd(p + 8, a.high);
}

#elif defined(__AVX2__)

struct Lanes {
  __m256 a, b;
};
inline Lanes load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
inline void store(float* p, Lanes x) {
  _mm256_storeu_ps(p, x.a);
  _mm256_storeu_ps(p + 8, x.b);
}
inline Lanes splat(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
inline Lanes zero() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
// Both halves by one instruction.
#define MINPAIR_BOTH(Type, name, instruction) \
  inline Type name(Type x, Type y) { return {instruction(x.a, y.a), instruction(x.b, y.b)}; }
MINPAIR_BOTH(Lanes, operator+, _mm256_add_ps)
MINPAIR_BOTH(Lanes, operator-, _mm256_sub_ps)
MINPAIR_BOTH(Lanes, operator*, _mm256_mul_ps)
MINPAIR_BOTH(Lanes, operator/, _mm256_div_ps)
MINPAIR_BOTH(Lanes, max, _mm256_max_ps)
MINPAIR_BOTH(Lanes, min, _mm256_min_ps)
inline Lanes fma(Lanes x, Lanes y, Lanes z) {
  return {_mm256_fmadd_ps(x.a, y.a, z.a), _mm256_fmadd_ps(x.b, y.b, z.b)};
}
inline float chain(float a, float b, float c) {
  return _mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c)));
}
inline __m256 power_of_two(__m256 n) {
  return _mm256_castsi256_ps(
      _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23));
}
inline Lanes power_of_two(Lanes n) { return {power_of_two(n.a), power_of_two(n.b)}; }
inline Lanes scaled(Lanes a, Lanes n) { return a * power_of_two(n); }
inline Lanes round(Lanes x) {
  return {_mm256_round_ps(x.a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC),
          _mm256_round_ps(x.b, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}
struct Words {
  __m256i a, b;
};
inline Words load_words(const void* p) {
  const auto* from = static_cast<const __m256i*>(p);
  return {_mm256_loadu_si256(from), _mm256_loadu_si256(from + 1)};
}
inline void store_words(void* p, Words w) {
  _mm256_storeu_si256(static_cast<__m256i*>(p), w.a);
  _mm256_storeu_si256(static_cast<__m256i*>(p) + 1, w.b);
}
inline Words splat_word(uint32_t x) {
  return {_mm256_set1_epi32(int32_t(x)), _mm256_set1_epi32(int32_t(x))};
}
MINPAIR_BOTH(Words, operator&, _mm256_and_si256)
MINPAIR_BOTH(Words, operator|, _mm256_or_si256)
MINPAIR_BOTH(Words, operator^, _mm256_xor_si256)
MINPAIR_BOTH(Words, operator+, _mm256_add_epi32)
#undef MINPAIR_BOTH
inline Words operator>>(Words x, int n) {
  return {_mm256_srli_epi32(x.a, n), _mm256_srli_epi32(x.b, n)};
}
inline Words operator<<(Words x, int n) {
  return {_mm256_slli_epi32(x.a, n), _mm256_slli_epi32(x.b, n)};
}
inline Words load_words(const void* low, const void* high) {
  return {_mm256_loadu_si256(static_cast<const __m256i*>(low)),
          _mm256_loadu_si256(static_cast<const __m256i*>(high))};
}
inline Words where_above(Words x, uint32_t limit, Words then) {
  const __m256i most = _mm256_set1_epi32(int32_t(limit));
  return {_mm256_and_si256(_mm256_cmpgt_epi32(x.a, most), then.a),
          _mm256_and_si256(_mm256_cmpgt_epi32(x.b, most), then.b)};
}
inline Lanes to_lanes(Words w) { return {_mm256_cvtepi32_ps(w.a), _mm256_cvtepi32_ps(w.b)}; }
inline Lanes as_lanes(Words w) { return {_mm256_castsi256_ps(w.a), _mm256_castsi256_ps(w.b)}; }
template <int Byte>
inline __m256 byte_of(__m256i w) {
  return _mm256_cvtepi32_ps(_mm256_srai_epi32(_mm256_slli_epi32(w, 24 - 8 * Byte), 24));
}
template <int Byte>
inline Lanes byte_of(Words w) {
  return {byte_of<Byte>(w.a), byte_of<Byte>(w.b)};
}
inline __m256i even_bytes(__m256i w) { return _mm256_srai_epi16(_mm256_slli_epi16(w, 8), 8); }
inline Words even_bytes(Words w) { return {even_bytes(w.a), even_bytes(w.b)}; }
inline Words odd_bytes(Words w) { return {_mm256_srai_epi16(w.a, 8), _mm256_srai_epi16(w.b, 8)}; }
// Eight words of eight rows.
inline void transpose(__m256i* w) {
  __m256i a[8], b[8];
  for (int i = 0; i < 8; i += 2) {
    a[i] = _mm256_unpacklo_epi32(w[i], w[i + 1]);
    a[i + 1] = _mm256_unpackhi_epi32(w[i], w[i + 1]);
  }
  for (int i = 0; i < 8; i += 4)
    for (int j = 0; j < 2; ++j) {
      b[i + 2 * j] = _mm256_unpacklo_epi64(a[i + j], a[i + j + 2]);
      b[i + 2 * j + 1] = _mm256_unpackhi_epi64(a[i + j], a[i + j + 2]);
    }
  for (int j = 0; j < 4; ++j) {
    w[j] = _mm256_permute2x128_si256(b[j], b[j + 4], 0x20);
    w[j + 4] = _mm256_permute2x128_si256(b[j], b[j + 4], 0x31);
  }
}
inline void transpose(Words* w) {
  __m256i part[4][8];
  for (int i = 0; i < 8; ++i) {
    part[0][i] = w[i].a, part[1][i] = w[i].b;
    part[2][i] = w[i + 8].a, part[3][i] = w[i + 8].b;
  }
  for (auto& eight : part) transpose(eight);
  for (int i = 0; i < 8; ++i) w[i] = {part[0][i], part[2][i]}, w[i + 8] = {part[1][i], part[3][i]};
}
struct DoubleLanes {
  __m256d v[4];
};
inline DoubleLanes double_zero() {
  return {{_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd()}};
}
inline void add(DoubleLanes& sum, Lanes x) {
  sum.v[0] = _mm256_add_pd(sum.v[0], _mm256_cvtps_pd(_mm256_castps256_ps128(x.a)));
  sum.v[1] = _mm256_add_pd(sum.v[1], _mm256_cvtps_pd(_mm256_extractf128_ps(x.a, 1)));
  sum.v[2] = _mm256_add_pd(sum.v[2], _mm256_cvtps_pd(_mm256_castps256_ps128(x.b)));
  sum.v[3] = _mm256_add_pd(sum.v[3], _mm256_cvtps_pd(_mm256_extractf128_ps(x.b, 1)));
}
inline void store(double* p, DoubleLanes x) {
  for (int i = 0; i < 4; ++i) _mm256_storeu_pd(p + 4 * i, x.v[i]);
}

#else

struct Lanes {
  float v[16];
};
template <class F>
inline Lanes each(F f) {
  Lanes r;
  for (int i = 0; i < 16; ++i) r.v[i] = f(i);
  return r;
}
inline Lanes load(const float* p) {
  Lanes r;
  std::memcpy(r.v, p, sizeof r.v);
  return r;
}
inline void store(float* p, const Lanes& a) { std::memcpy(p, a.v, sizeof a.v); }
inline Lanes splat(float x) {
  return each([&](int) { return x; });
}
inline Lanes zero() { return splat(0); }
#define MINPAIR_EACH(Type, name, each_of, result)  \
  inline Type name(const Type& a, const Type& b) { \
    return each_of([&](int i) { return result; }); \
  }
MINPAIR_EACH(Lanes, operator+, each, a.v[i] + b.v[i])
MINPAIR_EACH(Lanes, operator-, each, a.v[i] - b.v[i])
MINPAIR_EACH(Lanes, operator*, each, a.v[i] * b.v[i])
MINPAIR_EACH(Lanes, operator/, each, a.v[i] / b.v[i])
MINPAIR_EACH(Lanes, max, each, a.v[i] > b.v[i] ? a.v[i] : b.v[i])
MINPAIR_EACH(Lanes, min, each, a.v[i] < b.v[i] ? a.v[i] : b.v[i])
inline float chain(float a, float b, float c) { return a * b + c; }
inline Lanes fma(const Lanes& a, const Lanes& b, const Lanes& c) {
  return each([&](int i) { return chain(a.v[i], b.v[i], c.v[i]); });
}
inline Lanes power_of_two(const Lanes& n) {
  return each([&](int i) {
    int32_t bits = (static_cast<int32_t>(n.v[i]) + 127) << 23;
    float f;
    std::memcpy(&f, &bits, sizeof f);
    return f;
  });
}
inline Lanes scaled(const Lanes& a, const Lanes& n) { return a * power_of_two(n); }
// To the nearest whole number for |a| < 2^22.
inline Lanes round(const Lanes& a) {
  return each([&](int i) { return (a.v[i] + 12582912.0f) - 12582912.0f; });
}
struct Words {
  uint32_t v[16];
};
inline Words load_words(const void* p) {
  Words w;
  std::memcpy(w.v, p, sizeof w.v);
  return w;
}
inline void store_words(void* p, const Words& w) { std::memcpy(p, w.v, sizeof w.v); }
template <class F>
inline Words each_word(F f) {
  Words w;
  for (int i = 0; i < 16; ++i) w.v[i] = uint32_t(f(i));
  return w;
}
inline Words splat_word(uint32_t x) {
  return each_word([&](int) { return x; });
}
MINPAIR_EACH(Words, operator&, each_word, a.v[i] & b.v[i])
MINPAIR_EACH(Words, operator|, each_word, a.v[i] | b.v[i])
MINPAIR_EACH(Words, operator^, each_word, a.v[i] ^ b.v[i])
MINPAIR_EACH(Words, operator+, each_word, a.v[i] + b.v[i])
#undef MINPAIR_EACH
inline Words operator>>(const Words& a, int n) {
  return each_word([&](int i) { return a.v[i] >> n; });
}
inline Words operator<<(const Words& a, int n) {
  return each_word([&](int i) { return a.v[i] << n; });
}
inline Words load_words(const void* low, const void* high) {
  Words w;
  std::memcpy(w.v, low, 32);
  std::memcpy(w.v + 8, high, 32);
  return w;
}
inline Words where_above(const Words& x, uint32_t limit, const Words& then) {
  return each_word([&](int i) { return x.v[i] > limit ? then.v[i] : 0; });
}
inline Lanes to_lanes(const Words& w) {
  return each([&](int i) { return float(int32_t(w.v[i])); });
}
inline Lanes as_lanes(const Words& w) { return load(reinterpret_cast<const float*>(w.v)); }
template <int Byte>
inline Lanes byte_of(const Words& w) {
  return each([&](int i) { return float(int8_t(w.v[i] >> 8 * Byte)); });
}
inline uint32_t numbers(int8_t low, int8_t high) {
  return uint32_t(uint16_t(low)) | uint32_t(uint16_t(high)) << 16;
}
inline Words even_bytes(const Words& w) {
  return each_word([&](int i) { return numbers(int8_t(w.v[i]), int8_t(w.v[i] >> 16)); });
}
inline Words odd_bytes(const Words& w) {
  return each_word([&](int i) { return numbers(int8_t(w.v[i] >> 8), int8_t(w.v[i] >> 24)); });
}
inline void transpose(Words* w) {
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < i; ++j) {
      uint32_t other = w[i].v[j];
      w[i].v[j] = w[j].v[i];
      w[j].v[i] = other;
    }
}
struct DoubleLanes {
  double v[16];
};
inline DoubleLanes double_zero() { return {}; }
inline void add(DoubleLanes& sum, const Lanes& a) {
  for (int i = 0; i < 16; ++i) sum.v[i] += a.v[i];
}
inline void store(double* p, const DoubleLanes& a) { std::memcpy(p, a.v, sizeof a.v); }

#endif

#if !defined(__AVX512F__)
inline void load_four(const uint8_t* const* rows, size_t at, Words* to) {
  uint32_t words[4][16], row[4];
  for (size_t i = 0; i < 16; ++i) {
    std::memcpy(row, rows[i] + at, sizeof row);
    for (size_t j = 0; j < 4; ++j) words[j][i] = row[j];
  }
  for (size_t j = 0; j < 4; ++j) to[j] = load_words(words[j]);
}
inline Lanes halves(Words w) {
  const Words size = w & splat_word(0x7fff);
  // With the exponent of a float, but for what is infinite or no number.
  float bits[16];
  store(bits, as_lanes(size << 13) * splat(0x1p112f));
  const Words special = where_above(size, 0x7bff, splat_word(0x7f800000));
  return as_lanes(load_words(bits) | special | (w & splat_word(0x8000)) << 16);
}
#endif

// One rounding on every instruction set, also where there is no such instruction.
inline Lanes fused(Lanes a, Lanes b, Lanes c) {
#if defined(__AVX2__)
  return fma(a, b, c);
#else
  return each([&](int i) { return __builtin_fmaf(a.v[i], b.v[i], c.v[i]); });
#endif
}

// Reductions as a tree over the lanes, the same on every instruction set.
inline float sum(Lanes a) {
  float v[16];
  store(v, a);
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) v[i] += v[i + half];
  return v[0];
}
inline double sum(DoubleLanes a) {
  double v[16];
  store(v, a);
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) v[i] += v[i + half];
  return v[0];
}
inline float largest(Lanes a) {
  float v[16];
  store(v, a);
  for (int i = 1; i < 16; ++i) v[0] = v[i] > v[0] ? v[i] : v[0];
  return v[0];
}
// The first n of them, the rest `fill`.
inline Lanes load_some(const float* p, size_t n, float fill) {
  float v[16];
  for (size_t i = 0; i < 16; ++i) v[i] = i < n ? p[i] : fill;
  return load(v);
}
inline void store_some(float* p, size_t n, Lanes a) {
  float v[16];
  store(v, a);
  std::memcpy(p, v, n * sizeof(float));
}

}  // namespace
}  // namespace minpair
