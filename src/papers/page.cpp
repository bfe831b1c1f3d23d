// docs/fidelity.md, and its first table.

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "papers/papers.h"

namespace minpair::papers {
namespace {

using Kind = report::GridColumn::Kind;

constexpr std::string_view kHead = R"md(# Fidelity to the papers

Every number that a paper printed, beside the one that its authors' released files give, and the reasons where the two disagree.
`minpair reproduce all --format page` writes this page ([papers.md](papers.md)); a test compares the two.

- 0.94 ✓: the released files give the same number, to the last printed digit.
- 0.94 ≠ 0.93: they give another one; the reason is stated below the table.
- 0.94 ·: it cannot be computed from the files; what it needs is stated below the table.

Where a paper shows a figure instead of a number, or prints none, the number was computed from the same files by another program.

)md";

// The paper's table, and below it why numbers are not the same. `number` is the first of its
// numbers, and afterwards that of the next table.
report::Grid table_grid(const PaperTable& table, const Checked*& number) {
  report::Grid g{"table", table.title, {{"row", "", Kind::text}}, {}, false, {}};
  for (const Column& column : table.columns)
    g.columns.push_back({column.title, column.title, Kind::share});
  bool needs = false;
  for (const Row& row : table.rows) {
    std::vector<report::GridValue>& cells = g.rows.emplace_back();
    cells.emplace_back(row.title);
    for (const Printed& printed : row.values) {
      cells.emplace_back();
      if (printed.text.empty()) continue;
      const Checked& c = *number++;
      const std::string other = fmt::format(" ≠ {:.6g}", c.ours);
      cells.back() = printed.text + (c.verdict == Verdict::same    ? " ✓"
                                     : c.verdict == Verdict::needs ? " ·"
                                                                   : other);
      needs |= c.verdict == Verdict::needs;
      if (c.verdict == Verdict::known || c.verdict == Verdict::differs)
        g.notes.push_back(
            fmt::format("- {}{}{}: {}", row.title, c.column.empty() ? "" : ", ", c.column, c.why));
    }
  }
  if (needs) g.notes.push_back("· needs " + table.needs);
  return g;
}

}  // namespace

report::Grid summary_grid(const std::vector<CheckedPaper>& papers, bool linked) {
  report::Grid g{"papers",
                 "Printed numbers and released files",
                 {{"paper", "paper", Kind::text},
                  {"numbers", "numbers", Kind::count},
                  {"same", "same", Kind::count},
                  {"known", "known to differ", Kind::count},
                  {"differs", "differ", Kind::count},
                  {"needs", "need more than files", Kind::count}},
                 {},
                 true,
                 {}};
  std::map<Verdict, double> all;
  const auto add = [&](const std::string& name, std::map<Verdict, double> n) {
    g.rows.push_back(
        {name, n[Verdict::same] + n[Verdict::known] + n[Verdict::differs] + n[Verdict::needs],
         n[Verdict::same], n[Verdict::known], n[Verdict::differs], n[Verdict::needs]});
  };
  for (const CheckedPaper& p : papers) {
    std::map<Verdict, double> own;
    for (const Checked& c : p.numbers) ++own[c.verdict], ++all[c.verdict];
    add(linked ? fmt::format("[{0}](#{0})", p.paper.name) : p.paper.name, own);
  }
  add("all", all);
  return g;
}

std::string fidelity_page(const std::vector<CheckedPaper>& papers) {
  std::string text =
      std::string(kHead) + report::render_grids({summary_grid(papers, true)}, "markdown");
  for (const CheckedPaper& p : papers) {
    text += fmt::format("\n## {}\n\n{} Files: {} ({}).\n\n", p.paper.name, p.paper.citation,
                        p.paper.source,
                        p.paper.licence.empty() ? "licence not stated" : p.paper.licence);
    for (const std::string& note : p.paper.notes) text += note + "\n\n";
    std::vector<report::Grid> grids;
    const Checked* number = p.numbers.data();
    for (const PaperTable& table : p.paper.tables) grids.push_back(table_grid(table, number));
    text += report::render_grids(grids, "markdown");
  }
  return text;
}

}  // namespace minpair::papers
