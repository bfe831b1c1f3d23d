#include "report/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>

namespace minpair::report {

using ::testing::HasSubstr;
using ::testing::Not;

static std::vector<double> numbers(const std::string& svg, const char* what) {
  std::vector<double> all;
  const std::regex wanted(what);
  for (std::sregex_iterator at(svg.begin(), svg.end(), wanted), end; at != end; ++at)
    all.push_back(std::stod((*at)[1]));
  return all;
}

TEST(Svg, ValuesStandWhereTheAxisSaysTheyAre) {
  Plot plot;
  plot.title = "A < B & \"C\"";
  plot.places = {"simple", "long"};
  plot.series = {{"m", false, {{0, 0.0, 0, 0}, {1, 1.0, 0.5, 1.0}}}};
  plot.mark = 0.5;
  const std::string svg = svg_of({plot});
  EXPECT_THAT(svg, HasSubstr("A &lt; B &amp; &quot;C&quot;"));
  EXPECT_THAT(svg, HasSubstr(">simple</text>"));
  // The legend's mark, then the two points: at the axis' ends; the interval goes from its middle.
  std::vector<double> x = numbers(svg, "<circle cx=\"([0-9.]+)\"");
  ASSERT_EQ(x.size(), 3u);
  std::vector<double> ticks = numbers(svg, "<line x1=\"([0-9.]+)\"[^>]*class=\"grid\"");
  EXPECT_NEAR(x[1], ticks.front(), 0.11);
  EXPECT_NEAR(x[2], ticks.back(), 0.11);
  std::vector<double> low = numbers(svg, "<line x1=\"([0-9.]+)\"[^>]*stroke-width");
  ASSERT_EQ(low.size(), 1u);
  EXPECT_NEAR(low[0], (ticks.front() + ticks.back()) / 2, 0.11);
}

TEST(Svg, LinesJoinPlacesAndPublishedOnesAreLetters) {
  Plot plot;
  plot.kind = Plot::Kind::lines;
  for (int i = 0; i < 40; ++i) plot.places.push_back(std::to_string(i));
  plot.series = {{"m", false, {{0, 0.2, 0, 0}, {1, 0.4, 0, 0}}}, {"p", true, {{0, 0.9, 0, 0}}}};
  const std::string svg = svg_of({plot});
  EXPECT_THAT(svg, HasSubstr("fill=\"none\" stroke=\"#0072b2\""));
  EXPECT_THAT(svg, HasSubstr("class=\"letter\">a</text>"));
  // A higher value is higher up.
  std::vector<double> y = numbers(svg, "<circle cx=\"[0-9.]+\" cy=\"([0-9.]+)\"");
  ASSERT_EQ(y.size(), 3u);
  EXPECT_GT(y[1], y[2]);
}

TEST(Svg, TwelveSeriesDiffer) {
  Plot plot;
  plot.places = {"t"};
  for (int i = 0; i < 12; ++i)
    plot.series.push_back({"m" + std::to_string(i), false, {{0, 0.5, 0, 0}}});
  const std::string svg = svg_of({plot, plot});
  std::vector<std::string> colors;
  const std::regex fill("fill=\"(#[0-9a-f]{6})\"/>");
  for (std::sregex_iterator at(svg.begin(), svg.end(), fill), end; at != end; ++at)
    colors.push_back((*at)[1]);
  std::sort(colors.begin(), colors.end());
  colors.erase(std::unique(colors.begin(), colors.end()), colors.end());
  EXPECT_EQ(colors.size(), 12u);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

}  // namespace minpair::report
