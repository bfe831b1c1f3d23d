#include "suite/formats/spreadsheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "checkpoint/zip.h"
#include "suite/formats/xml.h"

namespace minpair::suite {
namespace {

using Event = XmlReader::Event;

constexpr uint64_t kMostCells = 8'000'000, kMostBytes = uint64_t{1} << 28, kMostColumns = 16'384;

uint64_t number_of(const std::string& text, uint64_t otherwise) {
  uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : otherwise;
}

void add_row(Sheet& sheet, uint64_t number, std::vector<std::string>&& cells) {
  while (!cells.empty() && cells.back().empty()) cells.pop_back();
  if (!cells.empty()) sheet.rows.push_back({number, std::move(cells)});
}

// The column of "BC12", from 0.
uint64_t column_of(std::string_view reference, uint64_t otherwise) {
  uint64_t column = 0;
  for (char c : reference) {
    if (c < 'A' || c > 'Z' || column > kMostColumns) break;
    column = column * 26 + uint64_t(c - 'A' + 1);
  }
  return column == 0 ? otherwise : column - 1;
}

// Cells that were made one, below each other. Across, they are titles.
struct Merged {
  uint64_t first = 0, last = 0;  // rows
  uint64_t column = 0;
};

// What stands in the first of them stands in each: "1" beside two sentences.
void fill_down(Sheet& sheet, const std::vector<Merged>& all, SheetBudget& budget) {
  const auto from = [&](uint64_t number) {
    return std::lower_bound(sheet.rows.begin(), sheet.rows.end(), number,
                            [](const SheetRow& row, uint64_t n) { return row.number < n; });
  };
  for (const Merged& m : all) {
    auto row = from(m.first);
    if (row == sheet.rows.end() || row->number != m.first || row->cells.size() <= m.column)
      continue;
    const std::string text = row->cells[m.column];
    for (++row; row != sheet.rows.end() && row->number <= m.last; ++row) {
      budget.take(m.column >= row->cells.size() ? m.column + 1 - row->cells.size() : 1,
                  text.size());
      if (m.column >= row->cells.size()) row->cells.resize(m.column + 1);
      if (row->cells[m.column].empty()) row->cells[m.column] = text;
    }
  }
}

// "A2:A5"
Merged merged_cells(std::string_view reference) {
  const auto row_of = [](std::string_view cell) {
    const size_t digits = cell.find_first_of("0123456789");
    return digits == cell.npos ? 0 : number_of(std::string(cell.substr(digits)), 0);
  };
  const size_t colon = std::min(reference.find(':'), reference.size());
  const std::string_view first = reference.substr(0, colon);
  return {row_of(first), colon == reference.size() ? 0 : row_of(reference.substr(colon + 1)),
          std::min(column_of(first, kMostColumns), kMostColumns)};
}

// The text inside an element that has begun, without that of the elements named.
std::string text_inside(XmlReader& xml, std::string_view element, std::string_view without) {
  std::string text;
  for (int depth = 0, hidden = 0;;) {
    switch (xml.next()) {
      case Event::begin:
        depth += xml.element() == element;
        hidden += xml.element() == without;
        break;
      case Event::end:
        if (xml.element() == element && depth-- == 0) return text;
        hidden -= xml.element() == without;
        break;
      case Event::text:
        if (!hidden) text += xml.text();
        break;
      case Event::finished:
        return text;
    }
  }
}

// One cell of Excel's: <c r="B3" t="s"><v>17</v></c>. It has begun.
std::string xlsx_cell(XmlReader& xml, const std::vector<std::string>& strings,
                      const std::string& where) {
  std::string type = xml.attribute("t"), value;
  for (;;) {
    Event event = xml.next();
    if (event == Event::begin && (xml.element() == "v" || xml.element() == "t"))
      value += text_inside(xml, std::string(xml.element()), "");
    else if (event == Event::begin && xml.element() == "rPh")  // how it is read aloud
      text_inside(xml, "rPh", "");
    else if ((event == Event::end && xml.element() == "c") || event == Event::finished)
      break;
  }
  if (type == "b") return value == "1" ? "true" : "false";
  if (type != "s") return value;
  uint64_t shared = number_of(value, strings.size());
  if (shared >= strings.size())
    throw bad_input("a cell refers to a text that is not there").at(where);
  return strings[shared];
}

// One cell of LibreOffice's: paragraphs, with spaces and tabs as elements. It has begun.
std::string ods_cell(XmlReader& xml, SheetBudget& budget) {
  const std::string cell(xml.element()), type = xml.attribute("value-type");
  std::string value = type == "boolean" ? xml.attribute("boolean-value") : xml.attribute("value");
  std::string text;
  bool first = true;
  for (;;) {
    Event event = xml.next();
    if (event == Event::text) {
      text += xml.text();
    } else if (event == Event::begin) {
      if (xml.element() == "annotation") {  // a comment
        text_inside(xml, "annotation", "");
      } else if (xml.element() == "p") {
        if (!first) text += '\n';
        first = false;
      } else if (xml.element() == "s") {
        const uint64_t spaces = std::min<uint64_t>(number_of(xml.attribute("c"), 1), 1000);
        budget.take(0, spaces);
        text.append(spaces, ' ');
      } else if (xml.element() == "tab") {
        text += '\t';
      } else if (xml.element() == "line-break") {
        text += '\n';
      }
    } else if ((event == Event::end && xml.element() == cell) || event == Event::finished) {
      break;
    }
  }
  // Shown numbers are rounded and have the comma of their country.
  return type == "float" || type == "boolean" ? value : text;
}

class Archive {
 public:
  explicit Archive(const std::filesystem::path& path)
      : file_(path), entries_(checkpoint::read_zip_directory(file_)), inflated_(path.string()) {}

