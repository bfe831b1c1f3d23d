#pragma once
// The numbers that a suite's manifest quotes, beside ours.

#include "report/report.h"

namespace minpair::report {

// Which tests the mean of a row is over, by its keys.
using TestsOfRows = std::map<std::vector<std::string>, std::set<std::string>>;

// Adds a column per published model where the table is by test, condition or language; and notes
// where counts or released scores do not agree with what was printed. Printed means over tests are
// shown beside means over the same tests only.
void add_published(Table& table, const suite::Manifest& manifest, const TestsOfRows& means);

}  // namespace minpair::report
