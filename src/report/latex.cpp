// Tables for papers: booktabs, bold for the best, underlined for the five lowest. Wide tables
// shrink to the page (adjustbox); long ones go over several (longtable), cut into parts where they
// are wide.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/outgoing.h"
#include "report/layout.h"
#include "report/report.h"

namespace minpair::report {
namespace {

std::string latex_text(std::string_view text) { return outgoing(text, Medium::latex); }

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
  if (style.intervals && cell.tally.pairs > 0 && cell.source.empty() &&
      !std::isnan(cell.interval.low))
    text += fmt::format(" {{\\scriptsize[{}, {}]}}", number_text(cell.interval.low, style),
                        number_text(cell.interval.high, style));
  return text;
}

std::string marked(const LayoutColumn& column, const Row& row, size_t r, const LatexStyle& style) {
  return column.counts ? latex_text(column.texts[r]) : cell_in(row.cells[column.cell], style);
}

using Columns = std::vector<const LayoutColumn*>;

std::string heads(const Columns& columns, size_t labels) {
  size_t lines = 0;
  for (const LayoutColumn* c : columns) lines = std::max(lines, c->head.size());
  std::string out;
  for (size_t l = 0; l < lines; ++l) {
    for (size_t i = 1; i < labels; ++i) out += " & ";
    for (const LayoutColumn* c : columns) {
      size_t missing = lines - c->head.size();
      std::string text = l < missing ? ""
                         : c->counts ? "\\# " + c->head[0]
                                     : latex_text(c->head[l - missing]);
      out += " & " + text;
    }
    out += " \\\\\n";
  }
  return out;
}

bool over_seeds(const Table& table) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [](const Column& c) { return c.seeds > 0; });
}

std::string caption(const Table& table, const LatexStyle& style) {
  std::string text =
      latex_text(table.title) + (style.percent ? ": accuracy in per cent." : ": accuracy.");
  if (style.intervals)
    text +=
        over_seeds(table)
            ? " In brackets: 95\\,\\% interval over seeds and clusters, Student's t."
            : " In brackets: 95\\,\\% interval (profile likelihood over clusters; none below five; "
              "Wilson's where each item is its own). " +
                  latex_text(capitalize_first(table.clusters)) + ".";
  if (over_seeds(table)) text += " $\\pm$: standard deviation of the seeds' accuracies.";
  if (has_best(table)) text += " Bold: best of its row, and what is not below it beyond chance.";
  if (has_low(table)) text += " Underlined: the five lowest of each column.";
  for (const std::string& p : table.policies) text += " " + latex_text(capitalize_first(p)) + ".";
  return text;
}

// Columns of labels. In a long table with several, the first stands above the rows it is for, so
// that there is room for numbers beside the others.
struct Labels {
  size_t columns = 1;
  bool above = false;
  explicit Labels(const Table& table, bool long_one)
      : columns(std::max<size_t>(table.by.size(), 1)) {
    above = long_one && columns > 1;
    if (above) --columns;
  }
};

std::string spanning(const std::string& text, size_t columns) {
  return fmt::format("\\multicolumn{{{}}}{{@{{}}l}}{{{}}} \\\\", columns, text);
}

std::string body(const Table& table, const Layout& layout, const Columns& columns,
                 const LatexStyle& style, const Labels& labels) {
  std::string out;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const Row& row = table.rows[r];
    if (!row.section.empty() && (r == 0 || table.rows[r - 1].section != row.section))
      out += (r == 0 ? "" : "\\addlinespace\n") +
             spanning("\\textsc{" + latex_text(lower(row.section)) + "}",
                      labels.columns + columns.size()) +
             "\n";
    std::vector<std::string> texts = row_labels(table, r);
    if (labels.above) {
      // No page ends between it and its first row.
      if (!texts[0].empty())
        out += spanning("\\emph{" + latex_text(texts[0]) + "}", labels.columns + columns.size()) +
               "*\n";
      texts.erase(texts.begin());
    }
    std::string line = labels.above ? "\\quad " : "";
    for (size_t i = 0; i < texts.size(); ++i) line += (i ? " & " : "") + latex_text(texts[i]);
    for (const LayoutColumn* c : columns) line += " & " + marked(*c, row, r, style);
    out += line + " \\\\\n";
  }
  if (layout.with_total) {
    out += "\\midrule\n" + table.total.titles[0];
    for (size_t i = 1; i < labels.columns; ++i) out += " & ";
    for (const LayoutColumn* c : columns)
      out += " & " + marked(*c, table.total, table.rows.size(), style);
    out += " \\\\\n";
  }
  return out;
}

