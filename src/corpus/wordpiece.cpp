#include "corpus/wordpiece.h"

#include <algorithm>
#include <queue>
#include <set>

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

uint64_t count_of(const WordCounts& counts, const std::string& word) {
  auto it = counts.find(word);
  return it == counts.end() ? 0 : it->second;
}

bool starts_lower(std::string_view word) {
  if (word.empty()) return false;
  const auto c = static_cast<unsigned char>(word[0]);
  if (c >= 'a' && c <= 'z') return true;
  return word.size() > 1 && c == 0xC3 && static_cast<unsigned char>(word[1]) >= 0xA0;
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
  const WordPieceEncoder encoder(vocab);
  std::map<std::string, std::pair<uint64_t, uint64_t>> uses;  // across, all
  std::vector<int32_t> ids;
  for (const auto& [word, count] : counts) {
    ids.clear();
    encoder.encode(word, ids);
    const auto cut = cuts.find(word);
    size_t at = 0;
    for (size_t i = 0; i < ids.size(); ++i) {
      const std::string& piece = vocab[ids[i]];
      const size_t length = i == 0 ? piece.size() : piece.size() - 2;
      auto& [across, all] = uses[piece];
      all += count;
      if (cut != cuts.end() && at < cut->second && at + length > cut->second) across += count;
      at += length;
    }
  }
  std::set<std::string> out;
  for (const auto& [piece, use] : uses)
    if (use.first * 2 > use.second) out.insert(piece);
  return out;
}

}  // namespace

const std::vector<std::string>& verb_endings() {
  static const std::vector<std::string> all{"e",   "en",   "t",    "et",   "st", "est",
                                            "te",  "ten",  "test", "tet",  "n",  "end",
                                            "ete", "eten", "ende", "enden"};
  return all;
}

StemCuts find_verb_endings(const WordCounts& counts, uint64_t min_count) {
  std::map<std::string, bool> stems;
  for (const auto& [word, count] : counts) {
    if (count < min_count || word.size() < 4 || word.back() != 't' || !starts_lower(word)) continue;
    const std::string stem = word.substr(0, word.size() - 1);
    const uint64_t infinitive = count_of(counts, stem + "en");
    if (infinitive > 1000 * count) continue;  // `einen` is no form of `eint`
    const bool plain = infinitive >= min_count;
    const bool after_e =
        stem.size() > 3 && stem.back() == 'e' && count_of(counts, stem + "n") >= min_count;
    const bool after_r = stem.size() > 3 && (stem.back() == 'r' || stem.back() == 'l') &&
                         stem[stem.size() - 2] == 'e' && count_of(counts, stem + "n") >= min_count;
    const bool irregular = stem.back() != 'e' && count_of(counts, stem + "st") >= min_count;
    if (after_e && !plain) stems[stem.substr(0, stem.size() - 1)] = true;  // red|et, red|en
    if (plain || after_r || irregular) stems[stem] = true;
  }
  StemCuts cuts;
  for (const auto& [stem, unused] : stems) {
    if (stem.size() < 3 || stem == "war") continue;  // wart|en, not war|ten
    for (const std::string& ending : verb_endings()) {
      const std::string word = stem + ending;
      if (count_of(counts, word) == 0) continue;
      auto [it, fresh] = cuts.emplace(word, stem.size());
      if (!fresh) it->second = std::min(it->second, stem.size());
    }
  }
  return cuts;
}

std::vector<std::string> train_wordpiece(const WordCounts& counts,
                                         const WordPieceOptions& options) {
  std::map<std::string, uint64_t> alphabet;
  for (const auto& [word, count] : counts)
    for (const std::string& c : characters(word)) alphabet[c] += count;
  const StemCuts cuts = options.cut_verb_endings ? find_verb_endings(counts) : StemCuts{};

  Merger merger;
  for (const char* special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) merger.intern(special);
  for (const auto& [c, count] : alphabet)
    if (count >= options.min_character_count) {
      merger.intern(c);
      merger.intern("##" + c);
    }
  if (options.cut_verb_endings)
    for (const std::string& ending : verb_endings()) merger.intern("##" + ending);

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

WordPieceEncoder::WordPieceEncoder(const std::vector<std::string>& vocab) {
  for (size_t i = 0; i < vocab.size(); ++i) {
    ids_.emplace(vocab[i], static_cast<int32_t>(i));
    longest_ = std::max(longest_, vocab[i].size());
    if (vocab[i] == "[UNK]") unknown_ = static_cast<int32_t>(i);
  }
}

void WordPieceEncoder::encode(std::string_view word, std::vector<int32_t>& out) const {
  const size_t start_size = out.size();
  std::string key;
  for (size_t at = 0; at < word.size();) {
    const std::string_view prefix = at == 0 ? "" : "##";
    size_t length = std::min(word.size() - at, longest_);
    int32_t found = -1;
    for (; length > 0; --length) {
      key.assign(prefix).append(word.substr(at, length));
      const auto it = ids_.find(key);
      if (it != ids_.end()) {
        found = it->second;
        break;
      }
    }
    if (found < 0) {
      out.resize(start_size);
      out.push_back(unknown_);
      return;
    }
    out.push_back(found);
    at += length;
  }
}

}  // namespace minpair::corpus
