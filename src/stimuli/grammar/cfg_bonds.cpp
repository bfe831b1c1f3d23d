#include "stimuli/grammar/cfg_bonds.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace minpair::stimuli::cfg {
namespace {

constexpr char kBetween = '\x1d';  // values of parts that are kept apart

}  // namespace

bool unify(Features& known, const std::string& name, const std::string& value) {
  if (value.empty()) return true;
  auto [it, is_new] = known.emplace(name, value);
  return is_new || it->second == value;
}

// A key has a dot, as the features of labelled parts have, and a character that no name can have.
Bonds::Bonds(const File& file) {
  for (const Bond& b : file.bonds) {
    const std::string key = fmt::format("\x02.{}", apart_.size());
    apart_.emplace(key, b.apart);
    for (const Path& p : b.paths)
      if (p.label.empty())
        symbols_[p.feature].insert(key);
      else
        labels_[p.label].emplace(p.feature, key);
  }
}

const Bonds::OfLabel& Bonds::of_label(const std::string& label) const {
  static const OfLabel none;
  auto it = labels_.find(label);
  return label.empty() || it == labels_.end() ? none : it->second;
}

const std::set<std::string>& Bonds::of_symbol(const std::string& symbol) const {
  static const std::set<std::string> none;
  auto it = symbols_.find(symbol);
  return it == symbols_.end() ? none : it->second;
}

bool Bonds::meet(Features& known, const std::string& key, const std::string& value) const {
  auto it = known.find(key);
  if (!apart_.at(key) || it == known.end()) return unify(known, key, value);
  if (value.empty()) return true;
  std::vector<std::string_view> all = split(it->second, kBetween);
  for (std::string_view v : split(value, kBetween)) {
    if (std::ranges::find(all, v) != all.end()) return false;
    all.push_back(v);
  }
  std::ranges::sort(all);
  std::string text;
  for (std::string_view v : all) (text.empty() ? text : text += kBetween) += v;
  it->second = std::move(text);
  return true;
}

}  // namespace minpair::stimuli::cfg
