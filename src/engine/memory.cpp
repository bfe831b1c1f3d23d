#include "engine/memory.h"

#include <cstdlib>
#include <fstream>
#include <string>

namespace minpair::engine {
namespace {

// What storing takes beside the lists of the plan: SQLite's pages, the tables at the end.
constexpr uint64_t kLater = uint64_t{64} << 20;

uint64_t peak_so_far() {
  constexpr std::string_view kPeak = "VmPeak:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(kPeak))
      return std::strtoull(line.c_str() + kPeak.size(), nullptr, 10) << 10;
  return 0;
}

}  // namespace

uint64_t most_memory(const PlanOptions& plan) {
  const uint64_t so_far = peak_so_far();
  // The list of answers is still to come; one that grows is there twice for a moment.
  return so_far == 0 ? 0 : so_far + 3 * plan.memory + kLater;
}

}  // namespace minpair::engine
