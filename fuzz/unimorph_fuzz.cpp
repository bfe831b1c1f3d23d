// Any bytes as a UniMorph table; what is read from it is written as a lexicon and read again.

#include "base/error.h"
#include "file.h"
#include "stimuli/treebank/inflections.h"
#include "stimuli/treebank/lexicon.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::filesystem::path path = minpair::fuzzing::file(data, size, "deu");
  try {
    minpair::stimuli::Lexicon lexicon;
    lexicon.add_unimorph(path);
    minpair::stimuli::Inflections paradigms;
    paradigms.add_unimorph(path);
    paradigms.finish(minpair::stimuli::Feature::number);
    size_t written = lexicon.entries().size(), read = 0;
    minpair::stimuli::write_lexicons({{"x", std::move(lexicon)}}, path);
    minpair::stimuli::read_lexicons(
        path, [&](std::string_view, const minpair::stimuli::LexiconEntry&) { ++read; });
    if (read != written) __builtin_trap();
  } catch (const minpair::Error&) {
  }
  return 0;
}
