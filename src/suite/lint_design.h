#pragma once
// What can be wrong with a design: its regions, its sentences, its criteria. Private to this room.

#include <functional>
#include <map>

#include "suite/formula.h"
#include "suite/lint.h"

namespace minpair::suite {

struct Check {
  const char* name;
  Severity severity;
  const char* message;
};

class DesignLint {
 public:
  explicit DesignLint(const std::vector<Criterion>& criteria);
  using Found = std::function<void(const Check&, const Sentence&)>;
  void check(const Item& item, const Found& found);

 private:
  void check_regions(const Item& item, const Found& found);
  void check_names(const Item& item, const Found& found);
  void check_criteria(const Item& item, const Found& found);

  struct Read {
    std::string test;
    Formula formula;
  };
  std::vector<Read> criteria_;
  std::map<std::string, std::vector<std::string>> names_;  // of a test's first item, by test
};

}  // namespace minpair::suite
