#pragma once
// Spreadsheets as rows of text: Excel's .xlsx, and .ods of LibreOffice and others. Private to this
// folder.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace minpair::suite {

struct SheetRow {
  uint64_t number = 0;  // as the program shows it, from 1
  std::vector<std::string> cells;
};

struct Sheet {
  std::string name;
  std::vector<SheetRow> rows;  // those that are not empty
};

// Throws for files of no such kind, and for those that would not fit into memory.
std::vector<Sheet> read_spreadsheet(const std::filesystem::path& file);

// The parts, for tests and fuzzing. `name` is for messages.
std::vector<Sheet> read_ods_content(std::string_view xml, const std::string& name);
std::vector<std::string> read_xlsx_strings(std::string_view xml, const std::string& name);
Sheet read_xlsx_sheet(std::string_view xml, const std::vector<std::string>& strings,
                      const std::string& name);

}  // namespace minpair::suite
