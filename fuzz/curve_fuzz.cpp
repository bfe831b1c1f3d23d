// Any bytes as the learning curve that a training leaves.

#include "base/error.h"
#include "file.h"
#include "report/views.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  minpair::fuzzing::file(data, size, "curve.jsonl");
  try {
    minpair::report::render_grids(minpair::report::curve_grids(minpair::fuzzing::folder()),
                                  "table");
    minpair::report::curve_html(minpair::fuzzing::folder());
  } catch (const minpair::Error&) {
  }
  return 0;
}
