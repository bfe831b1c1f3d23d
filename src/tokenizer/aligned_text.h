#pragma once
// Text under way to the model: every byte remembers which characters of the original it came from.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace minpair::tokenizer {

struct AlignedText {
  struct From {
    uint32_t begin = 0, end = 0;
  };

  AlignedText() = default;
  AlignedText(std::string_view whole, Span part);

  size_t size() const { return bytes.size(); }
  void append(std::string_view text, From origin) {
    bytes += text;
    from.resize(bytes.size(), origin);
  }
  void append(char32_t c, From origin) {
    append_utf8(bytes, c);
    from.resize(bytes.size(), origin);
  }
  void append(const AlignedText& other, Span span) {
    bytes.append(other.bytes, span.begin, span.size());
    from.insert(from.end(), other.from.begin() + long(span.begin),
                other.from.begin() + long(span.end));
  }
  // What the bytes [begin, end) came from.
  From origin(Span span) const;

  std::string bytes;
  std::vector<From> from;  // one per byte
};

// Rebuilds a text character by character: `each(c, origin, to)` appends what becomes of c.
template <typename F>
void map_characters(AlignedText& text, F each) {
  AlignedText to;
  to.bytes.reserve(text.size());
  to.from.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    char32_t c = next_character(text.bytes, at);
    each(c, text.origin({begin, at}), to);
  }
  text = std::move(to);
}

}  // namespace minpair::tokenizer
