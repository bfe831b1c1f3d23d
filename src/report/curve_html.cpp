// A learning curve as a page of its own: no script, so that it can be sent around and printed.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "base/outgoing.h"
#include "report/views.h"

namespace minpair::report {
namespace {

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Learning curve</title>
<style>
:root{color-scheme:light dark;--ink:#222;--faint:#8886;--back:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#ddd;--back:#181818}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);max-width:900px;margin:2em auto;padding:0 1em}
svg{width:100%;height:auto}
table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid var(--faint)}
td:first-child,th:first-child{text-align:left}
</style></head><body>
)";

struct Named {
  std::string name;
  std::vector<CurvePoint> points;
};

std::string escaped(std::string_view text) { return outgoing(text, Medium::html); }

std::string short_count(double n) {
  if (n >= 1e6) return fmt::format("{:.3g} M", n / 1e6);
  return n >= 1e3 ? fmt::format("{:.3g} k", n / 1e3) : fmt::format("{:.0f}", n);
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
  return std::string(kHead) + "<h1>Learning curve</h1>\n" + curve_figure(folder) +
         "<p>Nats a token. Training losses are lower than they are where outputs are "
         "sampled.</p>\n" +
         table(curves) + "</body></html>\n";
}

}  // namespace minpair::report
