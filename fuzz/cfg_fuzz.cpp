// Any bytes as a context-free grammar, with a fixed small lexicon: an error or a language that can
// be counted, sampled and, when small, expanded.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "file.h"
#include "stimuli/grammar/grammar.h"

namespace {

constexpr std::string_view kLexicon =
    "der\tder\tDET;NOM;SG;MASC\nder\tdie\tDET;NOM;PL\nKoch\tKoch\tN;NOM;SG;MASC\n"
    "Koch\tK\xC3\xB6"
    "che\tN;NOM;PL;MASC\nrufen\truft\tV;PRS;3;SG\nrufen\trufen\tV;PRS;3;PL\n";

// Where the lexicon lies; nothing else can be read from there.
const std::filesystem::path& folder() {
  static const std::filesystem::path words = minpair::fuzzing::file(kLexicon, "words.tsv");
  return minpair::fuzzing::folder();
}

void use(const minpair::stimuli::Derivations& language) {
  minpair::stimuli::Count count = language.count();
  minpair::Random random(1);
  size_t bytes = 0;
  auto sink = [&](std::string_view s) { bytes += s.size(); };
  if (count != minpair::stimuli::kCountless) language.sample_text(3, random, sink);
  if (count > 2000) return;
  language.write_text(sink);
  if (!language.has_locus()) return;
  minpair::stimuli::Count items = 0;
  language.expand([&](const minpair::suite::Item& item) {
    minpair::suite::check_item(item);
    ++items;
  });
  if (items != count) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  // Other files than the lexicon could be anything.
  if (text.find("include") != text.npos || text.find("..") != text.npos) return 0;
  for (bool deep : {false, true}) {
    minpair::stimuli::GrammarOptions options;
    if (deep) options.depth = 5;
    try {
      use(minpair::stimuli::read_cfg(text, "fuzz.cfg", folder(), options));
    } catch (const minpair::Error&) {
    }
  }
  return 0;
}
