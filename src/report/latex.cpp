// Tables for papers: booktabs, bold for the best, underlined for the five lowest. Wide tables
// shrink to the page (adjustbox); long ones go over several (longtable), cut into parts where they
// are wide.

#include <fmt/format.h>

#include <algorithm>

#include "report/grid.h"
#include "report/layout.h"

namespace minpair::report {
namespace {

constexpr size_t kLongTable = 45;  // rows that a page holds
constexpr size_t kWideLine = 58;   // characters of small print between an article's margins

std::string number_text(double share, const LatexStyle& style) {
  return fmt::format("{:.{}f}", style.percent ? 100 * share : share, style.digits);
}

std::string cell_in(const Cell& cell, const LatexStyle& style) {
  std::string text = latex_text(cell_text(cell));
  if (!cell.present || (cell.tally.pairs == 0 && cell.source.empty())) return text;
  text = number_text(cell.accuracy, style);
  if (cell.deviation > 0) text += " $\\pm$" + number_text(cell.deviation, style);
  if (cell.low) text = "\\underline{" + text + "}";
  if (cell.best) text = "\\textbf{" + text + "}";
  if (style.intervals && cell.tally.pairs > 0 && cell.source.empty())
    text += fmt::format(" {{\\scriptsize[{}, {}]}}", number_text(cell.interval.low, style),
                        number_text(cell.interval.high, style));
  return text;
}

std::string marked(const LayoutColumn& column, const Row& row, size_t r, const LatexStyle& style) {
  return column.counts ? latex_text(column.texts[r]) : cell_in(row.cells[column.cell], style);
}

using Columns = std::vector<const LayoutColumn*>;

std::string heads(const Table& table, const Columns& columns) {
  size_t lines = 0;
  for (const LayoutColumn* c : columns) lines = std::max(lines, c->head.size());
  std::string out;
  for (size_t l = 0; l < lines; ++l) {
    for (size_t i = 1; i < table.by.size(); ++i) out += " & ";
    for (const LayoutColumn* c : columns) {
      size_t missing = lines - c->head.size();
      std::string text = l < missing ? ""
                         : c->counts ? "\\# pairs"
                                     : latex_text(c->head[l - missing]);
      out += " & " + text;
    }
    out += " \\\\\n";
  }
  return out;
}

std::string caption(const Table& table, const LatexStyle& style) {
  std::string text =
      latex_text(table.title) + (style.percent ? ": accuracy in per cent." : ": accuracy.");
  if (style.intervals) text += " In brackets: Wilson's 95\\,\\% interval over items.";
  if (has_best(table)) text += " Bold: best of its row.";
  if (has_low(table)) text += " Underlined: the five lowest of each column.";
  for (const std::string& p : table.policies) text += " " + latex_text(capitalize_first(p)) + ".";
  return text;
}

size_t labels_of(const Table& table) { return std::max<size_t>(table.by.size(), 1); }

std::string body(const Table& table, const Layout& layout, const Columns& columns,
                 const LatexStyle& style) {
  const size_t labels = labels_of(table);
  std::string out;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const Row& row = table.rows[r];
    if (!row.section.empty() && (r == 0 || table.rows[r - 1].section != row.section))
      out += fmt::format("{}\\multicolumn{{{}}}{{l}}{{\\textsc{{{}}}}} \\\\\n",
                         r == 0 ? "" : "\\addlinespace\n", labels + columns.size(),
                         latex_text(lower(row.section)));
    std::string line;
    bool first = true;
    for (const std::string& label : row_labels(table, r))
      line += (first ? "" : " & ") + latex_text(label), first = false;
    for (const LayoutColumn* c : columns) line += " & " + marked(*c, row, r, style);
    out += line + " \\\\\n";
  }
  if (layout.with_total) {
    out += "\\midrule\n" + table.total.titles[0];
    for (size_t i = 1; i < labels; ++i) out += " & ";
    for (const LayoutColumn* c : columns)
      out += " & " + marked(*c, table.total, table.rows.size(), style);
    out += " \\\\\n";
  }
  return out;
}

size_t width_of(const LayoutColumn& column, const LatexStyle& style) {
  size_t width = 2;
  for (const std::string& line : column.head) width = std::max(width, display_width(line));
  for (const std::string& text : column.texts) width = std::max(width, display_width(text));
  return width + 2 + (style.intervals && !column.counts ? 2 * style.digits + 6 : 0);
}

// Columns that fit beside the labels, part by part; counts stay with the column they belong to.
std::vector<Columns> parts_of(const Table& table, const Layout& layout, const LatexStyle& style) {
  size_t labels = 0;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    size_t width = 0;
    for (const std::string& label : table.rows[r].titles) width += display_width(label) + 2;
    labels = std::max(labels, width);
  }
  std::vector<Columns> parts(1);
  size_t width = labels;
  for (const LayoutColumn& c : layout.columns) {
    if (!c.counts && width + width_of(c, style) > kWideLine && !parts.back().empty()) {
      parts.emplace_back();
      width = labels;
    }
    parts.back().push_back(&c);
    width += width_of(c, style);
  }
  return parts;
}

std::string label_of(const LatexStyle& style, size_t number) {
  if (style.label.empty()) return "";
  return "\\label{" + style.label + (number > 1 ? fmt::format("-{}", number) : "") + "}";
}

std::string column_spec(const Table& table, const Columns& columns) {
  return std::string(labels_of(table), 'l') + std::string(columns.size(), 'r');
}

std::string short_table(const Table& table, const Layout& layout, const LatexStyle& style,
                        size_t& number) {
  Columns all;
  for (const LayoutColumn& c : layout.columns) all.push_back(&c);
  return "\\begin{table}\n\\centering\n\\begin{adjustbox}{max width=\\textwidth}\n"
         "\\begin{tabular}{" +
         column_spec(table, all) + "}\n\\toprule\n" + heads(table, all) + "\\midrule\n" +
         body(table, layout, all, style) +
         "\\bottomrule\n\\end{tabular}\n\\end{adjustbox}\n\\caption{" + caption(table, style) +
         "}" + label_of(style, number++) + "\n\\end{table}\n";
}

std::string long_table(const Table& table, const Layout& layout, const LatexStyle& style,
                       size_t& number) {
  std::string out;
  for (const Columns& part : parts_of(table, layout, style)) {
    const std::string head = "\\toprule\n" + heads(table, part) + "\\midrule\n";
    out += "{\\small\n\\begin{longtable}{" + column_spec(table, part) + "}\n\\caption{" +
           caption(table, style) + "}" + label_of(style, number++) + "\\\\\n" + head +
           "\\endfirsthead\n" + head + "\\endhead\n\\bottomrule\n\\endfoot\n" +
           body(table, layout, part, style) + "\\end{longtable}}\n";
  }
  return out;
}

std::string table_text(const Table& table, const LatexStyle& style, size_t& number) {
  const Layout layout = lay_out(table);
  std::string out = table.rows.size() > kLongTable ? long_table(table, layout, style, number)
                                                   : short_table(table, layout, style, number);
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

std::string latex_tables(const std::vector<Table>& tables, const LatexStyle& style) {
  std::string out = "% needs \\usepackage{booktabs,adjustbox,longtable}\n";
  size_t number = 1;
  for (const Table& t : tables) out += table_text(t, style, number);
  return out;
}

}  // namespace minpair::report
