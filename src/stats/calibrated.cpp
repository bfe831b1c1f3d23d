// The interval of an accuracy over clusters whose coverage is simulated. For an accuracy that might
// be the true one, the beta-binomial model (every cluster has an accuracy of its own, these are
// beta-distributed) with the correlation that fits the data best draws suites with clusters of
// the given sizes. The accuracy is rejected if t, on the logit scale, is further out in the data
// than in all but one of twenty of these.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/random.h"
#include "stats/share.h"

namespace minpair::stats {
namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double logit(double p) { return std::log(p / (1 - p)); }

// log Γ by Stirling's series, which is several times as fast as lgamma and as good here.
double log_gamma(double x) {
  double below = 1;
  for (; x < 8; ++x) below *= x;
  const double r = 1 / x, r2 = r * r;
  double series = r * (1.0 / 12 - r2 * (1.0 / 360 - r2 * (1.0 / 1260 - r2 * (1.0 / 1680))));
  return (x - 0.5) * std::log(x) - x + 0.91893853320467274 + series -
         (below > 1 || below < 1 ? std::log(below) : 0);
}

// How many clusters have this number of right (or wrong, or all) items.
using Tally = std::map<double, double>;

double log_rising(const Tally& tally, double from) {
  const double base = log_gamma(from);
  double sum = 0;
  for (const auto& [number, clusters] : tally)
    if (number > 0) sum += clusters * (log_gamma(from + number) - base);
  return sum;
}

// The number of right items in a cluster of `size` by the beta-binomial model: probabilities summed
// up, and where in them to begin to look.
class Draws {
 public:
  Draws(size_t size, double accuracy, double precision)
      : below_(size + 1), guide_(kFiner * (size + 1)) {
    const double a = accuracy * precision, b = (1 - accuracy) * precision;
    const auto n = double(size);
    // From the most probable number to both ends, so that nothing overflows.
    size_t top = a >= b ? size : 0;
    if (a > 1 && b > 1) top = std::min(size, size_t((a - 1) / (a + b - 2) * (n + 1)));
    std::vector<double>& density = below_;
    density[top] = 1;
    for (size_t i = top; i < size; ++i) {
      const auto k = double(i);
      density[i + 1] = density[i] * ((n - k) * (a + k)) / ((k + 1) * (b + n - k - 1));
    }
    for (size_t i = top; i > 0; --i) {
      const auto k = double(i);
      density[i - 1] = density[i] * (k * (b + n - k)) / ((n - k + 1) * (a + k - 1));
    }
    double sum = 0;
    for (double& d : below_) d = sum += d;
    const double scale = (n + 1) / sum;
    for (double& d : below_) d *= scale;
    size_t k = 0;
    for (size_t i = 0; i < guide_.size(); ++i) {
      while (k < size && below_[k] <= double(i) / kFiner) ++k;
      guide_[i] = uint32_t(k);
    }
  }

  size_t operator()(double uniform) const {
    const double at = uniform * double(below_.size());
    size_t k = guide_[size_t(at * kFiner)];
    while (k + 1 < below_.size() && below_[k] <= at) ++k;
    return k;
  }

 private:
  static constexpr size_t kFiner = 4;  // a power of two, so that nothing is rounded
  std::vector<double> below_;          // times the number of entries
  std::vector<uint32_t> guide_;
};

// All that t needs to know of a suite's right items.
struct Moments {
  double right = 0, squares = 0, by_size = 0;
  void add(double number, double size) {
    right += number;
    squares += number * number;
    by_size += number * size;
  }
};

// What a simulation found so far: is the observed t further out than all but so many?
class Spread {
 public:
  void add(double t) { at_.push_back(t); }

  // How far out `t` is: the share beyond it, half of those that equal it counted in, on the side
  // where that is smaller. The p-value is the share of draws that are further out than `t` in this
  // sense, on either side; half of those just as far. Where suites without a mistake are frequent,
  // one side has nothing far out, and the other may have all of the level.
  double p_value(double t) {
    double below = 0, equal = 0;
    for (double x : at_) {
      const bool same = alike(x, t);
      equal += same;
      below += !same && x < t;
    }
    const double all = double(at_.size()), middle = below + equal / 2;
    const double own = std::min(middle, all - middle);
    // Those in the very middle are on both sides.
    const double just_as_far = 2 * own < all ? 0.5 : 0.25;
    return (beyond(own, just_as_far, std::less<>()) + beyond(own, just_as_far, std::greater<>())) /
           all;
  }

