#include <fmt/format.h>

#include <limits>

#include "base/error.h"
#include "engine/query_batch.h"
#include "introspect/contrast.h"
#include "introspect/probe.h"
#include "introspect/roles.h"

namespace minpair::introspect {
namespace {

// The question about an item; with a shift at the tokens of a role, whose mean it moves.
query::Query question(const Contrast& contrast, const std::vector<uint32_t>& positions,
                      uint32_t layer, const std::vector<float>& shift) {
  query::Query query = margin_question(contrast);
  for (uint32_t position : positions)
    query.changes.push_back(
        {{query::Site::residual, uint16_t(layer), 0, position}, query::Add{shift, 1}});
  return query;
}

std::vector<float> shift_of(const std::vector<float>& shifts, size_t row, size_t rows) {
  const size_t width = shifts.size() / rows;
  return {shifts.begin() + ptrdiff_t(row * width), shifts.begin() + ptrdiff_t((row + 1) * width)};
}

}  // namespace

void run_on(query::Model& model, ProbeReadings& read, const engine::Tick& tick) {
  if (!model.sites().test(size_t(query::Site::residual)))
    throw wrong_call(fmt::format("nothing can be changed in the layers of {}", model.info().name));
  const ProbeStates& states = *read.states;
  const size_t count = states.items.items.size();
  read.margins.assign(count, std::numeric_limits<double>::quiet_NaN());
  engine::QueryBatch batch(model, tick);
  auto ask = [&](const query::Query& query, double& margin) {
    batch.add(query, [&margin](const query::Answer& answer) { margin = margin_of(answer); });
  };
  for (ProbeReadings::Role& role : read.roles)
    for (ProbeLayer& layer : role.layers) {
      layer.margins.resize(role.labels.size());
      layer.random_margins.resize(role.labels.size());
    }
  std::vector<size_t> next(read.roles.size(), 0);  // row of each role
  for (uint32_t i = 0; i < count; ++i) {
    if (states.excluded[i] != Reason::none) continue;
    const suite::Item& item = states.items.items[i];
    const Contrast contrast = contrast_of(item, model);
    ask(question(contrast, {}, 0, {}), read.margins[i]);
    for (size_t r = 0; r < read.roles.size(); ++r) {
      const ProbeStates::Role& role = states.roles[r];
      const size_t row = next[r], rows = role.items.size();
      if (row == rows || role.items[row] != i) continue;
      ++next[r];
      const Part part = part_of(item, contrast, model, role.name);
      for (size_t l = 0; l < read.roles[r].layers.size(); ++l) {
        ProbeLayer& layer = read.roles[r].layers[l];
        auto ask_with = [&](const std::vector<float>& shifts, double& margin) {
          ask(question(contrast, part.positions, states.layers[l], shift_of(shifts, row, rows)),
              margin);
        };
        ask_with(layer.shifts, layer.margins[row]);
        ask_with(layer.random_shifts, layer.random_margins[row]);
      }
    }
  }
  batch.answer();
}

}  // namespace minpair::introspect
