#include "model/disentangled.h"

#include <algorithm>
#include <cmath>

namespace minpair::model {
namespace {

constexpr size_t kSide = 48;

// Near distances are their own bucket.
int64_t log_bucket(int64_t distance, int64_t buckets, int64_t furthest) {
  const int64_t middle = buckets / 2, far = std::abs(distance);
  if (far <= middle) return distance;
  // In floats, as PyTorch does it: a bucket more or less is a matter of rounding.
  float share =
      std::log(float(far) / float(middle)) / std::log(float(double(furthest - 1) / double(middle)));
  int64_t bucket = int64_t(std::ceil(share * float(middle - 1))) + middle;
  return distance < 0 ? -bucket : bucket;
}

}  // namespace

Distances::Distances(const nn::Runtime& runtime, const nn::Matrix& embeddings,
                     const nn::Linear& layer, size_t width)
    : width_(width) {
  nn::Matrix rows;
  nn::linear(runtime, embeddings, layer, rows);
  panels_ = (rows.rows() + nn::kPanel - 1) / nn::kPanel;
  packed_.assign(rows.columns() * panels_ * nn::kPanel, 0.0f);
  for (size_t r = 0; r < rows.rows(); ++r)
    for (size_t c = 0; c < rows.columns(); ++c) {
      size_t panel = c / width * panels_ + r / nn::kPanel;
      packed_[(panel * width + c % width) * nn::kPanel + r % nn::kPanel] = rows.row(r)[c];
    }
}

void Distances::multiply(const nn::Kernels& kernels, const nn::View& in, size_t head, size_t first,
                         size_t count, float* out) const {
  const size_t panel = head * panels_ + first / nn::kPanel;
  kernels.multiply({.a = in.data,
                    .a_stride = in.stride,
                    .b = packed_.data() + panel * width_ * nn::kPanel,
                    .b_stride = nn::kPanel,
                    .panel_stride = width_ * nn::kPanel,
                    .c = out,
                    .c_stride = count,
                    .rows = in.rows,
                    .columns = count,
                    .depth = width_});
}

DistanceRows::DistanceRows(size_t tokens, int64_t middle, int64_t rows, int64_t buckets,
                           int64_t furthest)
    : zero_(tokens - 1) {
  const auto n = int64_t(tokens);
  for (int64_t distance = 1 - n; distance < n; ++distance) {
    int64_t bucket = buckets > 0 ? log_bucket(distance, buckets, furthest) : distance;
    row_.push_back(uint32_t(std::clamp<int64_t>(bucket + middle, 0, rows - 1)));
  }
}

void DistanceRows::add(const nn::Kernels& kernels, float scale, const Distances& keys,
                       const Distances& queries, const nn::ScoreBlock& block) const {
  // Near tokens have few distances: small squares of scores need few rows.
  for (size_t q = 0; q < block.queries; q += kSide)
    for (size_t k = 0; k < block.keys; k += kSide)
      add(kernels, scale, keys, queries, block,
          {q, std::min(kSide, block.queries - q), k, std::min(kSide, block.keys - k)});
}

void DistanceRows::add(const nn::Kernels& kernels, float scale, const Distances& keys,
                       const Distances& queries, const nn::ScoreBlock& block,
                       const Square& square) const {
  float products[kSide * (2 * kSide + 2 * nn::kPanel)];
  const auto [q, query_count, k, key_count] = square;
  // The distance of query i from key j is that of the first ones, plus i - j.
  const uint32_t* rows = row_.data() + zero_ + (block.query + q) - (block.key + k);
  const size_t first = *(rows - (key_count - 1)) / nn::kPanel * nn::kPanel;
  const size_t count = (rows[query_count - 1] / nn::kPanel + 1) * nn::kPanel - first;
  auto part = [](const nn::View& all, size_t begin, size_t n) {
    return nn::View(all.row(begin), n, all.columns, all.stride);
  };
  auto add_products = [&](bool by_query) {
    for (size_t i = 0; i < square.queries; ++i)
      for (size_t j = 0; j < square.keys; ++j)
        block.scores[(square.query + i) * block.stride + square.key + j] +=
            scale * products[(by_query ? i : j) * count + *(rows + i - j) - first];
  };
  if (!keys.empty()) {
    keys.multiply(kernels, part(block.query_rows, q, query_count), block.head, first, count,
                  products);
    add_products(true);
  }
  if (!queries.empty()) {
    queries.multiply(kernels, part(block.key_rows, k, key_count), block.head, first, count,
                     products);
    add_products(false);
  }
}

DistanceBias::DistanceBias(nn::Matrix table, size_t furthest, bool both_ways)
    : table_(std::move(table)) {
  const size_t buckets = both_ways ? table_.rows() / 2 : table_.rows(), exact = buckets / 2;
  if (both_ways) ahead_ = buckets;
  // In floats, as PyTorch does it: a bucket more or less is a matter of rounding.
  const float share = exact ? float(std::log(double(furthest) / double(exact))) : 0;
  for (size_t steps = 0; steps <= furthest; ++steps) {
    size_t bucket = buckets - 1;  // also where too few are left for distances to differ
    if (steps < exact)
      bucket = steps;
    else if (share > 0)
      bucket = std::min(
          exact + size_t(std::log(float(steps) / float(exact)) / share * float(buckets - exact)),
          bucket);
    bucket_.push_back(uint32_t(bucket));
  }
}

void DistanceBias::add(const nn::ScoreBlock& block) const {
  for (size_t i = 0; i < block.queries; ++i)
    for (size_t j = 0; j < block.keys; ++j) {
      const size_t query = block.query + i, key = block.key + j;
      const size_t steps = std::min(query > key ? query - key : key - query, bucket_.size() - 1);
      const size_t bucket = bucket_[steps] + (key > query ? ahead_ : 0);
      // What a causal model does not see.
      if (bucket < table_.rows())
        block.scores[i * block.stride + j] += table_.row(bucket)[block.head];
    }
}

}  // namespace minpair::model
