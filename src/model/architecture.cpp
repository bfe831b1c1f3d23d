#include "model/architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/hash.h"
#include "model/mixing.h"

namespace minpair::model {

std::string_view name_of(Site site) {
  static constexpr std::string_view names[] = {
      "embeddings", "attention_input", "heads",    "attention_output", "attention_residual",
      "mlp_inner",  "mlp_output",      "residual", "output",           "gates",
      "cell",       "hidden",          "reset"};
  return names[static_cast<size_t>(site)];
}

float* Value::row_of(uint32_t token) const {
  auto after = std::ranges::upper_bound(tokens, token);
  if (after == tokens.begin() || *(after - 1) != token) return nullptr;
  return rows.row(size_t(after - tokens.begin()) - 1);
}

void Network::begin(size_t tokens, const Watch& watch) {
  std::vector<uint32_t> all(watch ? tokens : 0);
  std::iota(all.begin(), all.end(), 0u);
  begin(std::move(all), watch);
}

void Network::begin(std::vector<uint32_t> tokens, const Watch& watch) {
  watch_ = watch ? &watch : nullptr;
  all_tokens_ = std::move(tokens);
  if (!watch_) all_tokens_.clear();
  tokens_ = all_tokens_;
}

void Network::see(Site site, size_t layer, nn::Matrix& rows, Part part) {
  if (watch_) see(site, layer, rows, tokens_, part);
}

void Network::see(Site site, size_t layer, nn::Matrix& rows, std::span<const uint32_t> tokens,
                  Part part) {
  (*watch_)({site, uint32_t(layer), tokens, rows, part});
  std::vector<uint32_t> sharing, theirs;
  for (uint32_t i = 0; i + 1 < tokens.size(); ++i)
    if (tokens[i] == tokens[i + 1]) sharing.push_back(i), theirs.push_back(tokens[i]);
  see_some(site, layer, rows, sharing, theirs, {part.number + kSharing, false});
}

void Network::see_some(Site site, size_t layer, nn::Matrix& all, std::span<const uint32_t> rows,
                       std::span<const uint32_t> tokens, Part part) {
  if (!watch_ || rows.empty()) return;
  const size_t bytes = all.columns() * sizeof(float);
  some_.resize(rows.size(), all.columns());
  for (size_t i = 0; i < rows.size(); ++i) std::memcpy(some_.row(i), all.row(rows[i]), bytes);
  (*watch_)({site, uint32_t(layer), tokens, some_, part});
  for (size_t i = 0; i < rows.size(); ++i) std::memcpy(all.row(rows[i]), some_.row(i), bytes);
}

void Network::join(size_t layer, const LateRows& late, nn::Matrix& stream, Part part) {
  if (late.copy.empty()) return;
  const size_t width = stream.columns(), before = stream.rows();
  const size_t rows =
      late.first + size_t(std::ranges::upper_bound(late.layer, layer) - late.layer.begin());
  if (rows <= before) {  // of the embeddings, which all of them have
    stream.resize(rows, width);
  } else {
    const size_t joining = rows - before;
    joining_.resize(joining, width);
    for (size_t i = 0; i < joining; ++i)
      std::memcpy(joining_.row(i), stream.row(late.copy[before + i - late.first]),
                  width * sizeof(float));
    if (watch_)
      see(Site::residual, layer - 1, joining_, std::span(all_tokens_).subspan(before, joining),
          part);
    picked_.resize(rows, width);
    std::memcpy(picked_.data(), stream.data(), before * width * sizeof(float));
    std::memcpy(picked_.row(before), joining_.data(), joining * width * sizeof(float));
    std::swap(stream, picked_);
  }
  if (watch_) tokens_.assign(all_tokens_.begin(), all_tokens_.begin() + ptrdiff_t(rows));
}

std::span<const nn::Sequence> Batch::sequences_of(size_t rows) const {
  auto end = std::ranges::lower_bound(sequences, rows, {}, &nn::Sequence::query);
  return {sequences.begin(), end};
}

void Encoder::embed(const Batch& batch, const Watch& watch) {
  begin(batch.ids.size(), watch);
  hidden_.resize(batch.ids.size(), words_.width());
  for (size_t i = 0; i < batch.ids.size(); ++i) words_.row(size_t(batch.ids[i]), hidden_.row(i));
}

const nn::Matrix& Encoder::last_norm() {
  finish(hidden_);
  see(Site::output, 0, hidden_);
  return hidden_;
}

const nn::Matrix& Network::attention_input(size_t layer, const nn::Norm& norm, bool normed) {
  if (!normed) return see_copy(Site::attention_input, layer, hidden_);
  nn::normalize(runtime_, hidden_, norm, normed_);
  see(Site::attention_input, layer, normed_);
  return normed_;
}

void Network::feed_forward(size_t layer, const nn::Matrix& in, const nn::Linear& up, bool gated,
                           const nn::Linear& down, const nn::Matrix& before, nn::Matrix& out,
                           const nn::Norm& after, float times) {
  nn::linear(runtime_, in, up, gated ? wide_ : inner_, gated ? nn::Activation::none : activation_);
  if (gated) nn::gated(runtime_, wide_, activation_, inner_);
  see(Site::mlp_inner, layer, inner_);
  add(Site::mlp_output, layer, inner_, down, before, out, after, times);
}

const nn::Matrix& Network::see_copy(Site site, size_t layer, const nn::Matrix& rows) {
  if (!watch_) return rows;
  copy_.resize(rows.rows(), rows.columns());
  std::memcpy(copy_.data(), rows.data(), rows.rows() * rows.columns() * sizeof(float));
  see(site, layer, copy_);
  return copy_;
}

void Network::add(Site site, size_t layer_number, const nn::Matrix& in, const nn::Linear& layer,
                  const nn::Matrix& before, nn::Matrix& out, const nn::Norm& after, float times,
                  Part part) {
  if (mixing_ && site == Site::attention_output)
    mixing_->add(runtime_, in, layer, before, after, times);
  // The sum costs less inside the product; it is the same sum.
  if (!watch_ && after.weight.empty() && times == 1) {
    nn::View residual = before;
    nn::linear(runtime_, in, layer, out, nn::Activation::none, &residual);
    return;
  }
  nn::linear(runtime_, in, layer, added_);
  add(site, layer_number, added_, before, out, after, times, part);
}

void Network::add(Site site, size_t layer_number, nn::Matrix& added, const nn::Matrix& before,
                  nn::Matrix& out, const nn::Norm& after, float times, Part part) {
  if (!after.weight.empty()) nn::normalize(runtime_, added, after);
  if (times != 1) multiply(added, times);
  see(site, layer_number, added, part);
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

void normalize_parts(const nn::Runtime& runtime, nn::Matrix& rows, const nn::Norm& norm,
                     size_t width) {
  runtime.parallel(rows.rows(), [&](size_t i, int) {
    for (size_t at = 0; at < rows.columns(); at += width) {
      float* part = rows.row(i) + at;
      const float* bias = norm.bias.empty() ? nullptr : norm.bias.data() + at;
      runtime.kernels().norm(
          {part, part, width, norm.weight.data() + at, bias, norm.epsilon, norm.centered});
    }
  });
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
  constexpr uint32_t kMostLayers = 10'000;  // ten times as many as the deepest have
  from.info.layers = from.config.count(keys.layers);
  if (from.info.layers > kMostLayers)
    throw bad_input(fmt::format("\"{}\" is {}, and no model has more than {}", keys.layers,
                                from.info.layers, kMostLayers))
        .at(from.config.file().string());
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

bool is_tied(const Config& config, const WeightLoader& load, const std::string& own,
             const std::string& words, bool usual) {
  if (!config.flag("tie_word_embeddings", usual)) return false;
  if (!load.has(own)) return true;
  if (config.written_by().first == 4 && load.has(words) && !load.same(own, words))
    throw bad_input(fmt::format("\"tie_word_embeddings\" is true, but {} has other numbers than {}",
                                own, words))
        .at(config.file().string())
        .hint(
            "transformers 4 takes the embedding table, 5 the output that is stored; if that is "
            "meant, set it to false");
  return false;
}

NetworkModel::NetworkModel(const Source& source, Parts parts)
    : info_(source.known),
      runtime_(runtime_for(source.options, info_, parts.checkpoint.get())),
      config_(std::move(parts.config)),
      checkpoint_(std::move(parts.checkpoint)),
      tokenizer_(std::move(parts.tokenizer)),
      check_keys_(parts.check_keys),
      with_head_(parts.with_head) {
  Sha256 fingerprint;
  fingerprint.add(checkpoint_->fingerprint());
  if (config_) fingerprint.add(config_->bytes());
  info_.fingerprint = fingerprint.hex();
  checkpoint_->release_memory();
}

const nn::Matrix& TransformHead::run(const nn::Runtime& runtime, const nn::View& hidden) {
  if (dense.weights.outputs() == 0) {
    out.resize(hidden.rows, hidden.columns);
    for (size_t i = 0; i < hidden.rows; ++i) std::copy_n(hidden.row(i), hidden.columns, out.row(i));
    return out;
  }
  nn::linear(runtime, hidden, dense, out, activation);
  nn::normalize(runtime, out, norm);
  return out;
}

}  // namespace minpair::model
