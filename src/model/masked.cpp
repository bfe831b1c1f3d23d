#include "model/masked.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/hash.h"
#include "model/taps.h"

namespace minpair::model {

namespace {

Batch pack(std::span<const Input> inputs) {
  Batch batch;
  for (const Input& input : inputs) {
    size_t n = input.ids.size(), first = batch.ids.size();
    batch.sequences.push_back({first, n, first, n});
    batch.ids.insert(batch.ids.end(), input.ids.begin(), input.ids.end());
    for (uint32_t i = 0; i < n; ++i) batch.positions.push_back(i);
  }
  return batch;
}

}  // namespace

MaskedModel::MaskedModel(const Source& source, MakeEncoder make_encoder, bool with_head)
    : runtime_(runtime_for(source.options, info_)) {
  Config config(source.path / "config.json");
  tokenizer_ = tokenizer::load_tokenizer(source.path, &info_.notes);
  checkpoint_ = checkpoint::open_checkpoint(source.path);
  info_.name = source.name;
  info_.architecture = source.architecture;
  info_.kind = query::ModelInfo::Kind::masked;
  info_.batch_tokens = 1536;  // what of a batch is worked on together stays in the cache
  Sha256 fingerprint;
  fingerprint.add(checkpoint_->fingerprint()).add(config.bytes());
  info_.fingerprint = fingerprint.hex();
  checkpoint_->release_memory();
  try {
    refuse_quantised(config);
    encoder_ = make_encoder({runtime_, config, *checkpoint_, with_head, info_});
    if (with_head) config.refuse_unknown(info_.architecture);
  } catch (Error& error) {
    if (error.where().file.empty()) error.at(source.path.string());
    throw;
  }
  checkpoint_->release_memory();
  if (tokenizer_->vocabulary_size() > info_.vocabulary)
    info_.notes.push_back(
        fmt::format("the tokenizer has {} ids, the model only {}: the others cannot be scored",
                    tokenizer_->vocabulary_size(), info_.vocabulary));
}

std::vector<query::Answer> MaskedModel::answer(std::span<const query::Query> queries) {
  return answer_by_logits(*this, queries,
                          [&](std::span<const Input> inputs) { return compute(inputs); });
}

std::vector<std::vector<Logits>> MaskedModel::compute(std::span<const Input> inputs) {
  Batch batch = pack(inputs);
  std::vector<uint32_t> rows;  // of the batch, each that is read once
  for (size_t q = 0; q < inputs.size(); ++q)
    for (const Read& read : inputs[q].reads)
      rows.push_back(static_cast<uint32_t>(batch.sequences[q].query + read.position));
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  Taps taps(inputs, [&](size_t query, uint32_t position) {
    return uint32_t(batch.sequences[query].query + position);
  });
  const nn::Matrix& hidden = encoder_->head(encoder_->forward(batch, rows, taps.watch()));

  std::vector<std::vector<Logits>> all(inputs.size());
  std::vector<nn::OutputRead> reads;
  for (size_t q = 0; q < inputs.size(); ++q) {
    all[q].resize(inputs[q].reads.size());
    for (size_t r = 0; r < inputs[q].reads.size(); ++r) {
      const Read& read = inputs[q].reads[r];
      if (read.layer) continue;
      Logits& answer = all[q][r];
      answer.logits.resize(read.targets.size());
      uint32_t row = static_cast<uint32_t>(batch.sequences[q].query + read.position);
      size_t at = std::lower_bound(rows.begin(), rows.end(), row) - rows.begin();
      reads.push_back(
          {at, read.targets, read.normalized, answer.logits.data(), &answer.log_sum_exp});
    }
  }
  nn::read_outputs(runtime_, hidden, encoder_->decoder(), reads);
  taps.read(runtime_, info_.hidden, encoder_->decoder(), 0, all, [&](nn::Matrix& stream) {
    encoder_->finish(stream);
    return nn::View(encoder_->head(stream));
  });
  return all;
}

const nn::Matrix& MaskedModel::watch(const std::vector<tokenizer::TokenId>& ids,
                                     const Watch& watch) {
  query::check({ids, {}, {}}, *this);
  const Input alone{ids, {}};
  std::vector<uint32_t> rows(ids.size());
  std::iota(rows.begin(), rows.end(), 0u);
  return encoder_->forward(pack({&alone, 1}), rows, watch);
}

}  // namespace minpair::model
