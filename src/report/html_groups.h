#pragma once
// What the page shows an accuracy of: everything, a language, a test, a condition, the items with
// one value of a feature; and the numbers of each.

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/report.h"

namespace minpair::report {

// Empty: whatever it is. The language is named where the suite has several.
struct PageGroup {
  std::string language = {}, test = {}, condition = {}, feature = {}, value = {};
};

class PageGroups {
 public:
  // `runs`: of the suite, for what only they know of its items.
  PageGroups(const SuiteItems& suite, const std::vector<const std::vector<Judged>*>& runs,
             const ReportOptions& options);

  // A run under one policy, column by column: a place for every group so far.
  nlohmann::ordered_json cells_json(const std::vector<Judged>& judged, const judge::Policy& policy);
  nlohmann::ordered_json json() const;  // the groups, in the order of their first item
  nlohmann::ordered_json features_json()
      const;  // with the order of their values; none: as they come

 private:
  uint32_t at(PageGroup group);
  void place(size_t item, bool several_languages);
  void add_value(std::vector<uint32_t>& to, uint32_t test, const char* feature,
                 const std::string& value);

  const SuiteItems& suite_;
  std::map<std::string, std::map<double, std::string>> features_;  // what numbers are called
  std::vector<PageGroup> groups_;
  std::map<std::string, uint32_t> places_;
  std::vector<std::vector<uint32_t>> of_item_;
  std::vector<uint32_t> test_of_;
  Shares shares_{Intervals{}};
};

}  // namespace minpair::report