  bool has(std::string_view name) const { return entries_.count(name) > 0; }

  // Each part once: many sheets may name one.
  std::string part(const std::string& name) {
    auto found = entries_.find(name);
    if (found == entries_.end())
      throw bad_input(fmt::format("there is no '{}' in this spreadsheet", name)).at(this->name());
    const checkpoint::ZipEntry& entry = found->second;
    if (!read_.insert(name).second)
      throw bad_input(fmt::format("two sheets of this spreadsheet are in '{}'", name))
          .at(this->name());
    inflated_.take(0, entry.bytes);
    std::string content(entry.bytes, '\0');
    if (entry.deflated)
      checkpoint::inflate(file_, entry, reinterpret_cast<std::byte*>(content.data()));
    else
      content = file_.bytes().substr(entry.offset, entry.bytes);
    checkpoint::check_crc(file_, entry, content);
    return content;
  }

  std::string name() const { return file_.path().string(); }

 private:
  MappedFile file_;
  std::map<std::string, checkpoint::ZipEntry, std::less<>> entries_;
  std::set<std::string> read_;
  SheetBudget inflated_;
};

// Where the parts of a workbook are, by their names in it.
std::map<std::string, std::string> xlsx_parts(Archive& archive) {
  std::map<std::string, std::string> parts;
  std::string xml = archive.part("xl/_rels/workbook.xml.rels");
  XmlReader reader(xml, archive.name());
  for (Event event; (event = reader.next()) != Event::finished;)
    if (event == Event::begin && reader.element() == "Relationship") {
      std::string target = reader.attribute("Target");
      parts[reader.attribute("Id")] = target.starts_with('/') ? target.substr(1) : "xl/" + target;
    }
  return parts;
}

std::vector<Sheet> read_xlsx(Archive& archive) {
  SheetBudget budget(archive.name());
  std::vector<std::string> strings;
  if (archive.has("xl/sharedStrings.xml"))
    strings = read_xlsx_strings(archive.part("xl/sharedStrings.xml"), budget);
  std::map<std::string, std::string> parts = xlsx_parts(archive);
  std::vector<Sheet> sheets;
  std::string workbook = archive.part("xl/workbook.xml");
  XmlReader xml(workbook, archive.name());
  for (Event event; (event = xml.next()) != Event::finished;)
    if (event == Event::begin && xml.element() == "sheet") {
      std::string part = parts[xml.attribute("id")];
      if (part.find("chartsheet") != part.npos) continue;
      sheets.push_back(read_xlsx_sheet(archive.part(part), strings, budget));
      sheets.back().name = xml.attribute("name");
    }
  return sheets;
}

}  // namespace

void SheetBudget::take(uint64_t cells, uint64_t bytes) {
  cells_ += cells;
  bytes_ += bytes;
  if (cells_ > kMostCells || bytes_ > kMostBytes)
    throw bad_input("this spreadsheet is too large")
        .at(name_)
        .hint("save it as CSV, which is read line by line");
}

std::vector<std::string> read_xlsx_strings(std::string_view text, SheetBudget& budget) {
  std::vector<std::string> strings;
  XmlReader xml(text, budget.name());
  for (Event event; (event = xml.next()) != Event::finished;)
    if (event == Event::begin && xml.element() == "si") {
      strings.push_back(text_inside(xml, "si", "rPh"));
      budget.take(1, strings.back().size());
    }
  return strings;
}

Sheet read_xlsx_sheet(std::string_view text, const std::vector<std::string>& strings,
                      SheetBudget& budget) {
  Sheet sheet;
  const std::string& name = budget.name();
  XmlReader xml(text, name);
  uint64_t number = 0;
  std::vector<std::string> cells;
  std::vector<Merged> merged;
  for (Event event; (event = xml.next()) != Event::finished;) {
    if (event == Event::begin && xml.element() == "mergeCell") {
      merged.push_back(merged_cells(xml.attribute("ref")));
    } else if (event == Event::begin && xml.element() == "row") {
      number = number_of(xml.attribute("r"), number + 1);
      budget.take(1, 0);
      cells.clear();
    } else if (event == Event::begin && xml.element() == "c") {
      uint64_t column = column_of(xml.attribute("r"), cells.size());
      if (column >= kMostColumns) throw bad_input("too many columns").at(name, number);
      std::string cell = xlsx_cell(xml, strings, name);
      if (cell.empty()) continue;
      budget.take(column >= cells.size() ? column + 1 - cells.size() : 0, cell.size());
      if (column >= cells.size()) cells.resize(column + 1);
      cells[column] = std::move(cell);
    } else if (event == Event::end && xml.element() == "row") {
      add_row(sheet, number, std::move(cells));
      cells = {};
    }
  }
  fill_down(sheet, merged, budget);
  return sheet;
}

std::vector<Sheet> read_ods_content(std::string_view text, SheetBudget& budget) {
  std::vector<Sheet> sheets;
  XmlReader xml(text, budget.name());
  uint64_t number = 0, rows = 1;
  uint64_t columns = 0;  // of this row; its empty cells at the end are not in `cells`
  std::vector<std::string> cells;
  std::vector<Merged> merged;
  for (Event event; (event = xml.next()) != Event::finished;) {
    std::string_view element = xml.element();
    if (event == Event::begin && element == "table") {
      sheets.push_back({xml.attribute("name"), {}});
      number = 0;
    } else if (event == Event::begin && element == "table-row") {
      rows = number_of(xml.attribute("number-rows-repeated"), 1);
      budget.take(1, 0);
      cells.clear();
      columns = 0;
    } else if (event == Event::begin &&
               (element == "table-cell" || element == "covered-table-cell")) {
      uint64_t times = number_of(xml.attribute("number-columns-repeated"), 1);
      if (uint64_t below = number_of(xml.attribute("number-rows-spanned"), 1); below > 1)
        merged.push_back({number + 1, number + std::min<uint64_t>(below, 1 << 24), columns});
      const std::string cell = ods_cell(xml, budget);
      times = std::min(times, kMostColumns - columns);
      columns += times;
      // The empty rest of a row is one cell, repeated to its end.
      if (cell.empty()) continue;
      budget.take(columns - cells.size(), times * cell.size());
      cells.resize(columns - times);
      cells.insert(cells.end(), times, cell);
    } else if (event == Event::end && element == "table-row" && !sheets.empty()) {
      if (!cells.empty()) {
        uint64_t bytes = 0;
        for (const std::string& c : cells) bytes += c.size();
        rows = std::min(rows, kMostCells + 1);
        budget.take(rows * cells.size(), rows * bytes);
        for (uint64_t i = 1; i <= rows; ++i)
          add_row(sheets.back(), number + i, std::vector<std::string>(cells));
      }
      number += std::min<uint64_t>(rows, uint64_t{1} << 32);
    } else if (event == Event::end && element == "table" && !sheets.empty()) {
      fill_down(sheets.back(), merged, budget);
      merged.clear();
    }
  }
  return sheets;
}

std::vector<Sheet> read_spreadsheet(const std::filesystem::path& file) {
  if (file.extension() == ".xls")
    throw bad_input("this is Excel's format from before 2007")
        .at(file.string())
        .hint("save it as .xlsx, or as CSV UTF-8");
  try {
    Archive archive(file);
    if (archive.has("xl/workbook.xml")) return read_xlsx(archive);
    if (archive.has("content.xml")) {
      SheetBudget budget(archive.name());
      return read_ods_content(archive.part("content.xml"), budget);
    }
  } catch (Error& e) {
    if (!e.where().byte) throw;
    throw e.hint("the file is damaged; open it in its program and save it again");
  }
  throw bad_input("this is a zip archive, but not a spreadsheet").at(file.string());
}

}  // namespace minpair::suite
