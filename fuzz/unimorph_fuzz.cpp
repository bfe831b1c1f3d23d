#include <unistd.h>

#include "base/error.h"
#include "stimuli/treebank/lexicon.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string path = "/tmp/minpair-fuzz-unimorph-" + std::to_string(::getpid());
  minpair::write_file(path, {reinterpret_cast<const char*>(data), size});
  try {
    minpair::stimuli::Lexicon lexicon;
    lexicon.add_unimorph(path);
    minpair::stimuli::Inflections paradigms;
    paradigms.add_unimorph(path);
    size_t written = lexicon.entries().size(), read = 0;
    minpair::stimuli::write_lexicons({{"x", std::move(lexicon)}}, path);
    minpair::stimuli::read_lexicons(
        path, [&](std::string_view, const minpair::stimuli::LexiconEntry&) { ++read; });
    if (read != written) __builtin_trap();
  } catch (const minpair::Error&) {
  }
  ::unlink(path.c_str());
  return 0;
}
