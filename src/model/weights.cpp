#include "model/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/error.h"
#include "base/text.h"

namespace minpair::model {

namespace {

// A configuration may promise a billion layers; nobody reads a list of what they lack.
constexpr size_t kMostComplaints = 100, kShownComplaints = 6;

std::string canonical(std::string name, const std::vector<std::string>& prefixes) {
  for (bool again = true; again;) {
    again = false;
    for (const std::string& prefix : prefixes)
      if (name.size() > prefix.size() && name.starts_with(prefix)) {
        name.erase(0, prefix.size());
        again = true;
      }
  }
  // Converted TensorFlow checkpoints of 2019.
  for (auto [old, now] : {std::pair{".gamma", ".weight"}, std::pair{".beta", ".bias"}})
    if (name.ends_with(old)) name.replace(name.size() - std::string_view(old).size(), 10, now);
  return name;
}

std::string shape_text(const std::vector<int64_t>& shape) {
  return fmt::format("{}", fmt::join(shape, " x "));
}

std::vector<int64_t> shape_of(size_t rows, size_t columns) {
  return {static_cast<int64_t>(rows), static_cast<int64_t>(columns)};
}

// The same numbers with rows and columns exchanged.
checkpoint::TensorView turned(const checkpoint::TensorView& matrix) {
  checkpoint::TensorView t = matrix;
  if (t.strides.empty()) t.strides = {t.shape[1], 1};
  std::swap(t.shape[0], t.shape[1]);
  std::swap(t.strides[0], t.strides[1]);
  return t;
}

std::string list(std::vector<std::string> names) {
  size_t more = names.size() > kShownComplaints ? names.size() - kShownComplaints : 0;
  names.resize(names.size() - more);
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  return more ? fmt::format("{} and {} more", text, more) : text;
}

bool whole_numbers(checkpoint::DType type) {
  using checkpoint::DType;
  for (DType t : {DType::i64, DType::i32, DType::i16, DType::i8, DType::u8, DType::boolean})
    if (t == type) return true;
  return false;
}

bool quantised(const checkpoint::TensorView& tensor) {
  return checkpoint::block_elements(tensor.type) > 1;
}

}  // namespace

bool any_quantised(const checkpoint::Checkpoint& checkpoint) {
  return std::any_of(checkpoint.tensors().begin(), checkpoint.tensors().end(), quantised);
}

void check_numbers(const checkpoint::TensorView& tensor, size_t first_row, size_t rows,
                   const float* values) {
  if (rows == 0) return;
  size_t width = size_t(tensor.elements() / (tensor.shape.empty() ? 1 : tensor.shape[0]));
  bool fine = true;
  for (size_t i = 0; i < rows * width; ++i) fine &= std::fabs(values[i]) <= FLT_MAX;
  if (fine) return;
  size_t at = 0;
  while (std::isfinite(values[at])) ++at;
  throw bad_input(fmt::format("the weights are damaged: {} has {} in row {}, column {}",
                              tensor.name, values[at], first_row + at / width, at % width))
      .hint("fetch the model again; if it is your own, its training diverged");
}

WeightLoader::WeightLoader(const nn::Runtime& runtime, const checkpoint::Checkpoint& checkpoint,
                           const std::vector<std::string>& prefixes, bool transposed)
    : runtime_(runtime), checkpoint_(checkpoint), transposed_(transposed) {
  for (const checkpoint::TensorView& tensor : checkpoint.tensors()) {
    const checkpoint::TensorView*& known = names_[canonical(tensor.name, prefixes)];
    if (!known || tensor.name.size() < known->name.size()) known = &tensor;
  }
}

bool WeightLoader::same(const std::string& one, const std::string& other) const {
  auto a = names_.find(one), b = names_.find(other);
  if (a == names_.end() || b == names_.end()) return false;
  const checkpoint::TensorView &x = *a->second, &y = *b->second;
  if (x.shape != y.shape || x.shape.size() != 2 || whole_numbers(x.type) || whole_numbers(y.type))
    return false;
  if (x.data == y.data && x.type == y.type && x.strides == y.strides) return true;
  std::vector<float> left(size_t(x.shape[1])), right(left.size());
  for (int64_t row = 0; row < x.shape[0]; ++row) {
    checkpoint::rows_to_float(x, row, row + 1, left.data());
    checkpoint::rows_to_float(y, row, row + 1, right.data());
    if (left != right) return false;
  }
  return true;
}

void WeightLoader::complain(const std::string& name, const std::string& text) {
  (text.empty() ? missing_ : misshapen_).push_back(text.empty() ? name : text);
  if (missing_.size() + misshapen_.size() > kMostComplaints) finish("model", {});
}

const checkpoint::TensorView* WeightLoader::find(const std::string& name,
                                                 const std::vector<int64_t>& shape) {
  auto found = names_.find(name);
  if (found == names_.end()) {
    complain(name, "");
    return nullptr;
  }
  const checkpoint::TensorView* tensor = found->second;
  if (whole_numbers(tensor->type)) {
    complain(name, fmt::format("{} is stored as integers, as quantised weights are", tensor->name));
    return nullptr;
  }
  if (tensor->shape != shape) {
    complain(name, fmt::format("{} is {}, it must be {}", tensor->name, shape_text(tensor->shape),
                               shape_text(shape)));
    return nullptr;
  }
  if (counted_.insert(name).second) parameters_ += static_cast<uint64_t>(tensor->elements());
  return tensor;
}

nn::Linear WeightLoader::linear(const std::string& name, size_t outputs, size_t inputs, bool bias) {
  return stacked({name}, outputs, inputs, bias);
}

nn::Linear WeightLoader::stacked(const std::vector<std::string>& names, size_t outputs_each,
                                 size_t inputs, bool bias) {
  nn::Linear layer;
  std::vector<checkpoint::TensorView> parts;
  auto shape = transposed_ ? shape_of(inputs, outputs_each) : shape_of(outputs_each, inputs);
  for (const std::string& name : names) {
    if (const checkpoint::TensorView* part = find(name + ".weight", shape))
      parts.push_back(transposed_ ? turned(*part) : *part);
    if (bias) {
      std::vector<float> b = vector(name + ".bias", outputs_each);
      layer.bias.insert(layer.bias.end(), b.begin(), b.end());
    }
  }
  if (parts.size() != names.size()) return layer;
  layer.weights = weights(parts, outputs_each, inputs);
  checkpoint_.release_memory();
  return layer;
}

nn::Linear WeightLoader::by_head(const std::string& name, size_t heads, size_t width, size_t inputs,
                                 bool bias) {
  const size_t all = heads * width;
  auto row_of = [=](size_t output) {
    size_t part = output / all, head = output % all / width;
    return (3 * head + part) * width + output % width;
  };
  return picked(name, 3 * all, 3 * all, inputs, row_of, bias);
}

nn::Linear WeightLoader::picked(const std::string& name, size_t stored, size_t outputs,
                                size_t inputs, const std::function<size_t(size_t)>& row_of,
                                bool bias) {
  nn::Linear layer;
  if (bias) {
    std::vector<float> all = vector(name + ".bias", stored);
    for (size_t i = 0; i < outputs && !all.empty(); ++i) layer.bias.push_back(all[row_of(i)]);
  }
  const checkpoint::TensorView* tensor = find(name + ".weight", shape_of(stored, inputs));
  if (!tensor) return layer;
  auto read = [view = *tensor, row_of, inputs](size_t begin, size_t end, float* to) {
    for (size_t i = begin; i < end; ++i, to += inputs) {
      auto row = static_cast<int64_t>(row_of(i));
      checkpoint::rows_to_float(view, row, row + 1, to);
      check_numbers(view, size_t(row), 1, to);
    }
  };
  layer.weights = quantised(*tensor) ? nn::Weights::as_stored(outputs, inputs, read)
                                     : nn::Weights(runtime_, outputs, inputs, read);
  checkpoint_.release_memory();
  return layer;
}

nn::Weights WeightLoader::matrix(const std::string& full_name, size_t outputs, size_t inputs) {
  const checkpoint::TensorView* tensor = find(full_name, shape_of(outputs, inputs));
  if (!tensor) return {};
  nn::Weights packed = weights({*tensor}, outputs, inputs);
  checkpoint_.release_memory();
  return packed;
}

namespace {

using Parts = std::vector<checkpoint::TensorView>;

// What is common to rows that lie in several parts: use(part, first row in it, one after the last).
template <typename Use>
void in_parts(size_t begin, size_t end, size_t outputs_each, Use use) {
  while (begin < end) {
    size_t part = begin / outputs_each, first = part * outputs_each;
    size_t stop = std::min(end, first + outputs_each);
    use(part, begin - first, stop - first);
    begin = stop;
  }
}

nn::Weights::Reader float_reader(const Parts& parts, size_t outputs_each, size_t inputs) {
  return [=](size_t begin, size_t end, float* to) {
    in_parts(begin, end, outputs_each, [&](size_t part, size_t first, size_t stop) {
      checkpoint::rows_to_float(parts[part], int64_t(first), int64_t(stop), to);
      check_numbers(parts[part], first, stop - first, to);
      to += (stop - first) * inputs;
    });
  };
}

// Throws where a weight is infinite or not a number.
void check_rows(const Parts& parts, size_t outputs_each, size_t inputs, size_t begin, size_t end) {
  std::vector<float> values(inputs);
  in_parts(begin, end, outputs_each, [&](size_t part, size_t first, size_t stop) {
    for (size_t row = first; row < stop; ++row) {
      checkpoint::rows_to_float(parts[part], int64_t(row), int64_t(row) + 1, values.data());
      check_numbers(parts[part], row, 1, values.data());
    }
  });
}

// Whether scales cannot make a code infinite: not even their sum, which is no number where one of
// them is none.
bool tame(const float* numbers, size_t count) {  // a multiple of sixteen
  using Bits = uint32_t __attribute__((vector_size(16)));
  using Four = float __attribute__((vector_size(16)));
  Four sums[4] = {};
  for (size_t i = 0; i < count; i += 16)
#pragma GCC unroll 4
    for (size_t part = 0; part < 4; ++part) {
      Bits x;
      std::memcpy(&x, numbers + i + 4 * part, sizeof x);
      sums[part] += std::bit_cast<Four>(x & 0x7fffffff);
    }
  const Four sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  return sum[0] + sum[1] + sum[2] + sum[3] < FLT_MAX / 512;
}

// Asks for the bytes that are needed soon: no processor foresees so many rows side by side. Into
// the second-level cache, since the first is full of what is multiplied until then.
void fetch(const std::byte* from, size_t bytes) {
  for (size_t at = 0; at < bytes; at += 64) __builtin_prefetch(from + at, 0, 2);
  __builtin_prefetch(from + bytes - 1, 0, 2);
  // To GCC 12 a function that does nothing else has no effect, and its calls are left out.
  asm volatile("");
}

// Rows of one part as codes, in steps over k.
struct CodeRows {
  const std::byte* data;
  size_t rows, row_bytes, inputs;
  checkpoint::DType type;
  checkpoint::CodeShape shape;
  size_t elements, bytes;  // of a block

