// The two models of SentencePiece, which score pieces instead of ranking merges.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <queue>

#include "base/error.h"
#include "base/hash.h"
#include "tokenizer/piece_model.h"

namespace minpair::tokenizer {
namespace {

class ScoredModel : public PieceModel {
 public:
  ScoredModel(const Vocabulary& vocabulary, std::vector<double> scores,
              std::vector<PieceType> types, ScoredOptions options)
      : vocabulary_(vocabulary),
        scores_(std::move(scores)),
        types_(std::move(types)),
        given_(options),
        bytes_(byte_pieces(vocabulary)) {
    scores_.resize(vocabulary.size());
    types_.resize(vocabulary.size(), PieceType::normal);
    std::vector<Trie::Entry> entries, symbols;
    for (size_t i = 0; i < vocabulary.size(); ++i) {
      auto id = TokenId(i);
      if (vocabulary.piece(id).empty()) continue;
      if (types_[i] == PieceType::normal || types_[i] == PieceType::user_defined ||
          types_[i] == PieceType::unused)
        entries.push_back({vocabulary.piece(id), id});
      if (types_[i] == PieceType::user_defined) symbols.push_back({vocabulary.piece(id), id});
    }
    ordinary_ = Trie(std::move(entries));
    user_defined_ = Trie(std::move(symbols));
  }

  std::string options() const override {
    std::string s =
        fmt::format("{} {}{}", given_.unk, given_.byte_fallback, given_.single_precision);
    for (size_t i = 0; i < scores_.size(); ++i)
      fmt::format_to(std::back_inserter(s), " {},{}", scores_[i], int(types_[i]));
    return s;
  }

 protected:
  // An unknown stretch becomes its bytes; or it joins an unknown one before it.
  void append_unknown(std::string_view word, Span span, std::vector<Cut>& to, size_t first) const {
    if (given_.byte_fallback) {
      bool all = true;
      for (size_t i = span.begin; i < span.end; ++i)
        all = all && bytes_[static_cast<unsigned char>(word[i])] >= 0;
      if (all) {
        for (size_t i = span.begin; i < span.end; ++i)
          to.push_back({bytes_[static_cast<unsigned char>(word[i])], {i, i + 1}});
        return;
      }
    }
    if (given_.unk < 0) return;
    if (to.size() > first && to.back().id == given_.unk)
      to.back().span.end = span.end;
    else
      to.push_back({given_.unk, span});
  }

  bool unused(TokenId id) const { return types_[size_t(id)] == PieceType::unused; }

  const Vocabulary& vocabulary_;
  std::vector<double> scores_;
  std::vector<PieceType> types_;
  ScoredOptions given_;
  std::vector<TokenId> bytes_;
  Trie ordinary_, user_defined_;
};

// SentencePiece's unigram model, by Viterbi's algorithm over the characters of the word.
class Unigram : public ScoredModel {
 public:
  Unigram(const Vocabulary& vocabulary, std::vector<double> scores, std::vector<PieceType> types,
          ScoredOptions options)
      : ScoredModel(vocabulary, std::move(scores), std::move(types), options) {
    double lowest = std::numeric_limits<double>::max();
    // SentencePiece begins with the smallest positive float, not the lowest: since scores are
    // logarithms, a user-defined piece is all but free for it.
    double highest = std::numeric_limits<float>::min();
    for (size_t i = 0; i < scores_.size(); ++i)
      if (types_[i] == PieceType::normal) {
        lowest = std::min(lowest, scores_[i]);
        highest = std::max(highest, scores_[i]);
      }
    if (lowest == std::numeric_limits<double>::max()) lowest = 0;
    unknown_score_ = rounded(lowest - 10.0);
    highest_ = highest;
  }

  std::string options() const override { return "unigram " + ScoredModel::options(); }

  void cut(std::string_view word, std::vector<Cut>& to) const override {
    std::vector<Best> best(word.size() + 1);
    for (size_t at = 0; at < word.size();) {
      size_t next = at;
      next_character(word, next);
      extend(word, at, next, best);
      at = next;
    }
    std::vector<Cut> backwards;
    for (size_t end = word.size(); end > 0; end = size_t(best[end].begin))
      backwards.push_back({best[end].id, {size_t(best[end].begin), end}});
    append_in_order(word, backwards, to);
  }

 private:
  struct Best {
    TokenId id = -1;
    int32_t begin = -1;  // -1: not reached yet
    double score = 0;
  };

  double rounded(double score) const {
    return given_.single_precision ? double(float(score)) : score;
  }

  double score_of(TokenId id, size_t length) const {
    if (types_[size_t(id)] == PieceType::user_defined)
      return rounded(double(length) * highest_) - 0.1;
    return scores_[size_t(id)];
  }

  void extend(std::string_view word, size_t at, size_t next, std::vector<Best>& best) const {
    auto offer = [&](size_t end, TokenId id, double sum) {
      Best& b = best[end];
      if (b.begin < 0 || sum > b.score) b = {id, int32_t(at), rounded(sum)};
    };
    bool single = false;
    uint32_t node = Trie::kRoot;
    for (size_t i = at; i < word.size(); ++i) {
      node = ordinary_.step(node, word[i]);
      if (node == Trie::kNone) break;
      TokenId id = ordinary_.value(node);
      if (id < 0 || unused(id)) continue;
      offer(i + 1, id, best[at].score + score_of(id, i + 1 - at));
      if (i + 1 == next) single = true;
    }
    if (!single) offer(next, kUnknown, rounded(best[at].score + unknown_score_));
  }

