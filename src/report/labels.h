#pragma once
// What readers call models and tests, and in which order.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "store/store.h"

namespace minpair::report {

// The shortest end of each model's path that tells it from the others, and the precision where it
// is not fp32.
std::map<int64_t, std::string> model_labels(const std::vector<store::RunRecord>& runs);
// "lstm-de/seed3" -> "lstm-de"
std::string without_seed(const std::string& label);

// "rows mix the languages de, en: ..."; nothing where there is one.
std::string mixed_text(const std::set<std::string>& languages);

// The order of groups: tests as in the manifest, numbers as numbers, the rest as they come.
class LevelOrder {
 public:
  LevelOrder(const std::vector<std::string>& by, const suite::Manifest& manifest);
  void see(const std::vector<std::string>& keys, uint64_t ordinal);
  std::vector<std::vector<std::string>> sorted() const;
  std::vector<std::string> titles(const std::vector<std::string>& keys) const;
  std::string section(const std::vector<std::string>& keys) const;

 private:
  const std::vector<std::string>& by_;
  const suite::Manifest& manifest_;
  std::vector<std::map<std::string, uint64_t>> first_;  // per level
  std::map<std::vector<std::string>, uint64_t> seen_;
};

}  // namespace minpair::report
