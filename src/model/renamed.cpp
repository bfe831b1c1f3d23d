#include "model/renamed.h"

#include <algorithm>

#include "base/text.h"

namespace minpair::model {

Names renames(std::string_view text) {
  Names names;
  for (std::string_view pair : split(text, ' ')) {
    const size_t equals = pair.find('=');
    names.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
  }
  return names;
}

std::string replaced(const std::string& text, const Names& names) {
  for (const auto& [from, to] : names)
    if (text.starts_with(from)) return to + text.substr(from.size());
  return text;
}

checkpoint::TensorView matrix_of(const checkpoint::TensorView& row, size_t number) {
  checkpoint::TensorView one = row;
  one.shape.erase(one.shape.begin());
  const auto bytes = uint64_t(one.elements()) / checkpoint::block_elements(row.type) *
                     checkpoint::block_bytes(row.type);
  one.data += number * bytes;
  one.offset += number * bytes;
  one.bytes = bytes;
  one.name.replace(one.name.find("{}"), 2, std::to_string(number));
  return one;
}

checkpoint::TensorView turned(checkpoint::TensorView matrix) {
  if (matrix.shape.size() != 2) return matrix;  // of the wrong shape, as its reader will say
  if (matrix.strides.empty()) matrix.strides = {matrix.shape[1], 1};
  std::swap(matrix.shape[0], matrix.shape[1]);
  std::swap(matrix.strides[0], matrix.strides[1]);
  return matrix;
}

Renamed::Renamed(const checkpoint::Checkpoint& original, const Rename& rename)
    : original_(original) {
  for (const checkpoint::TensorView& tensor : original.tensors())
    for (checkpoint::TensorView& named : rename(tensor)) tensors_.push_back(std::move(named));
  std::ranges::sort(tensors_, {}, &checkpoint::TensorView::name);
}

}  // namespace minpair::model
