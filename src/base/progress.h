#pragma once
// A progress line with an estimate of the time left, on stderr, when that is a terminal.

#include <chrono>
#include <cstdint>
#include <string>

namespace minpair::inline base {

// "3 s", "4 min 10 s", "2 h 05 min".
std::string duration_text(double seconds);
bool stderr_is_terminal();

class Progress {
 public:
  // `total` 0: unknown. Nothing is shown before two seconds have passed, nor when quiet.
  Progress(std::string what, uint64_t total, bool quiet = false);
  ~Progress();  // clears the line
  void set(uint64_t done, const std::string& extra = "");
  void set_total(uint64_t total) { total_ = total; }

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  uint64_t total_;
  bool show_;
  bool drawn_ = false;
  Clock::time_point start_, last_;
  uint64_t first_ = UINT64_MAX;  // what was done already when we began (a resumed run)
};

}  // namespace minpair::inline base
