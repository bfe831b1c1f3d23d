#include "model/taps.h"

#include <algorithm>

#include "model/interventions.h"

namespace minpair::model {

Taps::Taps(std::span<const query::Input> inputs, const query::ModelInfo& info,
           const std::function<uint32_t(size_t, uint32_t)>& token_of)
    : info_(info) {
  for (size_t q = 0; q < inputs.size(); ++q)
    for (size_t r = 0; r < inputs[q].reads.size(); ++r)
      if (const query::Read& read = inputs[q].reads[r]; read.layer)
        taps_.push_back({&read, q, r, token_of(q, read.position), {}});
  if (!empty()) watch_ = [this](const Value& value) { take(value); };
}

void Taps::take(const Value& value) {
  for (Tap& tap : taps_) {
    const query::Site site = tap.read->state.value_or(query::Site::residual);
    if (!shows(value, site, *tap.read->layer) || !is_told(value, *tap.read)) continue;
    // A recurrent network shows its tokens step by step.
    const float* row = value.row_of(tap.token);
    if (!row) continue;
    // Of a unit, the memory comes before the state and follows it in the answer.
    const bool waits = value.site == Site::cell && site == query::Site::unit;
    const bool follows = value.part.number > 0 &&
                         (value.site == Site::heads || value.site == Site::attention_output);
    std::vector<float>& values = waits ? tap.memory : tap.values;
    const Slice slice = slice_of(value, site, info_);
    if (!follows) values.clear();
    values.insert(values.end(), row + slice.first, row + slice.first + slice.width);
    if (!waits) values.insert(values.end(), tap.memory.begin(), tap.memory.end());
  }
}

bool Taps::is_told(const Value& value, const query::Read& read) const {
  // An encoder answers nothing; its last layer is where the decoder's embeddings stand.
  if (!read.state) return value.part.number == 0 && *read.layer >= info_.encoder_layers;
  if (*read.state == query::Site::residual) return value.part.is_state;
  return value.part.number < kSharing;
}

void Taps::read(const nn::Runtime& runtime, size_t width, const nn::Linear& decoder, float cap,
                std::vector<std::vector<query::Logits>>& answers,
                const std::function<nn::View(nn::Matrix&)>& head) {
  std::vector<Tap*> lenses;
  for (Tap& tap : taps_) {
    if (tap.read->state)
      answers[tap.query][tap.number].logits = std::move(tap.values);
    else if (tap.values.size() == width)
      lenses.push_back(&tap);
  }
  if (lenses.empty()) return;
  nn::Matrix streams(lenses.size(), width);
  std::vector<nn::OutputRead> reads;
  for (size_t i = 0; i < lenses.size(); ++i) {
    std::ranges::copy(lenses[i]->values, streams.row(i));
    query::Logits& answer = answers[lenses[i]->query][lenses[i]->number];
    answer.logits.resize(lenses[i]->read->targets.size());
    reads.push_back({i, lenses[i]->read->targets, false, answer.logits.data(), nullptr});
  }
  nn::read_outputs(runtime, head(streams), decoder, reads, cap);
}

}  // namespace minpair::model
