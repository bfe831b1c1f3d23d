#include "stimuli/grammar/derivations.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "stimuli/grammar/design.h"
#include "stimuli/grammar/walker.h"

namespace minpair::stimuli {
namespace {

// Longer derivations are a mistake in the grammar, and walking them needs stack.
constexpr uint32_t kLongestDerivation = 4000;
// Items of a design that are written out to see which have known words only.
constexpr uint32_t kMostDesigns = 1000000;

Count add(Count a, Count b) { return a > kCountless - b ? kCountless : a + b; }

Count multiply(Count a, Count b) {
  if (a == 0 || b == 0) return 0;
  return a > kCountless / b ? kCountless : a * b;
}

// Uniform in [0, n).
Count below(Random& random, Count n) {
  if (n <= UINT64_MAX) {
    // As Random::below, whose rule is mostly settled without its division.
    const uint64_t small = uint64_t(n);
    for (;;) {
      const Wide m = Wide(random.next()) * small;
      if (uint64_t(m) >= small || uint64_t(m) >= (0 - small) % small) return uint64_t(m >> 64);
    }
  }
  Count mask = kCountless;
  while (mask / 2 >= n) mask /= 2;
  for (;;) {
    Count high = Count(random.next()) << 64;  // one call a statement: their order must be fixed
    Count c = (high | random.next()) & mask;
    if (c < n) return c;
  }
}

// Different numbers below a limit, spread evenly enough: each stands near the place that it will
// have when they are sorted, so that neither finding nor sorting them looks far.
template <class Number>
class SortedRanks {
 public:
  SortedRanks(Number limit, size_t size)
      : slots_(2 * size + 1),
        scale_(double(slots_) / double(limit)),
        table_(slots_ + size, kNone) {}

  bool insert(Number rank) {  // false where it was there
    size_t at = std::min(size_t(double(rank) * scale_), slots_ - 1);
    for (; table_[at] != kNone; ++at)
      if (table_[at] == rank) return false;
    table_[at] = rank;
    return true;
  }

  std::vector<Number> take() {
    std::erase(table_, kNone);
    for (size_t i = 1; i < table_.size(); ++i)
      for (size_t k = i; k > 0 && table_[k - 1] > table_[k]; --k)
        std::swap(table_[k - 1], table_[k]);
    return std::move(table_);
  }

