#pragma once
// Words of running text, as word-level language models see them.

#include <string>
#include <string_view>
#include <vector>

namespace minpair::corpus {

// The languages whose apostrophes and quotes are known: de, en, fr, ru, he.
const std::vector<std::string>& corpus_languages();

// Cuts a sentence into words and punctuation. Hyphenated words and numbers stay whole. What an
// apostrophe does depends on the language: `geht's` is one word of German, `l' auteur` are two of
// French, `do n't` two of English; Hebrew keeps its geresh and gershayim.
std::vector<std::string> split_words(std::string_view sentence, std::string_view language);

}  // namespace minpair::corpus
