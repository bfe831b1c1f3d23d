#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/outgoing.h"
#include "base/text.h"

namespace minpair::report {
namespace {

constexpr double kWidth = 760, kLetter = 7;  // of 12 pixels, in the widest of the fonts
constexpr const char* kInk = "#1a1a1a";

// Those of the page (web/src/svg.ts): series that share a shape differ for colour-blind eyes, too.
constexpr const char* kColors[] = {"#0072b2", "#c24e00", "#00795a", "#b0408a",
                                   "#7a2f12", "#111417", "#a67600", "#3b3f9e",
                                   "#c2185b", "#6e6e6e", "#3aa0dc", "#4c8a00"};

std::string escaped(std::string_view text) { return outgoing(text, Medium::html); }

double width_of(const std::string& text) { return kLetter * double(count_characters(text)); }

// At most `width` pixels of it.
std::string shortened(const std::string& text, double width) {
  const auto most = size_t(width / kLetter);
  if (count_characters(text) <= most) return text;
  return text.substr(0, byte_of_character(text, most > 1 ? most - 1 : 0)) + "…";
}

std::string tick_text(double value, double step) {
  const int digits = step >= 1 ? 0 : int(std::ceil(-std::log10(step) - 1e-9));
  return fmt::format("{:.{}f}", value == 0 ? 0.0 : value, digits);
}

// About six round numbers.
double step_of(double from, double to) {
  const double rough = std::max((to - from) / 6, 1e-9);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough) return factor * power;
  return 10 * power;
}

// One line, or two if `width` pixels are too few: cut between words, or parts of a long name.
std::vector<std::string> wrapped(const std::string& text, double width) {
  if (width_of(text) <= width) return {text};
  size_t cut = 0;
  for (size_t i = 1; i < text.size(); ++i)
    if ((text[i - 1] == ' ' || text[i - 1] == '_' || text[i - 1] == '/') &&
        width_of(text.substr(0, i)) <= width)
      cut = i;
  if (cut == 0) return {shortened(text, width)};
  return {text.substr(0, text[cut - 1] == ' ' ? cut - 1 : cut), shortened(text.substr(cut), width)};
}

constexpr const char* kDashes[] = {"", " stroke-dasharray=\"4 3\"", " stroke-dasharray=\"1.5 2.5\"",
                                   " stroke-dasharray=\"8 3 2 3\""};

// How a series is drawn.
struct Look {
  size_t place = 0;  // among the colours and shapes
  size_t nth = 0;    // series of its model: full, hollow, with a hole, with a bar
  char letter = 0;   // of what was published
};

std::vector<Look> looks_of(const Plot& plot, std::vector<std::string>& models) {
  std::vector<Look> looks;
  std::map<std::string, size_t> seen;
  char letter = 'a';
  for (size_t s = 0; s < plot.series.size(); ++s) {
    const std::string& model = plot.series[s].model;
    Look look{s};
    if (plot.series[s].published) {
      look.letter = letter;
      letter = letter == 'z' ? 'a' : char(letter + 1);
    } else if (!model.empty()) {
      const auto known = std::find(models.begin(), models.end(), model);
      look.place = size_t(known - models.begin());
      if (known == models.end()) models.push_back(model);
      look.nth = seen[model]++;
    }
    looks.push_back(look);
  }
  return looks;
}

class Drawing {
 public:
  // `models` have their colours already; those of this plot are added.
  Drawing(const Plot& plot, double top, std::vector<std::string>& models)
      : plot_(plot), looks_(looks_of(plot, models)), top_(top) {
    double label = 0;
    for (const std::string& p : plot.places) label = std::max(label, width_of(p));
    left_ = plot.kind == Plot::Kind::rows ? std::min(label + 18, 300.0) : 64;
    right_ = kWidth - 18;
    for (const Look& look : looks_)
      if (look.letter)
        lettered_ = true;
      else
        slots_ += 1;
  }