 private:
  static constexpr Number kNone = ~Number{0};
  size_t slots_;
  double scale_;
  std::vector<Number> table_;
};

}  // namespace

std::string count_digits(Count n) {
  if (n <= UINT64_MAX) return fmt::format_int(uint64_t(n)).str();
  std::string digits;
  do digits.insert(digits.begin(), char('0' + int(n % 10)));
  while (n /= 10);
  return digits;
}

Sample parse_sample(std::string_view text) {
  std::vector<std::string_view> numbers = words(text);
  uint64_t values[2] = {0, 0};
  for (size_t i = 0; i < numbers.size(); ++i) {
    const char* end = numbers[i].data() + numbers[i].size();
    bool read = i < 2 && std::from_chars(numbers[i].data(), end, values[i]).ptr == end;
    if (!read)
      throw bad_input(fmt::format("'{}' is not the size of a sample", text))
          .hint("say how many, then a seed: 1000 7");
  }
  if (values[0] == 0)
    throw bad_input("a sample has one item at least").hint("say how many, then a seed: 1000 7");
  return {values[0], values[1]};
}

Derivations::Derivations(std::string test, std::string language)
    : test_(std::move(test)), language_(std::move(language)) {}

Derivations::Node Derivations::add_word(std::string text) {
  nodes_.push_back({Kind::word, {}, 0, true, 1, uint32_t(words_.size()), 0, 1});
  words_.push_back(std::move(text));
  return Node(nodes_.size() - 1);
}

Derivations::Node Derivations::add_locus(std::string text, std::vector<std::string> wrong) {
  nodes_.push_back(
      {Kind::locus, {}, 1, true, 1, uint32_t(words_.size()), uint32_t(wrong.size()), 1});
  words_.push_back(std::move(text));
  for (std::string& w : wrong) words_.push_back(std::move(w));
  return Node(nodes_.size() - 1);
}

Derivations::Node Derivations::add_mark(Mark mark) {
  nodes_.push_back({Kind::mark, mark, 0, true, 1, 0, 0, 1});
  return Node(nodes_.size() - 1);
}

Derivations::Node Derivations::add_varied(std::string text, std::vector<std::string> forms) {
  Node node = add_locus(std::move(text), std::move(forms));
  nodes_[node].loci = 0;
  return node;
}

Derivations::Node Derivations::add_parts(const std::vector<Wrong>& wrong) {
  nodes_.push_back({Kind::mark, Mark::parts, 1, true, 1, uint32_t(rearranged_.size()), 0, 1});
  auto& stored = rearranged_.emplace_back();
  for (const Wrong& w : wrong) {
    auto& pieces = stored.emplace_back();
    for (const Piece& p : w) {
      pieces.push_back({p.part, p.form, uint32_t(words_.size())});
      if (p.part == Piece::kOwnWord) words_.push_back(p.word);
    }
  }
  return Node(nodes_.size() - 1);
}

Derivations::Node Derivations::add_choice(const std::vector<std::vector<Node>>& alternatives) {
  Data choice{Kind::choice, {}, 0, true, 0, uint32_t(alternatives_.size()), 0, 0};
  for (const std::vector<Node>& nodes : alternatives) {
    Count count = 1;
    unsigned loci = 0;
    uint32_t size = 1;
    for (Node n : nodes) {
      count = multiply(count, nodes_[n].count);
      loci = std::min(2u, loci + nodes_[n].loci);
      size = std::min(size + nodes_[n].size, kLongestDerivation + 1);
    }
    if (count == 0) continue;
    choice.loci = uint8_t(choice.length == 0 || choice.loci == loci ? loci : 2);
    choice.size = std::max(choice.size, size);
    choice.count = add(choice.count, count);
    choice.length++;
    alternatives_.push_back({uint32_t(sequence_.size()), uint32_t(nodes.size()), count});
    choice.even &= count == alternatives_[choice.first].count;
    sequence_.insert(sequence_.end(), nodes.begin(), nodes.end());
  }
  nodes_.push_back(choice);
  return Node(nodes_.size() - 1);
}

void Derivations::check_size(Node root) const {
  if (nodes_[root].size > kLongestDerivation)
    throw bad_input(
        fmt::format("a sentence can have more than {} words and rules; is that intended?",
                    kLongestDerivation))
        .hint("give a smaller --depth");
}

void Derivations::add_section(Section section) {
  const Data& root = nodes_[section.root];
  if (root.count == 0) return;
  check_size(section.root);
  for (Node other : section.beside) check_size(other);
  const bool locus = root.loci == 1 || !section.beside.empty();
  bool mixed = !sections_.empty() && has_locus_ != locus;
  if (root.loci > 1 || mixed)
    throw bad_input("every sentence must have exactly one locus, but some have none or several");
  has_locus_ = locus;
  sections_.push_back(std::move(section));
}

std::string_view Derivations::word_of(Node node) const {
  return nodes_[node].kind == Kind::word ? words_[nodes_[node].first] : std::string_view();
}

std::string_view Derivations::form_of(Node node, uint32_t form) const {
  const Data& data = nodes_[node];
  if (data.kind == Kind::locus) return words_[data.first + form];
  return word_of(node);
}

void Derivations::add_certain(Node node, std::vector<Node>& to) const {
  const Data& data = nodes_[node];
  if (data.kind != Kind::choice || data.length != 1) return to.push_back(node);
  const Alternative& only = alternatives_[data.first];
  for (uint32_t i = 0; i < only.length; ++i) add_certain(sequence_[only.first + i], to);
}

std::vector<std::vector<Derivations::Node>> Derivations::alternatives_of(Node node) const {
  check_size(node);
  const Data& data = nodes_[node];
  if (data.kind != Kind::choice) return {{node}};
  std::vector<std::vector<Node>> all(data.length);
  for (uint32_t i = 0; i < data.length; ++i) {
    const Alternative& a = alternatives_[data.first + i];
    for (uint32_t k = 0; k < a.length; ++k) add_certain(sequence_[a.first + k], all[i]);
  }
  return all;
}

void Derivations::keep_conditions(const std::function<bool(const std::string&)>& keep) {
  std::erase_if(sections_, [&](const Section& s) { return !keep(s.condition); });
}

void Derivations::keep_words(const std::function<bool(std::string_view)>& known) {
  std::set<std::string> unknown;
  auto is_known = [&](const std::string& text) {
    bool all = true;
    for (std::string_view w : words(text)) {
      if (w.front() == kRegionMark || known(w)) continue;
      unknown.emplace(w);
      all = false;
    }
    return all;
  };
  keep_known_designs(is_known);
  // A node only refers to earlier ones, so one pass is enough.
  for (Data& node : nodes_) {
    if (node.kind == Kind::mark) {
      if (node.mark != Mark::parts) continue;
      for (const auto& wrong : rearranged_[node.first])
        for (const StoredPiece& p : wrong)
          if (p.part == Piece::kOwnWord && !is_known(words_[p.word])) node.count = 0;
      continue;
    }
    if (node.kind != Kind::choice) {
      for (uint32_t i = 0; i <= node.length; ++i)
        if (!is_known(words_[node.first + i])) node.count = 0;
      continue;
    }
    uint32_t kept = 0;
    node.count = 0;
    node.even = true;
    for (uint32_t i = 0; i < node.length; ++i) {
      Alternative a = alternatives_[node.first + i];
      a.count = 1;
      for (uint32_t k = 0; k < a.length; ++k)
        a.count = multiply(a.count, nodes_[sequence_[a.first + k]].count);
      if (a.count == 0) continue;
      alternatives_[node.first + kept++] = a;
      node.even &= a.count == alternatives_[node.first].count;
      node.count = add(node.count, a.count);
    }
    node.length = kept;
  }
  std::erase_if(sections_, [&](const Section& s) { return count_of(s) == 0; });
  unknown_words_.assign(unknown.begin(), unknown.end());
}

// The words and marks of one derivation.
void Derivations::add_leaves(Node root, Count rank, std::vector<Node>& to) const {
  const Data& node = nodes_[root];
  if (node.kind != Kind::choice) return to.push_back(root);
  const Alternative* a = &alternatives_[node.first];
  while (rank >= a->count) rank -= (a++)->count;
  Count below = a->count;
  for (uint32_t i = 0; i < a->length; ++i) {
    Node child = sequence_[a->first + i];
    below /= nodes_[child].count;
    add_leaves(child, rank / below, to);
    rank %= below;
  }
}

void Derivations::keep_ranks(Section& section, const std::vector<Count>& ranks) {
  auto kept = [&](Node root) {
    std::vector<std::vector<Node>> leaves;
    for (Count rank : ranks) add_leaves(root, rank, leaves.emplace_back());
    return add_choice(leaves);
  };
  section.root = kept(section.root);
  for (Node& other : section.beside) other = kept(other);
}

// A sentence of a design goes with the others of its item, so that these are looked at one by one.
void Derivations::keep_known_designs(const std::function<bool(const std::string&)>& is_known) {
  for (Section& s : sections_) {
    if (s.beside.empty()) continue;
    if (count_of(s) > kMostDesigns)
      throw bad_input(fmt::format("{} has too many items for a list of words", test_))
          .hint("let the grammar ask for a sample");
    std::vector<Count> ranks;
    for (Count rank = 0; rank < count_of(s); ++rank) {
      std::vector<Node> leaves;
      add_leaves(s.root, rank, leaves);
      for (Node other : s.beside) add_leaves(other, rank, leaves);
      if (std::ranges::all_of(leaves, [&](Node n) {
            return nodes_[n].kind == Kind::mark || is_known(words_[nodes_[n].first]);
          }))
        ranks.push_back(rank);
    }
    keep_ranks(s, ranks);
  }
}

void Derivations::keep_sample() {
  if (sample_.size == 0) return;
  std::map<std::string_view, std::vector<Section*>> by_condition;
  for (Section& s : sections_) by_condition[s.condition].push_back(&s);
  for (const auto& [condition, total] : count_by_condition()) {
    if (total <= sample_.size) continue;
    Random random(sample_.seed);  // a new one: where conditions are alike, so are their samples
    std::vector<Count> ranks = sample_ranks(total, sample_.size, random);
    Count first = 0;
    for (auto rank = ranks.begin(); Section * s : by_condition[condition]) {
      const Count end = first + count_of(*s);
      std::vector<Count> kept;
      for (; rank != ranks.end() && *rank < end; ++rank) kept.push_back(*rank - first);
      keep_ranks(*s, kept);
      first = end;
    }
  }
  std::erase_if(sections_, [&](const Section& s) { return count_of(s) == 0; });
}

void Derivations::set_prefix(const std::string& prefix) {
  prefix_ = prefix;
  for (Section& s : sections_)
    if (!s.cluster.empty()) s.cluster = prefix + s.cluster;
}

std::vector<std::pair<std::string, Count>> Derivations::count_by_condition() const {
  std::vector<std::pair<std::string, Count>> counts;
  std::map<std::string_view, size_t> places;
  for (const Section& s : sections_) {
    auto [place, is_new] = places.try_emplace(s.condition, counts.size());
    if (is_new) counts.emplace_back(s.condition, 0);
    Count& count = counts[place->second].second;
    count = add(count, nodes_[s.root].count);
  }
  return counts;
}

Count Derivations::count() const {
  Count n = 0;
  for (const Section& s : sections_) n = add(n, nodes_[s.root].count);
  return n;
}

std::vector<Count> Derivations::sample_ranks(Count total, uint64_t n, Random& random) const {
  if (total == kCountless)
    throw bad_input(fmt::format("{} has more sentences than can be numbered", test_))
        .hint("give a smaller --depth");
  // Robert Floyd's way: every set of n is equally likely, and nothing is drawn twice.
  const Count first = total > n ? total - n : 0;
  auto draw = [&]<class Number>(Number) {
    SortedRanks<Number> ranks(Number(total), size_t(total - first));
    for (Number j = Number(first); j < total; ++j)
      if (!ranks.insert(Number(below(random, j + 1)))) ranks.insert(j);
    return ranks.take();
  };
  if (total > UINT64_MAX) return draw(total);
  const std::vector<uint64_t> ranks = draw(uint64_t{0});  // half the memory
  return {ranks.begin(), ranks.end()};
}

}  // namespace minpair::stimuli
