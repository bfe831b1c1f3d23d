// How often the 95 % intervals of a difference between two models contain the truth, on suites that
// are made up: the second table of docs/notes/2026-11-intervals.md. Both models have an accuracy of
// their own on every cluster, from beta distributions; given those, items are independent.
// `bench_difference 2000`: so many suites for a number (absent: 800, some minutes).

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <random>

#include "stats/likelihood.h"

namespace {

using namespace minpair;

// How hard clusters of the one are for the other: not at all harder than others; in the same order;
// the same, and the same items are hard; in the reverse order.
enum class Shared { nothing, clusters, items, reversed };
constexpr std::array kShared = {"nothing", "clusters", "items", "reversed"};

struct Accuracies {
  double first, second;
};

class Suites {
 public:
  Suites(Shared shared, Accuracies mean, double correlation)
      : shared_(shared), truth_(mean.first - mean.second) {
    const double precision = (1 - correlation) / correlation;
    for (int i = 0; i < kQuantiles; ++i) {
      const double p = (i + 0.5) / kQuantiles;
      auto of = [&](double m) {
        return stats::beta_quantile(p, m * precision, (1 - m) * precision);
      };
      quantiles_.push_back({of(mean.first), of(mean.second)});
    }
    // Quantiles in the middle of their share have not quite the mean of the whole.
    double first = 0, second = 0;
    for (const Accuracies& q : quantiles_) {
      first += q.first / kQuantiles;
      second += q.second / kQuantiles;
    }
    truth_ = first - second;
  }

  double truth() const { return truth_; }

  stats::PairedSums draw(uint64_t clusters) {
    stats::PairedSums sums;
    for (uint64_t g = 0; g < clusters; ++g) {
      const Accuracies p = of_cluster();
      const int n = std::uniform_int_distribution<int>(1, 39)(random_);
      double first = 0, second = 0;
      for (int i = 0; i < n; ++i) {
        const double u = uniform(), v = shared_ == Shared::items ? u : uniform();
        first += u < p.first && v >= p.second;
        second += u >= p.first && v < p.second;
      }
      sums.first.push_back(first);
      sums.second.push_back(second);
      sums.count.push_back(n);
    }
    return sums;
  }

 private:
  static constexpr int kQuantiles = 4000;
  Shared shared_;
  double truth_;
  std::vector<Accuracies> quantiles_;
  std::mt19937_64 random_{11};

  double uniform() { return std::uniform_real_distribution<double>()(random_); }

  Accuracies of_cluster() {
    std::uniform_int_distribution<size_t> any(0, kQuantiles - 1);
    const size_t i = any(random_);
    if (shared_ == Shared::nothing) return {quantiles_[i].first, quantiles_[any(random_)].second};
    const size_t other = shared_ == Shared::reversed ? kQuantiles - 1 - i : i;
    return {quantiles_[i].first, quantiles_[other].second};
  }
};

// In per cent, but for lengths and for the number of clusters in which the two differ.
struct Coverage {
  double likelihood = 0, student = 0, length = 0, student_length = 0, differ = 0, moved = 0;
};

Coverage coverage(Suites& suites, uint64_t clusters, int times) {
  Coverage c;
  const double share = 100.0 / times, truth = suites.truth();
  for (int k = 0; k < times; ++k) {
    const stats::PairedSums sums = suites.draw(clusters);
    c.differ += double(sums.differing()) / times;
    const stats::Interval i = stats::likelihood_difference(sums).interval;
    if (i.low <= truth && truth <= i.high) c.likelihood += share;
    if (i.low == 0 || i.high == 0) c.moved += share;
    c.length += (i.high - i.low) / times;
    const stats::Interval j = stats::clustered_difference(sums.differences()).interval;
    if (j.low <= truth && truth <= j.high) c.student += share;
    if (j.low <= j.high) c.student_length += (j.high - j.low) / times;
  }
  return c;
}

void print_table(Shared shared, int times, uint64_t most) {
  const std::vector<uint64_t> sizes = {5, 8, 12, 20, 50, 200};
  for (Accuracies mean :
       {Accuracies{0.5, 0.5}, {0.8, 0.7}, {0.95, 0.9}, {0.99, 0.95}, {0.99, 0.99}})
    for (double correlation : {0.05, 0.2, 0.4}) {
      // The same accuracy on the same items is the same answers.
      if (shared == Shared::items && mean.first == mean.second) continue;
      Suites suites(shared, mean, correlation);
      std::string likelihood, student, differ;
      for (uint64_t g : sizes) {
        if (g > most) continue;
        const Coverage c = coverage(suites, g, times);
        likelihood += fmt::format(" {:.1f} ({:.3f}) |", c.likelihood, c.length);
        student += fmt::format(" {:.1f} ({:.3f}) |", c.student, c.student_length);
        differ += fmt::format(" {:.1f}, {:.1f} |", c.differ, c.moved);
      }
      fmt::print("| {} | {}, {} | {} | likelihood |{}\n", kShared[size_t(shared)], mean.first,
                 mean.second, correlation, likelihood);
      fmt::print("| | | | Student's |{}\n| | | | clusters that differ, ends at zero |{}\n", student,
                 differ);
      std::fflush(stdout);
    }
}

}  // namespace

int main(int count, char** arguments) {
  const int times = count > 1 ? std::atoi(arguments[1]) : 800;
  const int only = count > 2 ? std::atoi(arguments[2]) : -1;
  const uint64_t most = count > 3 ? uint64_t(std::atoi(arguments[3])) : 200;
  fmt::print(
      "| shared | accuracies | correlation | interval | 5 clusters | 8 clusters | 12 clusters | "
      "20 clusters | 50 clusters | 200 clusters |\n|---|---|---|---|--:|--:|--:|--:|--:|--:|\n");
  for (Shared shared : {Shared::nothing, Shared::clusters, Shared::items, Shared::reversed})
    if (only < 0 || only == int(shared)) print_table(shared, times, most);
}
