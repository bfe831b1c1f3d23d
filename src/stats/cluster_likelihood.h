#pragma once
// The likelihood of how many items of each kind clusters have, where the shares of the kinds vary
// over clusters by a Dirichlet distribution (for two kinds: a beta distribution).

#include <array>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <map>

namespace minpair::stats {

template <size_t kKinds>
class ClusterLikelihood {
 public:
  using Shares = std::array<double, kKinds>;

  void add(const Shares& counts) {
    double all = 0;
    for (size_t k = 0; k < kKinds; ++k) {
      if (counts[k] > 0) ++tallies_[k][counts[k]];
      totals_[k] += counts[k];
      all += counts[k];
    }
    ++sizes_[all];
  }

  // The log-likelihood, up to a constant, where two items of a cluster correlate by so much.
  double at(const Shares& shares, double correlation) const {
    const double precision = (1 - correlation) / correlation;
    double sum = -log_rising(sizes_, precision);
    for (size_t k = 0; k < kKinds; ++k)
      if (totals_[k] > 0) sum += log_rising(tallies_[k], shares[k] * precision);
    return sum;
  }

  // At the correlation that fits best.
  struct Profile {
    double value, correlation;
  };
  Profile profile(const Shares& shares) const {
    double independent = 0;
    for (size_t k = 0; k < kKinds; ++k)
      if (totals_[k] > 0) independent += totals_[k] * std::log(shares[k]);
    const auto correlation = [](double x) { return 1 / (1 + std::exp(-x)); };
    const auto minus = [&](double x) { return -at(shares, correlation(x)); };
    boost::uintmax_t rounds = 40;
    const auto [x, value] = boost::math::tools::brent_find_minima(minus, -10.0, 12.0, 20, rounds);
    return -value > independent ? Profile{-value, correlation(x)} : Profile{independent, 0};
  }

 private:
  using Tally = std::map<double, double>;  // how many clusters have so many

  // log Γ by Stirling's series, which is several times as fast as lgamma and as good here.
  static double log_gamma(double x) {
    double below = 1;
    for (; x < 8; ++x) below *= x;
    const double r = 1 / x, r2 = r * r;
    const double series = r * (1.0 / 12 - r2 * (1.0 / 360 - r2 * (1.0 / 1260 - r2 * (1.0 / 1680))));
    return (x - 0.5) * std::log(x) - x + 0.91893853320467274 + series -
           (below > 1 || below < 1 ? std::log(below) : 0);
  }
  static double log_rising(const Tally& tally, double from) {
    const double base = log_gamma(from);
    double sum = 0;
    for (const auto& [number, clusters] : tally)
      sum += clusters * (log_gamma(from + number) - base);
    return sum;
  }

  std::array<Tally, kKinds> tallies_;
  Tally sizes_;
  Shares totals_{};
};

}  // namespace minpair::stats
