#include "model/interventions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/counts.h"
#include "base/error.h"

namespace minpair::model {
namespace {

// The first layer, from 0, in which a query is no longer its unchanged twin. A change of the stream
// is made where the next layer begins; the last layer's is made there.
uint32_t first_layer(const query::Input& input, uint32_t layers) {
  uint32_t first = layers - 1;
  for (const query::Change& change : input.changes)
    first = std::min<uint32_t>(first, change.at.layer - (change.at.site != query::Site::residual));
  for (const query::Read& read : input.reads)
    if (read.layer && *read.layer > 0) first = std::min<uint32_t>(first, *read.layer - 1);
  return first;
}

uint32_t first_position(const query::Input& input) {
  uint32_t first = UINT32_MAX;
  for (const query::Change& change : input.changes)
    first = std::min(first, change.at.position == query::kEverywhere ? 0 : change.at.position);
  return first;
}

// Among the gates of an LSTM or a GRU, side by side; none: it is no gate.
std::optional<size_t> place_of_gate(query::Site site) {
  switch (site) {
    case query::Site::input_gate:
      return 0;
    case query::Site::forget_gate:
    case query::Site::update_gate:
      return 1;
    case query::Site::candidate:
      return 2;
    case query::Site::output_gate:
      return 3;
    default:
      return {};
  }
}

// Whether a site is a state together with its memory.
bool has_both(query::Site site) {
  return site == query::Site::residual || site == query::Site::unit;
}

// What is given for this value. What is not the state gets what follows the state's, if anything.
std::span<const float> given(const std::vector<float>& values, size_t width, const Value& value,
                             const query::Place& at, const query::ModelInfo& info) {
  const bool in_layer = value.site == Site::heads || value.site == Site::attention_output;
  const bool both =
      in_layer ? info.is_of_decoder(at.layer)
               : has_both(at.site) && (value.site == Site::hidden || value.site == Site::cell);
  if (values.size() != width && !(both && values.size() == 2 * width))
    throw wrong_call(fmt::format("{} {} given where the model has {}", values.size(),
                                 plural(values.size(), "value was", "values were"), width));
  const bool shares = value.part.number >= kSharing && !value.part.is_state;
  // A row without a token of its own is meant where all are.
  if (shares && (at.position != query::kEverywhere || at.site == query::Site::residual)) return {};
  const size_t part = value.part.number % kSharing;
  if (values.size() == 2 * width) return std::span(values).subspan(part * width, width);
  // One head is in one of the two; the memory may be meant alone.
  const bool alone = value.part.is_state || at.site == query::Site::cell ||
                     (at.site == query::Site::head && at.index != query::kAll) ||
                     (shares && part == 0);
  return std::span(values).first(alone ? width : 0);
}

}  // namespace

bool shows(const Value& value, query::Site site, uint32_t layer) {
  if (value.site == Site::embeddings) return site == query::Site::residual && layer == 0;
  if (layer != value.layer + 1) return false;
  switch (value.site) {
    case Site::residual:
      return site == query::Site::residual;
    case Site::attention_output:
      return site == query::Site::attention;
    case Site::heads:
      return site == query::Site::head;
    case Site::mlp_output:
      return site == query::Site::mlp;
    case Site::mlp_inner:
      return site == query::Site::neuron;
    case Site::hidden:
      return has_both(site) || site == query::Site::hidden;
    case Site::cell:
      return has_both(site) || site == query::Site::cell;
    case Site::gates:
      return place_of_gate(site).has_value();
    case Site::reset:
      return site == query::Site::reset_gate;
    default:
      return false;
  }
}

Slice slice_of(const Value& value, query::Site site, const query::ModelInfo& info) {
  if (value.site == Site::reset) return {0, info.hidden};
  if (value.site != Site::gates) return {0, value.rows.columns()};
  return {*place_of_gate(site) * info.hidden, info.hidden};
}

Interventions::Interventions(std::span<const query::Input> asked, const query::ModelInfo& info)
    : asked_(asked), info_(info) {
  if (std::ranges::all_of(asked, [](const query::Input& i) { return i.changes.empty(); })) return;
  inputs_.assign(asked.begin(), asked.end());
  for (uint32_t i = 0; i < asked.size(); ++i)
    if (asked[i].changes.empty())
      unchanged_.emplace(std::vector(asked[i].ids.begin(), asked[i].ids.end()), i);
  for (uint32_t i = 0; i < asked.size(); ++i)
    if (!asked[i].changes.empty()) add(i);
  std::ranges::stable_sort(late_, {}, &Changed::layer);
}

void Interventions::add(size_t input) {
  const query::Input& changed = asked_[input];
  late_.push_back({uint32_t(input), unchanged(changed.ids), first_position(changed),
                   first_layer(changed, info_.layers)});
  for (const query::Change& change : changed.changes) {
    Edit& edit = edits_.emplace_back();
    edit.change = &change;
    edit.input = input;
    if (const auto* from = std::get_if<query::From>(&change.how))
      edit.source = unchanged(from->ids);
  }
}

uint32_t Interventions::unchanged(std::span<const tokenizer::TokenId> ids) {
  auto [found, is_new] =
      unchanged_.try_emplace(std::vector(ids.begin(), ids.end()), uint32_t(inputs_.size()));
  if (is_new) inputs_.push_back({ids, {}, {}});
  return found->second;
}

void Interventions::place(const std::function<uint32_t(size_t, uint32_t)>& row_of) {
  for (Edit& edit : edits_) {
    const uint32_t position = edit.change->at.position;
    const bool everywhere = position == query::kEverywhere;
    const auto tokens = uint32_t(asked_[edit.input].ids.size());
    for (uint32_t p = everywhere ? 0 : position; p < (everywhere ? tokens : position + 1); ++p)
      edit.rows.push_back(row_of(edit.input, p));
    // Masks that are one gap are one row.
    edit.rows.erase(std::unique(edit.rows.begin(), edit.rows.end()), edit.rows.end());
    if (const auto* from = std::get_if<query::From>(&edit.change->how))
      for (uint32_t p : from->positions) edit.source_rows.push_back(row_of(edit.source, p));
  }
}

void Interventions::add_sources(std::vector<uint32_t>& rows) const {
  for (const Edit& edit : edits_)
    rows.insert(rows.end(), edit.source_rows.begin(), edit.source_rows.end());
}

Watch Interventions::watch(const Watch& next) {
  if (late_.empty()) return next;
  return [this, &next](const Value& value) {
    see(value);
    if (next) next(value);
  };
}

void Interventions::see(const Value& value) {
  auto here = [&](const Edit& edit) {
    return shows(value, edit.change->at.site, edit.change->at.layer);
  };
  for (Edit& edit : edits_)
    if (!edit.source_rows.empty() && here(edit)) take(edit, value);
  for (const Edit& edit : edits_)
    if (here(edit)) put(edit, value);
}

Slice Interventions::one_of(const query::Place& place, const Value& value) const {
  const Slice all = slice_of(value, place.site, info_);
  if (place.index == query::kAll) return all;
  if (place.site == query::Site::head) {
    const bool decodes = info_.is_of_decoder(place.layer);
    const size_t heads = decodes ? info_.decoder_heads : info_.heads;
    if (place.index / heads != (decodes ? value.part.number % kSharing : 0)) return {};
    return {place.index % heads * (all.width / heads), all.width / heads};
  }
  if (place.site < query::Site::neuron) return all;
  if (place.index >= all.width)
    throw wrong_call(fmt::format("{} has {} {} in a layer, not a number {}", info_.name, all.width,
                                 place.site == query::Site::neuron ? "neurons" : "units",
                                 place.index))
        .hint("0 is the first");
  return {all.first + place.index, 1};
}

void Interventions::take(Edit& edit, const Value& value) const {
  const Slice slice = one_of(edit.change->at, value);
  if (edit.taken.size() <= value.part.number) edit.taken.resize(value.part.number + 1);
  Edit::Taken& taken = edit.taken[value.part.number];
  for (uint32_t token : edit.source_rows)
    if (const float* row = value.row_of(token)) {
      taken.sum.resize(slice.width);
      for (size_t d = 0; d < slice.width; ++d) taken.sum[d] += row[slice.first + d];
      ++taken.rows;
    }
}

void Interventions::put(const Edit& edit, const Value& value) const {
  const query::Place& at = edit.change->at;
  const Slice slice = one_of(at, value);
  for (uint32_t token : edit.rows) {
    float* row = value.row_of(token);
    if (!row || slice.width == 0) continue;
    float* x = row + slice.first;
    if (const auto* add = std::get_if<query::Add>(&edit.change->how)) {
      for (float y : given(add->values, slice.width, value, at, info_)) *x++ += add->by * y;
    } else if (const auto* put = std::get_if<query::Put>(&edit.change->how)) {
      std::ranges::copy(given(put->values, slice.width, value, at, info_), x);
    } else if (std::holds_alternative<query::Zero>(edit.change->how)) {
      std::fill_n(x, slice.width, 0.0f);
    } else if (value.part.number < edit.taken.size()) {
      const Edit::Taken& taken = edit.taken[value.part.number];
      for (float y : taken.sum) *x++ = y / taken.rows;
    }
  }
}

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
