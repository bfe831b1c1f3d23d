#include "tokenizer/aligned_text.h"

#include <algorithm>

namespace minpair::tokenizer {

AlignedText::AlignedText(std::string_view whole, Span part) : bytes(slice(whole, part)) {
  from.reserve(bytes.size());
  for (size_t at = part.begin; at < part.end;) {
    From origin{uint32_t(at), 0};
    next_character(whole, at);
    origin.end = uint32_t(at);
    from.resize(at - part.begin, origin);
  }
}

AlignedText::From AlignedText::origin(Span span) const {
  if (span.empty()) {
    uint32_t at = span.begin < from.size() ? from[span.begin].begin
                  : from.empty()           ? 0
                                           : from.back().end;
    return {at, at};
  }
  From first = from[span.begin], last = from[span.end - 1];
  return {std::min(first.begin, last.begin), std::max(first.end, last.end)};
}

}  // namespace minpair::tokenizer
