#pragma once
// Rows: one item of one run, judged. This is the only reader of them; tables, statistics,
// comparisons, pages and exports are each a group-by and an aggregate over what it gives.
//
//   RowReader rows(store, {&run}, selection);
//   while (rows.next()) tally.add(rows.judged(0, look));
//
//   Groups groups = group_rows(store, columns, selection, {.by = {"test", "distance"}});
//   for (const Group& group : groups.all) fmt::print("{}\n", group.tallies[0].accuracy());
//
// Where stored summaries say the same, group_rows() sums these up instead of rows. With
// MINPAIR_VERIFY=1 in the environment it computes both, and a difference is an error.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "judge/judge.h"
#include "stats/likelihood.h"
#include "store/store.h"
#include "suite/filter.h"

namespace minpair::report {

struct NamedRun {
  store::RunRecord run;
  std::string label;  // of its model
};

// Which runs and which of their items.
struct Selection {
  judge::Wanted wanted;                                   // runs
  std::vector<std::string> tests, conditions, languages;  // empty: all
  std::string where;                                      // suite/filter.h; empty: all
};

// Throws when there is no such run, or when a name of a test, condition or language is one that no
// item of the runs has.
std::vector<NamedRun> selected_runs(store::Store& store, const Selection& selection);

// How a run is looked at.
struct Look {
  judge::View view;
  judge::Policy policy;
};
// `asked`, or else the view of the paper of the suite; ties as that paper counts them, where the
// policy leaves them to it.
Look look_at(const store::RunRecord& run, const std::optional<judge::View>& asked,
             const judge::Policy& policy);

struct Judged {
  uint32_t item = 0;  // index into SuiteItems
  judge::Outcome outcome = judge::Outcome::undefined;
  judge::Reason excluded = judge::Reason::none;  // why it has no outcome
  judge::Reason left_out = judge::Reason::none;  // why it does not count under the policy
  bool equal_lengths = true;
  float margin = 0;
  double points = 0;  // under the policy
  double won = 0;     // the same for the outcome alone: where shares count, right or wrong
  std::optional<uint32_t> pieces;  // the distance between locus and controller in tokens

  bool counts() const { return left_out == judge::Reason::none; }
};

// What became of some rows: the sum of an aggregate.
struct Tally {
  uint64_t items = 0;    // all of them
  uint64_t pairs = 0;    // counted in the accuracy
  uint64_t correct = 0;  // strictly
  uint64_t ties = 0;
  uint64_t unequal = 0;  // scored, with sentences of different numbers of tokens
  double points = 0;     // what correct items and ties are worth
  std::map<judge::Reason, uint64_t> excluded;

  double accuracy() const { return pairs ? points / double(pairs) : 0; }
  void add(const Judged& row);
  void add(const store::SummaryRow& rows, const judge::Policy& policy);
  void add(const Tally& other);
};

// The selected items of one suite in its order, each with what several runs say of it.
class RowReader {
 public:
  // The runs are over one suite. The store, the runs and the selection must outlive the reader.
  RowReader(store::Store& store, std::vector<const NamedRun*> runs, const Selection& selection);

  bool next();  // the next item that at least one of the runs has

  uint64_t ordinal() const { return stored_.ordinal; }
  const suite::Item& item() const { return item_; }
  const std::string& line() const { return stored_.item; }  // the item as JSON
  std::vector<const judge::Criterion*> criteria() const { return judge_.criteria_of(item_); }

  bool has(size_t run) const { return scores_[run].here; }
  bool scored(size_t run) const { return scores_[run].stored.excluded == judge::Reason::none; }
  bool equal_lengths(size_t run) const { return scores_[run].stored.equal_lengths; }
  std::optional<uint32_t> pieces(size_t run) const;
  const std::vector<judge::SentenceScore>& scores(size_t run) const;  // empty: excluded
  judge::Verdict verdict(size_t run, const judge::View& view,
                         const judge::Criterion* criterion = nullptr) const;
  Judged judged(size_t run, const Look& look, const judge::Criterion* criterion = nullptr) const;

 private:
  struct RunScores {
    std::unique_ptr<store::StoredItems> rows;  // null: at the end
    store::StoredItem stored;
    bool here = false;  // `stored` is of the present item
    mutable bool opened = false;
    mutable std::vector<judge::SentenceScore> scores;
  };
  void step(RunScores& run);
  bool selected();

