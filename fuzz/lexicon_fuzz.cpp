// Any bytes as the lexicon.tsv beside a cloze suite.

#include "base/error.h"
#include "file.h"
#include "stimuli/treebank/lexicon.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    minpair::stimuli::read_lexicons(
        minpair::fuzzing::file(data, size, "lexicon.tsv"),
        [](std::string_view, const minpair::stimuli::LexiconEntry& entry) {
          for (minpair::stimuli::Feature f : minpair::stimuli::all_features)
            minpair::stimuli::value_name(f, entry.bundle[f]);
        });
  } catch (const minpair::Error&) {
  }
  return 0;
}
