#include "base/team.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace minpair::inline base {

void share(size_t count, size_t threads, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next = 0;
  std::exception_ptr failure;
  std::mutex failing;
  auto labour = [&] {
    try {
      for (size_t i; (i = next++) < count;) work(i);
    } catch (...) {
      next = count;
      std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> team;
  try {
    const size_t helpers = std::min(threads, count);
    team.reserve(helpers);
    for (size_t t = 1; t < helpers; ++t) team.emplace_back(labour);
  } catch (const std::exception&) {
    // No more threads, or no memory for them: those that run do the work.
  }
  labour();
  for (std::thread& t : team) t.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace minpair::inline base
