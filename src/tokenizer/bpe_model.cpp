#include <fmt/format.h>

#include <algorithm>
#include <queue>

#include "base/error.h"
#include "tokenizer/piece_model.h"

namespace minpair::tokenizer {
namespace {

// Which two pieces may be joined, how urgently, and to what: an open hash table.
class MergeTable {
 public:
  struct Found {
    uint32_t rank;
    TokenId result;
  };

  // Of equal pairs the last one counts.
  explicit MergeTable(const std::vector<Merge>& merges) {
    size_t capacity = 16;
    while (capacity < merges.size() * 2) capacity *= 2;
    slots_.resize(capacity);
    for (size_t rank = 0; rank < merges.size(); ++rank) {
      const Merge& m = merges[rank];
      size_t i = place(m.left, m.right);
      slots_[i] = {key(m.left, m.right), {uint32_t(rank), m.result}};
    }
  }

  const Found* find(TokenId left, TokenId right) const {
    const Slot& slot = slots_[place(left, right)];
    return slot.key == kEmpty ? nullptr : &slot.found;
  }

 private:
  static constexpr uint64_t kEmpty = UINT64_MAX;
  struct Slot {
    uint64_t key = kEmpty;
    Found found{};
  };

  static uint64_t key(TokenId left, TokenId right) {
    return uint64_t(uint32_t(left)) << 32 | uint32_t(right);
  }
  size_t place(TokenId left, TokenId right) const {
    uint64_t k = key(left, right);
    size_t mask = slots_.size() - 1;
    size_t i = (k * 0x9E3779B97F4A7C15u) >> 20 & mask;
    while (slots_[i].key != kEmpty && slots_[i].key != k) i = (i + 1) & mask;
    return i;
  }

  std::vector<Slot> slots_;
};

// A piece of the word under way; pieces are a list, so that joining two is cheap.
struct Symbol {
  TokenId id;
  int32_t previous, next;  // -1: none
  Span span;               // empty when the symbol was joined to the one before
};

struct Candidate {
  uint32_t rank;
  int32_t left;
  TokenId result;
  // The queue gives the largest first: low ranks before high ones, left before right.
  bool operator<(const Candidate& o) const {
    return rank != o.rank ? rank > o.rank : left > o.left;
  }
};

class Bpe : public PieceModel {
 public:
  Bpe(const Vocabulary& vocabulary, const std::vector<Merge>& merges, BpeOptions options)
      : vocabulary_(vocabulary),
        merges_(merges),
        options_(std::move(options)),
        bytes_(byte_pieces(vocabulary)) {
    fingerprint_ = fmt::format("bpe {} {}{}{} '{}' '{}'", options_.unk, options_.fuse_unk,
                               options_.byte_fallback, options_.ignore_merges,
                               options_.continuing_prefix, options_.end_of_word_suffix);
    for (const Merge& m : merges)
      fmt::format_to(std::back_inserter(fingerprint_), " {},{},{}", m.left, m.right, m.result);
  }

  std::string options() const override { return fingerprint_; }

  void cut(std::string_view word, std::vector<Cut>& to) const override {
    if (options_.ignore_merges)
      if (TokenId id = vocabulary_.find(word); id >= 0) {
        to.push_back({id, {0, word.size()}});
        return;
      }
    std::vector<Symbol> symbols = characters(word);
    if (symbols.size() > 1) join(symbols);
    for (const Symbol& s : symbols)
      if (!s.span.empty()) to.push_back({s.id, s.span});
  }

 private:
  TokenId find_character(std::string_view word, Span at) const {
    bool first = at.begin == 0 || options_.continuing_prefix.empty();
    bool last = at.end == word.size() && !options_.end_of_word_suffix.empty();
    if (first && !last) return vocabulary_.find(slice(word, at));
    std::string s = (first ? "" : options_.continuing_prefix) + std::string(slice(word, at)) +
                    (last ? options_.end_of_word_suffix : "");
    return vocabulary_.find(s);
  }

