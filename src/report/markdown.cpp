#include <fmt/format.h>

#include "base/outgoing.h"
#include "report/layout.h"

namespace minpair::report {
namespace {

std::string escaped(std::string_view text) { return outgoing(text, Medium::markdown); }

std::string line_of(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& c : cells) line += " " + c + " |";
  return line + "\n";
}

std::string marked(const LayoutColumn& column, const Row& row, size_t r) {
  std::string text = column.texts[r];
  if (column.counts || text.empty()) return text;
  const Cell& cell = row.cells[column.cell];
  if (cell.low) text = "<u>" + text + "</u>";
  if (cell.best) text = "**" + text + "**";
  return text;
}

std::string table_text(const Table& table) {
  Layout layout = lay_out(table);
  std::string out = "### " + escaped(table.title) + "\n\n";
  std::vector<std::string> head, rule;
  for (const std::string& name : table.by) {
    head.push_back(escaped(name));
    rule.push_back("---");
  }
  for (const LayoutColumn& c : layout.columns) {
    std::string text;
    for (const std::string& h : c.head)
      if (!h.empty()) text += (text.empty() ? "" : "<br>") + escaped(h);
    head.push_back(text);
    rule.push_back("---:");
  }
  out += line_of(head) + line_of(rule);
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const Row& row = table.rows[r];
    std::vector<std::string> cells;
    if (!row.section.empty() && (r == 0 || table.rows[r - 1].section != row.section)) {
      cells.assign(head.size(), "");
      cells[0] = "*" + escaped(row.section) + "*";
      out += line_of(cells);
      cells.clear();
    }
    for (const std::string& label : row_labels(table, r)) cells.push_back(escaped(label));
    for (const LayoutColumn& c : layout.columns) cells.push_back(marked(c, row, r));
    out += line_of(cells);
  }
  if (layout.with_total) {
    std::vector<std::string> cells = table.total.titles;
    cells.resize(std::max<size_t>(table.by.size(), 1));
    for (const LayoutColumn& c : layout.columns)
      cells.push_back(marked(c, table.total, table.rows.size()));
    out += line_of(cells);
  }
  out += "\n";
  if (has_best(table))
    out += "- bold: best of its row, and what is not below it beyond chance (p < 0.05)\n";
  if (has_low(table)) out += "- underlined: among the five lowest of its column\n";
  for (const auto* lines : {&table.policies, &table.account, &table.notes, &table.made})
    for (const std::string& line : *lines) out += "- " + escaped(line) + "\n";
  return out;
}

}  // namespace

std::string markdown_tables(const std::vector<Table>& tables) {
  std::string out;
  for (const Table& t : tables) out += (out.empty() ? "" : "\n") + table_text(t);
  return out;
}

}  // namespace minpair::report