  // Neighbouring unknown characters are one unknown piece before they become bytes.
  void append_in_order(std::string_view word, const std::vector<Cut>& backwards,
                       std::vector<Cut>& to) const {
    size_t first = to.size();
    for (size_t i = backwards.size(); i-- > 0;) {
      if (backwards[i].id != kUnknown)
        to.push_back(backwards[i]);
      else
        append_unknown(word, backwards[i].span, to, first);
    }
  }

  static constexpr TokenId kUnknown = -2;
  double unknown_score_ = 0, highest_ = 0;
};

struct Symbol {
  int32_t previous, next;
  Span span;    // empty when it was joined to the one before
  bool frozen;  // a user-defined symbol is never joined
};

struct Pair {
  double score;
  int32_t left, right;
  size_t size;
  bool operator<(const Pair& o) const { return score != o.score ? score < o.score : left > o.left; }
};

class ScoreBpe : public ScoredModel {
 public:
  using ScoredModel::ScoredModel;

  std::string options() const override { return "score bpe " + ScoredModel::options(); }

  void cut(std::string_view word, std::vector<Cut>& to) const override {
    std::vector<Symbol> symbols = characters(word);
    Halves halves;
    join(word, symbols, halves);
    size_t first = to.size();
    for (const Symbol& s : symbols)
      if (!s.span.empty()) append(word, s.span, halves, to, first);
  }

 private:
  // What an unused piece was joined from: it is taken apart again.
  using Halves = std::map<std::string_view, std::pair<size_t, size_t>>;

  std::vector<Symbol> characters(std::string_view word) const {
    std::vector<Symbol> symbols;
    for (size_t at = 0; at < word.size();) {
      size_t end = at;
      uint32_t node = Trie::kRoot;
      for (size_t i = at; i < word.size(); ++i) {
        node = user_defined_.step(node, word[i]);
        if (node == Trie::kNone) break;
        if (user_defined_.value(node) >= 0) end = i + 1;
      }
      bool frozen = end > at;
      if (!frozen) next_character(word, end);
      auto index = int32_t(symbols.size());
      symbols.push_back({index - 1, index + 1, {at, end}, frozen});
      at = end;
    }
    if (!symbols.empty()) symbols.back().next = -1;
    return symbols;
  }

  void join(std::string_view word, std::vector<Symbol>& symbols, Halves& halves) const {
    std::priority_queue<Pair> pairs;
    auto propose = [&](int32_t left, int32_t right) {
      if (left < 0 || right < 0) return;
      const Symbol &l = symbols[size_t(left)], &r = symbols[size_t(right)];
      if (l.frozen || r.frozen) return;
      std::string_view joined = word.substr(l.span.begin, r.span.end - l.span.begin);
      TokenId id = ordinary_.find(joined);
      if (id < 0) return;
      pairs.push({scores_[size_t(id)], left, right, joined.size()});
      if (unused(id)) halves[joined] = {l.span.size(), r.span.size()};
    };
    for (size_t i = 1; i < symbols.size(); ++i) propose(int32_t(i) - 1, int32_t(i));
    while (!pairs.empty()) {
      Pair p = pairs.top();
      pairs.pop();
      Symbol &left = symbols[size_t(p.left)], &right = symbols[size_t(p.right)];
      if (left.span.empty() || right.span.empty() || left.span.size() + right.span.size() != p.size)
        continue;
      left.span.end = right.span.end;
      right.span = {};
      left.next = right.next;
      if (left.next >= 0) symbols[size_t(left.next)].previous = p.left;
      propose(left.previous, p.left);
      propose(p.left, left.next);
    }
  }

  void append(std::string_view word, Span span, const Halves& halves, std::vector<Cut>& to,
              size_t first) const {
    TokenId id = vocabulary_.find(slice(word, span));
    if (id >= 0 && unused(id))
      if (auto half = halves.find(slice(word, span)); half != halves.end()) {
        size_t middle = span.begin + half->second.first;
        append(word, {span.begin, middle}, halves, to, first);
        append(word, {middle, span.end}, halves, to, first);
        return;
      }
    if (id >= 0 && id != given_.unk)
      to.push_back({id, span});
    else
      append_unknown(word, span, to, first);
  }
};

}  // namespace

PieceModelPtr make_unigram_model(const Vocabulary& vocabulary, std::vector<double> scores,
                                 std::vector<PieceType> types, ScoredOptions options) {
  return std::make_unique<Unigram>(vocabulary, std::move(scores), std::move(types), options);
}

PieceModelPtr make_score_bpe_model(const Vocabulary& vocabulary, std::vector<double> scores,
                                   std::vector<PieceType> types, ScoredOptions options) {
  return std::make_unique<ScoreBpe>(vocabulary, std::move(scores), std::move(types), options);
}

}  // namespace minpair::tokenizer
