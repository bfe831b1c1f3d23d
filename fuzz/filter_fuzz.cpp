// Any text as a filter of items: it is refused, or it says yes or no to every item.

#include "suite/filter.h"

#include "base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using minpair::suite::Filter;
  std::string text(reinterpret_cast<const char*>(data), size);
  minpair::suite::Item item;
  item.features = {{"attractors", 2.0}, {"animacy", text}};
  try {
    Filter filter(text);
    filter.holds(item);
    filter.holds(std::vector<Filter::Value>(filter.names().size(), Filter::Value(text)));
    filter.check();
  } catch (const minpair::Error&) {
  }
  return 0;
}
