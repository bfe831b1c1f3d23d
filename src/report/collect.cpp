#include "report/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/names.h"
#include "report/judged.h"
#include "store/pack.h"

namespace minpair::report {
namespace {

constexpr std::string_view kDistanceInPieces = "distance_pieces";
constexpr std::string_view kCriterion = "criterion";
constexpr std::string_view kSuite = "suite";

using Groups = std::map<std::vector<std::string>, GroupCounts>;

GroupCounts& group_at(Groups& groups, const std::vector<std::string>& keys, uint64_t ordinal) {
  GroupCounts& g = groups[keys];
  g.keys = keys;
  g.first_ordinal = std::min(g.first_ordinal, ordinal);
  return g;
}

const std::string& field(const store::SummaryRow& row, const store::RunRecord& run,
                         const std::string& name) {
  if (name == kSuite) return run.suite.name;
  return name == "test" ? row.test : name == "condition" ? row.condition : row.language;
}

Groups from_summary(store::Store& store, const store::RunRecord& run,
                    const std::vector<std::string>& by, const ReportOptions& options) {
  Groups groups;
  for (const store::SummaryRow& row : store.summary(run.id)) {
    if (!all_or_among(options.tests, row.test) ||
        !all_or_among(options.conditions, row.condition) ||
        !all_or_among(options.languages, row.language))
      continue;
    std::vector<std::string> keys;
    for (const std::string& name : by) keys.push_back(field(row, run, name));
    GroupCounts& g = group_at(groups, keys, row.first_ordinal);
    g.parts[index_of(row.view)][{row.excluded, row.equal_lengths}].add(row.counts);
  }
  return groups;
}

// Of the item; what only the run knows is the distance in the model's own pieces.
std::string value_of(const suite::Item& item, const store::StoredItem& stored,
                     const std::string& name) {
  if (name == kDistanceInPieces) {
    std::optional<uint32_t> distance = store::unpack_distance(stored.tokens);
    return distance ? std::to_string(*distance) : "";
  }
  if (name == "test") return item.test;
  if (name == "condition") return item.condition;
  if (name == "language") return item.language;
  const suite::FeatureValue* value = suite::find_feature(item, name);
  if (!value) return "";
  if (const auto* text = std::get_if<std::string>(value)) return *text;
  return fmt::format("{}", std::get<double>(*value));
}

// Under one criterion, or under all that the item has.
void add_item(GroupCounts& g, const suite::Item& item, const store::StoredItem& stored,
              const std::vector<judge::View>& views, const judge::Judge& judge,
              const judge::Criterion* criterion) {
  bool scored = stored.excluded == judge::Reason::none;
  std::vector<judge::SentenceScore> sentences;
  // Pairs need no scores: the outcome says it all.
  bool several = (item.sentences.size() != 2 || criterion) && scored;
  if (several) sentences = store::unpack_scores(stored.tokens);
  for (const judge::View& view : views) {
    judge::Counts& part = g.parts[index_of(view)][{stored.excluded, stored.equal_lengths}];
    judge::Verdict v;
    v.outcome = store::unpack_outcome(stored.outcomes, view);
    v.pairs_right = v.outcome == judge::Outcome::right;
    v.pairs_tied = v.outcome == judge::Outcome::tie;
    if (several)
      v = criterion ? criterion->judge(item, sentences, view)
                    : judge.verdict(item, sentences, view);
    if (scored)
      part.add(v);
    else
      ++part.items;
  }
}

Groups from_items(store::Store& store, const store::RunRecord& run,
                  const std::vector<std::string>& by, const ReportOptions& options) {
  Groups groups;
  suite::ItemParser parser;
  suite::Item item;
  std::vector<bool> found(by.size(), false);
  std::set<std::string> known;
  std::vector<judge::View> views = judge::family_of(run.view);
  const judge::Judge judge(run.suite.manifest);
  const auto by_criterion = std::find(by.begin(), by.end(), kCriterion) - by.begin();
  store.each_item(run.id, true, [&](const store::StoredItem& stored) {
    parser.parse(stored.item, {store.path().string(), 0, 0, {}}, item);
    if (!wanted(item, options)) return;
    std::vector<std::string> keys;
    for (size_t i = 0; i < by.size(); ++i) {
      keys.push_back(by[i] == kSuite ? run.suite.name : value_of(item, stored, by[i]));
      if (in_summary(by[i]) || by[i] == kCriterion || !keys.back().empty()) found[i] = true;
    }
    if (known.size() < 100)
      for (const auto& [name, value] : item.features) known.insert(name);
    std::vector<const judge::Criterion*> criteria = {nullptr};
    if (by_criterion < ptrdiff_t(by.size()))
      if (auto own = judge.criteria_of(item); !own.empty()) criteria = std::move(own);
    for (const judge::Criterion* c : criteria) {
      if (c) keys[size_t(by_criterion)] = c->name();
      add_item(group_at(groups, keys, stored.ordinal), item, stored, views, judge, c);
    }
  });
  for (size_t i = 0; i < by.size(); ++i)
    if (!found[i] && !groups.empty()) {
      std::vector<std::string> names(known.begin(), known.end());
      throw wrong_call(fmt::format("no item of '{}' has the feature '{}'", run.suite.name, by[i]))
          .hint(names.empty()
                    ? "its items have no features"
                    : fmt::format("there are suite, test, condition, language, criterion, {}",
                                  join(names, ", ")));
    }
  return groups;
}

bool is_number(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size();
}

// Where the level has more numbers than bins: edges so that each bin has about as many items.
std::vector<double> bin_edges(const std::map<double, uint64_t>& items, size_t bins) {
  uint64_t all = 0, below = 0;
  for (const auto& [value, n] : items) all += n;
  std::vector<double> edges;
  for (const auto& [value, n] : items) {
    if (below * bins >= all * (edges.size())) edges.push_back(value);
    below += n;
  }
  return edges;
}

std::string bin_name(double value, const std::vector<double>& edges,
                     const std::map<double, uint64_t>& items) {
  size_t bin = size_t(std::upper_bound(edges.begin(), edges.end(), value) - edges.begin()) - 1;
  auto next = bin + 1 < edges.size() ? items.lower_bound(edges[bin + 1]) : items.end();
  double last = std::prev(next)->first;
  return edges[bin] == last ? fmt::format("{}", last) : fmt::format("{}–{}", edges[bin], last);
}

void bin_level(Groups& groups, size_t level, size_t bins) {
  std::map<double, uint64_t> items;
  for (const auto& [keys, g] : groups) {
    double value;
    if (!is_number(keys[level], value)) {
      if (keys[level].empty()) continue;  // items without the feature stay on their own
      return;
    }
    for (const auto& [part_key, part] : g.parts.begin()->second) items[value] += part.items;
  }
  if (items.size() <= bins) return;
  std::map<double, std::string> names = bins_of(items, bins);
  Groups binned;
  for (auto& [keys, g] : groups) {
    std::vector<std::string> to = keys;
    double value;
    if (is_number(keys[level], value)) to[level] = names.at(value);
    GroupCounts& b = group_at(binned, to, g.first_ordinal);
    for (auto& [view, parts] : g.parts)
      for (auto& [part_key, p] : parts) b.parts[view][part_key].add(p);
  }
  groups = std::move(binned);
}

}  // namespace

std::map<double, std::string> bins_of(const std::map<double, uint64_t>& items, size_t bins) {
  std::vector<double> edges;
  if (items.size() > bins) edges = bin_edges(items, bins);
  std::map<double, std::string> names;
  for (const auto& [value, n] : items)
    names[value] = edges.empty() ? fmt::format("{}", value) : bin_name(value, edges, items);
  return names;
}

bool in_summary(const std::string& name) {
  return name == "test" || name == "condition" || name == "language" || name == kSuite;
}

std::vector<GroupCounts> collect(store::Store& store, const store::RunRecord& run,
                                 const std::vector<std::string>& by, const ReportOptions& options) {
  bool quick = std::all_of(by.begin(), by.end(), in_summary);
  Groups groups =
      quick ? from_summary(store, run, by, options) : from_items(store, run, by, options);
  for (size_t level = 0; level < by.size(); ++level)
    if (!in_summary(by[level]) && by[level] != kCriterion)
      bin_level(groups, level, std::max<size_t>(options.bins, 1));
  std::vector<GroupCounts> all;
  for (auto& [keys, g] : groups) all.push_back(std::move(g));
  return all;
}

}  // namespace minpair::report
