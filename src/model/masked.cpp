#include "model/masked.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "model/interventions.h"

namespace minpair::model {

namespace {

// A batch, and the first row of every input. Changed ones, by layer, come last.
struct Packed {
  Batch batch;
  std::vector<uint32_t> first;
};

Packed pack(std::span<const Input> inputs, std::span<const Changed> changed = {}) {
  Packed packed{{}, std::vector<uint32_t>(inputs.size())};
  Batch& batch = packed.batch;
  auto add = [&](size_t q) {
    const size_t n = inputs[q].ids.size(), first = batch.ids.size();
    packed.first[q] = uint32_t(first);
    batch.sequences.push_back({first, n, first, n});
    batch.ids.insert(batch.ids.end(), inputs[q].ids.begin(), inputs[q].ids.end());
    for (uint32_t i = 0; i < n; ++i) batch.positions.push_back(i);
  };
  for (size_t q = 0; q < inputs.size(); ++q)
    if (inputs[q].changes.empty()) add(q);
  batch.late.first = uint32_t(batch.ids.size());
  for (const Changed& one : changed) {
    for (uint32_t i = 0; i < inputs[one.input].ids.size(); ++i) {
      batch.late.layer.push_back(one.layer);
      batch.late.copy.push_back(packed.first[one.twin] + i);
    }
    add(one.input);
  }
  return packed;
}

}  // namespace

MaskedModel::MaskedModel(const Source& source, MakeEncoder make_encoder, Parts parts)
    : NetworkModel(source, std::move(parts)) {
  info_.batch_tokens = 1536;  // what of a batch is worked on together stays in the cache
  encoder_ = make_network(make_encoder, source);
  encoder_->use(*tokenizer_);
  if (tokenizer_->vocabulary_size() > info_.vocabulary)
    info_.notes.push_back(
        fmt::format("the tokenizer has {} ids, the model only {}: the others cannot be scored",
                    tokenizer_->vocabulary_size(), info_.vocabulary));
}

std::vector<query::Answer> MaskedModel::answer(std::span<const query::Query> queries) {
  return answer_by_logits(*this, queries, [&](std::span<const Input> inputs) {
    if (!info_.answers_before) return compute(inputs);
    std::vector<Input> moved(inputs.begin(), inputs.end());
    for (Input& input : moved)
      for (Read& read : input.reads) {
        if (read.state) continue;  // a token's state is its own
        if (read.position == 0)
          throw bad_input("this model says nothing about the first token of a sentence")
              .hint("it says at each token what the next one is; begin with its [CLS] or <s>");
        --read.position;
      }
    return compute(moved);
  });
}

std::vector<std::vector<Logits>> MaskedModel::compute(std::span<const Input> asked) {
  Interventions changes(asked, info_);
  const std::span<const Input> inputs = changes.inputs();
  const Packed packed = pack(inputs, changes.late());
  auto row_of = [&](size_t q, uint32_t position) {
    return packed.first[q] + encoder_->place_of(inputs[q].ids, position);
  };
  changes.place(row_of);
  std::vector<uint32_t> rows;  // of the batch, each that is read once
  for (size_t q = 0; q < inputs.size(); ++q)
    for (const Read& read : inputs[q].reads) {
      if (!read.state) encoder_->check_asked(inputs[q].ids, read.position);
      rows.push_back(row_of(q, read.position));
    }
  changes.add_sources(rows);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  Taps taps(inputs, info_, row_of);
  const nn::Matrix& hidden =
      encoder_->head(encoder_->forward(packed.batch, rows, changes.watch(taps.watch())));

  std::vector<std::vector<Logits>> all(inputs.size());
  std::vector<nn::OutputRead> reads;
  for (size_t q = 0; q < inputs.size(); ++q) {
    all[q].resize(inputs[q].reads.size());
    for (size_t r = 0; r < inputs[q].reads.size(); ++r) {
      const Read& read = inputs[q].reads[r];
      if (read.layer) continue;
      Logits& answer = all[q][r];
      answer.logits.resize(read.targets.size());
      size_t at = size_t(std::ranges::lower_bound(rows, row_of(q, read.position)) - rows.begin());
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
  return encoder_->forward(pack({&alone, 1}).batch, rows, watch);
}

}  // namespace minpair::model
