// The XML inside .ods and .xlsx. (Their zip archive is read by the reader that torch_zip tries.)

#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "suite/formats/spreadsheet.h"

using namespace minpair;

template <class Read>
static void attempt(Read read) {
  try {
    read();
  } catch (const Error&) {
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view xml(reinterpret_cast<const char*>(data), size);
  attempt([&] {
    suite::SheetBudget budget("x.ods");
    suite::read_ods_content(xml, budget);
  });
  attempt([&] {
    suite::SheetBudget budget("x.xlsx");
    suite::read_xlsx_sheet(xml, suite::read_xlsx_strings(xml, budget), budget);
  });
  return 0;
}
