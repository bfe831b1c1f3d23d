#pragma once
// Items with what a run says of each: for everything that needs more than counts.

#include <functional>
#include <map>
#include <optional>
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
  judge::Outcome outcome = judge::Outcome::undefined;
  judge::Reason excluded = judge::Reason::none;  // why it has no outcome
  judge::Reason left_out = judge::Reason::none;  // why it does not count under the policy
  bool equal_lengths = true;
  float margin = 0;
  double points = 0;  // under the policy
  double won = 0;     // the same for the outcome alone: where shares count, right or wrong
  std::optional<uint32_t> pieces;  // of a cloze: the distance in the model's own pieces

  bool counts() const { return left_out == judge::Reason::none; }
};

// How a run is looked at: the view that was asked for, else the one of its suite's paper; and the
// policy, with ties as that paper counts them where it says so.
struct Look {
  judge::View view;
  judge::Policy policy;
};
Look look_at(const store::RunRecord& run, const std::optional<judge::View>& asked,
             const judge::Policy& policy);
Look look_at(const store::RunRecord& run, const ReportOptions& options);
// One for every view that was asked for and that the run has: clozes have others than sentences.
std::vector<Look> looks_at(const store::RunRecord& run, const ReportOptions& options);

// Of the tests and conditions that the options name.
bool wanted(const suite::Item& item, const ReportOptions& options);

// In the order of the suite. `also` sees every scored item's tokens.
using SeeTokens = std::function<void(uint32_t item, const std::vector<judge::SentenceScore>&)>;
std::vector<Judged> judged_items(store::Store& store, const store::RunRecord& run, const Look& look,
                                 SuiteItems& suite, const SeeTokens& also = {});
// The same for every look, in one pass.
std::vector<std::vector<Judged>> judged_items(store::Store& store, const store::RunRecord& run,
                                              const std::vector<Look>& looks, SuiteItems& suite,
                                              const SeeTokens& also = {});

}  // namespace minpair::report
