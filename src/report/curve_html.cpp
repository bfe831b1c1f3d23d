// A learning curve as a page of its own: no script, so that it can be sent around and printed.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "report/curve.h"

namespace minpair::report {
namespace {

constexpr double kWidth = 860, kHeight = 420, kLeft = 60, kBottom = 40, kTop = 16, kRight = 130;

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Learning curve</title>
<style>
:root{color-scheme:light dark;--ink:#222;--faint:#8886;--back:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#ddd;--back:#181818}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);max-width:900px;margin:2em auto;padding:0 1em}
svg{width:100%;height:auto}text{fill:var(--ink);font-size:12px}line{stroke:var(--faint)}
.train{fill:none;stroke-width:1.5;opacity:.55}.valid{fill:none;stroke-width:2.5}
table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid var(--faint)}
td:first-child,th:first-child{text-align:left}
</style></head><body>
)";

struct Named {
  std::string name;
  std::vector<CurvePoint> points;
};

// From tokens and losses to places in the picture.
struct Axes {
  double tokens = 1, low = 1e300, high = -1e300;

  explicit Axes(const std::vector<Named>& curves) {
    for (const Named& curve : curves)
      for (const CurvePoint& p : curve.points) {
        tokens = std::max(tokens, p.tokens);
        for (const auto& loss : {p.train_loss, p.valid_loss})
          if (loss && std::isfinite(*loss)) {
            low = std::min(low, *loss);
            high = std::max(high, *loss);
          }
      }
    if (low > high) low = 0, high = 1;
    low = std::floor(low);
    high = std::max(std::ceil(high), low + 1);
  }
  double x(double t) const { return kLeft + (kWidth - kLeft - kRight) * t / tokens; }
  double y(double loss) const {
    return kTop + (kHeight - kTop - kBottom) * (high - std::clamp(loss, low, high)) / (high - low);
  }
};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

std::string color(size_t i) { return fmt::format("hsl({} 65% 50%)", (210 + i * 67) % 360); }

std::string short_count(double n) {
  if (n >= 1e6) return fmt::format("{:.3g} M", n / 1e6);
  return n >= 1e3 ? fmt::format("{:.3g} k", n / 1e3) : fmt::format("{:.0f}", n);
}

std::string grid(const Axes& axes) {
  std::string svg;
  const double step = std::max(1.0, std::ceil((axes.high - axes.low) / 8));
  for (int i = 0; i <= 8 && axes.low + i * step <= axes.high; ++i) {
    const double loss = axes.low + i * step;
    svg += fmt::format(
        R"(<line x1="{0}" x2="{1}" y1="{2:.1f}" y2="{2:.1f}"/><text x="{3}" y="{4:.1f}" text-anchor="end">{5}</text>)",
        kLeft, kWidth - kRight, axes.y(loss), kLeft - 8, axes.y(loss) + 4, loss);
  }
  for (int i = 0; i <= 4; ++i)
    svg += fmt::format(R"(<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>)",
                       axes.x(axes.tokens * i / 4), kHeight - kBottom + 20,
                       short_count(axes.tokens * i / 4));
  svg += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">tokens seen</text>)",
                     (kLeft + kWidth - kRight) / 2, kHeight - 4);
  return svg + fmt::format(R"(<text x="4" y="{}">loss</text>)", kTop);
}

template <class Loss>
std::string line(const Named& curve, const Axes& axes, const char* kind, const std::string& stroke,
                 Loss loss) {
  std::string places;
  for (const CurvePoint& p : curve.points)
    if (const std::optional<double> l = loss(p); l && std::isfinite(*l))
      places += fmt::format("{:.1f},{:.1f} ", axes.x(p.tokens), axes.y(*l));
  return fmt::format(R"(<polyline class="{}" stroke="{}" points="{}"/>)", kind, stroke, places);
}

std::string picture(const std::vector<Named>& curves) {
  const Axes axes(curves);
  std::string svg = fmt::format(R"(<svg viewBox="0 0 {} {}" role="img">)", kWidth, kHeight);
  svg += grid(axes);
  for (size_t i = 0; i < curves.size(); ++i) {
    svg += line(curves[i], axes, "train", color(i), [](const auto& p) { return p.train_loss; });
    svg += line(curves[i], axes, "valid", color(i), [](const auto& p) { return p.valid_loss; });
    svg += fmt::format(R"(<text x="{}" y="{}" style="fill:{}">{}</text>)", kWidth - kRight + 10,
                       kTop + 14 + 18 * double(i), color(i), escaped(curves[i].name));
  }
  return svg + "</svg>\n";
}

std::string table(const std::vector<Named>& curves) {
  std::string html =
      "<table><tr><th>model</th><th>steps</th><th>tokens</th><th>lowest validation loss</th>"
      "<th>perplexity</th></tr>\n";
  for (const Named& curve : curves) {
    std::optional<double> best;
    for (const CurvePoint& p : curve.points)
      if (p.valid_loss) best = std::min(best.value_or(*p.valid_loss), *p.valid_loss);
    const CurvePoint last = curve.points.empty() ? CurvePoint{} : curve.points.back();
    html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                        escaped(curve.name), last.step, short_count(last.tokens),
                        best ? fmt::format("{:.3f}", *best) : "–",
                        best ? fmt::format("{:.4g}", std::exp(*best)) : "–");
  }
  return html + "</table>\n";
}

}  // namespace

std::string curve_html(const std::filesystem::path& folder) {
  std::vector<Named> curves;
  for (const auto& f : curve_folders(folder))
    curves.push_back({f.filename().string(), read_curve(f / "curve.jsonl")});
  std::string html(kHead);
  html += "<h1>Learning curve</h1>\n" + picture(curves);
  html +=
      "<p>Nats a token. Thin: training, where sampled outputs make it lower than it is; thick: "
      "validation.</p>\n";
  return html + table(curves) + "</body></html>\n";
}

}  // namespace minpair::report
