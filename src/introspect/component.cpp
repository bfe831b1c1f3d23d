#include "introspect/component.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace minpair::introspect {
namespace {

constexpr std::string_view kSites[] = {"residual",    "attention",   "head",      "mlp",
                                       "neuron",      "unit",        "cell",      "hidden",
                                       "input-gate",  "forget-gate", "candidate", "output-gate",
                                       "update-gate", "reset-gate"};
static_assert(std::size(kSites) == query::kSites);

// Of a recurrent network.
bool is_of_unit(query::Site site) { return site >= query::Site::unit; }

// In each layer, from the embeddings on.
std::vector<uint32_t> counts_of(query::Model& model, query::Site site) {
  const query::ModelInfo& info = model.info();
  std::vector<uint32_t> counts(info.layers + 1, is_of_unit(site) ? info.hidden : 1);
  for (uint32_t l = 1; site == query::Site::head && l <= info.layers; ++l)
    counts[l] = info.heads_in(l);
  if (site != query::Site::neuron) return counts;
  // Only the network knows; a decoder that fills gaps has them only there.
  query::Query any{{std::max(model.tokenizer().special().mask, 0)}, {}, {}};
  for (uint32_t l = 1; l <= info.layers; ++l)
    any.asks.push_back({0, query::Hidden{uint16_t(l), site}});
  const query::Answer answer = std::move(model.answer({&any, 1})[0]);
  for (uint32_t l = 1; l <= info.layers; ++l)
    counts[l] = uint32_t(std::get<query::State>(answer[l - 1]).values.size());
  return counts;
}

template <class Number>
bool take_number(std::string_view text, Number& to) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string_view name_of(query::Site site) { return kSites[size_t(site)]; }

bool is_whole(query::Site site) {
  return site != query::Site::head && site != query::Site::neuron && !is_of_unit(site);
}

query::Site find_site(const std::string& name, const query::Model& model) {
  std::string known;
  for (size_t i = 0; i < std::size(kSites); ++i) {
    if (!model.sites().test(i)) continue;
    if (kSites[i] == name) return query::Site(i);
    known += known.empty() ? "" : ", ";
    known += kSites[i];
  }
  if (known.empty())
    throw wrong_call(fmt::format("nothing can be changed in '{}'", model.info().name))
        .hint("transformers and recurrent models have something inside");
  throw wrong_call(fmt::format("'{}' has no site '{}'", model.info().name, name))
      .hint("it has: " + known);
}

std::vector<Component> components_of(query::Model& model, query::Site site,
                                     const std::vector<uint32_t>& layers) {
  const std::vector<uint32_t> counts = counts_of(model, site);
  std::vector<Component> all;
  for (uint32_t l = site == query::Site::residual ? 0 : 1; l <= model.info().layers; ++l)
    if (layers.empty() || std::ranges::count(layers, l))
      for (uint32_t i = 0; i < counts[l]; ++i) all.push_back({uint16_t(l), i});
  if (all.empty())
    throw wrong_call(fmt::format("there is no {} in the embeddings", name_of(site)))
        .hint("--layers from 1 on");
  return all;
}

std::vector<Component> find_components(const std::string& list) {
  std::vector<Component> found;
  for (std::string_view part : split(list, ',')) {
    part = trim(part);
    const size_t colon = part.find(':');
    Component component;
    if (colon == std::string_view::npos || !take_number(part.substr(0, colon), component.layer) ||
        !take_number(part.substr(colon + 1), component.index))
      throw wrong_call(fmt::format("'{}' is not a layer and an index", part))
          .hint("as 1:5,2:17, layers from 1, indices from 0");
    found.push_back(component);
  }
  return found;
}

std::string text_of(const Component& component) {
  return fmt::format("{}:{}", component.layer, component.index);
}

SiteMeans::SiteMeans(query::Site site, const std::vector<Component>& components) : site_(site) {
  for (const Component& component : components)
    if (!std::ranges::count(layers_, component.layer)) layers_.push_back(component.layer);
  sums_.resize(layers_.size());
  counts_.resize(layers_.size());
}

void SiteMeans::ask(query::Query& query, uint32_t position) const {
  for (uint16_t layer : layers_) query.asks.push_back({position, query::Hidden{layer, site_}});
}

void SiteMeans::add(const query::Answer& answer) {
  const double weight = double(layers_.size()) / double(answer.size());
  for (size_t i = 0; i < answer.size(); ++i) {
    const std::vector<float>& values = std::get<query::State>(answer[i]).values;
    if (values.empty()) continue;  // a decoder may not read the token
    std::vector<double>& sum = sums_[i % layers_.size()];
    sum.resize(values.size());
    for (size_t d = 0; d < values.size(); ++d) sum[d] += weight * double(values[d]);
    counts_[i % layers_.size()] += weight;
  }
}

query::Put SiteMeans::put(const Component& component, const query::ModelInfo& info) const {
  const auto at = size_t(std::ranges::find(layers_, component.layer) - layers_.begin());
  const std::vector<double>& sum = sums_[at];
  size_t first = 0, width = sum.size();
  if (site_ == query::Site::head && width > 0)
    width /= info.heads_in(component.layer), first = component.index * width;
  if (site_ == query::Site::neuron || is_of_unit(site_)) width = 1, first = component.index;
  query::Put put;
  for (size_t d = first; d < first + width; ++d)
    put.values.push_back(float(sum.at(d) / counts_[at]));
  // An LSTM's memory follows its states.
  if (site_ == query::Site::unit && sum.size() == 2 * info.hidden)
    put.values.push_back(float(sum[info.hidden + component.index] / counts_[at]));
  return put;
}

}  // namespace minpair::introspect
