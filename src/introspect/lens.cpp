#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/query_batch.h"
#include "engine/selected.h"
#include "introspect/contrast.h"
#include "introspect/intervals.h"
#include "introspect/summary.h"
#include "report/rows.h"
#include "stats/stats.h"

namespace minpair::introspect {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// What one layer says about some items.
std::vector<report::GridValue> table_row(const LensReadings& read, const std::vector<size_t>& items,
                                         size_t layer) {
  std::vector<double> points, margins;
  std::vector<uint64_t> clusters;
  double settled = 0;
  for (size_t i : items) {
    double margin = read.readings[i].margins[layer];
    if (std::isnan(margin)) continue;
    points.push_back(points_of(margin));
    margins.push_back(margin);
    clusters.push_back(read.items.cluster[i]);
    settled += settling_layer(read.readings[i].margins) <= layer;
  }
  if (margins.empty()) return {double(layer), 0.0, kNone, kNone, kNone, kNone, kNone, kNone, kNone};
  stats::Estimate accuracy = stats::clustered_share(stats::sum_by_cluster(points, clusters));
  stats::Estimate margin = stats::clustered_difference(stats::sum_by_cluster(margins, clusters));
  const stats::Interval between = interval_of(margin);
  return {double(layer),         double(margins.size()), accuracy.value,
          accuracy.interval.low, accuracy.interval.high, margin.value,
          between.low,           between.high,           settled / double(margins.size())};
}

std::vector<std::string> notes_of(const LensReadings& read) {
  std::vector<std::string> notes{
      "layer 0 is the embeddings, the last one the model's own answer; margin: logit of the good "
      "token minus that of the bad one",
      "settled: items whose margin keeps the sign of the end from here on",
      "95 % intervals over clusters; " + report::clusters_text(read.items)};
  size_t unread = 0;
  for (const LensItem& item : read.readings)
    unread += !item.margins.empty() && std::isnan(item.margins[0]);
  if (unread > 0)
    notes.push_back(
        "layers without items answer nothing: embeddings of another width than the head reads, or "
        "an encoder's layers before its last");
  add_reasons(notes, reasons_of(read.readings));
  return notes;
}

}  // namespace

LensReadings read_lens(query::Model& model, const engine::SuiteSource& suite,
                       const engine::Selection& selection, const engine::Tick& tick) {
  check_layers(model);
  LensReadings read{suite.manifest.name, model.info().name, report::SuiteItems(), {}};
  engine::QueryBatch batch(model, tick);
  engine::each_selected(suite, selection, [&](uint64_t ordinal, const suite::Item& item) {
    read.items.add(ordinal, item);
    LensItem& reading = read.readings.emplace_back();
    const Contrast contrast = contrast_of(item, model);
    reading.excluded = contrast.excluded;
    if (contrast.excluded != Reason::none) return;
    reading.good = model.tokenizer().piece(contrast.good);
    reading.bad = model.tokenizer().piece(contrast.bad);
    batch.add(lens_question(contrast, model.info().layers),
              [&read, i = read.readings.size() - 1](const query::Answer& answer) {
                read.readings[i].margins = lens_margins(answer);
              });
  });
  batch.answer();
  return read;
}

uint32_t settling_layer(const std::vector<double>& margins) {
  auto sign = [](double x) { return (x > 0) - (x < 0); };
  size_t layer = margins.size() - 1;
  while (layer > 0 && !std::isnan(margins[layer - 1]) &&
         sign(margins[layer - 1]) == sign(margins.back()))
    --layer;
  return uint32_t(layer);
}

report::Grid lens_table(const LensReadings& read, By by) {
  using Kind = report::GridColumn::Kind;
  report::Grid grid{
      .key = "lens",
      .title = fmt::format("{} × {}: what each layer would answer", read.suite, read.model),
      .columns = {{"test", "test", Kind::text},
                  {"condition", "condition", Kind::text},
                  {"layer", "layer", Kind::count},
                  {"items", "items", Kind::count},
                  {"accuracy", "accuracy", Kind::share},
                  {"accuracy_low", "from", Kind::share},
                  {"accuracy_high", "to", Kind::share},
                  {"margin", "margin", Kind::difference},
                  {"margin_low", "from", Kind::difference},
                  {"margin_high", "to", Kind::difference},
                  {"settled", "settled", Kind::share}}};
  keep_groups(grid.columns, by);
  add_groups(grid, read.items, reasons_of(read.readings), by, [&](const ItemGroup& group) {
    std::vector<std::vector<report::GridValue>> rows;
    for (size_t l = 0; l < read.readings[group.items[0]].margins.size(); ++l) {
      rows.push_back(table_row(read, group.items, l));
      const auto silent = uint64_t(std::ranges::count_if(
          group.items, [&](size_t i) { return std::isnan(read.readings[i].margins[l]); }));
      rows.back().emplace_back(excluded_text(group, {{Reason::layer_answers_nothing, silent}}));
    }
    return rows;
  });
  grid.notes = notes_of(read);
  explain_dashes(grid);
  return grid;
}

}  // namespace minpair::introspect
