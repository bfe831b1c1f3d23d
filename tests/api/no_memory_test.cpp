#include "no_memory.h"

#include <gtest/gtest.h>

#include <string>

#include "api/call.h"

namespace minpair::api {
namespace {

// An error whose text finds no memory is still an error with a text, and the caller's program goes
// on.
TEST(NoMemory, LeavesAnErrorWithItsText) {
  const std::string text(300, 'x');
  size_t unnamed = 0;
  for (long allowed = 0;; ++allowed) {
    ASSERT_LT(allowed, 1000) << "it never has enough";
    NoMemory memory(allowed);
    const minpair_status status = call([&] { throw bad_input(text); });
    const bool ran_out = memory.end();
    const std::string said = minpair_message();
    if (!ran_out) {
      EXPECT_EQ(status, MINPAIR_BAD_INPUT);
      EXPECT_EQ(said, text);
      break;
    }
    EXPECT_NE(status, MINPAIR_OK);
    EXPECT_TRUE(said == text || said == "out of memory") << said;
    unnamed += status == MINPAIR_BAD_INPUT && said != text;
  }
  EXPECT_GT(unnamed, 0u);  // the text of an error that was made, not only the error
}

}  // namespace
}  // namespace minpair::api
