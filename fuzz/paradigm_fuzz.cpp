// Any bytes as a table of paradigms.

#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "stimuli/grammar/paradigm.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    minpair::stimuli::Paradigms paradigms;
    paradigms.read({reinterpret_cast<const char*>(data), size}, "fuzz.tsv");
    for (const std::string& lemma : paradigms.lemmas())
      for (const minpair::stimuli::Cell& cell : *paradigms.find(lemma))
        minpair::stimuli::features_text(cell.features);
  } catch (const minpair::Error&) {
  }
  return 0;
}
