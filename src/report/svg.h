#pragma once
// A plot as SVG, drawn here: no library, text as text, colours that colour-blind readers can tell
// apart, and shapes besides. Private to the room.

#include <optional>
#include <string>
#include <vector>

namespace minpair::report {

struct PlotPoint {
  size_t place = 0;  // which of the plot's places
  double value = 0;
  double low = 0, high = 0;  // equal: no interval
};

// As on the page: a model has one colour and one shape, its second series is hollow; what was
// published is a letter on a tick, in the colour of the text.
struct PlotSeries {
  std::string name;
  bool published = false;
  std::vector<PlotPoint> points;
  std::string model = {};  // empty: a series of its own
};

struct Plot {
  enum class Kind { rows, lines };  // values along x, a row for each place; or along y, joined
  Kind kind = Kind::rows;
  std::string title;
  std::string values, places_title;  // what the axes are
  std::vector<std::string> places;
  std::vector<double> positions;  // of the places of `lines`, from 0 to 1; empty: evenly
  // Places are numbers from 0 to this: round ones are named instead of them.
  double positions_to = 0;
  std::vector<PlotSeries> series;
  double from = 0, to = 1;     // of the value axis
  std::optional<double> mark;  // a line across: chance, zero
};

// One above the other.
std::string svg_of(const std::vector<Plot>& plots);

}  // namespace minpair::report
