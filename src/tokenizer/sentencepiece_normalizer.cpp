#include <cstring>

#include "base/error.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/vocabulary.h"

namespace minpair::tokenizer {
namespace {

constexpr std::string_view kMark = "\u2581";

class SentencePieceNormalizer : public Normalizer {
 public:
  SentencePieceNormalizer(Charsmap map, SentencePieceNormalizerOptions options)
      : map_(std::move(map)), options_(std::move(options)) {
    std::vector<Trie::Entry> entries;
    for (const std::string& symbol : options_.user_defined) entries.push_back({symbol, 1});
    user_defined_ = Trie(std::move(entries));
  }

  void apply(AlignedText& text) const override {
    AlignedText to;
    size_t at = 0;
    if (options_.remove_extra_whitespaces)
      while (at < text.size()) {
        auto [normal, length] = prefix(text.bytes, at);
        if (normal != " ") break;
        at += length;
      }
    if (at < text.size()) {
      bool wanted = !options_.prefix_only_at_start || text.from.front().begin == 0;
      if (options_.add_dummy_prefix && !options_.whitespace_as_suffix && wanted)
        to.append(space(), text.origin({at, at}));
      body(text, at, to);
      if (options_.remove_extra_whitespaces)
        while (to.bytes.ends_with(space())) {
          to.bytes.resize(to.bytes.size() - space().size());
          to.from.resize(to.bytes.size());
        }
      if (options_.add_dummy_prefix && options_.whitespace_as_suffix)
        to.append(space(), text.origin({text.size(), text.size()}));
    }
    text = std::move(to);
  }

 private:
  std::string_view space() const { return options_.escape_whitespaces ? kMark : " "; }

  void body(const AlignedText& text, size_t at, AlignedText& to) const {
    bool after_space = options_.remove_extra_whitespaces;
    while (at < text.size()) {
      auto [normal, length] = prefix(text.bytes, at);
      while (after_space && normal.starts_with(' ')) normal.remove_prefix(1);
      AlignedText::From from = text.origin({at, at + length});
      for (size_t i = 0; i < normal.size(); ++i)
        to.append(normal[i] == ' ' ? space() : normal.substr(i, 1), from);
      if (!normal.empty()) after_space = normal.ends_with(' ');
      if (!options_.remove_extra_whitespaces) after_space = false;
      at += length;
    }
  }

  // The normal form of what begins at `at`, and how many bytes that is.
  std::pair<std::string_view, size_t> prefix(std::string_view text, size_t at) const {
    if (size_t n = user_defined_at(text, at)) return {text.substr(at, n), n};
    if (std::optional<Charsmap::Match> m = map_.longest(text.substr(at)))
      return {m->normal, m->length};
    size_t end = at;
    next_character(text, end);
    return {text.substr(at, end - at), end - at};
  }

  size_t user_defined_at(std::string_view text, size_t at) const {
    size_t longest = 0;
    uint32_t node = Trie::kRoot;
    for (size_t i = at; i < text.size(); ++i) {
      node = user_defined_.step(node, text[i]);
      if (node == Trie::kNone) break;
      if (user_defined_.value(node) >= 0) longest = i + 1 - at;
    }
    return longest;
  }

  Charsmap map_;
  SentencePieceNormalizerOptions options_;
  Trie user_defined_;
};

}  // namespace

NormalizerPtr normalize_sentencepiece(Charsmap map, SentencePieceNormalizerOptions options) {
  return std::make_shared<SentencePieceNormalizer>(std::move(map), std::move(options));
}

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
