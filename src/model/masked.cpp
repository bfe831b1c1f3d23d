#include "model/masked.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/hash.h"

namespace minpair::model {

namespace {

// Tokens that go through the network together: enough to keep the cores busy, few enough for the
// cache and for memory.
constexpr size_t kTokensAtOnce = 1536;

Batch pack(std::span<const query::Query> queries) {
  Batch batch;
  for (const query::Query& query : queries) {
    size_t n = query.ids.size(), first = batch.ids.size();
    batch.sequences.push_back({first, n, first, n});
    batch.ids.insert(batch.ids.end(), query.ids.begin(), query.ids.end());
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
  Sha256 fingerprint;
  fingerprint.add(checkpoint_->fingerprint()).add(config.bytes());
  info_.fingerprint = fingerprint.hex();
  checkpoint_->release_memory();
  try {
    encoder_ = make_encoder({runtime_, config, *checkpoint_, with_head, info_});
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
  for (const query::Query& query : queries) check_query(query, info_);
  std::vector<query::Answer> answers(queries.size());
  for (size_t begin = 0; begin < queries.size();) {
    size_t end = begin, tokens = 0;
    while (end < queries.size() &&
           (end == begin || tokens + queries[end].ids.size() <= kTokensAtOnce))
      tokens += queries[end++].ids.size();
    answer_some(queries.subspan(begin, end - begin),
                std::span(answers).subspan(begin, end - begin));
    begin = end;
  }
  return answers;
}

void MaskedModel::answer_some(std::span<const query::Query> queries,
                              std::span<query::Answer> answers) {
  Batch batch = pack(queries);
  std::vector<uint32_t> rows;  // of the batch, each that is read once
  for (size_t q = 0; q < queries.size(); ++q)
    for (const query::Read& read : queries[q].reads)
      rows.push_back(static_cast<uint32_t>(batch.sequences[q].query + read.position));
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  const nn::Matrix& hidden = encoder_->head(encoder_->forward(batch, rows, {}));

  std::vector<nn::OutputRead> reads;
  for (size_t q = 0; q < queries.size(); ++q) {
    answers[q].resize(queries[q].reads.size());
    for (size_t r = 0; r < queries[q].reads.size(); ++r) {
      const query::Read& read = queries[q].reads[r];
      query::ReadAnswer& answer = answers[q][r];
      answer.logits.resize(read.targets.size());
      uint32_t row = static_cast<uint32_t>(batch.sequences[q].query + read.position);
      size_t at = std::lower_bound(rows.begin(), rows.end(), row) - rows.begin();
      reads.push_back(
          {at, read.targets, read.normalized, answer.logits.data(), &answer.log_sum_exp});
    }
  }
  nn::read_outputs(runtime_, hidden, encoder_->decoder(), reads);
}

const nn::Matrix& MaskedModel::watch(const std::vector<tokenizer::TokenId>& ids,
                                     const Watch& watch) {
  const query::Query query{ids, {}};
  check_query(query, info_);
  std::vector<uint32_t> rows(ids.size());
  std::iota(rows.begin(), rows.end(), 0u);
  return encoder_->forward(pack({&query, 1}), rows, watch);
}

}  // namespace minpair::model
