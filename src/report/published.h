#pragma once
// The numbers that a suite's manifest quotes, beside ours.

#include "report/report.h"

namespace minpair::report {

// Adds a column per published model where the table is by test, condition or language; and notes
// where counts or released scores do not agree with what was printed.
void add_published(Table& table, const suite::Manifest& manifest);

}  // namespace minpair::report