 private:
  std::vector<double> at_;

  // The draws of one side that are at least as far out as `own`. Only these are put in order.
  template <class Before>
  double beyond(double own, double just_as_far, Before before) {
    const size_t most = std::min(size_t(own) + 1, at_.size());
    const auto inner = at_.begin() + std::ptrdiff_t(most);
    std::nth_element(at_.begin(), inner - 1, at_.end(), before);
    std::sort(at_.begin(), inner, before);
    double sum = 0;
    for (size_t first = 0, last = 0; first < most; first = last) {
      auto same = [&](double x) { return alike(x, at_[first]); };
      while (last < most && same(at_[last])) ++last;
      if (last == most) last += size_t(std::count_if(inner, at_.end(), same));
      const double here = double(first + last) / 2;
      if (here <= own) sum += double(last - first) * (here < own ? 1 : just_as_far);
    }
    return sum;
  }

  static bool alike(double x, double t) {
    return std::abs(x - t) <= 1e-9 * std::max(1.0, std::abs(t));
  }
};

constexpr double kFurthest = 1e12;  // t of a suite without a mistake, or with nothing but mistakes
constexpr double kLeastSpread = 0.5;  // of the variance of independent items
constexpr double kFewestRounds = 250, kMostRounds = 4000;
constexpr double kManyClusters = 50;  // for more, half as many rounds
constexpr double kPlenty = 40;
constexpr double kLeastCorrelation = -14, kMostCorrelation = 4.6;  // logits: 1e-6, 0.99

class Simulation {
 public:
  explicit Simulation(const ClusterSums& data) : clusters_(double(data.sum.size())) {
    for (size_t i = 0; i < data.sum.size(); ++i) {
      const double n = data.count[i], right = data.sum[i];
      ++right_[right];
      ++wrong_[n - right];
      ++all_[n];
      observed_.add(right, n);
      items_ += n;
      squares_ += n * n;
    }
  }

  double mean() const { return observed_.right / items_; }

  // Many clusters with a mistake, and many with something right: Student's table will do.
  bool is_plain() const {
    auto other = [&](const Tally& tally) {
      auto none = tally.find(0);
      return clusters_ - (none == tally.end() ? 0 : none->second);
    };
    return other(wrong_) >= kPlenty && other(right_) >= kPlenty;
  }

  // `alpha`: what the p-value is compared with. It is found only as well as that needs.
  double p_value(double accuracy, double alpha) const {
    const double correlation = logistic(correlation_at(accuracy));
    const double precision = (1 - correlation) / correlation;
    std::vector<std::pair<Draws, double>> draws;
    for (const auto& [size, clusters] : all_)
      draws.emplace_back(Draws(size_t(size), accuracy, precision), clusters);
    const double t = t_of(observed_, accuracy);
    Random random(1);  // the same numbers for every accuracy, so that p changes smoothly
    Spread spread;
    const double most = clusters_ > kManyClusters ? kMostRounds / 2 : kMostRounds;
    double rounds = 0;
    for (double until = kFewestRounds;; until *= 2) {
      for (; rounds < until; ++rounds) spread.add(t_of(drawn(draws, random), accuracy));
      const double p = spread.p_value(t);
      const double error = std::sqrt(alpha * (1 - alpha) / rounds);
      if (until >= most || std::abs(p - alpha) > 4 * error) return p;
    }
  }

 private:
  Tally right_, wrong_, all_;
  Moments observed_;
  double clusters_, items_ = 0, squares_ = 0;

  // t on the logit scale; the standard error is the linearised one over clusters. By chance
  // clusters may be more alike than items that have nothing to do with each other; that is not
  // taken as proof that they are.
  double t_of(const Moments& m, double accuracy) const {
    const double share = m.right / items_, odds = share * (1 - share);
    if (!(odds > 0)) return share > accuracy ? kFurthest : -kFurthest;
    const double between = m.squares - 2 * share * m.by_size + share * share * squares_;
    const double variance =
        std::max(between * clusters_ / (clusters_ - 1), kLeastSpread * items_ * odds);
    return (logit(share) - logit(accuracy)) * odds * items_ / std::sqrt(variance);
  }

