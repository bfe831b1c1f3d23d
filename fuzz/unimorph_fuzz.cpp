#include <unistd.h>

#include "base/error.h"
#include "treebank/lexicon.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string path = "/tmp/minpair-fuzz-unimorph-" + std::to_string(::getpid());
  minpair::write_file(path, {reinterpret_cast<const char*>(data), size});
  try {
    minpair::Lexicon lexicon;
    lexicon.add_unimorph(path);
    minpair::Paradigms paradigms;
    paradigms.add_unimorph(path);
    minpair::write_lexicon(lexicon, path);
    if (minpair::read_lexicon(path).size() != lexicon.entries().size()) __builtin_trap();
  } catch (const minpair::Error&) {
  }
  ::unlink(path.c_str());
  return 0;
}
