#include "base/character_index.h"

#include <algorithm>

#include "base/text.h"

namespace minpair::inline base {

namespace {

constexpr size_t kBlock = 256;

}  // namespace

CharacterIndex::CharacterIndex(std::string_view text) : text_(text) {
  if (text.size() <= kBlock) return;
  size_t next = 0, n = 0;
  for (size_t at = 0; at < text.size(); ++n) {
    if (at >= next) {
      marks_.push_back({at, n});
      next += kBlock;
    }
    next_character(text, at);
  }
}

size_t CharacterIndex::character(size_t byte) const {
  if (marks_.empty()) return character_of_byte(text_, byte);
  auto mark = std::partition_point(marks_.begin() + 1, marks_.end(),
                                   [&](const Mark& m) { return m.byte <= byte; });
  --mark;
  return mark->character + character_of_byte(text_.substr(mark->byte), byte - mark->byte);
}

size_t CharacterIndex::byte(size_t character) const {
  if (marks_.empty()) return byte_of_character(text_, character);
  auto mark = std::partition_point(marks_.begin() + 1, marks_.end(),
                                   [&](const Mark& m) { return m.character <= character; });
  --mark;
  return mark->byte + byte_of_character(text_.substr(mark->byte), character - mark->character);
}

}  // namespace minpair::inline base
