#include "model/architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/error.h"
#include "model/mixing.h"

namespace minpair::model {

std::string_view name_of(Site site) {
  static constexpr std::string_view names[] = {
      "embeddings", "attention_input", "heads",    "attention_output", "attention_residual",
      "mlp_inner",  "mlp_output",      "residual", "output",           "gates",
      "cell",       "hidden"};
  return names[static_cast<size_t>(site)];
}

void Network::begin(size_t tokens, const Watch& watch) {
  watch_ = watch ? &watch : nullptr;
  tokens_.resize(watch_ ? tokens : 0);
  std::iota(tokens_.begin(), tokens_.end(), 0u);
}

void Network::join(size_t layer, const LateRows& late, nn::Matrix& stream) {
  if (late.copy.empty()) return;
  const size_t width = stream.columns(), before = stream.rows();
  const size_t rows =
      late.first + size_t(std::ranges::upper_bound(late.layer, layer) - late.layer.begin());
  if (layer == 0) {  // all have their embeddings
    stream.resize(rows, width);
  } else if (rows > before) {
    std::vector<uint32_t> tokens(rows - before);
    std::iota(tokens.begin(), tokens.end(), uint32_t(before));
    joining_.resize(tokens.size(), width);
    for (size_t i = 0; i < tokens.size(); ++i)
      std::memcpy(joining_.row(i), stream.row(late.copy[tokens[i] - late.first]),
                  width * sizeof(float));
    if (watch_) (*watch_)({Site::residual, uint32_t(layer - 1), tokens, joining_});
    picked_.resize(rows, width);
    std::memcpy(picked_.data(), stream.data(), before * width * sizeof(float));
    std::memcpy(picked_.row(before), joining_.data(), tokens.size() * width * sizeof(float));
    std::swap(stream, picked_);
  }
  if (!watch_) return;
  tokens_.resize(rows);
  std::iota(tokens_.begin(), tokens_.end(), 0u);
}

std::span<const nn::Sequence> Batch::sequences_of(size_t rows) const {
  auto end = std::ranges::lower_bound(sequences, rows, {}, &nn::Sequence::query);
  return {sequences.begin(), end};
}

const nn::Matrix& Network::see_copy(Site site, size_t layer, const nn::Matrix& rows) {
  if (!watch_) return rows;
  copy_.resize(rows.rows(), rows.columns());
  std::memcpy(copy_.data(), rows.data(), rows.rows() * rows.columns() * sizeof(float));
  see(site, layer, copy_);
  return copy_;
}

void Network::add(Site site, size_t layer_number, const nn::Matrix& in, const nn::Linear& layer,
                  const nn::Matrix& before, nn::Matrix& out, const nn::Norm& after, float times) {
  if (mixing_ && site == Site::attention_output)
    mixing_->add(runtime_, in, layer, before, after, times);
  // The sum costs less inside the product; it is the same sum.
  if (!watch_ && after.weight.empty() && times == 1) {
    nn::View residual = before;
    nn::linear(runtime_, in, layer, out, nn::Activation::none, &residual);
    return;
  }
  nn::linear(runtime_, in, layer, added_);
  add(site, layer_number, added_, before, out, after, times);
}

void Network::add(Site site, size_t layer_number, nn::Matrix& added, const nn::Matrix& before,
                  nn::Matrix& out, const nn::Norm& after, float times) {
  if (!after.weight.empty()) nn::normalize(runtime_, added, after);
  if (times != 1) multiply(added, times);
  see(site, layer_number, added);
  out.resize(added.rows(), added.columns());
  for (size_t i = 0; i < out.rows(); ++i)
    for (size_t d = 0; d < out.columns(); ++d) out.row(i)[d] = added.row(i)[d] + before.row(i)[d];
}

void clip(nn::Matrix& rows, float limit) {
  for (size_t i = 0; i < rows.rows() * rows.columns(); ++i)
    rows.data()[i] = std::clamp(rows.data()[i], -limit, limit);
}

void multiply(nn::Matrix& rows, float by) {
  for (size_t i = 0; i < rows.rows() * rows.columns(); ++i) rows.data()[i] *= by;
}

void Network::keep(std::span<const uint32_t> kept, std::initializer_list<nn::Matrix*> all) {
  for (nn::Matrix* from : all) {
    if (kept.size() == from->rows()) continue;
    picked_.resize(kept.size(), from->columns());
    for (size_t i = 0; i < kept.size(); ++i)
      std::memcpy(picked_.row(i), from->row(kept[i]), from->columns() * sizeof(float));
    std::swap(*from, picked_);
  }
  if (watch_) tokens_.assign(kept.begin(), kept.end());
}

void read_sizes(const Loading& from, const SizeKeys& keys) {
  from.info.layers = from.config.count(keys.layers);
  from.info.hidden = from.config.count(keys.hidden);
  from.info.heads = *keys.heads ? from.config.count(keys.heads) : 0;
  from.info.vocabulary = from.config.count("vocab_size");
  from.info.max_tokens = *keys.tokens ? from.config.count(keys.tokens, keys.usual_tokens) : 0;
}

void refuse_quantised(const Config& config) {
  if (!config.has("quantization_config")) return;
  std::string method = config.text_in({"quantization_config", "quant_method"}, "some method");
  throw bad_input(fmt::format("the weights are quantised by {}", method))
      .at(config.file().string())
      .hint(
          "use the model that they were made from, or a GGUF file of it, which is read in many "
          "quantised formats");
}

nn::AttentionShape attention_shape(const Config& config, size_t hidden, size_t heads) {
  if (hidden % heads)
    throw bad_input(fmt::format("{} heads do not divide a width of {}", heads, hidden))
        .at(config.file().string());
  size_t width = hidden / heads;
  return {.heads = heads,
          .key_heads = heads,
          .width = width,
          .scale = static_cast<float>(1 / std::sqrt(static_cast<double>(width)))};
}

const nn::Matrix& TransformHead::run(const nn::Runtime& runtime, const nn::View& hidden) {
  nn::linear(runtime, hidden, dense, out, activation);
  nn::normalize(runtime, out, norm);
  return out;
}

}  // namespace minpair::model