  // Gives where the next plot may begin.
  double draw(std::string& svg) {
    text(svg, 12, top_ + 20, plot_.title, "start", "title");
    double y = legend(svg, top_ + 30);
    row_height_ = std::max(longest_label() > 1 ? 34.0 : 20.0, 7.0 * slots_ + 8 + letters());
    begin_ = y + 12 + (tall() ? 14 : 0);
    end_ =
        begin_ + (plot_.kind == Plot::Kind::rows ? row_height_ * double(plot_.places.size()) : 280);
    axes(svg);
    for (size_t s = 0; s < plot_.series.size(); ++s) series(svg, s);
    return end_ + 56;
  }

 private:
  // Who looks at the first row does not see the axis at the end.
  bool tall() const {
    return plot_.kind == Plot::Kind::rows && row_height_ * double(plot_.places.size()) > 700;
  }

  double letters() const { return lettered_ ? 9 : 0; }  // room above the marks of a row

  size_t longest_label() const {
    size_t most = 1;
    if (plot_.kind == Plot::Kind::rows)
      for (const std::string& p : plot_.places)
        most = std::max(most, wrapped(p, left_ - 16).size());
    return most;
  }

  static void text(std::string& svg, double x, double y, const std::string& what,
                   const char* anchor, const char* kind = "") {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                       anchor, *kind ? fmt::format(" class=\"{}\"", kind) : "", escaped(what));
  }

