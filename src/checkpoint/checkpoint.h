#pragma once
// A checkpoint is named tensors. Files are mapped, never executed, never trusted: whatever a file
// says about itself is checked before a byte of it is used, and the error names the tensor.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace minpair::checkpoint {

// GGUF's block formats: name, elements and bytes of a block, how many elements share a scale,
// whether they have an offset, and whether one block or sixteen are taken apart at once
// (blocks.inc).
#define MINPAIR_BLOCK_FORMATS(X)                    \
  X(q8_0, "Q8_0", 32, 34, 32, false, SIXTEEN)       \
  X(q4_0, "Q4_0", 32, 18, 32, false, SIXTEEN)       \
  X(q4_1, "Q4_1", 32, 20, 32, true, SIXTEEN)        \
  X(q5_0, "Q5_0", 32, 22, 32, false, SIXTEEN)       \
  X(q5_1, "Q5_1", 32, 24, 32, true, SIXTEEN)        \
  X(q2_k, "Q2_K", 256, 84, 16, true, SIXTEEN)       \
  X(q3_k, "Q3_K", 256, 110, 16, false, SIXTEEN)     \
  X(q4_k, "Q4_K", 256, 144, 32, true, SIXTEEN)      \
  X(q5_k, "Q5_K", 256, 176, 32, true, SIXTEEN)      \
  X(q6_k, "Q6_K", 256, 210, 16, false, SIXTEEN)     \
  X(q8_k, "Q8_K", 256, 292, 32, false, ONE)         \
  X(iq1_s, "IQ1_S", 256, 50, 32, false, ONE)        \
  X(iq1_m, "IQ1_M", 256, 56, 16, false, ONE)        \
  X(iq2_xxs, "IQ2_XXS", 256, 66, 32, false, ONE)    \
  X(iq2_xs, "IQ2_XS", 256, 74, 16, false, ONE)      \
  X(iq2_s, "IQ2_S", 256, 82, 16, false, ONE)        \
  X(iq3_xxs, "IQ3_XXS", 256, 98, 32, false, ONE)    \
  X(iq3_s, "IQ3_S", 256, 110, 32, false, ONE)       \
  X(iq4_nl, "IQ4_NL", 32, 18, 32, false, SIXTEEN)   \
  X(iq4_xs, "IQ4_XS", 256, 136, 32, false, SIXTEEN) \
  X(tq1_0, "TQ1_0", 256, 54, 32, false, ONE)        \
  X(tq2_0, "TQ2_0", 256, 66, 32, false, SIXTEEN)    \
  X(mxfp4, "MXFP4", 32, 17, 32, false, SIXTEEN)     \
  X(q1_0, "Q1_0", 128, 18, 32, false, ONE)          \
  X(q2_0, "Q2_0", 64, 18, 32, false, ONE)

// The plain ones: name and bytes of an element.
#define MINPAIR_PLAIN_TYPES(X)                                                           \
  X(f64, "F64", 8)                                                                       \
  X(f32, "F32", 4) X(f16, "F16", 2) X(bf16, "BF16", 2) X(i64, "I64", 8) X(i32, "I32", 4) \
      X(i16, "I16", 2) X(i8, "I8", 1) X(u8, "U8", 1) X(boolean, "BOOL", 1)

#define MINPAIR_NAME(name, ...) name,
enum class DType : uint8_t {
  MINPAIR_PLAIN_TYPES(MINPAIR_NAME) MINPAIR_BLOCK_FORMATS(MINPAIR_NAME)
};
#undef MINPAIR_NAME

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
  std::vector<int64_t> strides;  // in elements, never negative; empty = contiguous
  const std::byte* data = nullptr;
  uint64_t bytes = 0;   // that `data` may be read for
  std::string file;     // for messages
  uint64_t offset = 0;  // in `file`, for messages

  int64_t elements() const;  // never more than the file holds
  bool contiguous() const;
};

// Copies to fp32 in row-major order whatever the type and strides. `to` holds elements().
void to_float(const TensorView& tensor, float* to);
// Rows [begin, end) of a matrix (contiguous or not); of more than two dimensions, slices along the
// first one.
void rows_to_float(const TensorView& tensor, int64_t begin, int64_t end, float* to);
// The same for `count` elements in a row as a file stores them. For quantised types `count` is a
// multiple of block_elements(type).
void convert_to_float(DType type, const std::byte* from, int64_t count, float* to);

