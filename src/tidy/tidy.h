#pragma once
// Results as tidy tables: a row for every item, sentence, region, word or token of every run, in
// columns with telling names. `minpair export` and the C interface, and so Python and R, get them
// from here. docs/results-format.md lists the columns.
//
//   store::Store store("results.db", store::Store::Mode::read);
//   std::unique_ptr<Rows> rows = stored_rows(store, "items", {});
//   write_rows(*rows, find_format("csv"), "items.csv");

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "report/report.h"
#include "tidy/frame.h"

namespace minpair::tidy {

// "items", "sentences", "regions", "words", "tokens", "summary", "runs".
const std::vector<std::string>& tables();

// Which runs, tests and conditions, under which views and policy: as in a report. The store must
// outlive the rows. Throws when there is no such table.
std::unique_ptr<Rows> stored_rows(store::Store& store, const std::string& table,
                                  const report::ReportOptions& options);

// What a command prints, as one table: `kind` and `table` say which grid a row is of; a column that
// a grid lacks is empty there.
std::shared_ptr<Rows> rows_of(const std::vector<report::Grid>& grids);

enum class Format : uint8_t { csv, tsv, jsonl };
Format find_format(const std::string& name);  // throws
// By the end of the file's name; CSV where it says nothing. Throws at one that says something else.
Format format_for(const std::filesystem::path& file);

// "-" is standard output. Nothing is left behind unless all of it was written.
// Texts in CSV and TSV; those of JSON Lines are always exact.
enum class Texts {
  safe,  // a spreadsheet shows them and computes nothing (base/outgoing.h)
  exact,
};
void write_rows(Rows& rows, Format format, const std::filesystem::path& file,
                Texts texts = Texts::safe);
std::string text_of(Rows& rows, Format format, Texts texts = Texts::safe);
void append_text(std::string& to, const Frame& frame, Format format, Texts texts = Texts::safe);

}  // namespace minpair::tidy
