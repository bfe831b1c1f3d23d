#include "no_memory.h"

#include <gtest/gtest.h>

#include <atomic>

#include "nn/runtime.h"

namespace minpair::nn {
namespace {

// Wherever memory runs out while threads are started, there is either no runtime, or one that does
// all the work.
TEST(NoMemory, LeavesThreadsThatWorkOrNone) {
  size_t refused = 0, fewer = 0;
  for (long allowed = 0;; ++allowed) {
    ASSERT_LT(allowed, 1000) << "it never has enough";
    NoMemory memory(allowed);
    try {
      Runtime runtime(4);
      const bool ran_out = memory.end();
      std::atomic<size_t> sum{0};
      runtime.parallel(100, [&](size_t unit, int) { sum += unit; });
      EXPECT_EQ(sum, 4950u);
      fewer += ran_out;
      if (ran_out) continue;
      EXPECT_EQ(runtime.threads(), 4);
      break;
    } catch (const std::bad_alloc&) {
      memory.end();
      ++refused;
    }
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(fewer, 0u);
}

}  // namespace
}  // namespace minpair::nn
