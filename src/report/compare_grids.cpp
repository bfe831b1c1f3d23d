#include <fmt/format.h>

#include "base/progress.h"
#include "report/compare.h"

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
          t.difference.observed,
          t.difference.bca.low,
          t.difference.bca.high,
          double(t.pairs.only_first),
          double(t.pairs.only_second),
          t.mcnemar,
          t.permutation,
          corrected ? GridValue(t.holm) : nothing,
          corrected ? GridValue(t.benjamini_hochberg) : nothing,
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
  g.columns = {{"test", "test", Kind::text},          {"items", "items", Kind::count},
               {"clusters", "clusters", Kind::count}, {"first", "A", Kind::share},
               {"second", "B", Kind::share},          {"difference", "A−B", Kind::difference},
               {"ci_low", "from", Kind::difference},  {"ci_high", "to", Kind::difference},
               {"only_first", "only A", Kind::count}, {"only_second", "only B", Kind::count},
               {"mcnemar_p", "McNemar", Kind::p},     {"permutation_p", "perm.", Kind::p},
               {"holm_p", "Holm", Kind::p},           {"benjamini_hochberg_p", "BH", Kind::p},
               {"detectable", "MDD", Kind::share}};
  for (const ComparedTest& t : c.tests) g.rows.push_back(row_of(t, true));
  g.total = c.tests.size() > 1;
  if (g.total) g.rows.push_back(row_of(c.total, false));
  g.notes = {
      fmt::format("from, to: 95% interval of the difference, clusters resampled {} times (BCa)",
                  count_text(c.total.difference.replicates)),
      "McNemar: exact, items taken as independent; perm.: signs of whole clusters flipped",
      "Holm, BH: perm. corrected for looking at all tests; MDD: smallest difference found with "
      "power 0.8",
      c.clusters, join(c.policies, "; ")};
  if (!c.left_out.empty()) g.notes.push_back("left out: " + left_out_text(c));
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
  g.title = fmt::format("Right for one, wrong for the other: {} items, the {} widest apart",
                        count_text(c.flips.size()), std::min(flips, c.flips.size()));
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

}  // namespace

std::vector<Grid> grids_of(const Comparison& comparison, size_t flips) {
  std::vector<Grid> grids = {table_of(comparison)};
  if (flips > 0) grids.push_back(flips_grid(comparison, flips));
  return grids;
}

}  // namespace minpair::report
