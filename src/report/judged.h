#pragma once
// Items with what a run says of each: for everything that needs more than counts.

#include <functional>
#include <map>
#include <unordered_map>

#include "report/report.h"

namespace minpair::report {

// The items of a suite that any run has scored or excluded.
struct SuiteItems {
  explicit SuiteItems(std::string by = "suite") : cluster_by(std::move(by)) {}

  std::string cluster_by;  // clusters.h
  std::vector<suite::Item> items;
  std::vector<uint64_t> ordinals;             // parallel: places in the suite
  std::vector<uint64_t> cluster;              // parallel; items without a cluster are their own
  std::unordered_map<uint64_t, uint32_t> at;  // ordinal -> index
  std::map<std::string, uint64_t> clusters;

  uint32_t add(uint64_t ordinal, suite::Item item);
};

struct Judged {
  uint32_t item = 0;  // index into SuiteItems
  judge::Outcome outcome = judge::Outcome::unavailable;
  bool equal_lengths = true;
  float margin = 0;
  std::string excluded;  // the reason; empty: scored

  bool counts() const { return excluded.empty() && outcome != judge::Outcome::unavailable; }
  double value() const { return double(outcome) / 2; }  // a tie is worth one half
};

// Of the tests and conditions that the options name.
bool wanted(const suite::Item& item, const ReportOptions& options);

// In the order of the suite. `also` sees every scored item's tokens.
using SeeTokens = std::function<void(uint32_t item, const std::vector<judge::StoredSentence>&)>;
std::vector<Judged> judged_items(store::Store& store, const store::RunRecord& run,
                                 const judge::Norm& norm, SuiteItems& suite,
                                 const SeeTokens& also = {});

}  // namespace minpair::report
