#include "report/views.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "support.h"

namespace minpair::report {
namespace {

using testing::TemporaryFolder;

std::string curve_of(int points) {
  std::string text;
  for (int i = 1; i <= points; ++i) {
    text += "{\"step\":" + std::to_string(i * 100) + ",\"tokens\":" + std::to_string(i * 1000) +
            ",\"loss\":" + std::to_string(8 - i % 2) + ",\"rate\":0.1,\"per_second\":50}\n";
    if (i == 3) text += "{\"step\":300,\"tokens\":3000,\"valid_loss\":2.302585093}\n";
  }
  return text;
}

TEST(Curve, FewRowsAndEveryValidation) {
  TemporaryFolder folder;
  write_file(folder / "curve.jsonl", curve_of(40));
  const Grid g = curve_grids(folder.path(), 10).at(0);
  EXPECT_LE(g.rows.size(), 12u);
  EXPECT_EQ(std::get<double>(g.rows.back()[0]), 4000);
  EXPECT_EQ(std::get<double>(g.rows[0][1]), 3000);
  EXPECT_NEAR(std::get<double>(g.rows[0][3]), 10, 1e-6);  // exp of the validation's loss
  // 7, 8 and 7: losses are averaged, not their perplexities.
  EXPECT_NEAR(std::get<double>(g.rows[0][6]), 22.0 / 3, 1e-9);
}

TEST(Curve, OnePerSeed) {
  TemporaryFolder folder;
  std::filesystem::create_directories(folder / "seed1");
  std::filesystem::create_directories(folder / "seed2");
  write_file(folder / "seed1" / "curve.jsonl", curve_of(2));
  write_file(folder / "seed2" / "curve.jsonl", curve_of(3));
  const auto grids = curve_grids(folder.path());
  ASSERT_EQ(grids.size(), 2u);
  EXPECT_EQ(grids[1].title, "Learning curve: seed2");
}

TEST(Curve, APictureOfEverySeed) {
  TemporaryFolder folder;
  for (const char* seed : {"seed1", "seed<2"}) {
    std::filesystem::create_directories(folder / seed);
    write_file(folder / seed / "curve.jsonl", curve_of(4));
  }
  const std::string html = curve_html(folder.path());
  for (const char* line :
       {"seed1, training", "seed1, validation", "seed&lt;2, training", "seed&lt;2, validation"})
    EXPECT_NE(html.find(line), std::string::npos) << line;
  EXPECT_NE(html.find("2.303"), std::string::npos) << "the validation's loss";
}

TEST(Curve, BrokenFilesAreRefused) {
  TemporaryFolder folder;
  EXPECT_THROW(curve_grids(folder.path()), Error);
  write_file(folder / "curve.jsonl", "{\"step\":1}\n");
  EXPECT_THROW(curve_grids(folder.path()), Error);
  for (const char* step : {"1e30", "-1", "1.5", "99999999999999999999"}) {
    write_file(folder / "curve.jsonl", fmt::format(R"({{"step":{},"tokens":1}})", step) + "\n");
    EXPECT_THROW(curve_grids(folder.path()), Error) << step;
  }
}

TEST(Curve, LossesOfAnySizeHaveFewGridLines) {
  TemporaryFolder folder;
  for (const char* loss : {"6e9", "-6e9", "1e300"}) {
    write_file(folder / "curve.jsonl",
               "{\"step\":1,\"tokens\":1,\"loss\":0.5}\n" +
                   fmt::format(R"({{"step":2,"tokens":2,"loss":{}}})", loss) + "\n");
    const std::string html = curve_html(folder.path());
    size_t lines = 0;
    for (size_t at = 0; (at = html.find("<line ", at)) != std::string::npos; ++at) ++lines;
    EXPECT_GE(lines, 2u) << loss;
    EXPECT_LE(lines, 9u) << loss;
  }
}

}  // namespace
}  // namespace minpair::report
