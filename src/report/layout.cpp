#include "report/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/counts.h"

namespace minpair::report {
namespace {

std::vector<uint64_t> counts_of(const Table& table, size_t column) {
  std::vector<uint64_t> counts;
  for (const Row& row : table.rows) counts.push_back(row.cells[column].tally.pairs);
  counts.push_back(table.total.cells[column].tally.pairs);
  return counts;
}

// Published tables often have no total; that alone does not make the counts differ.
bool same_counts(std::vector<uint64_t> a, std::vector<uint64_t> b) {
  if (a.back() == 0 || b.back() == 0) a.back() = b.back() = 0;
  return a == b;
}

// "bert-base-german-cased" in lines of at most 14 characters.
void add_lines(std::vector<std::string>& lines, const std::string& name) {
  constexpr size_t width = 14;
  std::string line, part;
  auto take_part = [&] {
    if (!line.empty() && display_width(line) + display_width(part) > width) {
      lines.push_back(line);
      line.clear();
    }
    line += part;
    part.clear();
  };
  for (char c : name) {
    part += c;
    if (c == '-' || c == '_' || c == '/' || c == ' ') take_part();
  }
  take_part();
  if (!line.empty()) lines.push_back(line);
}

// Only what differs between columns is said in their heads.
std::vector<std::string> head_of(const Table& table, const Column& column) {
  std::set<std::string> methods, norms, lengths;
  for (const Column& c : table.columns)
    if (!c.published) {
      methods.insert(c.method);
      norms.insert(c.norm);
      lengths.insert(c.lengths);
    }
  std::vector<std::string> head;
  add_lines(head, column.model);
  if (column.published) {
    head.push_back("published");
    if (column.other_items) head.push_back("other items");
    return head;
  }
  head.push_back(column.method);
  if (norms.size() > 1) head.push_back(column.norm);
  if (lengths.size() > 1 || !column.lengths.empty())
    head.push_back(column.lengths.empty() ? "" : column.lengths);
  if (column.seeds > 0) head.push_back(fmt::format("{} seeds", column.seeds));
  return head;
}

}  // namespace

size_t display_width(const std::string& text) { return count_characters(text); }

Layout lay_out(const Table& table) {
  Layout layout;
  layout.with_total = table.rows.size() > 1;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    LayoutColumn column;
    column.head = head_of(table, table.columns[c]);
    column.cell = c;
    for (const Row& row : table.rows) column.texts.push_back(cell_text(row.cells[c]));
    column.texts.push_back(cell_text(table.total.cells[c]));
    layout.columns.push_back(std::move(column));
    std::vector<uint64_t> counts = counts_of(table, c);
    bool last_of_kind =
        c + 1 == table.columns.size() || !same_counts(counts, counts_of(table, c + 1));
    bool any = std::any_of(counts.begin(), counts.end(), [](uint64_t n) { return n > 0; });
    if (!last_of_kind || !any) continue;
    LayoutColumn pairs;
    pairs.head = {table.designs ? "items" : "pairs"};
    pairs.counts = true;
    for (uint64_t n : counts) pairs.texts.push_back(n ? count_text(n) : "");
    layout.columns.push_back(std::move(pairs));
  }
  return layout;
}

std::vector<std::string> row_labels(const Table& table, size_t row) {
  std::vector<std::string> labels = table.rows[row].titles;
  if (row == 0 || table.rows[row].section != table.rows[row - 1].section) return labels;
  for (size_t i = 0; i + 1 < labels.size(); ++i) {
    if (labels[i] != table.rows[row - 1].titles[i]) break;
    labels[i].clear();
  }
  return labels;
}

bool has_best(const Table& table) {
  for (const Row& row : table.rows)
    for (const Cell& c : row.cells)
      if (c.best) return true;
  return false;
}

bool has_low(const Table& table) {
  for (const Row& row : table.rows)
    for (const Cell& c : row.cells)
      if (c.low) return true;
  return false;
}

std::string cell_text(const Cell& cell) {
  if (!cell.present) return "";
  if (cell.tally.pairs == 0 && cell.source.empty()) return "–";
  if (cell.deviation > 0) return fmt::format("{:.4f} ±{:.4f}", cell.accuracy, cell.deviation);
  return fmt::format("{:.4f}", cell.accuracy);
}

}  // namespace minpair::report
