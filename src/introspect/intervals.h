#pragma once
// What the tables of this room share: groups of items, each with its interval.

#include <functional>
#include <vector>

#include "introspect/introspect.h"
#include "stats/stats.h"

namespace minpair::introspect {

// What an item with this margin is worth: a tie one half.
double points_of(double margin);

// Student's t over clusters. A difference of shares ends at one; a margin does not.
stats::Interval interval_of(const stats::Estimate& mean);

// The items of a test, or of a test and condition: those that count, and why others do not.
struct ItemGroup {
  std::vector<size_t> items;
  Reasons excluded;
};
// How many items of its group are not in a row, by their reasons: the last column of CSV and JSON.
// Notes say the same to readers.
report::GridColumn excluded_column();
std::string excluded_text(const ItemGroup& group, const Reasons& more = {});

// Adds to the grid the rows of every group, then of all where there are several. The first columns
// are the names of the group, the last one is the excluded_column(), which it adds. A group of
// which no item counts has one row.
using RowsOf = std::function<std::vector<std::vector<report::GridValue>>(const ItemGroup&)>;
void add_groups(report::Grid& grid, const report::SuiteItems& items,
                const std::vector<Reason>& excluded, By by, const RowsOf& rows_of);

// Says why some intervals are dashes, after the note about intervals.
void explain_dashes(report::Grid& grid);

}  // namespace minpair::introspect
