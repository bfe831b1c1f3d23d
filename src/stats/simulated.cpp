#include "stats/simulated.h"

#include <algorithm>

#include "stats/stats.h"

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

double log_rising(const Tally& tally, double from) {
  const double base = log_gamma(from);
  double sum = 0;
  for (const auto& [number, clusters] : tally)
    if (number > 0) sum += clusters * (log_gamma(from + number) - base);
  return sum;
}

bool alike(double x, double t) { return std::abs(x - t) <= 1e-9 * std::max(1.0, std::abs(t)); }

constexpr double kFewestRounds = 250;

}  // namespace

void BetaBinomial::add(double yes, double no) {
  ++yes_[yes];
  ++no_[no];
  ++all_[yes + no];
  ++clusters_;
}

double BetaBinomial::log_likelihood(double share, double precision) const {
  return log_rising(yes_, share * precision) + log_rising(no_, (1 - share) * precision) -
         log_rising(all_, precision);
}

double BetaBinomial::none(const Tally& tally) {
  auto none = tally.find(0);
  return none == tally.end() ? 0 : none->second;
}

Draws::Draws(size_t size, double share, double precision)
    : below_(size + 1), guide_(kFiner * (size + 1)) {
  const double a = share * precision, b = (1 - share) * precision;
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

double Spread::p_value(double t) {
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

// The draws of one side that are at least as far out as `own`. Only these are put in order.
template <class Before>
double Spread::beyond(double own, double just_as_far, Before before) {
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

double simulated_p_value(double observed, double alpha, double most,
                         const std::function<double()>& draw) {
  Spread spread;
  double rounds = 0;
  for (double until = kFewestRounds;; until *= 2) {
    for (; rounds < until; ++rounds) spread.add(draw());
    const double p = spread.p_value(observed);
    const double error = std::sqrt(alpha * (1 - alpha) / rounds);
    if (until >= most || std::abs(p - alpha) > 4 * error) return p;
  }
}

double end_of(const std::function<double(double)>& p_value, double inside, double step,
              double alpha) {
  const double quantile = normal_quantile(1 - alpha / 2);
  auto excess = [&](double x) {
    const double p = std::clamp(p_value(x), 1e-4, 1 - 1e-4);
    return quantile - normal_quantile(1 - p / 2);
  };
  const double start = inside;
  double outside = inside, here, there = quantile;
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
  return end;
}

}  // namespace minpair::stats
