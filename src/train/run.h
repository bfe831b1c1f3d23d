#pragma once
// What both trainings share: data, learning curve, clock.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "base/random.h"
#include "train/train.h"

namespace minpair::train {

// "55.2", and "4.8e+244" rather than 245 digits.
std::string perplexity_text(double loss);

// Detects divergence: a loss that is NaN, or that stays far above the loss of guessing.
class Divergence {
 public:
  explicit Divergence(size_t vocabulary);
  bool seen(double loss);
  // A model with this loss is not worth keeping.
  bool lost(double loss) const;

 private:
  double limit_, recent_;
};

std::vector<std::string> read_vocabulary(const std::filesystem::path& path);

// A random order of `n` things, the same for the same seed and epoch.
std::vector<uint32_t> epoch_order(size_t n, uint64_t seed, uint64_t epoch);

// One JSON object per line: {"step":..,"tokens":..,"loss":..}. Lines after the step at which a
// training resumes are from the interrupted run, and are removed.
class Curve {
 public:
  Curve(const std::filesystem::path& path, uint64_t resumed_at);
  void train(uint64_t step, double tokens, double loss, double rate, double per_second);
  void valid(uint64_t step, double tokens, double loss);

 private:
  std::ofstream file_;
};

// The mean of the losses since the last report.
struct MeanLoss {
  double sum = 0;
  uint64_t n = 0;
  void add(double loss) {
    sum += loss;
    ++n;
  }
  double take() {
    const double mean = n > 0 ? sum / double(n) : 0;
    *this = {};
    return mean;
  }
};

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  void restart() { start_ = std::chrono::steady_clock::now(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Plans how much to train: a fixed number of tokens, or as many as fit before the clock runs out.
class Plan {
 public:
  Plan(double tokens, double hours) : total_(tokens), seconds_(hours * 3600) {}
  double total() const { return total_; }
  void set_total(double tokens) { total_ = tokens; }
  bool by_clock() const { return seconds_ > 0; }
  // Elapsed time counts at every step; speed is measured now and then.
  bool done(double seen) const {
    return seen >= total_ || (by_clock() && watch_.seconds() >= seconds_ - reserve_);
  }
  // With `seen` tokens done, at this speed.
  void measure(double seen, double per_second);
  // Time needed after the last step, for validation and saving.
  void reserve(double seconds) { reserve_ = seconds; }

 private:
  double total_, seconds_, speed_ = 0, reserve_ = 0;
  Stopwatch watch_;
};

// Reports progress at intervals: to the curve, to the terminal, and to the plan.
class Reports {
 public:
  Reports(const RunOptions& options, uint64_t step, double seen, Plan& plan, const char* unit);
  void report(uint64_t step, double seen, double rate, MeanLoss& losses);
  Curve& curve() { return curve_; }

 private:
  Curve curve_;
  Progress progress_;
  Plan& plan_;
  const char* unit_;
  Stopwatch since_;
  double seen_before_;
};

// Where a stage of the training is kept that was reached between `before` and `seen` tokens: after
// total/2^stages, ..., total/4, total/2. The report knows such folders as stages of one training.
std::optional<std::filesystem::path> stage_folder(const RunOptions& options, double before,
                                                  double seen, double total);

// The error of both trainings when they diverge.
Error diverged(uint64_t step, double loss, uint64_t checkpoint_step, const char* lower_rates);

// Rises over `warmup`, stays, and falls from `decay_from` of the total to almost nothing.
double rate_scale(double seen, double total, double warmup, double decay_from);

}  // namespace minpair::train
