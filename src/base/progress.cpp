#include "base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "base/counts.h"

namespace minpair::inline base {

std::string duration_text(double seconds) {
  if (!(seconds < 1e9)) return "unknown";
  auto s = uint64_t(std::llround(seconds < 0 ? 0 : seconds));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s % 3600 / 60);
}

bool stderr_is_terminal() { return ::isatty(2) == 1; }

Progress::Progress(std::string what, uint64_t total, bool quiet)
    : what_(std::move(what)),
      total_(total),
      show_(!quiet && stderr_is_terminal()),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void Progress::set(uint64_t done, const std::string& extra) {
  if (!show_) return;
  if (first_ == UINT64_MAX) first_ = done;
  auto now = Clock::now();
  double elapsed = std::chrono::duration<double>(now - start_).count();
  if (elapsed < 2 || (drawn_ && now - last_ < std::chrono::milliseconds(200))) return;
  last_ = now;
  drawn_ = true;
  std::string line = fmt::format("{}: {}", what_, count_text(done));
  if (total_ > 0) {
    line +=
        fmt::format(" of {} ({:.0f} %)", count_text(total_), 100.0 * double(done) / double(total_));
    if (done > first_ && done <= total_)
      line += fmt::format(", {} left",
                          duration_text(elapsed * double(total_ - done) / double(done - first_)));
  }
  if (!extra.empty()) line += ", " + extra;
  fmt::print(stderr, "\r\033[K{}", line);
}

}  // namespace minpair::inline base
