#include <fmt/format.h>

#include "report/clusters.h"
#include "report/html_parts.h"
#include "suite/json_text.h"

namespace minpair::report {
namespace {

struct Group {
  std::vector<double> values;
  std::vector<uint64_t> cluster;
};

using Key = std::pair<std::string, std::string>;  // test, condition

void append_group(std::string& out, const Key& key, const char* what, const Group& g) {
  stats::Estimate c = stats::clustered_share(stats::sum_by_cluster(g.values, g.cluster));
  auto number = [](double x) { return std::isnan(x) ? "null" : fmt::format("{}", x); };
  out += fmt::format("{}{{\"of\":\"{}\",\"test\":", out.empty() ? "" : ",", what);
  suite::append_json_string(out, key.first);
  out += ",\"condition\":";
  suite::append_json_string(out, key.second);
  out += fmt::format(",\"clusters\":{},\"low\":{},\"high\":{}}}", c.clusters,
                     number(c.interval.low), number(c.interval.high));
}

std::string groups_json(const std::vector<Judged>& judged, const SuiteItems& suite, bool equal,
                        const ReportOptions& options) {
  std::map<Key, Group> tests, conditions;
  Group all, *test = nullptr, *condition = nullptr;
  const suite::Item* before = nullptr;
  for (const Judged& j : judged) {
    const suite::Item& item = suite.items[j.item];
    if (!j.counts() || (equal && !j.equal_lengths) || !wanted(item, options)) continue;
    // Items of a condition mostly follow each other: names are looked up where they change.
    if (!before || before->test != item.test || before->condition != item.condition) {
      test = &tests[{item.test, ""}];
      condition = &conditions[{item.test, item.condition}];
    }
    before = &item;
    for (Group* g : {&all, test, condition}) {
      g->values.push_back(j.points);
      g->cluster.push_back(suite.cluster[j.item]);
    }
  }
  std::string out;
  append_group(out, {}, "all", all);
  for (const auto& [key, g] : tests) append_group(out, key, "test", g);
  for (const auto& [key, g] : conditions) append_group(out, key, "condition", g);
  return "[" + out + "]";
}

}  // namespace

std::string intervals_json(const std::vector<Judged>& judged, const SuiteItems& suite,
                           const ReportOptions& options) {
  if (options.aggregate_seeds || options.views.size() > 1 || options.all_views) return "{}";
  bool differ = false;
  for (const Judged& j : judged) differ |= j.counts() && !j.equal_lengths;
  std::string all = groups_json(judged, suite, false, options);
  std::string equal = differ ? groups_json(judged, suite, true, options) : all;
  return fmt::format("{{\"all\":{},\"equal\":{}}}", all, equal);
}

std::string against_json(const std::vector<Judged>& judged, const SuiteItems& suite,
                         const ReportOptions& options) {
  std::string out;
  for (const char* name : kDrawnFeatures) {
    std::map<double, std::pair<double, uint64_t>> at;  // points and items
    for (const Judged& j : judged) {
      const suite::FeatureValue* value = suite::find_feature(suite.items[j.item], name);
      const double* number = value ? std::get_if<double>(value) : nullptr;
      if (!number || !j.counts() || !wanted(suite.items[j.item], options)) continue;
      at[*number].first += j.points;
      at[*number].second += 1;
    }
    if (at.empty()) continue;
    out += fmt::format("{}\"{}\":[", out.empty() ? "" : ",", name);
    for (const auto& [x, sums] : at) {
      auto n = double(sums.second);
      stats::Interval w = stats::wilson(sums.first, n);
      out +=
          fmt::format("{}{{\"x\":{},\"n\":{},\"accuracy\":{},\"low\":{},\"high\":{}}}",
                      out.back() == '[' ? "" : ",", x, sums.second, sums.first / n, w.low, w.high);
    }
    out += ']';
  }
  return "{" + out + "}";
}

}  // namespace minpair::report
