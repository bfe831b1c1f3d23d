#pragma once
// SentencePiece's precompiled map from character sequences to their normal form: a double-array
// trie whose values point into a block of strings.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace minpair::tokenizer {

class Charsmap {
 public:
  Charsmap() = default;
  explicit Charsmap(std::string_view blob);  // throws when the blob is not what it must be

  struct Match {
    size_t length;  // bytes of the text
    std::string_view normal;
  };
  // The shortest or the longest sequence that `text` begins with.
  std::optional<Match> shortest(std::string_view text) const { return find(text, false); }
  std::optional<Match> longest(std::string_view text) const { return find(text, true); }

 private:
  std::optional<Match> find(std::string_view text, bool longest) const;
  std::optional<std::string_view> normal_at(uint32_t offset) const;

  std::vector<uint32_t> units_;
  std::string normals_;
};

}  // namespace minpair::tokenizer
