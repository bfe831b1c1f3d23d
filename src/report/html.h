#pragma once
// The results as one page that opens anywhere, without a network: the program carries the page
// (web/), and adds the data in deflated blocks. Tokens are in blocks of their own, one per run,
// which the page opens when somebody looks at an item.

#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace minpair::report {

bool has_page();  // was the program built with npm at hand?

struct PageBlock {
  std::string id, bytes;  // in zlib's format
};

// Runs are chosen by `options.suites`, `models` and `methods`; policies are those of the tables.
// `more`: blocks of other rooms.
void write_html(store::Store& store, const ReportOptions& options,
                const std::filesystem::path& file, const std::vector<PageBlock>& more = {});

// The same data for `serve`, which hands blocks out one by one.
std::vector<PageBlock> page_blocks(store::Store& store, const ReportOptions& options);
// A page that has no results yet.
std::vector<PageBlock> empty_page_blocks();
// The page with `scripts` where it looks for its data.
std::string page_with(const std::string& scripts);
std::string page_script(const std::string& id, const std::string& text);

std::string deflated(const std::string& bytes, bool numbers = false);
std::string base64(std::string_view bytes);

}  // namespace minpair::report