  store::Store& store_;
  const Selection& selection_;
  suite::Filter filter_;
  judge::Judge judge_;
  std::unique_ptr<store::StoredItems> items_;
  store::StoredItem stored_;
  std::vector<RunScores> scores_;
  suite::ItemParser parser_;
  suite::Item item_;
};

// --- clusters: which items are not independent of each other (docs/statistics.md) ---

// The intervals of tables: profile likelihood (stats/likelihood.h) where they are of accuracies and
// their differences, else Student's t over clusters; or, asked for, Student's t everywhere, or the
// bootstrap's (BCa).
struct Intervals {
  enum class Way { likelihood, student, bootstrap };
  Way way = Way::likelihood;
  stats::BootstrapOptions resampling;
};

// What items of one cluster have in common:
//   "suite"     what the suite states as their cluster, whose test does not matter; where it states
//               none, as "lexical"
//   "template"  the feature "template"; where there is none, test and condition
//   "lexical"   the feature "lemma"; where there is none, the words at the locus
//   "item"      nothing: each is its own
//   or the name of a feature.
// Empty: the item is its own cluster.
std::string cluster_name(const suite::Item& item, const std::string& by);

// The clusters of a suite's items, numbered in the order of the items.
class Clusters {
 public:
  explicit Clusters(std::string by = "suite") : by_(std::move(by)) {}
  uint64_t of(const suite::Item& item);  // once for every item
  uint64_t count() const { return count_; }
  std::string text() const;                         // "clusters: items with the same words ..."
  void check(const std::string& suite_name) const;  // throws where `by` is a feature of no item

 private:
  std::string by_;
  std::map<std::string, uint64_t> named_;
  std::set<std::string> features_;  // of the items, where `by` may be one
  uint64_t items_ = 0, stated_ = 0, count_ = 0;
};

// Items of a suite in memory.
struct SuiteItems {
  explicit SuiteItems(std::string by = "suite") : clusters(std::move(by)) {}

  Clusters clusters;
  std::vector<suite::Item> items;
  std::vector<uint64_t> ordinals;             // parallel: places in the suite
  std::vector<uint64_t> cluster;              // parallel; items without a cluster are their own
  std::unordered_map<uint64_t, uint32_t> at;  // ordinal -> index

  uint32_t add(uint64_t ordinal, suite::Item item);
};
inline std::string clusters_text(const SuiteItems& suite) { return suite.clusters.text(); }

// Values of rows with their clusters.
struct Values {
  std::vector<double> of;
  std::vector<uint64_t> cluster;
  void add(double value, uint64_t cluster_of_it) {
    of.push_back(value);
    cluster.push_back(cluster_of_it);
  }
  void add(const Values& more);
  stats::ClusterSums sums() const { return stats::sum_by_cluster(of, cluster); }
};

// Accuracies with their intervals. Many groups have clusters of the same sizes with as many right
// items (a test of one condition, lengths that do not differ, models that agree): those are judged
// once. The others are shared among threads; the numbers do not depend on that.
class Shares {
 public:
  explicit Shares(const Intervals& by) : by_(by) {}
  std::vector<stats::Estimate> of(const std::vector<stats::ClusterSums>& groups);

 private:
  Intervals by_;
  std::map<std::vector<std::pair<double, double>>, stats::Estimate> known_;
};
stats::Estimate mean_of(const stats::ClusterSums& sums, const Intervals& by);
stats::Difference difference_of(const stats::PairedSums& sums, const Intervals& by);
// Of the mean over seeds, and of all their answers together: the variances over seeds and over
// clusters add up, since neither seeds nor clusters are all that there could be.
stats::Estimate mean_over_seeds(const std::vector<double>& means, const stats::ClusterSums& all);
// How they were made: of accuracies, and of other means.
std::string intervals_text(const Intervals& by);
std::string intervals_of_means_text(Intervals by);
// Why some have none, and what to do.
inline constexpr const char* kTooFewClusters =
    "–: fewer than 5 clusters carry no interval; --cluster lexical, template or item counts others";

// --- groups ---

// A run under one view and policy.
struct LookedAt {
  const NamedRun* named = nullptr;
  Look look;
};

struct GroupBy {
  // "suite", "test", "condition", "language", "criterion", "distance_pieces" or a feature.
  std::vector<std::string> by;
  size_t bins = 10;               // of a feature with more distinct numbers than that
  bool values = false;            // also the values of all rows and their clusters
  std::string cluster = "suite";  // cluster_name()
};

struct Group {
  std::vector<std::string> keys;  // parallel to `by`
  uint64_t first_ordinal = UINT64_MAX;
  std::vector<Tally> tallies;  // parallel to the columns
  // Where asked for, of the rows that count:
  std::vector<Values> points;            // parallel to the columns
  std::vector<std::vector<double>> won;  // parallel to the columns, then to their points
};

struct Groups {
  std::vector<Group> all;
  std::set<std::string> languages;
  Clusters clusters = Clusters();  // where values were asked for
};

// The columns are of one suite, those of one run next to each other.
Groups group_rows(store::Store& store, const std::vector<LookedAt>& columns,
                  const Selection& selection, const GroupBy& by);

// What each number is called where there are more of them than bins: bins have about as many items.
std::map<double, std::string> bins_of(const std::map<double, uint64_t>& items, size_t bins);

// "condition" and "criterion" bring their test.
std::vector<std::string> full_by(const std::vector<std::string>& by);
bool in_summary(const std::string& name);  // suite, test, condition, language

}  // namespace minpair::report