  Moments drawn(const std::vector<std::pair<Draws, double>>& draws, Random& random) const {
    Moments m;
    auto next = draws.begin();
    for (const auto& [size, clusters] : all_) {
      for (double c = 0; c < clusters; ++c) m.add(double(next->first(random.uniform())), size);
      ++next;
    }
    return m;
  }

  double likelihood(double accuracy, double correlation) const {
    const double precision = std::exp(-correlation);
    return log_rising(right_, accuracy * precision) +
           log_rising(wrong_, (1 - accuracy) * precision) - log_rising(all_, precision);
  }

  // The most likely correlation, as a logit: the best of some, then closing in on it.
  double correlation_at(double accuracy) const {
    constexpr int kNodes = 16;
    constexpr double kStep = (kMostCorrelation - kLeastCorrelation) / kNodes;
    double best = kLeastCorrelation, most = -HUGE_VAL;
    auto try_at = [&](double x) {
      if (double l = likelihood(accuracy, x); l > most) {
        most = l;
        best = x;
      }
    };
    for (int i = 0; i <= kNodes; ++i) try_at(kLeastCorrelation + i * kStep);
    for (double step = kStep / 2; step > 0.02; step /= 2)
      for (double x : {best - step, best + step})
        if (x > kLeastCorrelation && x < kMostCorrelation) try_at(x);
    return best;
  }
};

// From `inside`, an accuracy that is not rejected, to the first that is, on the logit scale. The
// quantile of the normal distribution that belongs to p is nearly a straight line there.
double end_of(const Simulation& simulation, double inside, double step, double alpha) {
  const double quantile = normal_quantile(1 - alpha / 2);
  auto excess = [&](double x) {
    const double p = std::clamp(simulation.p_value(logistic(x), alpha), 1e-4, 1 - 1e-4);
    return quantile - normal_quantile(1 - p / 2);
  };
  const double start = inside;
  double outside = inside, here = quantile, there = quantile;
  do {
    here = there;
    inside = outside;
    outside += step;
    step *= 1.5;
    there = excess(outside);
  } while (there > 0 && std::abs(outside) < 30);
  double end = start;
  for (int i = 0, side = 0; i < 12; ++i) {
    const double x = inside + (outside - inside) * here / (here - there);
    const bool settled = std::abs(x - end) < 0.01 * std::min(1.0, std::abs(x - start));
    end = x;
    if (settled) break;
    const double now = excess(x);
    // Illinois: an end that stays twice counts half.
    if (now > 0) {
      inside = x;
      here = now;
      if (side > 0) there /= 2;
      side = 1;
    } else {
      outside = x;
      there = now;
      if (side < 0) here /= 2;
      side = -1;
    }
  }
  return logistic(end);
}

Interval calibrated_interval(const ClusterSums& data, const Estimate& e, double level) {
  const Simulation simulation(data);
  if (simulation.is_plain()) return e.interval;
  const double alpha = 1 - level, mean = simulation.mean();
  // Where nothing is wrong, begin so near to 1 that no suite of this size could tell.
  const double least = 1 / (20 * data.items());
  const double inside = logit(std::clamp(mean, least, 1 - least));
  const double step = mean > 0 && mean < 1 && e.standard_error > 0
                          ? 1.5 * e.standard_error / (mean * (1 - mean))
                          : 1;
  return {mean > 0 ? end_of(simulation, inside, -step, alpha) : 0,
          mean < 1 ? end_of(simulation, inside, step, alpha) : 1};
}

}  // namespace

double share_p_value(const ClusterSums& data, double accuracy) {
  return Simulation(data).p_value(accuracy, 0.05);
}

Estimate calibrated_share(const ClusterSums& data, double level) {
  Estimate e = clustered_share(data, level);
  const bool independent = double(e.clusters) == data.items();
  // Some views give an item a share of its own. Those vary less than what is right or wrong.
  const bool shares = std::any_of(data.sum.begin(), data.sum.end(),
                                  [](double right) { return std::floor(2 * right) < 2 * right; });
  if (independent || shares || e.clusters < kFewestClusters) return e;
  e.interval = calibrated_interval(data, e, level);
  return e;
}

}  // namespace minpair::stats
