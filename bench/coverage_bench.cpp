// How often the 95 % intervals of an accuracy contain the truth, on suites that are made up: the
// tables of docs/notes/2026-11-intervals.md. Clusters have accuracies from a distribution, so that
// two items of one cluster correlate by a given amount. `bench_coverage 2000`: 2,000 suites for
// each number of the first table, a quarter for those of the others (absent: 800, two minutes).

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "stats/likelihood.h"

namespace {

using namespace minpair;

// The last: any cluster may fail altogether, the others have the rest of the mistakes.
enum class Shape { beta, logit_normal, failing };
enum class Sizes { equal, unequal, informative };  // the last: hard clusters are a quarter as large

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// Which normal distribution of logits has this accuracy and correlation.
struct Normal {
  double mean = 0, deviation = 0;

  struct Moments {
    double first = 0, second = 0;
  };
  Moments moments() const {
    Moments m;
    double all = 0;
    for (int i = -300; i <= 300; ++i) {
      double z = i / 50.0, weight = std::exp(-z * z / 2), p = logistic(mean + deviation * z);
      all += weight;
      m.first += weight * p;
      m.second += weight * p * p;
    }
    return {m.first / all, m.second / all};
  }

  Normal(double accuracy, double correlation) {
    double low = 1e-3, high = 30;
    for (int i = 0; i < 50; ++i) {
      deviation = (low + high) / 2;
      double from = -5, to = 80;
      for (int k = 0; k < 50; ++k) {
        mean = (from + to) / 2;
        (moments().first < accuracy ? from : to) = mean;
      }
      Moments m = moments();
      double reached = (m.second - m.first * m.first) / (accuracy * (1 - accuracy));
      (reached < correlation ? low : high) = deviation;
    }
  }
};

class Suites {
 public:
  Suites(Shape shape, Sizes sizes, double accuracy, double correlation)
      : shape_(shape),
        sizes_(sizes),
        accuracy_(accuracy),
        correlation_(correlation),
        normal_(shape == Shape::logit_normal && correlation > 0 ? Normal(accuracy, correlation)
                                                                : Normal(0.5, 0.01)) {}

  stats::ClusterSums draw(uint64_t clusters) {
    stats::ClusterSums sums;
    for (uint64_t g = 0; g < clusters; ++g) {
      double p = of_cluster();
      int n = size_of(p);
      sums.count.push_back(n);
      sums.sum.push_back(std::binomial_distribution<int>(n, p)(random_));
    }
    return sums;
  }

  // The accuracy over items, which is another one where hard clusters are small.
  double truth() {
    if (sizes_ != Sizes::informative) return accuracy_;
    double right = 0, all = 0;
    for (int i = 0; i < 400000; ++i) {
      double p = of_cluster();
      int n = size_of(p);
      right += n * p;
      all += n;
    }
    return right / all;
  }

 private:
  Shape shape_;
  Sizes sizes_;
  double accuracy_, correlation_;
  Normal normal_;
  std::mt19937_64 random_{7};

  int size_of(double p) {
    if (sizes_ == Sizes::equal) return 20;
    int most = sizes_ == Sizes::informative && p < accuracy_ - 0.05 ? 9 : 39;
    return std::uniform_int_distribution<int>(1, most)(random_);
  }

  double of_cluster() {
    if (correlation_ == 0) return accuracy_;
    if (shape_ == Shape::failing) {
      // Half of the mistakes are in clusters without anything right.
      const double fail = (1 - accuracy_) / 2;
      const bool fails = std::bernoulli_distribution(fail)(random_);
      return fails ? 0 : accuracy_ / (1 - fail);
    }
    if (shape_ == Shape::logit_normal)
      return logistic(normal_.mean +
                      normal_.deviation * std::normal_distribution<double>()(random_));
    double precision = (1 - correlation_) / correlation_;
    double right = std::gamma_distribution<double>(accuracy_ * precision)(random_),
           wrong = std::gamma_distribution<double>((1 - accuracy_) * precision)(random_);
    return right + wrong > 0 ? right / (right + wrong) : accuracy_;
  }
};

bool holds(const stats::Interval& i, double truth) { return i.low <= truth && truth <= i.high; }

// In per cent; and how long intervals are on average.
struct Coverage {
  double covered = 0, length = 0;
  void add(const stats::Interval& i, double truth, int times) {
    covered += 100.0 * holds(i, truth) / times;
    length += (i.high - i.low) / times;
  }
};

struct Both {
  Coverage likelihood, student;
};

Both coverage(Suites& suites, uint64_t clusters, double truth, int times) {
  Both both;
  for (int k = 0; k < times; ++k) {
    stats::ClusterSums sums = suites.draw(clusters);
    both.likelihood.add(stats::likelihood_share(sums).interval, truth, times);
    both.student.add(stats::clustered_share(sums).interval, truth, times);
  }
  return both;
}

const std::vector<uint64_t> kClusters = {5, 8, 12, 20, 50, 200};

void print_head(const char* title, const char* first) {
  fmt::print("\n{}\n\n| {} | correlation | interval |", title, first);
  for (uint64_t g : kClusters) fmt::print(" {} clusters |", g);
  fmt::print("\n|---|---|---|");
  for (size_t i = 0; i < kClusters.size(); ++i) fmt::print("--:|");
  fmt::print("\n");
}

void print_table(Shape shape, Sizes sizes, const char* title, int times) {
  print_head(title, "accuracy");
  for (double accuracy : {0.5, 0.8, 0.95, 0.99})
    for (double correlation : {0.0, 0.05, 0.2, 0.4}) {
      if (correlation == 0 && (shape != Shape::beta || sizes == Sizes::informative)) continue;
      if (shape == Shape::failing && correlation != 0.4) continue;
      Suites suites(shape, sizes, accuracy, correlation);
      const double truth = suites.truth();
      std::string likelihood, student;
      for (uint64_t g : kClusters) {
        const Both c = coverage(suites, g, truth, times);
        likelihood += fmt::format(" {:.1f} ({:.3f}) |", c.likelihood.covered, c.likelihood.length);
        student += fmt::format(" {:.1f} ({:.3f}) |", c.student.covered, c.student.length);
      }
      fmt::print("| {} | {} | likelihood |{}\n| | | Student's |{}\n", accuracy, correlation,
                 likelihood, student);
      std::fflush(stdout);
    }
}

}  // namespace

int main(int count, char** arguments) {
  const int times = count > 1 ? std::atoi(arguments[1]) : 800, fewer = std::max(1, times / 4);
  print_table(Shape::beta, Sizes::unequal, "clusters of 1 to 39 items, beta", times);
  print_table(Shape::logit_normal, Sizes::unequal, "clusters of 1 to 39 items, logit-normal",
              fewer);
  print_table(Shape::beta, Sizes::equal, "clusters of 20 items, beta", fewer);
  print_table(Shape::beta, Sizes::informative, "hard clusters smaller, beta", fewer);
  print_table(Shape::failing, Sizes::unequal, "clusters that fail altogether", fewer);
}
