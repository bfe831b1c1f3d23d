#pragma once
// How Moses, the translation system (Koehn et al. 2007), cleans a text and puts spaces between its
// words and signs: what XLM and FlauBERT were trained on.

#include <string>

#include "tokenizer/normalizer.h"

namespace minpair::tokenizer {

// `language`: "en" or "fr". After it, words are what white space separates.
NormalizerPtr normalize_moses(const std::string& language);

}  // namespace minpair::tokenizer