  CodeRows(const checkpoint::TensorView& part, size_t in)
      : data(part.data),
        rows(size_t(part.shape[0])),
        inputs(in),
        type(part.type),
        shape(checkpoint::code_shape(part.type)),
        elements(checkpoint::block_elements(part.type)),
        bytes(checkpoint::block_bytes(part.type)) {
    row_bytes = inputs / elements * bytes;
  }

  // The step after this one, or the first of a row further on.
  void fetch_next(size_t row, size_t k, size_t depth, size_t then) const {
    const size_t step = depth / elements * bytes;
    if (k + depth < inputs)
      fetch(data + row * row_bytes + (k + depth) / elements * bytes,
            std::min(step, (inputs - k - depth) / elements * bytes));
    else if (row + then < rows)
      fetch(data + (row + then) * row_bytes, step);
  }

  const std::byte* at(size_t row, size_t k) const {
    return data + row * row_bytes + k / elements * bytes;
  }
};

std::vector<CodeRows> code_rows(const Parts& parts, size_t inputs) {
  std::vector<CodeRows> all;
  for (const checkpoint::TensorView& part : parts) all.emplace_back(part, inputs);
  return all;
}

nn::Weights::CodeFetcher code_fetcher(const Parts& parts, size_t outputs_each, size_t inputs) {
  return [all = code_rows(parts, inputs), outputs_each](size_t begin, size_t end, size_t k,
                                                        size_t depth, size_t then) {
    in_parts(begin, end, outputs_each, [&](size_t part, size_t first, size_t stop) {
      for (size_t row = first; row < stop; ++row) all[part].fetch_next(row, k, depth, then);
    });
  };
}

nn::Weights::CodeReader code_reader(const Parts& parts, size_t outputs_each, size_t inputs) {
  static_assert(nn::kPanel == checkpoint::kCodeColumns);
  const std::vector<CodeRows> all = code_rows(parts, inputs);
  return [=](size_t begin, size_t end, size_t k, nn::CodePanel& to) {
    const CodeRows& first_rows = all[begin / outputs_each];
    to.group = first_rows.shape.group;
    to.has_offsets = first_rows.shape.offsets;
    const std::byte* rows[nn::kPanel] = {};
    size_t columns = 0;
    in_parts(begin, end, outputs_each, [&](size_t part, size_t first, size_t stop) {
      for (size_t row = first; row < stop; ++row) rows[columns++] = all[part].at(row, k);
    });
    for (size_t i = columns; i < nn::kPanel; ++i) rows[i] = rows[0];
    checkpoint::convert_to_columns(
        first_rows.type, rows, int64_t(to.depth),
        {to.words[0], to.scales[0], to.offsets[0], to.in_pairs ? to.pairs[0] : nullptr});
    const size_t scales = to.depth / to.group * nn::kPanel;
    if (!tame(to.scales[0], scales) || (to.has_offsets && !tame(to.offsets[0], scales)))
      check_rows(parts, outputs_each, inputs, begin, end);
    for (size_t i = columns; i < nn::kPanel; ++i)
      for (size_t group = 0; group < to.depth / to.group; ++group)
        to.scales[group][i] = to.offsets[group][i] = 0;
  };
}

// Blocks that lie one after the other, and are of one format in every panel.
bool has_codes(const Parts& parts, size_t outputs_each) {
  const bool apart = outputs_each % nn::kPanel == 0;
  return std::all_of(parts.begin(), parts.end(), [&](const checkpoint::TensorView& part) {
    return quantised(part) && part.contiguous() && (apart || part.type == parts[0].type);
  });
}

}  // namespace

// Quantised weights stay as they are stored; all others are packed.
nn::Weights WeightLoader::weights(const Parts& parts, size_t outputs_each, size_t inputs) const {
  const size_t outputs = parts.size() * outputs_each;
  nn::Weights::Reader read = float_reader(parts, outputs_each, inputs);
  if (!quantised(parts[0])) return nn::Weights(runtime_, outputs, inputs, read);
  if (!has_codes(parts, outputs_each)) return nn::Weights::as_stored(outputs, inputs, read);
  return nn::Weights::as_stored(outputs, inputs, read, code_reader(parts, outputs_each, inputs),
                                code_fetcher(parts, outputs_each, inputs));
}

nn::Norm WeightLoader::norm(const std::string& name, size_t width, double epsilon, bool bias) {
  nn::Norm layer;
  layer.weight = vector(name + ".weight", width);
  if (bias) layer.bias = vector(name + ".bias", width);
  layer.epsilon = static_cast<float>(epsilon);
  return layer;
}

nn::Norm WeightLoader::rms_norm(const std::string& name, size_t width, double epsilon, bool bias) {
  nn::Norm layer = norm(name, width, epsilon, bias);
  layer.centered = false;
  return layer;
}

std::vector<float> WeightLoader::vector(const std::string& full_name, size_t width) {
  return numbers(full_name, {static_cast<int64_t>(width)});
}

std::vector<float> WeightLoader::numbers(const std::string& full_name,
                                         const std::vector<int64_t>& shape) {
  const checkpoint::TensorView* tensor = find(full_name, shape);
  if (!tensor) return {};
  std::vector<float> values(static_cast<size_t>(tensor->elements()));
  checkpoint::to_float(*tensor, values.data());
  check_numbers(*tensor, 0, shape.empty() ? 1 : static_cast<size_t>(shape[0]), values.data());
  return values;
}

std::vector<float> WeightLoader::flat(const std::string& full_name, size_t count) {
  auto found = names_.find(full_name);
  const bool fits = found != names_.end() && found->second->elements() == int64_t(count);
  return fits ? numbers(full_name, found->second->shape) : vector(full_name, count);
}

Embedding WeightLoader::embedding(const std::string& full_name, size_t rows, size_t width) {
  return Embedding(find(full_name, shape_of(rows, width)));
}

nn::Matrix WeightLoader::table(const std::string& full_name, size_t rows, size_t width) {
  const checkpoint::TensorView* tensor = find(full_name, shape_of(rows, width));
  if (!tensor) return {};
  nn::Matrix values(rows, width);
  checkpoint::to_float(*tensor, values.data());
  check_numbers(*tensor, 0, rows, values.data());
  return values;
}

uint64_t WeightLoader::finish(const std::string& what, const std::vector<std::string>& head) const {
  if (!misshapen_.empty())
    throw bad_input(fmt::format("the weights do not fit config.json: {}", list(misshapen_)))
        .hint("config.json and the weights must come from the same model");
  if (missing_.empty()) return parameters_;
  auto of_head = [&](const std::string& name) {
    return std::any_of(head.begin(), head.end(), [&](auto& h) { return name.starts_with(h); });
  };
  if (std::all_of(missing_.begin(), missing_.end(), of_head))
    throw bad_input(fmt::format("this {} has no language-model head: {} {} missing", what,
                                list(missing_), missing_.size() == 1 ? "is" : "are"))
        .hint(
            "only the body was saved, and a random head would score at random; use the "
            "checkpoint that was saved as a language model");
  throw bad_input(fmt::format("this {} lacks weights: {}", what, list(missing_)))
      .hint("is the download complete, and is config.json's model_type right?");
}

}  // namespace minpair::model
