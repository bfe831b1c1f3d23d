// The interval of an accuracy over clusters, by the beta-binomial model: every cluster has an
// accuracy of its own, these are beta-distributed around the accuracy that is sought, and two items
// of one cluster correlate. Jeffreys' priors. The probability of every accuracy is summed over
// what the correlation may be, on a grid that closes in on where the probability is.

#include <algorithm>
#include <cmath>

#include "stats/share.h"

namespace minpair::stats {
namespace {

// log Γ by Stirling's series, which is several times as fast as lgamma and as good here.
double log_gamma(double x) {
  double below = 1;
  for (; x < 8; ++x) below *= x;
  const double r = 1 / x, r2 = r * r;
  double series = r * (1.0 / 12 - r2 * (1.0 / 360 - r2 * (1.0 / 1260 - r2 * (1.0 / 1680))));
  return (x - 0.5) * std::log(x) - x + 0.91893853320467274 + series -
         (below > 1 || below < 1 ? std::log(below) : 0);
}

// Clusters with the same number of right (or wrong, or all) items count as one entry.
struct Tally {
  struct Entry {
    double number, clusters, items;
  };
  std::vector<Entry> entries;

  void add(double number, double items) { entries.push_back({number, 1, items}); }
  void merge() {
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.number < b.number; });
    std::vector<Entry> merged;
    for (const Entry& e : entries) {
      if (merged.empty() || merged.back().number != e.number) {
        merged.push_back(e);
        continue;
      }
      merged.back().clusters += 1;
      merged.back().items += e.items;
    }
    entries = std::move(merged);
  }
};

// Accuracies and correlations are searched on the logit scale, where neither has an end.
double logistic(double x) { return 1 / (1 + std::exp(-x)); }

struct Range {
  double low, high;
  double at(size_t i, size_t nodes) const {
    return low + (high - low) * double(i) / double(nodes - 1);
  }
};
constexpr Range kAccuracies{-20, 20}, kCorrelations{-16, 8};
constexpr double kNegligible = 14;  // e^-14 of the most probable

class BetaBinomial {
 public:
  explicit BetaBinomial(const ClusterSums& data) {
    double squares = 0;
    for (size_t i = 0; i < data.sum.size(); ++i) {
      double n = data.count[i];
      right_.add(data.sum[i], n);
      wrong_.add(n - data.sum[i], n);
      all_.add(n, n);
      squares += n * n;
    }
    for (Tally* t : {&right_, &wrong_, &all_}) t->merge();
    typical_ = squares / data.items();
  }

  // Logarithms of the likelihood times the priors' densities on the logit scales: Jeffreys' for the
  // accuracy, and one that is even in the standard deviation of the clusters' accuracies.
  double joint(double accuracy, double correlation) const {
    const double rho = logistic(correlation), most = std::exp(-correlation);
    auto count = [](const Tally::Entry& e) { return e.clusters; };
    return of_accuracy(accuracy, most, count) - sum(all_, most, count) + 0.5 * std::log(rho) +
           std::log(1 - rho);
  }

  // The same for the accuracy alone. Where items of a cluster are alike, a large cluster says
  // little more than a small one, and the likelihood weighs it little more. But an accuracy is
  // a share of items. So here each cluster has the weight that it has in that share, and all of
  // them together weigh what the share is worth. With clusters of one size that changes nothing.
  double of_items(double accuracy, double correlation) const {
    const double rho = logistic(correlation);
    const double whole = 1 - rho + rho * typical_;
    return of_accuracy(accuracy, std::exp(-correlation), [&](const Tally::Entry& e) {
      return (e.clusters * (1 - rho) + e.items * rho) / whole;
    });
  }

 private:
  Tally right_, wrong_, all_;
  double typical_ = 1;  // the size of the cluster in which an item is, in the mean

  template <class Weight>
  static double sum(const Tally& tally, double a, Weight weight) {
    const double base = log_gamma(a);
    double s = 0;
    for (const Tally::Entry& e : tally.entries)
      if (e.number > 0) s += weight(e) * (log_gamma(a + e.number) - base);
    return s;
  }

  template <class Weight>
  double of_accuracy(double accuracy, double most, Weight weight) const {
    const double p = logistic(accuracy), q = logistic(-accuracy);
    return sum(right_, p * most, weight) + sum(wrong_, q * most, weight) +
           0.5 * (std::log(p) + std::log(q));
  }
};

// Where `best` (a logarithm at every node) is not negligible, and a node more at each end.
Range around(const Range& range, const std::vector<double>& best) {
  const double top = *std::max_element(best.begin(), best.end());
  size_t first = 0, last = best.size() - 1;
  while (best[first] < top - kNegligible) ++first;
  while (best[last] < top - kNegligible) --last;
  return {range.at(first > 0 ? first - 1 : 0, best.size()),
          range.at(std::min(last + 1, best.size() - 1), best.size())};
}

bool much_narrower(const Range& now, const Range& before) {
  return now.high - now.low < 0.4 * (before.high - before.low);
}

// Correlations with their probabilities, and where accuracies were found.
struct Correlations {
  std::vector<double> at, weight;
  Range accuracies;
};

