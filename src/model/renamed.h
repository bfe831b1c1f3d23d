#pragma once
// Tensors under other names than those that a file gives them.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checkpoint/checkpoint.h"

namespace minpair::model {

using Names = std::vector<std::pair<std::string, std::string>>;  // theirs, ours

// "theirs=ours", with spaces between.
Names renames(std::string_view text);
// With the first of the beginnings that it has replaced.
std::string replaced(const std::string& text, const Names& names);

// One of the matrices in a row; "{}" in its name becomes its number.
checkpoint::TensorView matrix_of(const checkpoint::TensorView& row, size_t number);
// Rows are columns.
checkpoint::TensorView turned(checkpoint::TensorView matrix);

class Renamed : public checkpoint::Checkpoint {
 public:
  // Gives what a tensor becomes: one, or several.
  using Rename = std::function<std::vector<checkpoint::TensorView>(checkpoint::TensorView)>;

  Renamed(const checkpoint::Checkpoint& original, const Rename& rename);
  Renamed(std::unique_ptr<checkpoint::Checkpoint> original, const Rename& rename)
      : Renamed(*original, rename) {
    kept_ = std::move(original);
  }
  const std::vector<checkpoint::TensorView>& tensors() const override { return tensors_; }
  const std::string& fingerprint() const override { return original_.fingerprint(); }
  std::string format() const override { return original_.format(); }
  uint64_t file_bytes() const override { return original_.file_bytes(); }
  const checkpoint::Metadata& metadata() const override { return original_.metadata(); }
  void release_memory() const override { original_.release_memory(); }

 private:
  const checkpoint::Checkpoint& original_;
  std::unique_ptr<checkpoint::Checkpoint> kept_;
  std::vector<checkpoint::TensorView> tensors_;
};

}  // namespace minpair::model
