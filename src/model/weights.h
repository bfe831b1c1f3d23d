#pragma once
// From named tensors to the layers of a network. Names differ between the programs that saved them
// ("bert.", nothing, "model.bert.", gamma for weight); here they are one.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "nn/nn.h"

namespace minpair::model {

// Throws, with the tensor's name, where a weight is infinite or not a number.
void check_numbers(const checkpoint::TensorView& tensor, size_t first_row, size_t rows,
                   const float* values);

// Whether some weights are in a quantised format, and stay as they are stored.
bool any_quantised(const checkpoint::Checkpoint& checkpoint);

// Rows of a table that stays in the mapped file.
class Embedding {
 public:
  Embedding() = default;
  explicit Embedding(const checkpoint::TensorView* table) : table_(table) {}
  explicit operator bool() const { return table_ != nullptr; }
  size_t rows() const { return static_cast<size_t>(table_->shape[0]); }
  size_t width() const { return static_cast<size_t>(table_->shape[1]); }
  void row(size_t i, float* to) const {
    checkpoint::rows_to_float(*table_, static_cast<int64_t>(i), static_cast<int64_t>(i) + 1, to);
    check_numbers(*table_, i, 1, to);
  }

 private:
  const checkpoint::TensorView* table_ = nullptr;
};

class WeightLoader {
 public:
  // `prefixes` are taken from the front of every tensor's name, as often as they occur. With
  // `transposed`, linear weights are stored [inputs × outputs] (GPT-2's Conv1D).
  WeightLoader(const nn::Runtime& runtime, const checkpoint::Checkpoint& checkpoint,
               const std::vector<std::string>& prefixes, bool transposed = false);

  bool has(const std::string& name) const { return names_.contains(name); }
  // Two matrices that are stored, with the same numbers in them.
  bool same(const std::string& one, const std::string& other) const;

  // Names without prefix. What is missing or has another shape is remembered, and an empty layer
  // is returned; finish() then refuses the checkpoint.
  nn::Linear linear(const std::string& name, size_t outputs, size_t inputs, bool bias = true);
  // Several layers that read the same input, as one.
  nn::Linear stacked(const std::vector<std::string>& names, size_t outputs_each, size_t inputs,
                     bool bias = true);
  // Some rows of a stored layer with so many of them: output i is row row_of(i).
  nn::Linear picked(const std::string& name, size_t stored, size_t outputs, size_t inputs,
                    const std::function<size_t(size_t)>& row_of, bool bias);
  // Those from `first` on.
  nn::Linear rows(const std::string& name, size_t stored, size_t first, size_t outputs,
                  size_t inputs, bool bias = true) {
    return picked(
        name, stored, outputs, inputs, [first](size_t i) { return first + i; }, bias);
  }
  // Query, key and value in one tensor, those of each head together; given out as all queries, all
  // keys, all values.
  nn::Linear by_head(const std::string& name, size_t heads, size_t width, size_t inputs, bool bias);
  nn::Weights matrix(const std::string& full_name, size_t outputs, size_t inputs);
  nn::Norm norm(const std::string& name, size_t width, double epsilon, bool bias = true);
  // The mean is not taken away.
  nn::Norm rms_norm(const std::string& name, size_t width, double epsilon, bool bias = false);
  std::vector<float> vector(const std::string& full_name, size_t width);
  std::vector<float> numbers(const std::string& full_name, const std::vector<int64_t>& shape);
  // So many numbers, whatever their shape.
  std::vector<float> flat(const std::string& full_name, size_t count);
  Embedding embedding(const std::string& full_name, size_t rows, size_t width);
  // The whole table in memory.
  nn::Matrix table(const std::string& full_name, size_t rows, size_t width);

  // The number of parameters. Throws one error that names what is missing or misshapen. `head`: the
  // names that begin with one of these belong to the language-model head, and the message says so.
  uint64_t finish(const std::string& what, const std::vector<std::string>& head) const;
  uint64_t parameters() const { return parameters_; }

 private:
  const checkpoint::TensorView* find(const std::string& name, const std::vector<int64_t>& shape);
  // Output i is row i of the parts, one after the other, which have the same number of rows.
  nn::Weights weights(const std::vector<checkpoint::TensorView>& parts, size_t outputs_each,
                      size_t inputs) const;
  void complain(const std::string& name, const std::string& text);

  const nn::Runtime& runtime_;
  const checkpoint::Checkpoint& checkpoint_;
  bool transposed_;
  std::map<std::string, const checkpoint::TensorView*, std::less<>> names_;
  std::vector<std::string> missing_, misshapen_;
  std::set<std::string> counted_;
  uint64_t parameters_ = 0;
};

}  // namespace minpair::model