Correlations correlations_of(const BetaBinomial& model) {
  Range accuracy = kAccuracies, correlation = kCorrelations;
  for (bool last = false;;) {
    const size_t rows = last ? 31 : 21, columns = last ? 33 : 13;
    std::vector<double> by_row(rows, -HUGE_VAL), by_column(columns, -HUGE_VAL), cells;
    for (size_t c = 0; c < columns; ++c)
      for (size_t r = 0; r < rows; ++r) {
        cells.push_back(model.joint(accuracy.at(r, rows), correlation.at(c, columns)));
        by_row[r] = std::max(by_row[r], cells.back());
        by_column[c] = std::max(by_column[c], cells.back());
      }
    if (last) {
      const double top = *std::max_element(cells.begin(), cells.end());
      Correlations out;
      double all = 0;
      for (size_t c = 0; c < columns; ++c) {
        double weight = 0;
        for (size_t r = 0; r < rows; ++r) weight += std::exp(cells[c * rows + r] - top);
        out.at.push_back(correlation.at(c, columns));
        out.weight.push_back(weight);
        all += weight;
      }
      for (double& w : out.weight) w /= all;
      const double width = accuracy.high - accuracy.low;
      out.accuracies = {accuracy.low - width, accuracy.high + width};
      return out;
    }
    // Correlations only where accuracies are settled: beside the right one, all look too large.
    const Range narrow = around(accuracy, by_row), likely = around(correlation, by_column);
    const bool settled = !much_narrower(narrow, accuracy);
    last = settled && !much_narrower(likely, correlation);
    accuracy = narrow;
    if (settled) correlation = likely;
  }
}

// The density of the accuracy at the nodes of a range, summed over the correlations.
struct Density {
  Range range;
  std::vector<double> at;
};

Density density_of(const BetaBinomial& model, const Correlations& correlations) {
  Range range = correlations.accuracies;
  for (bool last = false;;) {
    const size_t nodes = last ? 57 : 25;
    std::vector<double> best(nodes, -HUGE_VAL), density(nodes, 0);
    for (size_t c = 0; c < correlations.at.size(); ++c) {
      if (correlations.weight[c] < 1e-4) continue;
      std::vector<double> own(nodes);
      for (size_t i = 0; i < nodes; ++i)
        own[i] = model.of_items(range.at(i, nodes), correlations.at[c]);
      const double top = *std::max_element(own.begin(), own.end());
      double all = 0;
      for (double& x : own) all += std::exp(x - top);
      for (size_t i = 0; i < nodes; ++i) {
        density[i] += correlations.weight[c] * std::exp(own[i] - top) / all;
        best[i] = std::max(best[i], own[i] - top);
      }
    }
    if (last) return {range, density};
    const Range before = range;
    range = around(range, best);
    last = !much_narrower(range, before);
  }
}

// Eight times as many nodes: the logarithm of the density is a cubic between neighbours.
Density refined(const Density& coarse) {
  constexpr size_t kParts = 8;
  std::vector<double> log_density;
  for (double d : coarse.at) log_density.push_back(std::log(d + 1e-300));
  Density fine{coarse.range, {}};
  for (size_t i = 0; i + 1 < log_density.size(); ++i) {
    const size_t first = std::clamp<size_t>(i, 1, log_density.size() - 3) - 1;
    const double* y = &log_density[first];
    for (size_t part = 0; part < kParts; ++part) {
      const double x = double(i - first) + double(part) / kParts;
      fine.at.push_back(
          std::exp(-y[0] * (x - 1) * (x - 2) * (x - 3) / 6 + y[1] * x * (x - 2) * (x - 3) / 2 -
                   y[2] * x * (x - 1) * (x - 3) / 2 + y[3] * x * (x - 1) * (x - 2) / 6));
    }
  }
  fine.at.push_back(coarse.at.back());
  return fine;
}

// Where so much of the probability lies below, the density a straight line between nodes.
double quantile(const Density& density, double share) {
  const std::vector<double>& d = density.at;
  double all = 0, below = 0;
  for (size_t i = 0; i + 1 < d.size(); ++i) all += (d[i] + d[i + 1]) / 2;
  for (size_t i = 0; i + 1 < d.size(); ++i) {
    const double here = (d[i] + d[i + 1]) / 2, missing = share * all - below;
    if (here < missing) {
      below += here;
      continue;
    }
    // d[i] x + (d[i+1] - d[i]) x² / 2 = missing
    const double slope = d[i + 1] - d[i];
    const double x = 2 * missing / (d[i] + std::sqrt(d[i] * d[i] + 2 * slope * missing));
    const double from = density.range.at(i, d.size()), to = density.range.at(i + 1, d.size());
    return logistic(from + x * (to - from));
  }
  return 1;
}

}  // namespace

Interval beta_binomial_interval(const ClusterSums& data, double level) {
  const BetaBinomial model(data);
  const Density density = refined(density_of(model, correlations_of(model)));
  return {quantile(density, 0.5 - level / 2), quantile(density, 0.5 + level / 2)};
}

}  // namespace minpair::stats
