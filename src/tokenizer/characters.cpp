#include "tokenizer/characters.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <memory>

#include "base/error.h"

namespace minpair::tokenizer {
namespace {

bool is_cjk(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
         (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

uint8_t classify(char32_t c) {
  uint32_t category = U_GET_GC_MASK(UChar32(c));
  uint8_t k = 0;
  if (u_isUWhiteSpace(UChar32(c))) k |= kSpace;
  bool line_or_tab = c == '\t' || c == '\n' || c == '\r';
  if ((category & (U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK | U_GC_CS_MASK)) && !line_or_tab)
    k |= kControl;
  bool ascii_sign = c > 0x20 && c < 0x7F && !u_isalnum(UChar32(c));
  if ((category & U_GC_P_MASK) || ascii_sign) k |= kPunctuation;
  if (is_cjk(c)) k |= kCjk;
  if (category & U_GC_MN_MASK) k |= kNonspacing;
  if (category & U_GC_L_MASK) k |= kLetter;
  if (category & U_GC_N_MASK) k |= kNumber;
  if (u_hasBinaryProperty(UChar32(c), UCHAR_ALPHABETIC) || c == 0x200C || c == 0x200D ||
      (category & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)))
    k |= kWord;
  return k;
}

const icu::Normalizer2& nfd() {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* n = icu::Normalizer2::getNFDInstance(status);
  if (U_FAILURE(status)) throw cannot("the Unicode library has no normalisation data");
  return *n;
}

}  // namespace

const uint8_t* make_bmp_classes() {
  static const std::unique_ptr<uint8_t[]> table = [] {
    auto classes = std::make_unique<uint8_t[]>(0x10000);
    for (char32_t c = 0; c < 0x10000; ++c) classes[c] = classify(c);
    return classes;
  }();
  return table.get();
}

uint8_t class_beyond_bmp(char32_t c) { return classify(c); }

void append_decomposed(std::u32string& to, char32_t c) {
  static const icu::Normalizer2& decomposer = nfd();
  icu::UnicodeString parts;
  if (!decomposer.getDecomposition(UChar32(c), parts)) {
    to += c;
    return;
  }
  for (int32_t i = 0; i < parts.length(); i = parts.moveIndex32(i, 1))
    to += char32_t(parts.char32At(i));
}

void append_lower(std::u32string& to, char32_t c) {
  if (c == 0x130) {
    to += U"i\u0307";
  } else {
    to += char32_t(u_tolower(UChar32(c)));
  }
}

}  // namespace minpair::tokenizer
