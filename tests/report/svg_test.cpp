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

static std::vector<std::string> texts(const std::string& svg, const char* what) {
  std::vector<std::string> all;
  const std::regex wanted(what);
  for (std::sregex_iterator at(svg.begin(), svg.end(), wanted), end; at != end; ++at)
    all.push_back((*at)[1]);
  return all;
}

TEST(Svg, ModelsHaveColoursAndMethodsHaveMarks) {
  Plot plot;
  plot.places = {"t"};
  const std::vector<PlotPoint> point = {{0, 0.5, 0, 0}};
  plot.series = {{"A, pll", false, point, "A"}, {"A, ce", false, point, "A"}};
  Plot second = plot;  // the order of another suite's runs does not matter
  second.series = {{"B", false, point, "B"}, {"A", false, point, "A"}};
  const std::string svg = svg_of({plot, second});
  // Full and hollow circles of A; then B's squares, and A's circle again.
  EXPECT_EQ(texts(svg, "<circle[^>]*fill=\"(#0072b2)\"").size(), 4u);
  EXPECT_EQ(texts(svg, "<circle[^>]*fill=\"#fff\" stroke=\"(#0072b2)\"").size(), 2u);
  EXPECT_EQ(texts(svg, "<rect x[^>]*fill=\"(#c24e00)\"").size(), 2u);
}

TEST(Svg, LettersOfPublishedResultsDoNotStandOnEachOther) {
  Plot plot;
  plot.places = {"t"};
  for (double value : {0.9601, 0.96, 0.9602, 1.0})
    plot.series.push_back({"p", true, {{0, value, 0, 0}}});
  const std::string svg = svg_of({plot});
  std::vector<double> x =
      numbers(svg, "<text x=\"([0-9.]+)\" y=\"[0-9.]+\" text-anchor=\"middle\" class=\"letter\"");
  ASSERT_EQ(x.size(), 4u);
  EXPECT_LT(x[1], x[0]) << "in the order of their values";
  std::sort(x.begin(), x.end());
  for (size_t i = 1; i < x.size(); ++i) EXPECT_GE(x[i] - x[i - 1], 8.9);
  EXPECT_LE(x.back(), 755) << "within the picture";
}

TEST(Svg, LongNamesTakeTwoLinesAndNothingIsCut) {
  Plot plot;
  plot.places = {"coordinate_structure_constraint_complex_left_branch", "short"};
  plot.series = {{"m", false, {{0, 0.5, 0, 0}}}};
  const std::string svg = svg_of({plot});
  EXPECT_THAT(svg, HasSubstr(">coordinate_structure_constraint_complex_</text>"));
  EXPECT_THAT(svg, HasSubstr(">left_branch</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("…")));
}

TEST(Svg, PlacesThatAreNumbersStandWhereTheyAreAndRoundOnesAreNamed) {
  Plot plot;
  plot.kind = Plot::Kind::lines;
  plot.places = {"0.77", "2.5", "40"};
  plot.positions = {0.77 / 40, 2.5 / 40, 1};
  plot.positions_to = 40;
  plot.series = {{"m", false, {{0, 0.2, 0, 0}, {1, 0.3, 0, 0}, {2, 0.4, 0, 0}}}};
  const std::string svg = svg_of({plot});
  EXPECT_THAT(svg, Not(HasSubstr(">0.77<")));
  EXPECT_THAT(svg, HasSubstr(">20</text>"));
  std::vector<double> x = numbers(svg, "<circle cx=\"([0-9.]+)\"");
  ASSERT_EQ(x.size(), 4u);
  EXPECT_NEAR((x[2] - x[1]) / (x[3] - x[1]), (2.5 - 0.77) / (40 - 0.77), 1e-3);
}

}  // namespace minpair::report
