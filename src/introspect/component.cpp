#include "introspect/component.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace minpair::introspect {
namespace {

constexpr std::string_view kSites[] = {
    "residual", "attention",  "head",        "mlp",       "neuron",      "unit",       "cell",
    "hidden",   "input-gate", "forget-gate", "candidate", "output-gate", "update-gate"};
static_assert(std::size(kSites) == query::kSites);

// Of a recurrent network.
bool is_of_unit(query::Site site) { return site >= query::Site::unit; }

uint32_t count_of(query::Model& model, query::Site site) {
  if (is_whole(site)) return 1;
  if (site == query::Site::head) return model.info().heads;
  if (is_of_unit(site)) return model.info().hidden;
  // Only the network knows.
  const query::Query any{{0}, {{0, query::Hidden{1, site}}}, {}};
  const query::Answer answer = std::move(model.answer({&any, 1})[0]);
  return uint32_t(std::get<query::State>(answer[0]).values.size());
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
  const uint32_t count = count_of(model, site);
  std::vector<Component> all;
  for (uint32_t l = site == query::Site::residual ? 0 : 1; l <= model.info().layers; ++l)
    if (layers.empty() || std::ranges::count(layers, l))
      for (uint32_t i = 0; i < count; ++i) all.push_back({uint16_t(l), i});
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
      throw wrong_call(fmt::format("'{}' is no layer and index", part))
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
}

void SiteMeans::ask(query::Query& query, uint32_t position) const {
  for (uint16_t layer : layers_) query.asks.push_back({position, query::Hidden{layer, site_}});
}

void SiteMeans::add(const query::Answer& answer) {
  const double weight = double(layers_.size()) / double(answer.size());
  for (size_t i = 0; i < answer.size(); ++i) {
    const std::vector<float>& values = std::get<query::State>(answer[i]).values;
    std::vector<double>& sum = sums_[i % layers_.size()];
    sum.resize(values.size());
    for (size_t d = 0; d < values.size(); ++d) sum[d] += weight * double(values[d]);
  }
  ++count_;
}

query::Put SiteMeans::put(const Component& component, const query::ModelInfo& info) const {
  const auto at = size_t(std::ranges::find(layers_, component.layer) - layers_.begin());
  const std::vector<double>& sum = sums_[at];
  size_t first = 0, width = sum.size();
  if (site_ == query::Site::head) width /= info.heads, first = component.index * width;
  if (site_ == query::Site::neuron || is_of_unit(site_)) width = 1, first = component.index;
  query::Put put;
  for (size_t d = first; d < first + width; ++d) put.values.push_back(float(sum.at(d) / count_));
  // An LSTM's memory follows its states.
  if (site_ == query::Site::unit && sum.size() == 2 * info.hidden)
    put.values.push_back(float(sum[info.hidden + component.index] / count_));
  return put;
}

}  // namespace minpair::introspect
