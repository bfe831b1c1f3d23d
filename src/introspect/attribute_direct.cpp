#include <fmt/format.h>

#include <numeric>

#include "engine/query_batch.h"
#include "engine/selected.h"
#include "introspect/attribute.h"
#include "introspect/contrast.h"
#include "introspect/intervals.h"
#include "introspect/summary.h"
#include "model/direct.h"
#include "report/rows.h"
#include "stats/stats.h"

namespace minpair::introspect {
namespace {

query::Query question(const Contrast& contrast, const query::Model& model) {
  query::Query query{contrast.ids, {{contrast.position, query::Hidden{0}}}, {}};
  for (uint32_t l = 1; l <= model.info().layers; ++l)
    for (query::Site site : {query::Site::attention, query::Site::mlp})
      if (model.sites().test(size_t(site)))
        query.asks.push_back({contrast.position, query::Hidden{uint16_t(l), site}});
  return query;
}

std::vector<report::GridValue> table_row(const Direct& read, const std::vector<size_t>& items,
                                         const std::string& name, size_t first, size_t end) {
  std::vector<double> effects;
  std::vector<uint64_t> clusters;
  for (size_t i : items) {
    const std::vector<double>& all = read.readings[i].effects;
    effects.push_back(
        std::accumulate(all.begin() + ptrdiff_t(first), all.begin() + ptrdiff_t(end), 0.0));
    clusters.push_back(read.items.cluster[i]);
  }
  const stats::Estimate mean =
      stats::clustered_difference(stats::sum_by_cluster(effects, clusters));
  const stats::Interval between = interval_of(mean);
  return {name, double(items.size()), mean.value, between.low, between.high};
}

}  // namespace

std::vector<std::string> direct_parts(uint32_t layers, bool both) {
  std::vector<std::string> parts{"embeddings"};
  for (uint32_t l = 1; l <= layers; ++l) {
    parts.push_back(fmt::format("attention {}", l));
    if (both) parts.push_back(fmt::format("mlp {}", l));
  }
  parts.emplace_back("biases");
  return parts;
}

std::vector<std::string> direct_parts(const query::Model& model) {
  return direct_parts(model.info().layers, model.sites().test(size_t(query::Site::mlp)));
}

Direct read_direct(query::Model& model, const engine::SuiteSource& suite,
                   const engine::Selection& selection, const engine::Tick& tick) {
  model::check_direct_effects(model);
  Direct read{suite.manifest.name, model.info().name, direct_parts(model)};
  engine::QueryBatch batch(model, tick);
  engine::each_selected(suite, selection, [&](uint64_t ordinal, const suite::Item& item) {
    read.items.add(ordinal, item);
    const Contrast contrast = contrast_of(item, model);
    read.readings.push_back({contrast.excluded, {}});
    if (contrast.excluded != Reason::none) return;
    batch.add(question(contrast, model),
              [&read, &model, i = read.readings.size() - 1, good = contrast.good,
               bad = contrast.bad](query::Answer&& answer) {
                std::vector<std::vector<float>> parts;
                for (query::Record& record : answer)
                  parts.push_back(std::move(std::get<query::State>(record).values));
                read.readings[i].effects = model::direct_effects(model, parts, good, bad);
              });
  });
  batch.answer();
  return read;
}

report::Grid direct_table(const Direct& read, By by) {
  using Kind = report::GridColumn::Kind;
  report::Grid grid{
      .key = "direct",
      .title = fmt::format("{} × {}: what each part says to the output", read.suite, read.model),
      .columns = {{"test", "test", Kind::text},
                  {"condition", "condition", Kind::text},
                  {"part", "part", Kind::text},
                  {"items", "items", Kind::count},
                  {"effect", "effect", Kind::difference},
                  {"effect_low", "from", Kind::difference},
                  {"effect_high", "to", Kind::difference}}};
  keep_groups(grid.columns, by);
  const std::vector<Reason> excluded = reasons_of(read.readings);
  add_groups(grid, read.items, excluded, by, [&](const ItemGroup& group) {
    std::vector<std::vector<report::GridValue>> rows;
    for (size_t p = 0; p < read.parts.size(); ++p)
      rows.push_back(table_row(read, group.items, read.parts[p], p, p + 1));
    rows.push_back(table_row(read, group.items, "margin", 0, read.parts.size()));
    for (auto& row : rows) row.emplace_back(excluded_text(group));
    return rows;
  });
  grid.notes = {
      "effect: what the part adds to the logit of the good token minus that of the bad one, the "
      "last norm's scale held as it is; margin: the sum, before any cap on logits",
      "95 % intervals over clusters; " + report::clusters_text(read.items)};
  add_reasons(grid.notes, excluded);
  explain_dashes(grid);
  return grid;
}

}  // namespace minpair::introspect
