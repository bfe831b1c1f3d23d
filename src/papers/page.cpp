// docs/fidelity.md.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/counts.h"
#include "papers/papers.h"

namespace minpair::papers {
namespace {

constexpr std::string_view kHead = R"md(# Fidelity to the papers

Every number that a paper printed, beside the one that its authors' released files give, and the reasons where the two disagree.
`minpair reproduce all --format page` writes this page ([papers.md](papers.md)); a test compares the two.

- 0.94 ✓: the released files give the same number, to the last printed digit.
- 0.94 ≠ 0.93: they give another one; the reason is stated below the table.
- 0.94 ·: it cannot be computed from the files; what it needs is stated below the table.

Where a paper shows a figure instead of a number, or prints none, the number was computed from the same files by another program.

)md";

using Counts = std::map<Verdict, size_t>;

Counts counted(const std::vector<Checked>& numbers) {
  Counts counts;
  for (const Checked& c : numbers) ++counts[c.verdict];
  return counts;
}

std::string summary(const std::vector<CheckedPaper>& papers) {
  std::string text =
      "| paper | numbers | the same | known to differ | need more than files "
      "|\n|---|--:|--:|--:|--:|\n";
  Counts all;
  size_t total = 0;
  auto line = [&](const std::string& name, size_t numbers, Counts& c) {
    auto n = [&](Verdict v) { return c[v] ? count_text(c[v]) : std::string(); };
    text += fmt::format("| {} | {} | {} | {} | {} |\n", name, count_text(numbers), n(Verdict::same),
                        n(Verdict::known), n(Verdict::needs));
  };
  for (const CheckedPaper& p : papers) {
    Counts c = counted(p.numbers);
    for (const auto& [verdict, n] : c) all[verdict] += n;
    total += p.numbers.size();
    line(fmt::format("[{0}](#{0})", p.paper.name), p.numbers.size(), c);
  }
  line("**all**", total, all);
  return text;
}

std::string escaped(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, "\\");
  return text;
}

std::string cell(const Checked& c) {
  switch (c.verdict) {
    case Verdict::same:
      return c.printed + " ✓";
    case Verdict::needs:
      return c.printed + " ·";
    default:
      return fmt::format("{} ≠ {:.6g}", c.printed, c.ours);
  }
}

// The paper's table, and below it why numbers are not the same.
std::string table_text(const PaperTable& table, const std::vector<Checked>& numbers) {
  std::map<std::pair<std::string, std::string>, const Checked*> at;
  for (const Checked& c : numbers)
    if (c.table == table.title) at[{c.row, c.column}] = &c;
  std::string text = fmt::format("**{}**\n\n| |", table.title), rule = "|---|", reasons;
  for (const Column& column : table.columns) {
    text += fmt::format(" {} |", escaped(column.title));
    rule += "--:|";
  }
  text += "\n" + rule + "\n";
  bool needs = false;
  for (const Row& row : table.rows) {
    text += fmt::format("| {} |", escaped(row.title));
    for (const Column& column : table.columns) {
      auto found = at.find({row.title, column.title});
      text += found == at.end() ? " |" : fmt::format(" {} |", cell(*found->second));
      if (found == at.end()) continue;
      const Checked& c = *found->second;
      needs |= c.verdict == Verdict::needs;
      if (c.verdict == Verdict::known || c.verdict == Verdict::differs)
        reasons += fmt::format("- {}{}{}: {}\n", row.title, column.title.empty() ? "" : ", ",
                               column.title, c.why);
    }
    text += "\n";
  }
  if (needs) text += fmt::format("\n· needs {}\n", table.needs);
  if (!reasons.empty()) text += "\n" + reasons;
  return text + "\n";
}

}  // namespace

std::string fidelity_page(const std::vector<CheckedPaper>& papers) {
  std::string text = std::string(kHead) + summary(papers);
  for (const CheckedPaper& p : papers) {
    text += fmt::format("\n## {}\n\n{} Files: {} ({}).\n\n", p.paper.name, p.paper.citation,
                        p.paper.source,
                        p.paper.licence.empty() ? "licence not stated" : p.paper.licence);
    for (const std::string& note : p.paper.notes) text += note + "\n\n";
    for (const PaperTable& table : p.paper.tables) text += table_text(table, p.numbers);
    text.pop_back();
  }
  return text;
}

}  // namespace minpair::papers
