#include "engine/query_batch.h"
#include "engine/selected.h"
#include "introspect/component.h"
#include "introspect/contrast.h"
#include "introspect/patch.h"

namespace minpair::introspect {
namespace {

struct Asked {
  size_t item = 0;
  Contrast contrast;
};

SiteMeans means_of(query::Model& model, const std::vector<Asked>& all, query::Site site,
                   const std::vector<Component>& components) {
  SiteMeans means(site, components);
  engine::QueryBatch batch(model);
  for (const Asked& asked : all) {
    query::Query query{asked.contrast.ids, {}, {}};
    for (uint32_t p = 0; p < query.ids.size(); ++p) means.ask(query, p);
    batch.add(query, [&means](const query::Answer& answer) { means.add(answer); });
  }
  batch.answer();
  return means;
}

// What is changed for each result: one component alone, or all that were asked for.
std::vector<std::vector<query::Change>> changes_of(query::Model& model,
                                                   const std::vector<Asked>& all,
                                                   const AblateReadings& read) {
  const AblateOptions& o = read.options;
  const std::vector<Component>& components = o.together.empty() ? read.components : o.together;
  SiteMeans means(o.site, components);
  if (o.how == How::mean) means = means_of(model, all, o.site, components);
  std::vector<std::vector<query::Change>> changes(o.together.empty() ? components.size() : 1);
  for (size_t c = 0; c < components.size(); ++c) {
    query::Change change{{o.site, components[c].layer, components[c].index, query::kEverywhere},
                         query::Zero{}};
    if (o.how == How::mean) change.how = means.put(components[c], model.info());
    changes[o.together.empty() ? c : 0].push_back(std::move(change));
  }
  return changes;
}

}  // namespace

AblateReadings read_ablations(query::Model& model, const engine::SuiteSource& suite,
                              const engine::Selection& selection, const AblateOptions& options,
                              const engine::Tick& tick) {
  check_layers(model);
  AblateReadings read{.suite = suite.manifest.name, .model = model.info().name, .options = options};
  if (options.together.empty())
    read.components = components_of(model, options.site, options.layers);
  std::vector<Asked> all;
  engine::each_selected(suite, selection, [&](uint64_t ordinal, const suite::Item& item) {
    read.items.add(ordinal, item);
    AblateReadings::Item& reading = read.readings.emplace_back();
    Contrast contrast = contrast_of(item, model);
    reading.excluded = contrast.excluded;
    if (reading.excluded != Reason::none) return;
    reading.good = model.tokenizer().piece(contrast.good);
    reading.bad = model.tokenizer().piece(contrast.bad);
    all.push_back({read.readings.size() - 1, std::move(contrast)});
  });
  const std::vector<std::vector<query::Change>> changes = changes_of(model, all, read);

  engine::QueryBatch batch(model, tick);
  auto ask = [&](const query::Query& query, double& margin) {
    batch.add(query, [&margin](const query::Answer& answer) { margin = margin_of(answer); });
  };
  for (const Asked& asked : all) {
    AblateReadings::Item& reading = read.readings[asked.item];
    query::Query query = margin_question(asked.contrast);
    ask(query, reading.margin);
    reading.without.resize(changes.size());
    for (size_t c = 0; c < changes.size(); ++c) {
      query.changes = changes[c];
      ask(query, reading.without[c]);
    }
  }
  batch.answer();
  return read;
}

}  // namespace minpair::introspect