// A quantised number is code * scale (+ offset), in fp32 and in this order: what convert_to_float
// gives, bit for bit. Each group of codes has a scale and, in some formats, an offset.
struct CodeShape {
  uint32_t group = 0;  // 0: the type is not quantised
  bool offsets = false;
};
CodeShape code_shape(DType type);
// Sixteen rows side by side, as products read them: words[count / 4][16] have four codes each, the
// first in the lowest byte; scales and offsets are [count / group][16]. Or pairs[count / 2][16]
// have two codes each, as numbers of 16 bits: of every four, 0 and 2, then 1 and 3.
inline constexpr size_t kCodeColumns = 16;
struct CodeColumns {
  uint32_t* words;
  float *scales, *offsets;    // offsets are written only where the format has them
  uint32_t* pairs = nullptr;  // instead of words
};
// `count` elements of each of sixteen rows; for quantised types alone.
void convert_to_columns(DType type, const std::byte* const (&rows)[kCodeColumns], int64_t count,
                        const CodeColumns& to);

// What a file says about its model besides the weights, typed: a GGUF file's metadata, or the plain
// attributes of the modules in a PyTorch file that holds a whole module ("rnn.num_layers"; their
// class is "rnn.class", of the outermost one "class"). Views live as long as the checkpoint. An
// absent key gives nothing; a key of another type than the one asked for is an error.
class Metadata {
 public:
  bool has(std::string_view key) const;
  bool is_list(std::string_view key) const;
  std::optional<int64_t> integer(std::string_view key) const;
  std::optional<double> real(std::string_view key) const;  // also of an integer
  std::optional<bool> boolean(std::string_view key) const;
  std::optional<std::string_view> text(std::string_view key) const;
  std::vector<int64_t> integers(std::string_view key) const;  // also of flags; empty when absent
  std::vector<float> reals(std::string_view key) const;
  std::vector<std::string_view> texts(std::string_view key) const;
  std::vector<std::string_view> keys() const;  // sorted

  // How the file stores a value: GGUF's own numbers.
  enum class Type : uint8_t {
    u8,
    i8,
    u16,
    i16,
    u32,
    i32,
    f32,
    boolean,
    text,
    array,
    u64,
    i64,
    f64
  };
  struct Entry {
    std::string_view key;
    Type type = Type::u8;  // of an array: of its elements
    bool array = false;
    uint64_t count = 1;      // elements
    std::string_view bytes;  // in the file, checked to hold them
  };
  Metadata() = default;
  // `keep`: what the views in the entries need to live.
  Metadata(std::vector<Entry> entries, std::string file, std::shared_ptr<const void> keep = {});

 private:
  const Entry* find(std::string_view key) const;
  // Throws where it is there and does not fit.
  const Entry* find(std::string_view key, bool array, bool (*fits)(Type),
                    std::string_view wanted) const;

  std::vector<Entry> entries_;  // sorted by key
  std::string file_;
  std::shared_ptr<const void> keep_;
};

class Checkpoint {
 public:
  virtual ~Checkpoint() = default;
  virtual const std::vector<TensorView>& tensors() const = 0;  // sorted by name, names differ
  const TensorView* find(std::string_view name) const;         // nullptr when absent
  // Changes whenever any weight changes: part of the key of stored results. A fast 128-bit hash of
  // every byte of the files, computed at the first call; not meant against an adversary.
  virtual const std::string& fingerprint() const = 0;
  virtual std::string format() const = 0;  // "safetensors", "PyTorch zip", "PyTorch legacy", "GGUF"
  virtual uint64_t file_bytes() const = 0;
  virtual const Metadata& metadata() const = 0;  // empty for safetensors and plain tensors
  // Gives back the memory that the mapped files occupy, for when the weights were copied elsewhere.
  // Views stay valid: what is touched again comes from the file again.
  virtual void release_memory() const = 0;
};

// A file, or a directory with model.safetensors[.index.json], pytorch_model.bin[.index.json], or a
// single file of weights under another name.
std::unique_ptr<Checkpoint> open_checkpoint(const std::filesystem::path& path);

}  // namespace minpair::checkpoint
