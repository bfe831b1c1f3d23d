#include "tokenizer/charsmap.h"

#include <cstring>

#include "base/error.h"

namespace minpair::tokenizer {
namespace {

bool has_leaf(uint32_t unit) { return (unit >> 8) & 1; }
uint32_t value(uint32_t unit) { return unit & 0x7FFFFFFF; }
uint32_t label(uint32_t unit) { return unit & 0x800000FF; }
uint32_t offset(uint32_t unit) { return (unit >> 10) << ((unit & 0x200) >> 6); }

uint32_t read_u32(std::string_view bytes) {
  uint32_t v = 0;
  for (int i = 3; i >= 0; --i) v = v << 8 | static_cast<unsigned char>(bytes[size_t(i)]);
  return v;
}

}  // namespace

Charsmap::Charsmap(std::string_view blob) {
  if (blob.empty()) return;
  Error broken = bad_input("the precompiled character map is broken");
  if (blob.size() < 4) throw broken;
  uint32_t trie_bytes = read_u32(blob);
  blob.remove_prefix(4);
  if (trie_bytes > blob.size() || trie_bytes % 4 != 0 || trie_bytes == 0) throw broken;
  for (size_t i = 0; i < trie_bytes; i += 4) units_.push_back(read_u32(blob.substr(i, 4)));
  normals_ = blob.substr(trie_bytes);
}

std::optional<std::string_view> Charsmap::normal_at(uint32_t at) const {
  if (at >= normals_.size()) return std::nullopt;
  size_t end = normals_.find('\0', at);
  return std::string_view(normals_).substr(at,
                                           (end == std::string::npos ? normals_.size() : end) - at);
}

std::optional<Charsmap::Match> Charsmap::find(std::string_view text, bool longest) const {
  std::optional<Match> best;
  if (units_.empty()) return best;
  uint32_t node = offset(units_[0]);
  for (size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    node ^= byte;
    if (byte == 0 || node >= units_.size()) break;
    uint32_t unit = units_[node];
    if (label(unit) != byte) break;
    node ^= offset(unit);
    if (!has_leaf(unit)) continue;
    if (node >= units_.size()) break;
    if (std::optional<std::string_view> normal = normal_at(value(units_[node]))) {
      best = Match{i + 1, *normal};
      if (!longest) break;
    }
  }
  return best;
}

}  // namespace minpair::tokenizer