  bool append_bytes(std::string_view word, Span at, std::vector<Symbol>& symbols) const {
    for (size_t i = at.begin; i < at.end; ++i)
      if (bytes_[static_cast<unsigned char>(word[i])] < 0) return false;
    for (size_t i = at.begin; i < at.end; ++i)
      symbols.push_back({bytes_[static_cast<unsigned char>(word[i])], 0, 0, {i, i + 1}});
    return true;
  }

  std::vector<Symbol> characters(std::string_view word) const {
    std::vector<Symbol> symbols;
    symbols.reserve(word.size());
    bool after_unknown = false;
    for (size_t at = 0; at < word.size();) {
      Span span{at, at};
      next_character(word, at);
      span.end = at;
      TokenId id = find_character(word, span);
      bool unknown = id < 0 && !(options_.byte_fallback && append_bytes(word, span, symbols));
      if (id >= 0)
        symbols.push_back({id, 0, 0, span});
      else if (unknown && options_.unk >= 0 && after_unknown && options_.fuse_unk)
        symbols.back().span.end = span.end;
      else if (unknown && options_.unk >= 0)
        symbols.push_back({options_.unk, 0, 0, span});
      after_unknown = unknown;
    }
    for (size_t i = 0; i < symbols.size(); ++i) {
      symbols[i].previous = int32_t(i) - 1;
      symbols[i].next = i + 1 < symbols.size() ? int32_t(i) + 1 : -1;
    }
    return symbols;
  }

  void join(std::vector<Symbol>& symbols) const {
    std::priority_queue<Candidate> candidates;
    auto propose = [&](int32_t left) {
      if (left < 0 || symbols[size_t(left)].next < 0) return;
      const Symbol& l = symbols[size_t(left)];
      if (const MergeTable::Found* m = merges_.find(l.id, symbols[size_t(l.next)].id))
        candidates.push({m->rank, left, m->result});
    };
    for (size_t i = 0; i + 1 < symbols.size(); ++i) propose(int32_t(i));
    while (!candidates.empty()) {
      Candidate c = candidates.top();
      candidates.pop();
      Symbol& left = symbols[size_t(c.left)];
      if (left.span.empty() || left.next < 0) continue;
      Symbol& right = symbols[size_t(left.next)];
      const MergeTable::Found* m = merges_.find(left.id, right.id);
      if (!m || m->rank != c.rank) continue;
      left.id = c.result;
      left.span.end = right.span.end;
      right.span = {};
      left.next = right.next;
      if (left.next >= 0) symbols[size_t(left.next)].previous = c.left;
      propose(left.previous);
      propose(c.left);
    }
  }

  const Vocabulary& vocabulary_;
  MergeTable merges_;
  BpeOptions options_;
  std::vector<TokenId> bytes_;
  std::string fingerprint_;
};

}  // namespace

std::vector<TokenId> byte_pieces(const Vocabulary& vocabulary) {
  std::vector<TokenId> ids(256);
  for (int b = 0; b < 256; ++b) ids[size_t(b)] = vocabulary.find(fmt::format("<0x{:02X}>", b));
  return ids;
}

std::vector<Merge> resolve_merges(const Vocabulary& vocabulary, const MergeList& merges,
                                  const std::string& continuing_prefix, const std::string& name) {
  std::vector<Merge> resolved;
  resolved.reserve(merges.size());
  for (const auto& [left, right] : merges) {
    std::string_view tail = right;
    if (!continuing_prefix.empty() && tail.starts_with(continuing_prefix))
      tail.remove_prefix(continuing_prefix.size());
    Merge m{vocabulary.find(left), vocabulary.find(right),
            vocabulary.find(left + std::string(tail))};
    if (m.left < 0 || m.right < 0 || m.result < 0)
      throw bad_input(
          fmt::format("merge {} joins '{}' and '{}': not all three are in the vocabulary",
                      resolved.size(), left, right))
          .at(name)
          .hint("do the vocabulary and the merges belong together?");
    resolved.push_back(m);
  }
  return resolved;
}

PieceModelPtr make_bpe_model(const Vocabulary& vocabulary, const std::vector<Merge>& merges,
                             BpeOptions options) {
  return std::make_unique<Bpe>(vocabulary, merges, std::move(options));
}

}  // namespace minpair::tokenizer
