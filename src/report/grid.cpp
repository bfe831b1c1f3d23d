#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/outgoing.h"
#include "base/paths.h"
#include "report/layout.h"

namespace minpair::report {
namespace {

bool is_left(const GridColumn& c) { return c.kind == GridColumn::Kind::text; }

std::string p_text(double p) { return p < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", p); }

Grid for_readers(Grid g) {
  for (size_t c = g.columns.size(); c-- > 0;) {
    if (g.columns[c].shown) continue;
    g.columns.erase(g.columns.begin() + ptrdiff_t(c));
    for (auto& row : g.rows) row.erase(row.begin() + ptrdiff_t(c));
  }
  return g;
}

std::string text_grid(const Grid& g) {
  std::vector<size_t> width;
  for (size_t c = 0; c < g.columns.size(); ++c) {
    width.push_back(display_width(g.columns[c].title));
    for (const auto& row : g.rows)
      width[c] = std::max(width[c], display_width(value_text(row[c], g.columns[c].kind)));
  }
  auto line = [&](auto&& cell) {
    std::string out;
    for (size_t c = 0; c < g.columns.size(); ++c) {
      std::string text = outgoing(cell(c), Medium::name), pad(width[c] - display_width(text), ' ');
      out += (c ? "  " : "") + (is_left(g.columns[c]) ? text + pad : pad + text);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out + "\n";
  };
  size_t all = 2 * (width.empty() ? 0 : width.size() - 1);
  for (size_t w : width) all += w;
  std::string rule;
  for (size_t i = 0; i < all; ++i) rule += "─";
  rule += "\n";
  std::string out = outgoing(g.title, Medium::name) + "\n\n" +
                    line([&](size_t c) { return g.columns[c].title; }) + rule;
  for (size_t r = 0; r < g.rows.size(); ++r) {
    if (g.total && r + 1 == g.rows.size()) out += rule;
    out += line([&](size_t c) { return value_text(g.rows[r][c], g.columns[c].kind); });
  }
  if (!g.notes.empty()) out += "\n";
  for (const std::string& note : g.notes) out += outgoing(note, Medium::lines) + "\n";
  return out;
}

std::string markdown_grid(const Grid& g) {
  std::string out = "### " + outgoing(g.title, Medium::markdown) + "\n\n|", rule = "|";
  for (const GridColumn& c : g.columns) {
    out += " " + outgoing(c.title, Medium::markdown) + " |";
    rule += is_left(c) ? " :-- |" : " --: |";
  }
  out += "\n" + rule + "\n";
  for (const auto& row : g.rows) {
    out += "|";
    for (size_t c = 0; c < row.size(); ++c)
      out += " " + outgoing(value_text(row[c], g.columns[c].kind), Medium::markdown) + " |";
    out += "\n";
  }
  for (const std::string& note : g.notes) out += "\n" + outgoing(note, Medium::markdown) + "\n";
  return out;
}

std::string latex_grid(const Grid& g) {
  std::string columns,
      out = "\\begin{table}\n\\centering\n\\begin{adjustbox}{max width=\\linewidth}\n";
  std::vector<size_t> printed;
  std::string left_out;
  for (size_t c = 0; c < g.columns.size(); ++c) {
    if (!g.columns[c].printed) {
      left_out += (left_out.empty() ? "" : ", ") + g.columns[c].title;
      continue;
    }
    printed.push_back(c);
    columns += is_left(g.columns[c]) ? 'l' : 'r';
  }
  out += "\\begin{tabular}{" + columns + "}\n\\toprule\n";
  auto line = [&](auto&& cell) {
    for (size_t c : printed)
      out += (c == printed[0] ? "" : " & ") + outgoing(cell(c), Medium::latex);
    out += " \\\\\n";
  };
  line([&](size_t c) { return g.columns[c].title; });
  out += "\\midrule\n";
  for (size_t r = 0; r < g.rows.size(); ++r) {
    if (g.total && r + 1 == g.rows.size()) out += "\\midrule\n";
    line([&](size_t c) {
      std::string text = value_text(g.rows[r][c], g.columns[c].kind);
      auto title = g.titles.find(text);
      return title == g.titles.end() ? text : title->second;
    });
  }
  std::string caption = outgoing(g.title, Medium::latex) + ".";
  for (const std::string& note : g.notes)
    caption += " " + outgoing(capitalize_first(note), Medium::latex) + ".";
  out += "\\bottomrule\n\\end{tabular}\n\\end{adjustbox}\n\\caption{" + caption + "}" +
         (g.label.empty() ? "" : "\\label{" + g.label + "}") + "\n\\end{table}\n";
  if (!left_out.empty())
    out += "% in the other formats also: " + outgoing(left_out, Medium::name) + "\n";
  return out;
}

std::string csv_grid(const Grid& g) {
  std::string out = g.title.empty() ? "" : "table,";
  for (const GridColumn& c : g.columns)
    out += (&c == &g.columns[0] ? "" : ",") + outgoing(c.key, Medium::csv);
  out += "\n";
  for (const auto& row : g.rows) {
    if (!g.title.empty()) out += outgoing(g.title, Medium::csv) + ",";
    for (const GridValue& v : row)
      out += (&v == &row[0] ? "" : ",") + outgoing(exact_text(v), Medium::csv);
    out += "\n";
  }
  return out;
}

nlohmann::ordered_json json_grid(const Grid& g) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& row : g.rows) {
    nlohmann::ordered_json r = nlohmann::ordered_json::object();
    for (size_t c = 0; c < row.size(); ++c) {
      nlohmann::ordered_json& to = r[g.columns[c].key];
      if (const auto* text = std::get_if<std::string>(&row[c])) to = *text;
      if (const auto* number = std::get_if<double>(&row[c])) {
        bool whole = g.columns[c].kind == GridColumn::Kind::count;
        if (std::isfinite(*number)) to = *number;
        if (whole) to = uint64_t(*number);
      }
    }
    rows.push_back(r);
  }
  return {{"kind", g.key}, {"title", g.title}, {"rows", rows}, {"notes", g.notes}};
}

}  // namespace

std::string exact_text(const GridValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value))
    return std::isnan(*number) ? "" : fmt::format("{}", *number);
  return "";
}

std::string value_text(const GridValue& value, GridColumn::Kind kind) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const auto* number = std::get_if<double>(&value);
  if (!number) return "";
  if (std::isnan(*number)) return "–";
  switch (kind) {
    case GridColumn::Kind::count:
      return fmt::format("{:.0f}", *number);
    case GridColumn::Kind::difference:
      // No sign where nothing is left to see of the number.
      return std::abs(*number) < 5e-5 ? "+0.0000" : fmt::format("{:+.4f}", *number);
    case GridColumn::Kind::number:
      return fmt::format("{:.2f}", *number);
    case GridColumn::Kind::p:
      return p_text(*number);
    default:
      return fmt::format("{:.4f}", *number);
  }
}

std::string render_grids(const std::vector<Grid>& grids, const std::string& format) {
  if (format == "json") {
    nlohmann::ordered_json all = {{"minpair", version()},
                                  {"tables", nlohmann::ordered_json::array()}};
    for (const Grid& g : grids) all["tables"].push_back(json_grid(g));
    return json_text(all, 1) + "\n";
  }
  std::string out;
  for (const Grid& g : grids) {
    if (!out.empty()) out += "\n";
    out += format == "csv"        ? csv_grid(g)
           : format == "latex"    ? latex_grid(for_readers(g))
           : format == "markdown" ? markdown_grid(for_readers(g))
                                  : text_grid(for_readers(g));
  }
  return out;
}

}  // namespace minpair::report