// In characters of small print; brackets are in smaller print.
size_t width_of(const LayoutColumn& column, const LatexStyle& style) {
  size_t width = 2;
  for (const std::string& line : column.head) width = std::max(width, display_width(line));
  for (const std::string& text : column.texts) width = std::max(width, display_width(text));
  if (column.counts) return width + 2;
  const size_t number = style.digits + (style.percent ? 4 : 2);
  const size_t bracket = style.intervals ? 1 + (2 * number + 4) * 4 / 5 : 0;
  return std::max(width, number + bracket) + 2;
}

// Columns that fit beside the labels, part by part; counts stay with the column they belong to.
std::vector<Columns> parts_of(const Table& table, const Layout& layout, const LatexStyle& style,
                              const Labels& labels) {
  size_t beside = 0;
  for (const Row& row : table.rows) {
    size_t width = 0;
    for (size_t i = labels.above ? 1 : 0; i < row.titles.size(); ++i)
      width += display_width(row.titles[i]) + 2;
    beside = std::max(beside, width);
  }
  std::vector<Columns> parts(1);
  size_t width = beside;
  for (const LayoutColumn& c : layout.columns) {
    if (!c.counts && width + width_of(c, style) > kWideLine && !parts.back().empty()) {
      parts.emplace_back();
      width = beside;
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

std::string column_spec(const Labels& labels, const Columns& columns) {
  // Without the space outside of the first and the last column, which only costs width.
  return "@{}" + std::string(labels.columns, 'l') + std::string(columns.size(), 'r') + "@{}";
}

std::string short_table(const Table& table, const Layout& layout, const LatexStyle& style,
                        size_t& number) {
  Columns all;
  for (const LayoutColumn& c : layout.columns) all.push_back(&c);
  const Labels labels(table, false);
  const std::string environment = style.wide ? "table*" : "table";
  return "\\begin{" + environment +
         "}\n\\centering\n\\begin{adjustbox}{max width=\\linewidth}\n"
         "\\begin{tabular}{" +
         column_spec(labels, all) + "}\n\\toprule\n" + heads(all, labels.columns) + "\\midrule\n" +
         body(table, layout, all, style, labels) +
         "\\bottomrule\n\\end{tabular}\n\\end{adjustbox}\n\\caption{" + caption(table, style) +
         "}" + label_of(style, number++) + "\n\\end{" + environment + "}\n";
}

std::string long_table(const Table& table, const Layout& layout, const LatexStyle& style,
                       size_t& number) {
  const Labels labels(table, true);
  std::string out;
  for (const Columns& part : parts_of(table, layout, style, labels)) {
    const std::string head = "\\toprule\n" + heads(part, labels.columns) + "\\midrule\n";
    out += "{\\small\n\\begin{longtable}{" + column_spec(labels, part) + "}\n\\caption{" +
           caption(table, style) + "}" + label_of(style, number++) + "\\\\\n" + head +
           "\\endfirsthead\n" + head + "\\endhead\n\\bottomrule\n\\endfoot\n" +
           body(table, layout, part, style, labels) + "\\end{longtable}}\n";
  }
  return out;
}

std::string table_text(const Table& table, const LatexStyle& style, size_t& number) {
  const Layout layout = lay_out(table);
  std::string out = table.rows.size() > kLongTable ? long_table(table, layout, style, number)
                                                   : short_table(table, layout, style, number);
  for (const auto* lines : {&table.account, &table.notes, &table.made})
    for (const std::string& line : *lines) out += "% " + outgoing(line, Medium::name) + "\n";
  return out;
}

}  // namespace

std::string latex_tables(const std::vector<Table>& tables, const LatexStyle& style) {
  std::string out = "% needs \\usepackage{booktabs,adjustbox,longtable}\n";
  size_t number = 1;
  for (const Table& t : tables) out += table_text(t, style, number);
  return out;
}

}  // namespace minpair::report
