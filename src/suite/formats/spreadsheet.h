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

// How much a file may become, all its parts together. A few bytes can stand for very many cells:
// packed ones, repeated ones, and strings that are shared.
class SheetBudget {
 public:
  explicit SheetBudget(std::string name) : name_(std::move(name)) {}
  void take(uint64_t cells, uint64_t bytes);  // throws where it is too much
  const std::string& name() const { return name_; }

 private:
  std::string name_;  // of the file, for messages
  uint64_t cells_ = 0, bytes_ = 0;
};

// The parts, for tests and fuzzing.
std::vector<Sheet> read_ods_content(std::string_view xml, SheetBudget& budget);
std::vector<std::string> read_xlsx_strings(std::string_view xml, SheetBudget& budget);
Sheet read_xlsx_sheet(std::string_view xml, const std::vector<std::string>& strings,
                      SheetBudget& budget);

}  // namespace minpair::suite
