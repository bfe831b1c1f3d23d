#pragma once
// What the page shows an accuracy of: everything, a language, a test, a condition, the items with
// one value of a feature; and the numbers of each.

#include <map>
#include <string>
#include <vector>

#include "report/clusters.h"
#include "report/judged.h"

namespace minpair::report {

// Empty: whatever it is. The language is named where the suite has several.
struct Group {
  std::string language = {}, test = {}, condition = {}, feature = {}, value = {};
};

class Grouping {
 public:
  // `runs`: of the suite, for what only they know of its items.
  Grouping(const SuiteItems& suite, const std::vector<const std::vector<Judged>*>& runs,
           const ReportOptions& options);

  // A run under one policy, column by column: a place for every group so far.
  std::string cells_json(const std::vector<Judged>& judged, const judge::Policy& policy);
  std::string json() const;           // the groups, in the order of their first item
  std::string features_json() const;  // with the order of their values; none: as they come

 private:
  uint32_t at(Group group);
  void place(size_t item, bool several_languages);
  void add_value(std::vector<uint32_t>& to, uint32_t test, const char* feature,
                 const std::string& value);

  const SuiteItems& suite_;
  std::map<std::string, std::map<double, std::string>> features_;  // what numbers are called
  std::vector<Group> groups_;
  std::map<std::string, uint32_t> places_;
  std::vector<std::vector<uint32_t>> of_item_;
  std::vector<uint32_t> test_of_;
  Shares shares_{Intervals{}};
};

}  // namespace minpair::report
