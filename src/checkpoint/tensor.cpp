#include <fmt/format.h>

#include <cstring>

#include "base/counts.h"
#include "checkpoint/parts.h"

namespace minpair::checkpoint {

namespace {

struct Layout {
  std::string_view name;
  uint32_t elements, bytes;
};

#define MINPAIR_PLAIN(type, name, bytes) {name, 1, bytes},
#define MINPAIR_BLOCKS(type, name, elements, bytes, ...) {name, elements, bytes},
constexpr Layout layouts[] = {MINPAIR_PLAIN_TYPES(MINPAIR_PLAIN)
                                  MINPAIR_BLOCK_FORMATS(MINPAIR_BLOCKS)};

const Layout& layout(DType type) { return layouts[size_t(type)]; }

template <typename T>
void widen(const std::byte* from, int64_t count, float* to) {
  for (int64_t i = 0; i < count; ++i) {
    T x;
    std::memcpy(&x, from + i * int64_t(sizeof(T)), sizeof(T));
    to[i] = float(x);
  }
}

// Copies dimensions [dimension, end) of a strided tensor, whose innermost runs are gathered one by
// one when they are not contiguous.
float* gather(const TensorView& t, size_t dimension, const std::byte* from, float* to) {
  if (dimension == t.shape.size()) {
    convert_to_float(t.type, from, 1, to);
    return to + 1;
  }
  int64_t n = t.shape[dimension], stride = t.strides[dimension];
  if (dimension + 1 == t.shape.size() && stride == 1) {
    convert_to_float(t.type, from, n, to);
    return to + n;
  }
  for (int64_t i = 0; i < n; ++i)
    to = gather(t, dimension + 1, from + i * stride * int64_t(block_bytes(t.type)), to);
  return to;
}

}  // namespace

std::string_view name_of(DType type) { return layout(type).name; }
uint32_t block_elements(DType type) { return layout(type).elements; }
uint32_t block_bytes(DType type) { return layout(type).bytes; }

int64_t TensorView::elements() const {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}

bool TensorView::contiguous() const {
  int64_t expected = 1;
  for (size_t i = strides.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

void convert_to_float(DType type, const std::byte* from, int64_t count, float* to) {
  switch (type) {
    case DType::f64:
      return widen<double>(from, count, to);
    case DType::f32:
      if (count > 0) std::memcpy(to, from, size_t(count) * 4);
      return;
    case DType::f16:
      return half_to_float(from, count, to);
    case DType::bf16:
      return bfloat_to_float(from, count, to);
    case DType::i64:
      return widen<int64_t>(from, count, to);
    case DType::i32:
      return widen<int32_t>(from, count, to);
    case DType::i16:
      return widen<int16_t>(from, count, to);
    case DType::i8:
      return widen<int8_t>(from, count, to);
    case DType::u8:
    case DType::boolean:
      return widen<uint8_t>(from, count, to);
    default:
      return dequantize(type, from, count / block_elements(type), to);
  }
}

void to_float(const TensorView& t, float* to) {
  if (t.contiguous())
    convert_to_float(t.type, t.data, t.elements(), to);
  else if (t.elements() > 0)
    gather(t, 0, t.data, to);
}

void rows_to_float(const TensorView& t, int64_t begin, int64_t end, float* to) {
  TensorView rows = t;
  int64_t row_elements = 1;
  for (size_t i = 1; i < t.shape.size(); ++i) row_elements *= t.shape[i];
  rows.shape[0] = end - begin;
  int64_t stride = t.strides.empty() ? row_elements : t.strides[0];
  rows.data += begin * stride / block_elements(t.type) * block_bytes(t.type);
  to_float(rows, to);
}

int64_t checked_elements(const TensorView& t) {
  int64_t n = 1;
  bool zero = false;
  for (int64_t d : t.shape) {
    if (d < 0) throw tensor_error(t, fmt::format("dimension {} is negative", d));
    if (d == 0)
      zero = true;
    else if (__builtin_mul_overflow(n, d, &n))
      throw tensor_error(t, "its shape has more elements than 64 bits can count");
  }
  return zero ? 0 : n;
}

uint64_t checked_bytes(const TensorView& t) {
  int64_t elements = checked_elements(t);
  uint32_t block = block_elements(t.type);
  if (block > 1 && (t.shape.empty() || t.shape.back() % block != 0))
    throw tensor_error(
        t, fmt::format("its rows are not whole blocks of {} elements, as {} requires", block,
                       name_of(t.type)));
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(uint64_t(elements / block), uint64_t(block_bytes(t.type)), &bytes))
    throw tensor_error(t, "its shape has more bytes than 64 bits can count");
  return bytes;
}

void check_reach(const TensorView& t) {
  int64_t elements = checked_elements(t);
  if (t.strides.size() != t.shape.size())
    throw tensor_error(t, fmt::format("it has {} and {}", counted(t.shape.size(), "dimension"),
                                      counted(t.strides.size(), "stride")));
  for (int64_t s : t.strides)
    if (s < 0) throw tensor_error(t, fmt::format("stride {} is negative", s));
  if (elements == 0) return;
  int64_t held = int64_t(t.bytes / block_bytes(t.type)), last = 0;
  for (size_t i = 0; i < t.shape.size(); ++i) {
    int64_t reach;
    if (__builtin_mul_overflow(t.shape[i] - 1, t.strides[i], &reach) ||
        __builtin_add_overflow(last, reach, &last))
      throw tensor_error(t, "its strides reach further than 64 bits can count");
  }
  if (last >= held)
    throw tensor_error(
        t, fmt::format("it reaches element {} of a storage that has {} from its start on", last,
                       held));
  if (elements > held)
    throw tensor_error(t, fmt::format("its shape has {} {}, its storage {}", elements,
                                      plural(uint64_t(elements), "element"), held));
}

}  // namespace minpair::checkpoint
