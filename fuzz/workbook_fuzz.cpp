// Whole spreadsheets, .xlsx and .ods: their archive, their parts, and the list of items in them.

#include "base/error.h"
#include "file.h"
#include "suite/formats/list.h"
#include "suite/item.h"
#include "zip_mutation.h"

using namespace minpair;

static void read(const std::filesystem::path& file) {
  try {
    auto items = suite::read_list(file, "");
    for (suite::Item item; items->next(item);) suite::check_item(item);
  } catch (const Error&) {
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const bool excel = bytes.find("xl/workbook.xml") != bytes.npos;
  read(fuzzing::file(bytes, excel ? "list.xlsx" : "list.ods"));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return fuzzing::mutate_zip(data, size, most, seed);
}
