// How often the 95 % intervals of an accuracy contain the truth, on suites that are made up: the
// table of docs/statistics.md. Clusters of 1 to 39 items have accuracies from a beta distribution,
// so that two items of one cluster correlate by a given amount. Takes a minute.

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "stats/stats.h"

namespace {

using namespace minpair;

class Suites {
 public:
  stats::ClusterSums draw(uint64_t clusters, double accuracy, double correlation) {
    stats::ClusterSums sums;
    std::uniform_int_distribution<int> size(1, 39);
    for (uint64_t g = 0; g < clusters; ++g) {
      int n = size(random_);
      sums.count.push_back(n);
      sums.sum.push_back(
          std::binomial_distribution<int>(n, of_cluster(accuracy, correlation))(random_));
    }
    return sums;
  }

 private:
  std::mt19937_64 random_{7};

  double of_cluster(double accuracy, double correlation) {
    if (correlation == 0) return accuracy;
    double precision = (1 - correlation) / correlation;
    double right = std::gamma_distribution<double>(accuracy * precision)(random_),
           wrong = std::gamma_distribution<double>((1 - accuracy) * precision)(random_);
    return right / (right + wrong);
  }
};

bool holds(const stats::Interval& i, double truth) { return i.low <= truth && truth <= i.high; }

}  // namespace

int main() {
  constexpr int kSuites = 2000;
  const std::vector<uint64_t> clusters = {5, 8, 12, 20, 50, 200};
  fmt::print("| accuracy | correlation | interval |");
  for (uint64_t g : clusters) fmt::print(" {} clusters |", g);
  fmt::print("\n|---|---|---|");
  for (size_t i = 0; i < clusters.size(); ++i) fmt::print("--:|");
  fmt::print("\n");
  Suites suites;
  for (double accuracy : {0.6, 0.8, 0.95})
    for (double correlation : {0.0, 0.05, 0.2}) {
      std::string student, resampled;
      for (uint64_t g : clusters) {
        int by_student = 0, by_bootstrap = 0;
        for (int k = 0; k < kSuites; ++k) {
          stats::ClusterSums sums = suites.draw(g, accuracy, correlation);
          by_student += holds(stats::clustered_share(sums).interval, accuracy);
          stats::BootstrapOptions options{500, uint64_t(k) + 1, 0.95, 1};
          by_bootstrap += holds(stats::bootstrap_mean(sums, options).bca, accuracy);
        }
        student += fmt::format(" {:.1f} |", 100.0 * by_student / kSuites);
        resampled += fmt::format(" {:.1f} |", 100.0 * by_bootstrap / kSuites);
      }
      fmt::print("| {} | {} | t |{}\n", accuracy, correlation, student);
      fmt::print("| | | BCa |{}\n", resampled);
      std::fflush(stdout);
    }
}
