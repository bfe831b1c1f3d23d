#include "base/error.h"
#include "file.h"
#include "stimuli/treebank/extract.h"

// A treebank from anywhere: an error or trees, and whatever is extracted from them is a valid item.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::filesystem::path path = minpair::fuzzing::file(data, size, "fuzz.conllu");
  using enum minpair::stimuli::AgreementType;
  minpair::stimuli::LanguageInfo language{
      "X", "x", "xxx", false, {determiner, attributive, predicative, verb}};
  minpair::stimuli::ExtractOptions both;
  both.mask = minpair::stimuli::ExtractOptions::Mask::both;
  minpair::stimuli::ClozeExtractor clozes(language, both);
  minpair::stimuli::Inflections paradigms;
  minpair::stimuli::NonceWords words;
  minpair::stimuli::Lexicon lexicon;
  try {
    minpair::stimuli::ConlluReader in(path);
    for (minpair::stimuli::Tree tree; in.next(tree);) {
      lexicon.add(tree);
      paradigms.add(tree);
      words.add(tree);
      clozes.add(tree, [](const minpair::suite::Item& item) {
        if (item.sentences[0].locus.end > item.sentences[0].text.size()) __builtin_trap();
      });
    }
    words.finish();
    paradigms.finish(minpair::stimuli::Feature::number);
    minpair::stimuli::PairExtractor pairs(language, paradigms, both,
                                          minpair::stimuli::Feature::number);
    pairs.nonce(std::move(words), 1, 2);
    minpair::stimuli::ConlluReader again(path);
    for (minpair::stimuli::Tree tree; again.next(tree);)
      pairs.add(tree, [](const minpair::suite::Item&) {});
  } catch (const minpair::Error&) {
  }
  return 0;
}
