#pragma once
// The results as one page that opens anywhere, without a network: the program carries the page
// (web/), and adds the data in deflated blocks. Tokens are in blocks of their own, one per run,
// which the page opens when somebody looks at an item.

#include <string>

#include "report/report.h"

namespace minpair {

bool has_page();  // was the program built with npm at hand?

// Runs are chosen by `options.suites`, `models` and `methods`; policies are those of the tables.
void write_html(Store& store, const ReportOptions& options, const std::filesystem::path& file);

// Zlib's format, then base 64. Numbers have no repetitions worth searching for.
std::string packed_block(const std::string& bytes, bool numbers = false);

}  // namespace minpair
