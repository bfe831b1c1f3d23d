// Any text as the formula of a criterion: it is refused, or it can be judged.

#include "base/error.h"
#include "judge/criterion.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  try {
    minpair::judge::Criterion criterion({"c", "", text, ""});
    criterion.judge([](const std::string& sentence, const std::string& region,
                       minpair::suite::Metric) { return double(sentence.size() + region.size()); });
  } catch (const minpair::Error&) {
  }
  return 0;
}
