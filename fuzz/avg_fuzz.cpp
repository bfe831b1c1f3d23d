// Attribute-varying grammars: any text is a grammar or an error with a place, never a crash; what a
// grammar samples is a valid item whose sentences differ.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "stimuli/grammar/grammar.h"

namespace {

void check(const minpair::suite::Item& item) {
  for (size_t i = 0; i < item.sentences.size(); ++i) {
    const minpair::suite::Sentence& s = item.sentences[i];
    if (s.locus.begin > s.locus.end || s.locus.end > s.text.size()) std::abort();
    if (!item.design && i > 0 && s.text == item.sentences[0].text) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace minpair;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  size_t cut = text.find("\n%%\n");  // before it: common.avg
  std::string_view common = cut == std::string_view::npos ? "" : text.substr(0, cut + 1);
  try {
    stimuli::Derivations language = stimuli::read_avg(
        cut == std::string_view::npos ? text : text.substr(cut + 4), common, "fuzz.avg");
    Random random(1);
    if (language.has_locus()) language.sample(3, random, check);
  } catch (const Error&) {
  }
  return 0;
}
