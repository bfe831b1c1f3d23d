#pragma once
// A checkpoint is named tensors. Files are mapped, never executed, never trusted.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace minpair {

enum class DType : uint8_t {
  f64,
  f32,
  f16,
  bf16,
  i64,
  i32,
  i16,
  i8,
  u8,
  boolean,
  // GGUF block formats
  q8_0,
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q2_k,
  q3_k,
  q4_k,
  q5_k,
  q6_k,
  q8_k,
  iq2_xxs,
};

std::string_view name_of(DType type);
// Elements per block and bytes per block: 1 and the element's size for plain types, 32 or 256 for
// quantised ones.
uint32_t block_elements(DType type);
uint32_t block_bytes(DType type);

// A view into a mapped file; valid while its Checkpoint lives. Not necessarily aligned.
struct TensorView {
  std::string name;
  DType type = DType::f32;
  std::vector<int64_t> shape;    // row-major, outermost first
  std::vector<int64_t> strides;  // in elements; empty = contiguous
  const std::byte* data = nullptr;
  uint64_t bytes = 0;   // that `data` may be read for
  std::string file;     // for messages
  uint64_t offset = 0;  // in `file`, for messages

  int64_t elements() const;
  bool contiguous() const;
};

// Copies to fp32 in row-major order whatever the type and strides. `to` holds elements().
void to_float(const TensorView& tensor, float* to);
// Rows [begin, end) of a matrix (contiguous or not).
void rows_to_float(const TensorView& tensor, int64_t begin, int64_t end, float* to);

class Checkpoint {
 public:
  virtual ~Checkpoint() = default;
  virtual const std::vector<TensorView>& tensors() const = 0;  // sorted by name
  const TensorView* find(std::string_view name) const;         // nullptr when absent
  // Changes whenever any weight changes: part of the key of stored results.
  virtual const std::string& fingerprint() const = 0;
  virtual std::string format() const = 0;  // "safetensors", "PyTorch zip", "PyTorch legacy", "GGUF"
};

// A file, or a directory with model.safetensors[.index.json], pytorch_model.bin[.index.json].
std::unique_ptr<Checkpoint> open_checkpoint(const std::filesystem::path& path);

}  // namespace minpair
