#include "model/mixing.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace minpair::model {
namespace {

void copy(const nn::View& from, nn::Matrix& to) {
  to.resize(from.rows, from.columns);
  for (size_t i = 0; i < from.rows; ++i)
    std::memcpy(to.row(i), from.row(i), from.columns * sizeof(float));
}

std::span<float> row_of(nn::Matrix& rows, size_t i) { return {rows.row(i), rows.columns()}; }

// The sum of absolute values, of `whole` without two others; null: nothing.
double distance(const float* whole, const float* a, const float* b, size_t width) {
  double sum = 0;
  for (size_t d = 0; d < width; ++d)
    sum += std::abs(double(whole[d]) - (a ? double(a[d]) : 0.0) - (b ? double(b[d]) : 0.0));
  return sum;
}

// Turns closeness to the whole into shares; zero where a part is no closer than nothing. Where no
// part is close, the token itself has everything.
void make_shares(std::span<double> row, size_t own) {
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  if (sum <= 0) row[own] = 1;
  for (double& share : row) share /= sum > 0 ? sum : 1;
}

}  // namespace

HeldNorm::HeldNorm(const nn::Norm& norm, std::span<const float> whole) : norm_(norm) {
  if (norm.weight.empty()) return;
  double squares = 0;
  const double mean = mean_of(whole);
  for (float x : whole) squares += std::pow(double(x) - mean, 2);
  scale_ = 1 / std::sqrt(squares / double(whole.size()) + double(norm.epsilon));
}

void HeldNorm::apply(std::span<float> part) const {
  if (norm_.weight.empty()) return;
  const double own = mean_of(part);
  for (size_t d = 0; d < part.size(); ++d)
    part[d] = float((double(part[d]) - own) * scale_ * double(norm_.weight[d]));
}

double HeldNorm::mean_of(std::span<const float> row) const {
  return norm_.centered ? std::accumulate(row.begin(), row.end(), 0.0) / double(row.size()) : 0.0;
}

void Mixing::attend(const nn::AttentionShape& shape, const nn::View& queries, const nn::View& keys,
                    const nn::View& values) {
  shape_ = shape;
  copy(queries, queries_);
  copy(keys, keys_);
  copy(values, values_);
}

void Mixing::add(const nn::Runtime& runtime, const nn::View& context, const nn::Linear& layer,
                 const nn::View& before, const nn::Norm& after, float times) {
  const size_t n = before.rows, width = before.columns;
  nn::Matrix stream;  // with what attention adds
  nn::linear(runtime, context, layer, stream);
  std::vector<HeldNorm> norms;
  for (size_t t = 0; t < n; ++t) {
    norms.emplace_back(after, row_of(stream, t)).apply(row_of(stream, t));
    for (size_t d = 0; d < width; ++d) {
      const float bias = after.bias.empty() ? 0 : after.bias[d];
      stream.row(t)[d] = before.row(t)[d] + times * (stream.row(t)[d] + bias);
    }
  }
  Layer& mixed = layers_.emplace_back();
  mixed.given.resize(n, width);
  mixed.shares.resize(n * n);
  nn::Matrix given;
  for (size_t s = 0; s < n; ++s) {
    nn::linear(runtime, context_of(runtime, s), layer, given);
    for (size_t t = 0; t < n; ++t) {
      float* row = given.row(t);
      for (size_t d = 0; d < width && !layer.bias.empty(); ++d) row[d] -= layer.bias[d];
      norms[t].apply(row_of(given, t));
      for (size_t d = 0; d < width; ++d) row[d] *= times;
      const double far = distance(stream.row(t), row, t == s ? before.row(t) : nullptr, width);
      const double size = distance(stream.row(t), nullptr, nullptr, width);
      mixed.shares[t * n + s] = std::max(0.0, size - far);
    }
    std::memcpy(mixed.given.row(s), given.row(position_), width * sizeof(float));
  }
  for (size_t t = 0; t < n; ++t) make_shares(std::span(mixed.shares).subspan(t * n, n), t);
}

const nn::Matrix& Mixing::context_of(const nn::Runtime& runtime, size_t source) {
  const size_t n = values_.rows(), bytes = values_.columns() * sizeof(float);
  const nn::Sequence all{0, n, 0, n};
  one_.resize(n, values_.columns());
  std::memset(one_.data(), 0, n * bytes);
  std::memcpy(one_.row(source), values_.row(source), bytes);
  nn::attend(runtime, shape_, {&all, 1}, queries_, keys_, one_, context_);
  return context_;
}

}  // namespace minpair::model
