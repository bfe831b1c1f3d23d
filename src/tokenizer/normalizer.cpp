#include "tokenizer/normalizer.h"

#include <unicode/brkiter.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <array>

#include "base/error.h"
#include "tokenizer/characters.h"
#include "tokenizer/regex.h"

namespace minpair::tokenizer {
namespace {

// A step made of a function.
template <typename F>
class Step : public Normalizer {
 public:
  explicit Step(F f) : f_(std::move(f)) {}
  void apply(AlignedText& text) const override { f_(text); }

 private:
  F f_;
};

template <typename F>
NormalizerPtr step(F f) {
  return std::make_shared<Step<F>>(std::move(f));
}

bool is_ascii(std::string_view s) {
  for (char c : s)
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  return true;
}

const icu::Normalizer2& instance(NormalForm form) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* n = nullptr;
  switch (form) {
    case NormalForm::nfc:
      n = icu::Normalizer2::getNFCInstance(status);
      break;
    case NormalForm::nfd:
      n = icu::Normalizer2::getNFDInstance(status);
      break;
    case NormalForm::nfkc:
      n = icu::Normalizer2::getNFKCInstance(status);
      break;
    case NormalForm::nfkd:
      n = icu::Normalizer2::getNFKDInstance(status);
      break;
  }
  if (U_FAILURE(status) || !n) throw cannot("the Unicode library has no normalisation data");
  return *n;
}

// Normalises stretch by stretch, where a stretch is what cannot be normalised in parts.
void apply_form(AlignedText& text, const icu::Normalizer2& n) {
  if (is_ascii(text.bytes)) return;
  AlignedText to;
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    next_character(text.bytes, at);
    while (at < text.size()) {
      size_t next = at;
      if (n.hasBoundaryBefore(UChar32(next_character(text.bytes, next)))) break;
      at = next;
    }
    std::string_view stretch = std::string_view(text.bytes).substr(begin, at - begin);
    if (is_ascii(stretch)) {
      to.append(text, {begin, at});
      continue;
    }
    UErrorCode status = U_ZERO_ERROR;
    std::string normal;
    n.normalize(icu::UnicodeString::fromUTF8({stretch.data(), int32_t(stretch.size())}), status)
        .toUTF8String(normal);
    if (U_FAILURE(status)) throw bad_input("the text cannot be normalised");
    if (normal == stretch)
      to.append(text, {begin, at});
    else
      to.append(normal, text.origin({begin, at}));
  }
  text = std::move(to);
}

void lowercase(AlignedText& text) {
  std::u32string lower;
  map_characters(text, [&](char32_t c, AlignedText::From from, AlignedText& to) {
    lower.clear();
    append_lower(lower, c);
    for (char32_t d : lower) to.append(d, from);
  });
}

template <typename Keep>
void filter(AlignedText& text, Keep keep) {
  map_characters(text, [&](char32_t c, AlignedText::From from, AlignedText& to) {
    if (keep(c)) to.append(c, from);
  });
}

// Twelve steps that each make ten characters of one would fill any memory.
constexpr size_t kLongestReplaced = size_t{1} << 20;

// Puts `with` in the place of every span.
void replace_spans(AlignedText& text, const std::vector<Span>& spans, std::string_view with) {
  if (spans.empty()) return;
  AlignedText to;
  size_t done = 0, most = std::max(kLongestReplaced, 4 * text.size());
  for (const Span& s : spans) {
    to.append(text, {done, s.begin});
    to.append(with, text.origin(s));
    done = s.end;
    if (to.size() > most)
      throw bad_input("the tokenizer's replacements make this text longer than can be intended")
          .hint("look at the \"Replace\" steps in tokenizer.json");
  }
  to.append(text, {done, text.size()});
  text = std::move(to);
}

std::vector<Span> occurrences(std::string_view text, std::string_view what) {
  std::vector<Span> spans;
  if (what.empty()) return spans;
  for (size_t at = text.find(what); at != std::string_view::npos;
       at = text.find(what, at + what.size()))
    spans.push_back({at, at + what.size()});
  return spans;
}

}  // namespace

NormalizerPtr normalize_bert(BertNormalizerOptions options) {
  const icu::Normalizer2& nfd = instance(NormalForm::nfd);
  return step([options, &nfd](AlignedText& text) {
    if (options.clean_text)
      map_characters(text, [](char32_t c, AlignedText::From from, AlignedText& to) {
        uint8_t k = class_of(c);
        if ((k & kControl) || c == 0xFFFD) return;
        to.append((k & kSpace) ? U' ' : c, from);
      });
    if (options.split_cjk)
      map_characters(text, [](char32_t c, AlignedText::From from, AlignedText& to) {
        bool alone = class_of(c) & kCjk;
        if (alone) to.append(U' ', from);
        to.append(c, from);
        if (alone) to.append(U' ', from);
      });
    if (options.strip_accents) {
      apply_form(text, nfd);
      filter(text, [](char32_t c) { return !(class_of(c) & kNonspacing); });
    }
    if (options.lowercase) lowercase(text);
  });
}

