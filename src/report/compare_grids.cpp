#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/counts.h"
#include "report/rows.h"
#include "report/views.h"

namespace minpair::report {
namespace {

using Kind = GridColumn::Kind;

std::vector<GridValue> row_of(const ComparedTest& t, bool corrected) {
  GridValue nothing;
  return {t.test.empty() ? "All" : t.test,
          double(t.items),
          double(t.clusters),
          t.first,
          t.second,
          t.difference.value,
          t.difference.interval.low,
          t.difference.interval.high,
          std::string(name_of(t.difference.method)),
          t.difference.p,
          corrected ? GridValue(t.holm) : nothing,
          corrected ? GridValue(t.benjamini_hochberg) : nothing,
          stats::smallest_p(t.clusters),
          t.mcnemar,
          double(t.pairs.only_first),
          double(t.pairs.only_second),
          t.detectable};
}

std::string left_out_text(const Comparison& c) {
  std::string text;
  for (const auto& [reason, n] : c.left_out)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count_text(n), text_of(reason));
  return text;
}

Grid table_of(const Comparison& c) {
  Grid g;
  g.key = "comparison";
  g.title = fmt::format("{} (A) against {} (B): {}", c.first, c.second, c.title);
  g.columns = {{"test", "test", Kind::text},
               {"items", "items", Kind::count},
               {"clusters", "clusters", Kind::count},
               {"first", "A", Kind::share},
               {"second", "B", Kind::share},
               {"difference", "A−B", Kind::difference},
               {"ci_low", "from", Kind::difference},
               {"ci_high", "to", Kind::difference},
               {"ci_method", "interval", Kind::text, false, false},
               {"p", "p", Kind::p},
               {"holm_p", "Holm", Kind::p},
               {"benjamini_hochberg_p", "BH", Kind::p, false},
               {"smallest_p", "least p", Kind::p, false},
               {"mcnemar_p", "McNemar", Kind::p, false},
               {"only_first", "only A", Kind::count, false},
               {"only_second", "only B", Kind::count, false},
               {"detectable", "MDD", Kind::share, false}};
  for (const ComparedTest& t : c.tests) g.rows.push_back(row_of(t, true));
  g.total = c.tests.size() > 1;
  if (g.total) g.rows.push_back(row_of(c.total, false));
  constexpr const char* kCorrections =
      "Holm, BH: p corrected for looking at all tests; McNemar: exact, items taken as independent";
  g.notes = {c.intervals + "; p: signs of whole clusters flipped, least p: with so many clusters",
             kCorrections, "MDD: smallest difference for which p is below 0.05 four times in five",
             c.clusters, join(c.policies, "; ")};
  const auto undetectable = [](const ComparedTest& t) { return std::isnan(t.detectable); };
  if (undetectable(c.total) || std::any_of(c.tests.begin(), c.tests.end(), undetectable))
    g.notes.insert(
        g.notes.begin() + 3,
        fmt::format("MDD –: the two differ in fewer than {} clusters, which do not tell how "
                    "much clusters vary (fewer than 6: no p below 0.05)",
                    stats::kFewestDiffering));
  bool few = c.total.clusters < stats::kFewestClusters;
  for (const ComparedTest& t : c.tests) few |= t.clusters < stats::kFewestClusters;
  if (few) g.notes.insert(g.notes.begin() + 1, kTooFewClusters);
  if (!c.left_out.empty()) g.notes.push_back("left out: " + left_out_text(c));
  if (!c.mixed.empty()) g.notes.push_back(c.mixed);
  g.titles = c.titles;
  return g;
}

std::string sentences_text(const std::vector<suite::Sentence>& sentences) {
  std::string text;
  for (const suite::Sentence& s : sentences)
    text += (text.empty() ? "" : " / ") + std::string(s.grammatical ? "" : "*") + s.text;
  return text;
}

Grid flips_grid(const Comparison& c, size_t flips) {
  Grid g;
  g.key = "flips";
  g.title = fmt::format("Right for one, wrong for the other: {}, the {} widest apart",
                        counted(c.flips.size(), "item"), std::min(flips, c.flips.size()));
  g.columns = {{"id", "id", Kind::text},
               {"test", "test", Kind::text},
               {"condition", "condition", Kind::text},
               {"right", "right", Kind::text},
               {"first_margin", "margin A", Kind::difference},
               {"second_margin", "margin B", Kind::difference},
               {"sentences", "sentences", Kind::text}};
  for (size_t i = 0; i < c.flips.size() && i < flips; ++i) {
    const Flip& f = c.flips[i];
    std::string sentences = sentences_text(f.item.sentences);
    if (!f.second.empty()) sentences += "; B: " + sentences_text(f.second);
    g.rows.push_back({f.item.id, f.item.test, f.item.condition, f.first_right ? "A" : "B",
                      f.first_margin, f.second_margin, sentences});
  }
  return g;
}

// "+0.0123*": the star is Holm's, over all pairs of the matrix.
std::string cell_of(const Comparison& c, double corrected, bool turned) {
  double difference = turned ? -c.total.difference.value : c.total.difference.value;
  return value_text(difference, Kind::difference) + (corrected < 0.05 ? "*" : "");
}

Grid matrix_of(const std::vector<const Comparison*>& pairs) {
  std::vector<std::string> sides;
  std::vector<double> p;
  for (const Comparison* c : pairs) {
    p.push_back(c->total.difference.p);
    for (const std::string& side : {c->first, c->second})
      if (std::find(sides.begin(), sides.end(), side) == sides.end()) sides.push_back(side);
  }
  std::vector<double> holm = stats::holm(p);
  Grid g{"matrix",
         "Accuracy of the row minus that of the column: " + pairs.front()->title,
         {{"run", "run", Kind::text}, {"accuracy", "accuracy", Kind::share}},
         {},
         false,
         {"*: below 0.05 after Holm's correction over all pairs (clusters' signs flipped)",
          pairs.front()->clusters, join(pairs.front()->policies, "; ")}};
  for (const std::string& side : sides) g.columns.push_back({side, side, Kind::text});
  for (const std::string& row : sides) {
    std::vector<GridValue> cells = {row, 0.0};
    for (const std::string& column : sides) {
      std::string text;
      for (size_t i = 0; i < pairs.size(); ++i) {
        const Comparison& c = *pairs[i];
        if (c.first == row) cells[1] = c.total.first;
        if (c.second == row) cells[1] = c.total.second;
        if (c.first == row && c.second == column) text = cell_of(c, holm[i], false);
        if (c.first == column && c.second == row) text = cell_of(c, holm[i], true);
      }
      cells.emplace_back(text);
    }
    g.rows.push_back(std::move(cells));
  }
  if (!pairs.front()->mixed.empty()) g.notes.push_back(pairs.front()->mixed);
  return g;
}

}  // namespace

std::vector<Grid> matrices_of(const std::vector<Comparison>& comparisons) {
  std::map<std::string, std::vector<const Comparison*>> by_suite;
  for (const Comparison& c : comparisons) by_suite[c.title].push_back(&c);
  std::vector<Grid> grids;
  for (const auto& [suite, pairs] : by_suite) grids.push_back(matrix_of(pairs));
  return grids;
}

std::vector<Grid> grids_of(const Comparison& comparison, size_t flips) {
  std::vector<Grid> grids = {table_of(comparison)};
  if (flips > 0) grids.push_back(flips_grid(comparison, flips));
  return grids;
}

}  // namespace minpair::report
