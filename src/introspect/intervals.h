#pragma once
// What the tables of this room share: groups of items, each with its interval.

#include <functional>
#include <vector>

#include "introspect/introspect.h"
#include "stats/stats.h"

namespace minpair::introspect {

// The columns that every file of rows begins with, and their fields for an item.
std::vector<tidy::Field> fields_with(std::vector<tidy::Field> more);
template <class Readings>
tidy::Frame& begin_row(tidy::Frame& frame, const Readings& read, size_t i) {
  const suite::Item& item = read.items.items[i];
  return frame.text(read.suite)
      .text(read.model)
      .text(item.test)
      .text_or_nothing(item.condition)
      .text(item.id)
      .integer(int64_t(read.items.cluster[i]))
      .text_or_nothing(read.readings[i].excluded);
}

// What an item with this margin is worth: a tie one half.
double points_of(double margin);

// Student's t over clusters. A difference of shares ends at one; a margin does not.
stats::Interval interval_of(const stats::Estimate& mean);

// Adds to the grid the rows of every test (or test and condition), then of all where there are
// several. The first columns are the names of the group.
using RowsOf =
    std::function<std::vector<std::vector<report::GridValue>>(const std::vector<size_t>&)>;
void add_groups(report::Grid& grid, const report::SuiteItems& items,
                const std::vector<size_t>& counted, By by, const RowsOf& rows_of);

}  // namespace minpair::introspect
