#include "report/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <tuple>

#include "base/text.h"
#include "report/checkpoints.h"

namespace minpair::report {
namespace {

std::string last_parts(const std::string& path, size_t parts) {
  size_t at = path.size();
  while (at > 0 && path[at - 1] == '/') --at;
  size_t end = at;
  for (size_t i = 0; i < parts && at != std::string::npos && at > 0; ++i)
    at = path.rfind('/', at - 1);
  if (at == std::string::npos || at == 0) return path.substr(0, end);
  return path.substr(at + 1, end - at - 1);
}

}  // namespace

std::map<int64_t, std::string> model_labels(const std::vector<store::RunRecord>& runs) {
  std::map<int64_t, std::string> names, labels, precisions;
  for (const store::RunRecord& r : runs) {
    names[r.model.id] = r.model.name;
    // Other arithmetic than fp32 must be seen wherever the numbers are.
    const std::string& precision = r.model.precision;
    precisions[r.model.id] = precision.empty() || precision == "fp32" ? "" : " (" + precision + ")";
  }
  auto unique = [&](int64_t id, const std::string& label, size_t parts) {
    for (const auto& [other, name] : names)
      if (other != id && last_parts(name, parts) == label && precisions[other] == precisions[id])
        return false;
    return true;
  };
  for (const auto& [id, name] : names) {
    // A seed or a step alone says nothing; neither does "./".
    const std::string last = last_parts(name, 1), two = last_parts(name, 2);
    size_t parts = without_seed(last).empty() || is_only_a_step(last) ? 2 : 1;
    if (two.starts_with("./") || two.starts_with("../")) parts = 1;
    while (parts < 8 && !unique(id, last_parts(name, parts), parts)) ++parts;
    labels[id] = last_parts(name, parts);
    std::string number = unique(id, labels[id], parts) ? "" : " #" + std::to_string(id);
    labels[id] += precisions[id] + number;
  }
  return labels;
}

std::string without_seed(const std::string& label) {
  // A precision stands last: "lstm/seed3 (fast)".
  size_t at = label.ends_with(")") ? label.rfind(" (") : std::string::npos;
  if (at != std::string::npos) return without_seed(label.substr(0, at)) + label.substr(at);
  const std::string& model = label;
  size_t end = model.size();
  while (end > 0 && std::isdigit(static_cast<unsigned char>(model[end - 1]))) --end;
  if (end == model.size()) return model;
  std::string head = model.substr(0, end);
  if (head.ends_with("-") || head.ends_with("_")) head.pop_back();
  if (!head.ends_with("seed")) return model;
  head.erase(head.size() - 4);
  while (!head.empty() && std::string("/-_.").find(head.back()) != std::string::npos)
    head.pop_back();
  return head;
}

std::string mixed_text(const std::set<std::string>& languages) {
  if (languages.size() < 2) return {};
  return fmt::format("rows mix the languages {}: --language takes one",
                     join({languages.begin(), languages.end()}, ", "));
}

LevelOrder::LevelOrder(const std::vector<std::string>& by, const suite::Manifest& manifest)
    : by_(by), manifest_(manifest), first_(by.size()) {}

void LevelOrder::see(const std::vector<std::string>& keys, uint64_t ordinal) {
  for (size_t i = 0; i < keys.size(); ++i) {
    uint64_t& first = first_[i].try_emplace(keys[i], ordinal).first->second;
    first = std::min(first, ordinal);
  }
  uint64_t& first = seen_.try_emplace(keys, ordinal).first->second;
  first = std::min(first, ordinal);
}

std::vector<std::vector<std::string>> LevelOrder::sorted() const {
  // Place in the manifest, number, first item.
  using Place = std::tuple<size_t, double, uint64_t>;
  auto place = [&](size_t level, const std::string& key) -> Place {
    size_t stated = manifest_.tests.size() + manifest_.criteria.size();
    if (by_[level] == "test")
      for (size_t i = 0; i < manifest_.tests.size(); ++i)
        if (manifest_.tests[i].name == key) stated = i;
    if (by_[level] == "criterion")
      for (size_t i = manifest_.criteria.size(); i > 0; --i)
        if (manifest_.criteria[i - 1].name == key) stated = i - 1;
    bool name = by_[level] == "test" || by_[level] == "criterion" || by_[level] == "condition" ||
                by_[level] == "language";
    double number = name ? 0 : std::strtod(key.c_str(), nullptr);
    return {stated, number, first_[level].at(key)};
  };
  std::vector<std::pair<std::vector<Place>, std::vector<std::string>>> order;
  for (const auto& [keys, ordinal] : seen_) {
    std::vector<Place> places;
    for (size_t i = 0; i < keys.size(); ++i) places.push_back(place(i, keys[i]));
    order.push_back({std::move(places), keys});
  }
  std::sort(order.begin(), order.end());
  std::vector<std::vector<std::string>> sorted;
  for (auto& [places, keys] : order) sorted.push_back(std::move(keys));
  return sorted;
}

std::vector<std::string> LevelOrder::titles(const std::vector<std::string>& keys) const {
  std::vector<std::string> titles = keys;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (by_[i] == "test")
      if (const suite::TestInfo* info = manifest_.find(keys[i]); info && !info->title.empty())
        titles[i] = info->title;
    if (keys[i].empty()) titles[i] = "(none)";
  }
  return titles;
}

std::string LevelOrder::section(const std::vector<std::string>& keys) const {
  if (by_.empty() || by_[0] != "test") return "";
  const suite::TestInfo* info = manifest_.find(keys[0]);
  return info ? info->group : "";
}

}  // namespace minpair::report
