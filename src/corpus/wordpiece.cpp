#include "corpus/wordpiece.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <unordered_map>

#include "tokenizer/make.h"

namespace minpair::corpus {
namespace {

std::vector<std::string> characters(std::string_view word) {
  std::vector<std::string> out;
  for (size_t i = 0; i < word.size();) {
    size_t j = i + 1;
    while (j < word.size() && (static_cast<unsigned char>(word[j]) & 0xC0) == 0x80) ++j;
    out.emplace_back(word.substr(i, j - i));
    i = j;
  }
  return out;
}

struct Symbols {
  std::vector<int32_t> ids;
  uint64_t count = 0;
};

using Pair = std::pair<int32_t, int32_t>;

// Byte-pair merging over weighted symbol sequences, with incremental pair counts.
class Merger {
 public:
  int32_t intern(const std::string& piece) {
    auto [it, fresh] = ids_.emplace(piece, static_cast<int32_t>(pieces_.size()));
    if (fresh) pieces_.push_back(piece);
    return it->second;
  }

  void add(Symbols word) {
    const auto index = static_cast<int32_t>(words_.size());
    for (size_t i = 0; i + 1 < word.ids.size(); ++i) {
      const Pair pair{word.ids[i], word.ids[i + 1]};
      counts_[pair] += word.count;
      where_[pair].push_back(index);
    }
    words_.push_back(std::move(word));
  }

  void grow(size_t size) {
    for (const auto& [pair, count] : counts_) queue_.push({count, pair});
    while (pieces_.size() < size && !queue_.empty()) {
      const auto [count, pair] = queue_.top();
      queue_.pop();
      const auto it = counts_.find(pair);
      if (it == counts_.end() || it->second == 0) continue;
      if (it->second != count) {
        queue_.push({it->second, pair});
        continue;
      }
      merge(pair);
    }
  }

  const std::vector<std::string>& pieces() const { return pieces_; }

 private:
  struct Entry {
    uint64_t count;
    Pair pair;
    bool operator<(const Entry& other) const {
      if (count != other.count) return count < other.count;
      return pair > other.pair;
    }
  };

  void merge(const Pair& pair) {
    const int32_t fresh = intern(pieces_[pair.first] + pieces_[pair.second].substr(2));
    std::vector<int32_t> where = std::move(where_[pair]);
    where_.erase(pair);
    std::sort(where.begin(), where.end());
    where.erase(std::unique(where.begin(), where.end()), where.end());
    for (const int32_t index : where) merge_in(words_[index], index, pair, fresh);
    counts_.erase(pair);
  }

  void merge_in(Symbols& word, int32_t index, const Pair& pair, int32_t fresh) {
    auto& ids = word.ids;
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      if (ids[i] != pair.first || ids[i + 1] != pair.second) continue;
      if (i > 0) change({ids[i - 1], ids[i]}, {ids[i - 1], fresh}, word.count, index);
      if (i + 2 < ids.size())
        change({ids[i + 1], ids[i + 2]}, {fresh, ids[i + 2]}, word.count, index);
      ids[i] = fresh;
      ids.erase(ids.begin() + static_cast<long>(i) + 1);
    }
  }

  void change(const Pair& before, const Pair& after, uint64_t count, int32_t index) {
    auto it = counts_.find(before);
    if (it != counts_.end()) it->second -= std::min(it->second, count);
    const uint64_t now = counts_[after] += count;
    where_[after].push_back(index);
    queue_.push({now, after});
  }

  std::vector<std::string> pieces_;
  std::unordered_map<std::string, int32_t> ids_;
  std::vector<Symbols> words_;
  std::map<Pair, uint64_t> counts_;
  std::map<Pair, std::vector<int32_t>> where_;
  std::priority_queue<Entry> queue_;
};

// A piece learned from one word may cover the cut of another (`##ert` in `bewunder|t`). Greedy
// matching would then hide the ending, so such pieces go.
std::set<std::string> pieces_across_cuts(const WordCounts& counts, const StemCuts& cuts,
                                         const std::vector<std::string>& vocab) {
  const auto cutter = tokenizer::make_wordpiece(vocab, {});
  struct Uses {
    uint64_t across = 0, all = 0;
  };
  std::vector<Uses> uses(vocab.size());
  for (const auto& [word, count] : counts) {
    const auto cut = cuts.find(word);
    for (const tokenizer::Token& token : cutter->encode(word, false).tokens) {
      Uses& use = uses[static_cast<size_t>(token.id)];
      use.all += count;
      if (cut != cuts.end() && token.span.begin < cut->second && token.span.end > cut->second)
        use.across += count;
    }
  }
  std::set<std::string> out;
  for (size_t i = 0; i < vocab.size(); ++i)
    if (uses[i].across * 2 > uses[i].all) out.insert(vocab[i]);
  return out;
}

}  // namespace

std::vector<std::string> train_wordpiece(const WordCounts& counts, const PieceOptions& options) {
  std::map<std::string, uint64_t> alphabet;
  for (const auto& [word, count] : counts)
    for (const std::string& c : characters(word)) alphabet[c] += count;
  const StemCuts cuts = cut_endings(counts, options.endings);

  Merger merger;
  for (const char* special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) merger.intern(special);
  for (const auto& [c, count] : alphabet)
    if (count >= options.min_character_count) {
      merger.intern(c);
      merger.intern("##" + c);
    }
  for (const std::string& ending : options.endings.all) merger.intern("##" + ending);

  for (const auto& [word, count] : counts) {
    if (count < options.min_word_count) continue;
    const auto letters = characters(word);
    if (std::any_of(letters.begin(), letters.end(), [&](const std::string& c) {
          return alphabet[c] < options.min_character_count;
        }))
      continue;
    const auto cut = cuts.find(word);
    Symbols part{{}, count};
    size_t at = 0;
    for (const std::string& c : letters) {
      if (cut != cuts.end() && at == cut->second) break;  // the ending is a piece already
      part.ids.push_back(merger.intern(at == 0 ? c : "##" + c));
      at += c.size();
    }
    merger.add(std::move(part));
  }
  merger.grow(options.size + options.size / 50);

  std::vector<std::string> vocab = merger.pieces();
  for (int round = 0; round < 4; ++round) {
    const auto bad = pieces_across_cuts(counts, cuts, vocab);
    std::erase_if(vocab, [&](const std::string& piece) {
      return bad.contains(piece) && characters(piece).size() > 3;
    });
  }
  if (vocab.size() > options.size) vocab.resize(options.size);
  return vocab;
}

}  // namespace minpair::corpus
