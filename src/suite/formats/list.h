#pragma once
// Lists as people type them: tables and spreadsheets whose first row names the columns. Private to
// this folder.

#include "suite/formats/format.h"

namespace minpair::suite {

// `published`: a table of a paper, in which a pair may be what it likes.
std::unique_ptr<ItemStream> read_list(const std::filesystem::path& file, const std::string& columns,
                                      bool published = false);
// Two columns with tabs between them and no header: good and bad.
std::unique_ptr<ItemStream> read_two_columns(const std::filesystem::path& file);

// Does the first row name a good and a bad sentence, or sentences with what belongs together?
bool is_list(const FileHead& head);
bool is_spreadsheet(const std::filesystem::path& file);  // by its name

}  // namespace minpair::suite