  static void line(std::string& svg, double x1, double y1, double x2, double y2,
                   const std::string& style) {
    svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1,
                       y1, x2, y2, style);
  }

  double along(double value) const {
    const double part = (value - plot_.from) / (plot_.to - plot_.from);
    return plot_.kind == Plot::Kind::rows ? left_ + part * (right_ - left_)
                                          : end_ - part * (end_ - begin_);
  }

  double place_middle(size_t place) const {
    const double n = double(plot_.places.size());
    return position(!plot_.positions.empty() ? plot_.positions[place]
                    : n < 2                  ? 0.5
                                             : double(place) / (n - 1));
  }
  double position(double part) const { return left_ + 24 + (right_ - left_ - 48) * part; }

  // Where a series stands at a place; series stand beside each other in a row.
  double across(size_t place, size_t series) const {
    if (plot_.kind == Plot::Kind::lines) {
      const double middle = place_middle(place);
      // A little beside each other, so that intervals do not hide one another.
      const double beside = std::min(4.0, 24.0 / std::max(slots_, 1.0));
      return plot_.places.size() > 30 || !plot_.positions.empty() || looks_[series].letter
                 ? middle
                 : middle + beside * (slot_of(series) - (slots_ - 1) / 2);
    }
    const double slot = (row_height_ - 8 - letters()) / std::max(slots_, 1.0);
    return begin_ + row_height_ * double(place) + 4 + letters() + slot * (slot_of(series) + 0.5);
  }

  // What was published has a letter, and no slot of its own.
  double slot_of(size_t series) const {
    double slot = 0;
    for (size_t s = 0; s < series; ++s) slot += looks_[s].letter ? 0 : 1;
    return slot;
  }

  std::pair<double, double> at(size_t place, size_t series, double value) const {
    const double v = along(value), p = across(place, series);
    return plot_.kind == Plot::Kind::rows ? std::pair{v, p} : std::pair{p, v};
  }

  std::string color(size_t series) const {
    return looks_[series].letter ? kInk : kColors[looks_[series].place % std::size(kColors)];
  }

  double legend(std::string& svg, double y) {
    double x = 16;
    y += 10;
    for (size_t s = 0; s < plot_.series.size(); ++s) {
      const std::string name = shortened(plot_.series[s].name, 340);
      const double width = 26 + width_of(name);
      if (x > 16 && x + width > right_) {
        x = 16;
        y += 17;
      }
      if (looks_[s].letter) {
        line(svg, x - 4, y - 10, x - 4, y + 2, "class=\"tick\"");
        text(svg, x - 1, y, std::string(1, looks_[s].letter), "start", "letter");
      } else {
        mark(svg, x, y - 4, s);
      }
      text(svg, x + 9, y, name, "start");
      x += width;
    }
    return y;
  }

  void mark(std::string& svg, double x, double y, size_t s) const {
    const size_t nth = looks_[s].nth;
    const std::string paint =
        nth == 1 || nth > 2
            ? fmt::format("fill=\"#fff\" stroke=\"{}\" stroke-width=\"1.6\"", color(s))
            : fmt::format("fill=\"{}\"", color(s));
    switch (looks_[s].place % 4) {
      case 0:
        svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" {}/>\n", x, y, paint);
        break;
      case 1:
        svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"7\" height=\"7\" {}/>\n",
                           x - 3.5, y - 3.5, paint);
        break;
      case 2:
        svg += fmt::format("<path d=\"M{:.1f} {:.1f}l4.5 8h-9z\" {}/>\n", x, y - 4.5, paint);
        break;
      default:
        svg += fmt::format("<path d=\"M{:.1f} {:.1f}l4.8 4.8l-4.8 4.8l-4.8 -4.8z\" {}/>\n", x,
                           y - 4.8, paint);
    }
    if (nth == 2)
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"1.7\" fill=\"#fff\"/>\n", x, y);
    if (nth > 2)
      line(svg, x - 5.5, y, x + 5.5, y,
           fmt::format("stroke=\"{}\" stroke-width=\"1.6\"", color(s)));
  }

  void axes(std::string& svg) const {
    const bool rows = plot_.kind == Plot::Kind::rows;
    const double step = step_of(plot_.from, plot_.to);
    const double first = std::ceil(plot_.from / step - 1e-9);
    for (int64_t i = 0; (first + double(i)) * step <= plot_.to + 1e-9; ++i) {
      const double v = (first + double(i)) * step, a = along(v);
      if (rows) {
        line(svg, a, begin_, a, end_, "class=\"grid\"");
        text(svg, a, end_ + 16, tick_text(v, step), "middle");
        if (tall()) text(svg, a, begin_ - 6, tick_text(v, step), "middle");
      } else {
        line(svg, left_, a, right_, a, "class=\"grid\"");
        text(svg, left_ - 8, a + 4, tick_text(v, step), "end");
      }
    }
    if (plot_.mark) {
      const double a = along(*plot_.mark);
      rows ? line(svg, a, begin_, a, end_, "class=\"mark\"")
           : line(svg, left_, a, right_, a, "class=\"mark\"");
    }
    place_names(svg);
    if (rows) {
      text(svg, (left_ + right_) / 2, end_ + 36, plot_.values, "middle");
      return;
    }
    text(svg, (left_ + right_) / 2, end_ + 36, plot_.places_title, "middle");
    svg += fmt::format(
        "<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        (begin_ + end_) / 2, escaped(plot_.values));
  }

  void place_names(std::string& svg) const {
    if (const double to = plot_.positions_to; to > 0) {
      const double step = step_of(0, to);
      for (int64_t i = 0; double(i) * step <= to * (1 + 1e-9); ++i)
        text(svg, position(double(i) * step / to), end_ + 16, tick_text(double(i) * step, step),
             "middle");
      return;
    }
    const size_t n = plot_.places.size();
    // Under a line plot only as many names as there is room for.
    double widest = 1;
    for (const std::string& p : plot_.places)
      widest = std::max(widest, kLetter * double(count_characters(p)) + 10);
    const auto room = size_t(std::max(1.0, (right_ - left_) / widest));
    const size_t every = plot_.positions.empty() ? std::max<size_t>(1, (n + room - 1) / room) : 1;
    double free = 0;  // of names that stand unevenly, each has to wait for the one before it
    for (size_t i = 0; i < n; ++i) {
      if (plot_.kind == Plot::Kind::rows) {
        const double y = begin_ + row_height_ * (double(i) + 0.5);
        if (i > 0) line(svg, 12, y - row_height_ / 2, right_, y - row_height_ / 2, "class=\"row\"");
        const std::vector<std::string> lines = wrapped(plot_.places[i], left_ - 16);
        for (size_t l = 0; l < lines.size(); ++l)
          text(svg, left_ - 10, y + 4 + 14 * (double(l) - (double(lines.size()) - 1) / 2), lines[l],
               "end");
      } else if (i % every == 0) {
        const double half = kLetter * double(count_characters(plot_.places[i])) / 2 + 5;
        if (!plot_.positions.empty() && place_middle(i) - half < free) continue;
        free = place_middle(i) + half;
        text(svg, place_middle(i), end_ + 16, plot_.places[i], "middle");
      }
    }
  }

  void series(std::string& svg, size_t s) const {
    if (looks_[s].letter) return published(svg, s);
    const PlotSeries& own = plot_.series[s];
    std::string path;
    for (const PlotPoint& p : own.points) {
      auto [x, y] = at(p.place, s, within(p.value));
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
    }
    // A line between two values would say that there is something between them.
    if (plot_.kind == Plot::Kind::lines && own.points.size() > 1 &&
        (plot_.places.size() > 2 || !plot_.positions.empty()))
      svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"{}/>\n",
                         path, color(s), kDashes[looks_[s].nth % std::size(kDashes)]);
    for (const PlotPoint& p : own.points) {
      if (p.high > p.low) {
        auto [x1, y1] = at(p.place, s, within(p.low));
        auto [x2, y2] = at(p.place, s, within(p.high));
        line(svg, x1, y1, x2, y2, fmt::format("stroke=\"{}\" stroke-width=\"1.6\"", color(s)));
      }
      auto [x, y] = at(p.place, s, within(p.value));
      // Points so close that they hide their line have none.
      if (plot_.kind == Plot::Kind::rows || own.points.size() <= 60) mark(svg, x, y, s);
    }
  }

  // Letters of a row stand in the order of their values, and none on another.
  double letter_at(size_t place, size_t series) const {
    std::vector<std::pair<double, size_t>> all;
    for (size_t s = 0; s < plot_.series.size(); ++s)
      if (looks_[s].letter)
        for (const PlotPoint& p : plot_.series[s].points)
          if (p.place == place) all.emplace_back(along(within(p.value)), s);
    std::sort(all.begin(), all.end());
    double free = 0, own = 0;
    for (auto& [x, s] : all) {
      x = std::max(x, free);
      free = x + 9;
      if (s == series) own = x;
    }
    return own - std::max(0.0, all.back().first - (kWidth - 6));
  }

  // A tick through the row, its letter above it.
  void published(std::string& svg, size_t s) const {
    const std::string letter(1, looks_[s].letter);
    for (const PlotPoint& p : plot_.series[s].points) {
      auto [x, y] = at(p.place, s, within(p.value));
      if (plot_.kind == Plot::Kind::rows) {
        const double top = begin_ + row_height_ * double(p.place);
        line(svg, x, top + 11, x, top + row_height_ - 2, "class=\"tick\"");
        text(svg, letter_at(p.place, s), top + 10, letter, "middle", "letter");
      } else {
        line(svg, x - 7, y, x + 7, y, "class=\"tick\"");
        text(svg, x + 9, y + 4, letter, "start", "letter");
      }
    }
  }

  double within(double value) const { return std::clamp(value, plot_.from, plot_.to); }

  const Plot& plot_;
  std::vector<Look> looks_;
  double slots_ = 0;  // series that stand beside each other
  bool lettered_ = false;
  double top_, left_ = 0, right_ = 0, begin_ = 0, end_ = 0, row_height_ = 0;
};

}  // namespace

std::string svg_of(const std::vector<Plot>& plots) {
  std::string inside;
  double height = 0;
  std::vector<std::string> models;
  for (const Plot& plot : plots) height = Drawing(plot, height, models).draw(inside);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
             "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', "
             "sans-serif\" font-size=\"12\" fill=\"{2}\">\n"
             "<style>.title{{font-size:14px;font-weight:600}}.grid{{stroke:#ddd}}"
             ".row{{stroke:#f0f0f0}}.mark{{stroke:#666;stroke-dasharray:4 3}}"
             ".tick{{stroke:{2};stroke-width:1.5}}.letter{{font-size:10px}}</style>\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
             kWidth, height, kInk) +
         inside + "</svg>\n";
}

}  // namespace minpair::report
