#pragma once
// Private to the room: what the readers of the formats share.

#include <mutex>

#include "base/error.h"
#include "base/file.h"
#include "checkpoint/checkpoint.h"

namespace minpair::checkpoint {

namespace fs = std::filesystem;

// Mapped files and the tensors in them.
class MappedCheckpoint : public Checkpoint {
 public:
  // Sorts the tensors; two of one name are an error. `inflated`: memory that tensors lie in when a
  // file keeps them compressed.
  MappedCheckpoint(std::string format, std::vector<MappedFile> files,
                   std::vector<TensorView> tensors, Metadata metadata = {},
                   std::vector<std::unique_ptr<std::byte[]>> inflated = {});

  const std::vector<TensorView>& tensors() const override { return tensors_; }
  const std::string& fingerprint() const override;
  std::string format() const override { return format_; }
  uint64_t file_bytes() const override;
  const Metadata& metadata() const override { return metadata_; }
  void release_memory() const override;

  // For joining shards.
  std::vector<MappedFile> take_files() { return std::move(files_); }
  std::vector<std::unique_ptr<std::byte[]>> take_inflated() { return std::move(inflated_); }

 private:
  std::string format_;
  std::vector<MappedFile> files_;
  std::vector<TensorView> tensors_;
  Metadata metadata_;
  std::vector<std::unique_ptr<std::byte[]>> inflated_;
  mutable std::once_flag hashed_;
  mutable std::string fingerprint_;
};

// A name from a file, short and printable.
std::string shown(std::string_view name);
Error tensor_error(const TensorView& tensor, const std::string& what);
Error file_error(const MappedFile& file, uint64_t byte, const std::string& what);

// The product of the dimensions; throws tensor_error when one is negative or it overflows.
int64_t checked_elements(const TensorView& tensor);
// Bytes of a contiguous tensor of this type and shape; throws when rows are no whole blocks.
uint64_t checked_bytes(const TensorView& tensor);
// Throws unless every element that shape and strides reach lies in `bytes`, and no shape is larger
// than the storage behind it.
void check_reach(const TensorView& tensor);

void half_to_float(const std::byte* from, int64_t count, float* to);
void bfloat_to_float(const std::byte* from, int64_t count, float* to);
void dequantize(DType type, const std::byte* from, int64_t blocks, float* to);

std::unique_ptr<MappedCheckpoint> read_safetensors(MappedFile file);
std::unique_ptr<MappedCheckpoint> read_torch_zip(MappedFile file);
bool is_torch_legacy(std::string_view first_bytes);
std::unique_ptr<MappedCheckpoint> read_torch_legacy(MappedFile file);
std::unique_ptr<MappedCheckpoint> read_gguf(MappedFile file);
// Any of the above, by the first bytes.
std::unique_ptr<MappedCheckpoint> read_weights_file(const fs::path& path);
// model.safetensors.index.json, pytorch_model.bin.index.json
std::unique_ptr<MappedCheckpoint> read_shards(const fs::path& index);

}  // namespace minpair::checkpoint
