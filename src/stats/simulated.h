#pragma once
// What intervals that are calibrated by simulation have in common: the beta-binomial model (every
// cluster has a share of its own, these are beta-distributed), the p-value of a statistic among
// simulated ones, and the search for an interval's end.

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace minpair::stats {

inline double logistic(double x) { return 1 / (1 + std::exp(-x)); }
inline double logit(double p) { return std::log(p / (1 - p)); }

// How many clusters have this number of items of a kind.
using Tally = std::map<double, double>;

// The beta-binomial likelihood of shares among clusters, up to a constant. Where a cluster's items
// correlate by r, its precision is (1 - r) / r.
class BetaBinomial {
 public:
  void add(double yes, double no);
  double log_likelihood(double share, double precision) const;
  const Tally& sizes() const { return all_; }
  double with_yes() const { return clusters_ - none(yes_); }
  double with_no() const { return clusters_ - none(no_); }

 private:
  Tally yes_, no_, all_;
  double clusters_ = 0;
  static double none(const Tally& tally);
};

// The number of items of a kind in a cluster of `size`: probabilities summed up, and where in them
// to begin to look.
class Draws {
 public:
  Draws(size_t size, double share, double precision);
  size_t operator()(double uniform) const {
    const double at = uniform * double(below_.size());
    size_t k = guide_[size_t(at * kFiner)];
    while (k + 1 < below_.size() && below_[k] <= at) ++k;
    return k;
  }
  double none() const { return below_[0] / double(below_.size()); }  // the probability of 0

 private:
  static constexpr size_t kFiner = 4;  // a power of two, so that nothing is rounded
  std::vector<double> below_;          // times the number of entries
  std::vector<uint32_t> guide_;
};

// What a simulation found so far: is the observed t further out than all but so many?
class Spread {
 public:
  void add(double t) { at_.push_back(t); }

  // How far out `t` is: the share beyond it, half of those that equal it counted in, on the side
  // where that is smaller. The p-value is the share of draws that are further out than `t` in this
  // sense, on either side; half of those just as far. Where suites without a mistake are frequent,
  // one side has nothing far out, and the other may have all of the level.
  double p_value(double t);

 private:
  std::vector<double> at_;
  template <class Before>
  double beyond(double own, double just_as_far, Before before);
};

inline constexpr double kFurthest = 1e12;  // t where the standard error is nothing

// The p-value of `observed` among what `draw` gives, found only as well as the comparison with
// `alpha` needs: at most so many draws.
double simulated_p_value(double observed, double alpha, double most,
                         const std::function<double()>& draw);

// From `inside`, which is not rejected, to the first value that is. The quantile of the normal
// distribution that belongs to p is nearly a straight line there.
double end_of(const std::function<double(double)>& p_value, double inside, double step,
              double alpha);

}  // namespace minpair::stats
