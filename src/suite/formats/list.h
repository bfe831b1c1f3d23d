#pragma once
// Lists as people type them: tables and spreadsheets whose first row names the columns. Private to
// this folder.

#include "suite/formats/format.h"

namespace minpair::suite {

std::unique_ptr<ItemStream> read_list(const std::filesystem::path& file,
                                      const std::string& columns);

// Does the first row name a good and a bad sentence, or sentences with what belongs together?
bool is_list(const FileHead& head);
bool is_spreadsheet(const std::filesystem::path& file);  // by its name

}  // namespace minpair::suite
