// Tables for papers: booktabs, bold for the best, underlined for the five lowest.

#include <fmt/format.h>

#include "report/grid.h"
#include "report/layout.h"

namespace minpair::report {
namespace {

std::string marked(const LayoutColumn& column, const Row& row, size_t r) {
  std::string text = latex_text(column.texts[r]);
  if (column.counts || text.empty()) return text;
  const Cell& cell = row.cells[column.cell];
  if (cell.low) text = "\\underline{" + text + "}";
  if (cell.best) text = "\\textbf{" + text + "}";
  return text;
}

std::string heads(const Table& table, const Layout& layout) {
  size_t lines = 0;
  for (const LayoutColumn& c : layout.columns) lines = std::max(lines, c.head.size());
  std::string out;
  for (size_t l = 0; l < lines; ++l) {
    for (size_t i = 1; i < table.by.size(); ++i) out += " & ";
    for (const LayoutColumn& c : layout.columns) {
      size_t missing = lines - c.head.size();
      std::string text = l < missing ? ""
                         : c.counts  ? "\\# pairs"
                                     : latex_text(c.head[l - missing]);
      out += " & " + text;
    }
    out += " \\\\\n";
  }
  return out;
}

std::string caption(const Table& table) {
  std::string text = latex_text(table.title) + ": accuracy.";
  if (has_best(table)) text += " Bold: best of its row.";
  if (has_low(table)) text += " Underlined: the five lowest of each column.";
  for (const std::string& p : table.policies) text += " " + latex_text(capitalize_first(p)) + ".";
  return text;
}

std::string table_text(const Table& table) {
  Layout layout = lay_out(table);
  size_t labels = std::max<size_t>(table.by.size(), 1);
  std::string out = "\\begin{table}\n\\centering\n\\begin{tabular}{" + std::string(labels, 'l') +
                    std::string(layout.columns.size(), 'r') + "}\n\\toprule\n";
  out += heads(table, layout) + "\\midrule\n";
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const Row& row = table.rows[r];
    if (!row.section.empty() && (r == 0 || table.rows[r - 1].section != row.section))
      out += fmt::format("{}\\multicolumn{{{}}}{{l}}{{\\textsc{{{}}}}} \\\\\n",
                         r == 0 ? "" : "\\addlinespace\n", labels + layout.columns.size(),
                         latex_text(lower(row.section)));
    std::string line;
    bool first = true;
    for (const std::string& label : row_labels(table, r))
      line += (first ? "" : " & ") + latex_text(label), first = false;
    for (const LayoutColumn& c : layout.columns) line += " & " + marked(c, row, r);
    out += line + " \\\\\n";
  }
  if (layout.with_total) {
    out += "\\midrule\nAll";
    for (size_t i = 1; i < labels; ++i) out += " & ";
    for (const LayoutColumn& c : layout.columns)
      out += " & " + marked(c, table.total, table.rows.size());
    out += " \\\\\n";
  }
  out += "\\bottomrule\n\\end{tabular}\n\\caption{" + caption(table) + "}\n\\end{table}\n";
  for (const auto* lines : {&table.account, &table.notes, &table.made})
    for (const std::string& line : *lines) out += "% " + line + "\n";
  return out;
}

}  // namespace

std::string latex_text(std::string_view text) {
  std::string out;
  if (text.size() > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9') {
    out = "$-$";
    text.remove_prefix(1);
  }
  for (size_t at = 0; at < text.size();) {
    size_t from = at;
    char32_t c = next_character(text, at);
    switch (c) {
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        out += '\\';
        out += char(c);
        break;
      case '~':
        out += "\\textasciitilde{}";
        break;
      case '^':
        out += "\\textasciicircum{}";
        break;
      case '\\':
        out += "\\textbackslash{}";
        break;
      case '<':
      case '>':
        out += fmt::format("${}$", char(c));
        break;
      case 0x2013:
        out += "--";
        break;
      case 0x2212:
        out += "$-$";
        break;
      case 0xb1:
        out += "$\\pm$";
        break;
      default:
        out += text.substr(from, at - from);
    }
  }
  return out;
}

std::string latex_tables(const std::vector<Table>& tables) {
  std::string out = "% needs \\usepackage{booktabs}\n";
  for (const Table& t : tables) out += table_text(t);
  return out;
}

}  // namespace minpair::report
