#pragma once
// Between bytes and characters, for many places in one text: it is not read from its beginning for
// each of them. The text must outlive the index.

#include <cstddef>
#include <string_view>
#include <vector>

namespace minpair::inline base {

class CharacterIndex {
 public:
  explicit CharacterIndex(std::string_view text);
  std::string_view text() const { return text_; }
  size_t characters() const { return character(text_.size()); }
  size_t character(size_t byte) const;
  size_t byte(size_t character) const;

 private:
  struct Mark {
    size_t byte, character;
  };
  std::string_view text_;
  std::vector<Mark> marks_;  // the first character of every block of bytes; none in a short text
};

}  // namespace minpair::inline base
