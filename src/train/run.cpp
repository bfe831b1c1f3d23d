#include "train/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/counts.h"
#include "base/error.h"
#include "base/file.h"

namespace minpair::train {

namespace fs = std::filesystem;

std::string perplexity_text(double loss) {
  const double perplexity = std::exp(loss);
  return perplexity < 1e6 ? fmt::format("{:.1f}", perplexity) : fmt::format("{:.1e}", perplexity);
}

Divergence::Divergence(size_t vocabulary)
    : limit_(2 * std::log(double(std::max<size_t>(vocabulary, 2))) + 2), recent_(limit_ / 2) {}

bool Divergence::seen(double loss) {
  // Single steps may fail; ten of them in a row do not come back.
  recent_ = 0.9 * recent_ + 0.1 * std::min(loss, 2 * limit_);
  return !std::isfinite(loss) || recent_ > limit_;
}

bool Divergence::lost(double loss) const { return !std::isfinite(loss) || loss > limit_; }

std::vector<std::string> read_vocabulary(const fs::path& path) {
  std::vector<std::string> vocab;
  LineReader lines(path);
  std::string_view line;
  while (lines.next(line)) vocab.emplace_back(line);
  if (vocab.empty()) throw bad_input("the vocabulary is empty").at(path.string());
  return vocab;
}

std::vector<uint32_t> epoch_order(size_t n, uint64_t seed, uint64_t epoch) {
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  Random random(seed * 1000003 + epoch);
  random.shuffle(std::span(order));
  return order;
}

Curve::Curve(const fs::path& path, uint64_t resumed_at) {
  std::string kept;
  if (resumed_at > 0 && fs::exists(path)) {
    LineReader lines(path);
    std::string_view line;
    while (lines.next(line)) {
      const auto json = nlohmann::json::parse(line, nullptr, false);
      const auto step = json.find("step");
      if (step != json.end() && step->is_number_unsigned() && step->get<uint64_t>() <= resumed_at)
        kept += std::string(line) + "\n";
    }
  }
  write_file(path, kept);
  file_.open(path, std::ios::app);
}

void Curve::train(uint64_t step, double tokens, double loss, double rate, double per_second) {
  file_ << fmt::format(
               R"({{"step":{},"tokens":{:.0f},"loss":{:.5f},"rate":{:.6g},"per_second":{:.0f}}})",
               step, tokens, loss, rate, per_second)
        << std::endl;
}

void Curve::valid(uint64_t step, double tokens, double loss) {
  file_ << fmt::format(R"({{"step":{},"tokens":{:.0f},"valid_loss":{:.5f}}})", step, tokens, loss)
        << std::endl;
}

void Plan::measure(double seen, double per_second) {
  if (!by_clock()) return;
  speed_ = speed_ == 0 ? per_second : 0.9 * speed_ + 0.1 * per_second;
  total_ = seen + std::max(0.0, seconds_ - reserve_ - watch_.seconds()) * speed_;
}

Reports::Reports(const RunOptions& options, uint64_t step, double seen, Plan& plan,
                 const char* unit)
    : curve_(options.out / "curve.jsonl", step),
      progress_("training", static_cast<uint64_t>(plan.total()), options.quiet),
      plan_(plan),
      unit_(unit),
      seen_before_(seen) {}

void Reports::report(uint64_t step, double seen, double rate, MeanLoss& losses) {
  const double per_second = (seen - seen_before_) / since_.seconds(), loss = losses.take();
  curve_.train(step, seen, loss, rate, per_second);
  progress_.set(static_cast<uint64_t>(seen),
                fmt::format("loss {:.3f}, perplexity {}, {:.0f} {}/s", loss, perplexity_text(loss),
                            per_second, unit_));
  plan_.measure(seen, per_second);
  seen_before_ = seen;
  since_.restart();
}

std::optional<std::filesystem::path> stage_folder(const RunOptions& options, double before,
                                                  double seen, double total) {
  for (int k = 1; k <= options.stages; ++k) {
    const double mark = std::ldexp(total, -k);
    if (before < mark && mark <= seen)
      return options.out / (seen < 1e4 ? fmt::format("checkpoint-{:.0f}", seen)
                                       : fmt::format("checkpoint-{:.0f}K", seen / 1000));
  }
  return std::nullopt;
}

Error diverged(uint64_t step, double loss, uint64_t checkpoint_step, const char* lower_rates) {
  const std::string kept = checkpoint_step > 0
                               ? fmt::format("the checkpoint of step {} is kept; go on from it",
                                             count_text(checkpoint_step))
                               : "there is no checkpoint yet; start again";
  return cannot(fmt::format("the training diverged: after {} the loss is {:.3g}",
                            counted(step, "step"), loss))
      .hint(fmt::format("{} with a lower rate ({})", kept, lower_rates));
}

double rate_scale(double seen, double total, double warmup, double decay_from) {
  const double rise = warmup > 0 ? std::min(1.0, seen / warmup) : 1.0;
  const double done = total > 0 ? seen / total : 1.0;
  if (done <= decay_from) return rise;
  const double left = std::max(0.0, (1.0 - done) / (1.0 - decay_from));
  return rise * (0.98 * left + 0.02);
}

}  // namespace minpair::train
