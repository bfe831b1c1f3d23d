// What was found inside a model, on the page, in a real browser.

#include <gtest/gtest.h>

#include "report/views.h"
#include "support.h"

namespace minpair::introspect {
namespace {

using namespace testing;

TEST(EffectsOnThePage, AreDrawn) {
  if (!report::has_page()) GTEST_SKIP() << "built without the page";
  if (run_command("command -v node chromium").status != 0) GTEST_SKIP() << "no browser here";
  TemporaryFolder folder;
  const std::string program = minpair_program().string();
  const std::string page = (folder / "page.html").string(), json = (folder / "e.json").string();
  const std::string wanted =
      " -q -s de-agreement -m de-mini --test simple_sentence --test across_prepositional_phrase "
      "--sample 15 -o " +
      (folder / "a.db").string();
  for (const std::string what :
       {"run", "introspect patch", "introspect lens", "introspect attribute",
        "introspect patch --site head --at locus", "introspect ablate --site head"}) {
    const Ran made = run_command(program + " " + what + wanted);
    ASSERT_EQ(made.status, 0) << what << made.err;
  }
  const std::string db = (folder / "a.db").string();
  ASSERT_EQ(run_command(program + " page " + db + " -o " + page).status, 0);
  ASSERT_EQ(run_command(program + " effects " + db + " --by test --format json -o " + json).status, 0);
  const std::string overlap = (folder / "o.json").string();
  ASSERT_EQ(run_command(program + " overlap " + db + " 5 --format json -o " + overlap).status, 0);
  const Ran seen = run_in_browser("inside.mjs", "'" + page + "' '" + json + "' '" + overlap + "'");
  EXPECT_EQ(seen.status, 0) << seen.out << seen.err;
}

TEST(EffectsOnThePage, NeedNoScores) {
  if (!report::has_page()) GTEST_SKIP() << "built without the page";
  if (run_command("command -v node chromium").status != 0) GTEST_SKIP() << "no browser here";
  TemporaryFolder folder;
  const std::string program = minpair_program().string(), db = (folder / "a.db").string();
  const std::string page = (folder / "page.html").string();
  ASSERT_EQ(
      run_command(program + " introspect lens -q -s de-agreement -m de-mini --sample 10 -o " + db)
          .status,
      0);
  const Ran made = run_command(program + " page " + db + " -o " + page);
  ASSERT_EQ(made.status, 0) << made.err;
  const Ran seen = run_in_browser("only_inside.mjs", "'" + page + "'");
  EXPECT_EQ(seen.status, 0) << seen.out << seen.err;
}

}  // namespace
}  // namespace minpair::introspect
