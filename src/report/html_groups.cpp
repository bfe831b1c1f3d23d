#include "report/html_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "report/html_parts.h"

namespace minpair::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostTexts = 12;  // of a feature: more values make no figure
constexpr const char* kPieces = "distance_pieces";

struct FeatureValues {
  std::map<double, uint64_t> numbers;
  std::set<std::string> texts;
};

// What a feature's values are called on the page; nothing where it makes no figure.
std::map<std::string, std::map<double, std::string>> named_features(
    const std::map<std::string, FeatureValues>& seen, size_t bins) {
  std::map<std::string, std::map<double, std::string>> drawn;
  for (const auto& [name, v] : seen)
    if (v.texts.empty() ? v.numbers.size() > 1
                        : v.numbers.empty() && v.texts.size() > 1 && v.texts.size() <= kMostTexts)
      drawn[name] = bins_of(v.numbers, bins);
  return drawn;
}

std::string value_name(const suite::FeatureValue& value,
                       const std::map<double, std::string>& bins) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  auto at = bins.find(std::get<double>(value));
  return at == bins.end() ? "" : at->second;
}

struct Sums {
  Values points;
  uint64_t ties = 0;
  std::map<judge::Reason, uint64_t> excluded;
};

// To four digits, which pages show; null where there is no number.
Json limit(double x) { return std::isnan(x) ? Json() : Json(rounded(x)); }

Json columns_json(const std::vector<Sums>& sums, Shares& shares) {
  std::vector<stats::ClusterSums> by_cluster;
  for (const Sums& s : sums) by_cluster.push_back(s.points.sums());
  const std::vector<stats::Estimate> estimates = shares.of(by_cluster);
  Json columns;
  for (const char* name : {"items", "points", "ties", "low", "high", "clusters", "excluded"})
    columns[name] = Json::array();
  for (size_t g = 0; g < sums.size(); ++g) {
    const Sums& s = sums[g];
    const stats::Estimate& e = estimates[g];
    const size_t items = s.points.of.size();
    columns["items"].push_back(items);
    columns["points"].push_back(by_cluster[g].total());
    columns["ties"].push_back(s.ties);
    columns["clusters"].push_back(e.clusters);
    columns["low"].push_back(items ? limit(e.interval.low) : Json());
    columns["high"].push_back(items ? limit(e.interval.high) : Json());
    for (const auto& [reason, n] : s.excluded)
      columns["excluded"].push_back({g, key_of(reason), n});
  }
  return columns;
}

}  // namespace

PageGroups::PageGroups(const SuiteItems& suite, const std::vector<const std::vector<Judged>*>& runs,
                       const ReportOptions& options)
    : suite_(suite), of_item_(suite.items.size()), test_of_(suite.items.size()) {
  std::map<std::string, FeatureValues> seen;
  std::set<std::string> languages;
  for (const suite::Item& item : suite.items) {
    languages.insert(item.language);
    for (const auto& [name, value] : item.features)
      if (const auto* number = std::get_if<double>(&value))
        seen[name].numbers[*number] += std::isfinite(*number);
      else
        seen[name].texts.insert(std::get<std::string>(value));
  }
  for (const std::vector<Judged>* run : runs)
    for (const Judged& j : *run)
      if (j.pieces) seen[kPieces].numbers[*j.pieces] += 1;
  features_ = named_features(seen, std::max<size_t>(options.bins, 1));
  for (size_t i = 0; i < suite.items.size(); ++i) place(i, languages.size() > 1);
}

uint32_t PageGroups::at(PageGroup group) {
  std::string key =
      join({group.language, group.test, group.condition, group.feature, group.value}, "\x1f");
  auto [place, fresh] = places_.try_emplace(std::move(key), uint32_t(groups_.size()));
  if (fresh) groups_.push_back(std::move(group));
  return place->second;
}

void PageGroups::place(size_t i, bool several_languages) {
  const suite::Item& item = suite_.items[i];
  std::string language = several_languages ? item.language : "";
  std::vector<uint32_t>& own = of_item_[i];
  own.push_back(at({}));
  if (several_languages) own.push_back(at({.language = language}));
  own.push_back(test_of_[i] = at({.language = language, .test = item.test}));
  if (!item.condition.empty())
    own.push_back(at({.language = language, .test = item.test, .condition = item.condition}));
  auto both = [&](const char* feature, const std::string& value) {
    add_value(own, test_of_[i], feature, value);
  };
  for (const auto& [name, value] : item.features) {
    auto drawn = features_.find(name);
    if (drawn != features_.end()) both(name.c_str(), value_name(value, drawn->second));
    const double* number = std::get_if<double>(&value);
    if (name == "attractors" && number)
      both("attraction", *number > 0 ? "with attractors" : "without attractors");
  }
}

// Of all items, and of those of the same test.
void PageGroups::add_value(std::vector<uint32_t>& to, uint32_t test, const char* feature,
                           const std::string& value) {
  if (value.empty()) return;
  PageGroup group = groups_[test];
  group.feature = feature;
  group.value = value;
  to.push_back(at({.language = group.language, .feature = feature, .value = value}));
  to.push_back(at(std::move(group)));
}

Json PageGroups::cells_json(const std::vector<Judged>& judged, const judge::Policy& policy) {
  auto pieces = features_.find(kPieces);
  std::vector<std::vector<uint32_t>> more(pieces == features_.end() ? 0 : judged.size());
  for (size_t i = 0; i < more.size(); ++i)
    if (judged[i].pieces && !of_item_[judged[i].item].empty())
      add_value(more[i], test_of_[judged[i].item], kPieces, pieces->second.at(*judged[i].pieces));
  std::vector<Sums> sums(groups_.size());
  for (size_t i = 0; i < judged.size(); ++i) {
    const Judged& j = judged[i];
    judge::Reason why = judge::left_out(j.excluded, j.equal_lengths, policy);
    auto add = [&](uint32_t g) {
      Sums& s = sums[g];
      if (why != judge::Reason::none) {
        ++s.excluded[why];
        return;
      }
      s.points.add(j.points, suite_.cluster[j.item]);
      s.ties += j.outcome == judge::Outcome::tie;
    };
    std::for_each(of_item_[j.item].begin(), of_item_[j.item].end(), add);
    if (!more.empty()) std::for_each(more[i].begin(), more[i].end(), add);
  }
  return columns_json(sums, shares_);
}

Json PageGroups::json() const {
  Json all = Json::array();
  for (const PageGroup& g : groups_)
    all.push_back({g.language, g.test, g.condition, g.feature, g.value});
  return all;
}

Json PageGroups::features_json() const {
  Json all = Json::array();
  for (const auto& [name, bins] : features_) {
    Json values = Json::array();
    for (const auto& [value, text] : bins)
      if (values.empty() || values.back() != text) values.push_back(text);
    all.push_back({{"name", name}, {"values", values}});
  }
  return all;
}

}  // namespace minpair::report