NormalizerPtr normalize_form(NormalForm form) {
  const icu::Normalizer2& n = instance(form);
  return step([&n](AlignedText& text) { apply_form(text, n); });
}

NormalizerPtr normalize_lowercase() { return step(lowercase); }

NormalizerPtr normalize_strip_accents() {
  return step([](AlignedText& text) {
    filter(text, [](char32_t c) { return !(U_GET_GC_MASK(UChar32(c)) & U_GC_M_MASK); });
  });
}

NormalizerPtr normalize_strip(bool left, bool right) {
  return step([left, right](AlignedText& text) {
    Span keep{0, text.size()};
    for (size_t at = 0; left && at < text.size(); keep.begin = at)
      if (!(class_of(next_character(text.bytes, at)) & kSpace)) break;
    size_t last = keep.begin;
    for (size_t at = keep.begin; at < text.size();)
      if (!(class_of(next_character(text.bytes, at)) & kSpace)) last = at;
    if (right) keep.end = last;
    AlignedText to;
    to.append(text, keep);
    text = std::move(to);
  });
}

NormalizerPtr normalize_prepend(std::string prefix) {
  return step([prefix = std::move(prefix)](AlignedText& text) {
    if (text.bytes.empty()) return;
    AlignedText to;
    to.append(prefix, text.origin({0, 0}));
    to.append(text, {0, text.size()});
    text = std::move(to);
  });
}

NormalizerPtr normalize_replace(std::string what, std::string with) {
  return step([what = std::move(what), with = std::move(with)](AlignedText& text) {
    replace_spans(text, occurrences(text.bytes, what), with);
  });
}

NormalizerPtr normalize_replace_regex(const std::string& pattern, std::string with) {
  auto regex = std::make_shared<const Regex>(pattern);
  return step([regex, with = std::move(with)](AlignedText& text) {
    replace_spans(text, regex->matches(text.bytes), with);
  });
}

NormalizerPtr normalize_nmt() {
  return step([](AlignedText& text) {
    map_characters(text, [](char32_t c, AlignedText::From from, AlignedText& to) {
      bool dropped = (c >= 1 && c <= 8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F ||
                     c == 0x8F || c == 0x9F;
      bool space = c == 9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 ||
                   (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
                   c == 0xFEFF || c == 0xFFFD;
      if (!dropped) to.append(space ? U' ' : c, from);
    });
  });
}

NormalizerPtr normalize_sequence(std::vector<NormalizerPtr> steps) {
  return step([steps = std::move(steps)](AlignedText& text) {
    for (const NormalizerPtr& s : steps) s->apply(text);
  });
}

NormalizerPtr normalize_byte_level() { return step(to_byte_level); }

NormalizerPtr normalize_precompiled(Charsmap map) {
  UErrorCode status = U_ZERO_ERROR;
  std::shared_ptr<const icu::BreakIterator> graphemes(
      icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
  if (U_FAILURE(status)) throw cannot("the Unicode library cannot find graphemes");
  return step([map = std::move(map), graphemes](AlignedText& text) {
    std::unique_ptr<icu::BreakIterator> breaks(graphemes->clone());
    icu::UnicodeString utf16 = icu::UnicodeString::fromUTF8(text.bytes);
    breaks->setText(utf16);
    AlignedText to;
    size_t at = 0;
    for (int32_t u = breaks->first(), next = breaks->next(); next != icu::BreakIterator::DONE;
         u = next, next = breaks->next()) {
      size_t begin = at;
      for (int32_t i = u; i < next; i = utf16.moveIndex32(i, 1)) next_character(text.bytes, at);
      std::string_view grapheme = std::string_view(text.bytes).substr(begin, at - begin);
      if (grapheme.size() < 6)
        if (std::optional<Charsmap::Match> m = map.shortest(grapheme)) {
          to.append(m->normal, text.origin({begin, at}));
          continue;
        }
      for (size_t i = begin; i < at;) {
        size_t from = i;
        next_character(text.bytes, i);
        std::string_view character = std::string_view(text.bytes).substr(from, i - from);
        if (std::optional<Charsmap::Match> m = map.shortest(character))
          to.append(m->normal, text.origin({from, i}));
        else
          to.append(text, {from, i});
      }
    }
    text = std::move(to);
  });
}

char32_t byte_level_character(unsigned char byte) {
  static const std::array<char32_t, 256> table = [] {
    std::array<char32_t, 256> t{};
    char32_t next = 256;
    for (int b = 0; b < 256; ++b) {
      bool printable = (b >= '!' && b <= '~') || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
      t[size_t(b)] = printable ? char32_t(b) : next++;
    }
    return t;
  }();
  return table[byte];
}

void to_byte_level(AlignedText& text) {
  AlignedText to;
  to.bytes.reserve(text.size() * 2);
  to.from.reserve(text.size() * 2);
  for (size_t i = 0; i < text.size(); ++i)
    to.append(byte_level_character(static_cast<unsigned char>(text.bytes[i])), text.from[i]);
  text = std::move(to);
}

}  // namespace minpair::tokenizer
