#include "report/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/counts.h"
#include "report/rows.h"

namespace minpair::report {
namespace {

const std::string& key_of(const Table& table, const Row& row, const std::string& name) {
  static const std::string none;
  for (size_t i = 0; i < table.by.size(); ++i)
    if (table.by[i] == name) return row.keys[i];
  return none;
}

const suite::PublishedResult* find(const Table& table, const Row& row,
                                   const suite::Manifest& manifest, const std::string& model) {
  for (const suite::PublishedResult& r : manifest.results)
    if (r.model == model && r.test == key_of(table, row, "test") &&
        r.condition == key_of(table, row, "condition") &&
        r.language == key_of(table, row, "language"))
      return &r;
  return nullptr;
}

// A printed number without a test is over all items, of which it states how many, or else a mean
// over tests. Is ours the same?
bool over_the_same(const suite::PublishedResult& r, const Row& row, const suite::Manifest& manifest,
                   const TestsOfRows& means) {
  if (!r.test.empty()) return true;
  if (r.pairs) return means.empty();
  std::set<std::string> tests;
  for (const suite::PublishedResult& other : manifest.results)
    if (other.model == r.model && other.language == r.language && other.condition.empty() &&
        !other.test.empty())
      tests.insert(other.test);
  const auto at = means.find(row.keys);
  return at != means.end() && at->second == tests;
}

Cell published_cell(const suite::PublishedResult* r) {
  Cell c;
  if (!r) return c;
  c.present = true;
  c.accuracy = r->accuracy;
  c.tally.pairs = r->pairs.value_or(0);
  c.tally.items = c.tally.pairs;
  c.source = r->source;
  c.deviation = r->deviation.value_or(0);
  return c;
}

// How many decimals a model's numbers were printed with.
int decimals_of(const suite::Manifest& manifest, const std::string& model) {
  int most = 0;
  for (const suite::PublishedResult& r : manifest.results)
    if (r.model == model) {
      std::string text = fmt::format("{}", r.accuracy);
      size_t point = text.find('.');
      if (point != std::string::npos) most = std::max(most, int(text.size() - point - 1));
    }
  return most;
}

std::string name_of(const Row& row) { return join(row.titles, ", "); }

void add_note(Table& table, std::string note) {
  if (std::find(table.notes.begin(), table.notes.end(), note) == table.notes.end())
    table.notes.push_back(std::move(note));
}

// Was this printed under another condition of the same test?
const suite::PublishedResult* printed_elsewhere(const Table& table, const Row& row, const Cell& own,
                                                const suite::Manifest& manifest,
                                                const std::string& model, int decimals) {
  for (const suite::PublishedResult& r : manifest.results)
    if (r.model == model && r.test == key_of(table, row, "test") && !r.condition.empty() &&
        r.condition != key_of(table, row, "condition") && r.pairs == own.tally.pairs &&
        fmt::format("{:.{}f}", r.accuracy, decimals) ==
            fmt::format("{:.{}f}", own.accuracy, decimals))
      return &r;
  return nullptr;
}

void note_swapped(Table& table, const Row& row, const suite::Manifest& manifest,
                  const std::string& model, const Cell& stated, size_t own_columns, int decimals) {
  for (size_t i = 0; i < own_columns; ++i) {
    const Column& column = table.columns[i];
    const Cell& own = row.cells[i];
    if (column.model != model || !column.released || column.lengths == "all" || !own.present ||
        own.tally.pairs == stated.tally.pairs)
      continue;
    if (const suite::PublishedResult* r =
            printed_elsewhere(table, row, own, manifest, model, decimals))
      add_note(table, fmt::format("{}: {:.{}f} of {} is printed under {}", name_of(row),
                                  own.accuracy, decimals, own.tally.pairs, r->condition));
  }
}

// Conditions that were published and are not among the items.
void note_absent(Table& table, const suite::Manifest& manifest, const std::string& model) {
  if (table.by.back() != "condition") return;
  for (const suite::PublishedResult& r : manifest.results) {
    if (r.model != model || r.condition.empty() || !r.language.empty()) continue;
    const Row* of_test = nullptr;
    bool there = false;
    for (const Row& row : table.rows)
      if (key_of(table, row, "test") == r.test) {
        of_test = &row;
        there |= key_of(table, row, "condition") == r.condition;
      }
    if (of_test && !there)
      add_note(table,
               fmt::format("{}, {}: published over {} {}, not among the items", of_test->titles[0],
                           r.condition, r.pairs.value_or(0), plural(r.pairs.value_or(0), "pair")));
  }
}

bool over_as_many(const Table& table, const Row& row, const Cell& stated, size_t own_columns) {
  if (stated.tally.pairs == 0) return true;
  for (size_t i = 0; i < own_columns; ++i)
    if (row.cells[i].present &&
        row.cells[i].tally.pairs / std::max<size_t>(table.columns[i].seeds, 1) ==
            stated.tally.pairs)
      return true;
  return false;
}

// "Pre-field: published over 468 pairs, here 348", or "" where the numbers are over as many pairs.
std::string count_note(const Table& table, const Row& row, const Cell& stated, size_t own_columns) {
  if (over_as_many(table, row, stated, own_columns)) return "";
  uint64_t nearest = 0;
  for (size_t i = 0; i < own_columns; ++i)
    if (row.cells[i].present && table.columns[i].lengths != "all")
      nearest = row.cells[i].tally.pairs / std::max<size_t>(table.columns[i].seeds, 1);
  if (nearest == 0) return "";
  return fmt::format("{}: published over {}, here {}", name_of(row),
                     counted(stated.tally.pairs, "pair"), count_text(nearest));
}

// A suite of one's own has other pairs than the paper in every row: said once, not row by row.
void note_counts(Table& table, const std::vector<std::string>& notes) {
  constexpr size_t kMost = 3;
  if (notes.size() <= kMost) {
    for (const std::string& note : notes) add_note(table, note);
    return;
  }
  add_note(table,
           fmt::format("published numbers are over other items than ours, and by other methods: "
                       "{}; and so in {} more rows",
                       notes[0], notes.size() - 1));
}

// Released scores must give what was printed; where they do not, say so.
void note_difference(Table& table, const Row& row, const std::string& model, const Cell& stated,
                     size_t own_columns, int decimals) {
  for (size_t i = 0; i < own_columns; ++i) {
    const Column& column = table.columns[i];
    const Cell& own = row.cells[i];
    if (column.model != model || !column.released || column.lengths == "all" || !own.present ||
        own.tally.pairs != stated.tally.pairs)
      continue;
    std::string printed = fmt::format("{:.{}f}", stated.accuracy, decimals);
    std::string ours = fmt::format("{:.{}f}", own.accuracy, decimals);
    if (printed != ours)
      table.notes.push_back(
          fmt::format("{}: printed as {}, but the released scores give {} ({} of {})", name_of(row),
                      printed, ours, own.tally.correct, own.tally.pairs));
  }
}

}  // namespace

void add_published(Table& table, const suite::Manifest& manifest, const TestsOfRows& means) {
  if (!std::all_of(table.by.begin(), table.by.end(), in_summary)) return;
  std::vector<std::string> models;
  for (const suite::PublishedResult& r : manifest.results)
    if (std::find(models.begin(), models.end(), r.model) == models.end()) models.push_back(r.model);
  const size_t own = table.columns.size();
  for (const std::string& model : models) {
    bool any = false, hidden = false;
    const auto cell_for = [&](const Row& row) {
      const suite::PublishedResult* r = find(table, row, manifest, model);
      const bool same = r && over_the_same(*r, row, manifest, means);
      hidden |= r && !same;
      return published_cell(same ? r : nullptr);
    };
    std::vector<Cell> cells;
    for (const Row& row : table.rows) {
      cells.push_back(cell_for(row));
      any |= cells.back().present;
    }
    Cell total = cell_for(table.total);
    if (hidden)
      add_note(table, means.empty()
                          ? "published means over tests stand beside ours with --average tests"
                          : "published means are over other tests than ours, and left out");
    if (!any) continue;
    const int decimals = decimals_of(manifest, model);
    std::vector<std::string> counts;
    Column column;
    column.model = model;
    column.published = true;
    for (size_t r = 0; r < table.rows.size(); ++r) {
      if (cells[r].present) {
        column.other_items |= !over_as_many(table, table.rows[r], cells[r], own);
        if (std::string note = count_note(table, table.rows[r], cells[r], own); !note.empty())
          counts.push_back(std::move(note));
        note_swapped(table, table.rows[r], manifest, model, cells[r], own, decimals);
        note_difference(table, table.rows[r], model, cells[r], own, decimals);
      }
      table.rows[r].cells.push_back(std::move(cells[r]));
    }
    note_counts(table, counts);
    note_absent(table, manifest, model);
    table.columns.push_back(column);
    if (total.present) note_difference(table, table.total, model, total, own, decimals);
    table.total.cells.push_back(std::move(total));
  }
}

}  // namespace minpair::report
