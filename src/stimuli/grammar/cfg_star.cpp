#include "stimuli/grammar/cfg_star.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/natural.h"
#include "base/text.h"

namespace minpair::stimuli::cfg {
namespace {

constexpr size_t kMostEdges = 20000;    // beginnings of one part that are compared
constexpr size_t kMostWords = 4;        // so many words of them
constexpr Count kMostWritten = 200000;  // sentences that are written out to compare them

Wrong right_order(size_t parts) {
  Wrong right;
  for (uint32_t p = 0; p < parts; ++p) right.push_back({p, 0, {}});
  return right;
}

std::string key_of(const std::vector<Wrong>& wrong) {
  std::string key;
  for (const Wrong& w : wrong) {
    key += '\x1e';
    for (const Piece& p : w) key += fmt::format("\x1f{}/{}/{}", p.part, p.form, p.word);
  }
  return key;
}

}  // namespace

Star::Star(const File& file, Derivations& derivations)
    : file_(file),
      derivations_(derivations),
      next_mark_(derivations.add_mark(Derivations::Mark::next_part)),
      end_mark_(derivations.add_mark(Derivations::Mark::parts_end)) {}

Star::Nodes Star::sequence(const Rule& rule, const std::vector<Nodes>& parts,
                           std::vector<Wrong> wrong) {
  const Wrong right = right_order(parts.size());
  const Stretch stretch = stretch_of(rule, parts, right, wrong);
  for (Wrong& w : wrong) {
    w = inner(w, stretch);
    check_differ(rule, parts, inner(right, stretch), w);
    for (Piece& p : w)
      if (p.part != Piece::kOwnWord) p.part -= uint32_t(stretch.before);
  }
  // A part of the right sentence that a wrong one has from outside the stretch is not there: the
  // stretch begins before the first that moves.
  auto [mark, is_new] = marks_.try_emplace(key_of(wrong), 0);
  if (is_new) mark->second = derivations_.add_parts(wrong);
  Nodes nodes;
  auto add = [&](size_t part) {
    nodes.insert(nodes.end(), parts[part].begin(), parts[part].end());
  };
  const size_t end = parts.size() - stretch.after;
  for (size_t p = 0; p < stretch.before; ++p) add(p);
  nodes.push_back(mark->second);
  for (size_t p = stretch.before; p < end; ++p) {
    if (p > stretch.before) nodes.push_back(next_mark_);
    add(p);
  }
  nodes.push_back(end_mark_);
  for (size_t p = end; p < parts.size(); ++p) add(p);
  return nodes;
}

Wrong Star::inner(const Wrong& whole, const Stretch& stretch) const {
  return {whole.begin() + ptrdiff_t(stretch.before), whole.end() - ptrdiff_t(stretch.after)};
}

// As short as can be, but with a word in every sentence, and without a comma at its beginning: that
// would stand close to what is before it.
Star::Stretch Star::stretch_of(const Rule& rule, const std::vector<Nodes>& parts,
                               const Wrong& right, const std::vector<Wrong>& wrong) {
  Stretch s;
  size_t shortest = right.size();
  for (const Wrong& w : wrong) shortest = std::min(shortest, w.size());
  auto all = [&](auto same) { return std::ranges::all_of(wrong, same); };
  auto moves = [&](size_t part) {  // it is taken from its place, too
    return std::ranges::any_of(wrong, [&](const Wrong& w) {
      return std::ranges::count(w, uint32_t(part), &Piece::part) != 1;
    });
  };
  while (s.before < shortest && !moves(s.before) &&
         all([&](const Wrong& w) { return w[s.before] == right[s.before]; }))
    ++s.before;
  while (s.before + s.after < shortest && !moves(right.size() - 1 - s.after) &&
         all([&](const Wrong& w) {
           return w[w.size() - 1 - s.after] == right[right.size() - 1 - s.after];
         }))
    ++s.after;
  auto any = [&](Side side, auto is) {
    auto of = [&](const Wrong& w) {
      const std::optional<Tuples> edge = edges(parts, inner(w, s), 1, side);
      return edge && std::ranges::any_of(*edge, is);
    };
    return of(right) || std::ranges::any_of(wrong, of);
  };
  const std::string& language = derivations_.language();
  while (any(Side::begin, [](const Tuple& t) { return t.empty(); })) {
    if (s.after > 0)
      --s.after;
    else if (s.before > 0)
      --s.before;
    else
      throw file_.error("nothing may be left of a sentence at the locus", rule.left.place)
          .hint("put a word that is never missing beside the others, on both sides of the star");
  }
  while (any(Side::begin, [&](const Tuple& t) { return beside(t[0], language).closes; })) {
    if (s.before == 0)
      throw file_.error("the locus cannot begin with a comma or the like", rule.left.place)
          .hint("let the rule begin with the word before it, on both sides of the star");
    --s.before;
  }
  while (any(Side::end, [&](const Tuple& t) { return beside(t[0], language).opens; })) {
    if (s.after == 0)
      throw file_.error("the locus cannot end with an opening bracket", rule.left.place)
          .hint("let the rule end with the word after it, on both sides of the star");
    --s.after;
  }
  return s;
}

void Star::check_differ(const Rule& rule, const std::vector<Nodes>& parts, const Wrong& right,
                        const Wrong& wrong) {
  for (size_t words = 1; words <= kMostWords; ++words)
    for (Side side : {Side::begin, Side::end}) {
      const std::optional<Tuples> a = edges(parts, right, words, side);
      const std::optional<Tuples> b = edges(parts, wrong, words, side);
      if (a && b && std::ranges::none_of(*a, [&](const Tuple& t) { return b->contains(t); }))
        return;
    }
  // Words that vary in their places: one that always does is enough.
  if (std::ranges::equal(right, wrong, {}, &Piece::part, &Piece::part))
    for (const Piece& p : wrong)
      if (std::ranges::any_of(parts[p.part],
                              [&](Derivations::Node n) { return always_differs(n, p.form); }))
        return;
  Count count = 1;
  for (const Piece& p : right)
    for (Derivations::Node n : parts[p.part]) {
      const Count more = derivations_.count_of(n);
      count = more == 0 || count <= kMostWritten / more ? count * more : kMostWritten + 1;
    }
  if (count > kMostWritten)
    throw file_
        .error("cannot tell whether the wrong order always differs from the right one",
               rule.left.place)
        .hint("begin the parts that move with words of their own");
  std::map<std::pair<uint32_t, uint32_t>, std::vector<std::string>> written;
  for (const Wrong* some : {&right, &wrong})
    for (const Piece& p : *some)
      if (p.part != Piece::kOwnWord) written[{p.part, p.form}] = texts(parts[p.part], p.form);
  std::map<uint32_t, size_t> chosen;
  auto text = [&](const Wrong& pieces) {
    std::string all;
    for (const Piece& p : pieces) {
      const std::string& more =
          p.part == Piece::kOwnWord ? p.word : written[{p.part, p.form}][chosen[p.part]];
      all += (all.empty() || more.empty() ? "" : " ") + more;
    }
    return all;
  };
  for (Count rank = 0; rank < count; ++rank) {
    Count rest = rank;
    for (const Piece& p : right) {
      const size_t size = written[{p.part, 0}].size();
      chosen[p.part] = size_t(rest % size);
      rest /= size;
    }
    if (std::string t = text(right); t == text(wrong))
      throw file_.error(fmt::format("'{}' is right and wrong here", t), rule.left.place)
          .hint(
              rule.loci() == 0 ? "keep words apart that may not meet: % apart A B"
              : file_.skip_syncretic
                  ? "'% syncretic skip' is for one wrong value: % vary FEATURE FROM:TO"
                  : "keep words apart that may not meet: % apart A B; or write '% syncretic skip'");
  }
}

bool Star::always_differs(Derivations::Node node, uint32_t form) const {
  const std::vector<Nodes> ways = derivations_.alternatives_of(node);
  if (ways.size() == 1 && ways[0] == Nodes{node}) {
    const std::string_view a = derivations_.form_of(node, 0), b = derivations_.form_of(node, form);
    return a != b && words(a).size() == 1 && words(b).size() == 1;
  }
  return std::ranges::all_of(ways, [&](const Nodes& way) {
    return std::ranges::any_of(way, [&](Derivations::Node n) { return always_differs(n, form); });
  });
}

Star::Halves Star::halves(Derivations::Node node) {
  const std::vector<Nodes> ways = derivations_.alternatives_of(node);
  if (ways.size() == 1 && ways[0] == Nodes{node}) {
    const bool changes = derivations_.form_of(node, 0) != derivations_.form_of(node, 1);
    return changes ? Halves{Nodes{node}, {}} : Halves{{}, Nodes{node}};
  }
  std::vector<Nodes> differ, same;
  for (const Nodes& way : ways) {
    Halves h = halves(way);
    if (h.differ) differ.push_back(std::move(*h.differ));
    if (h.same) same.push_back(std::move(*h.same));
  }
  Halves all;
  if (!differ.empty()) all.differ = Nodes{derivations_.add_choice(differ)};
  if (!same.empty()) all.same = Nodes{derivations_.add_choice(same)};
  return all;
}

// One of the words varies; what stands beside it belongs to both halves.
Star::Halves Star::halves(const Nodes& nodes) {
  Halves all;
  for (size_t i = 0; i < nodes.size(); ++i) {
    Halves h = halves(nodes[i]);
    if (!h.differ) continue;
    auto with = [&](const Nodes& half) {
      Nodes some(nodes.begin(), nodes.begin() + ptrdiff_t(i));
      some.insert(some.end(), half.begin(), half.end());
      some.insert(some.end(), nodes.begin() + ptrdiff_t(i) + 1, nodes.end());
      return some;
    };
    all.differ = with(*h.differ);
    if (h.same) all.same = with(*h.same);
    return all;
  }
  all.same = nodes;
  return all;
}

// The first locus that changes is the first, or the second, ...: no sentence twice.
std::vector<std::vector<Star::Nodes>> Star::without_syncretic(const Rule& rule,
                                                              const std::vector<Nodes>& parts) {
  std::vector<std::vector<Nodes>> all;
  std::vector<Nodes> before = parts, same;
  for (size_t p = 0; p < parts.size(); ++p) {
    if (rule.right[p].label != "locus") continue;
    Halves h = halves(parts[p]);
    if (h.differ) {
      all.push_back(before);
      all.back()[p] = std::move(*h.differ);
    }
    if (!h.same) return all;
    before[p] = std::move(*h.same);
    same.push_back(before[p]);
  }
  std::vector<std::string> left{""};
  for (const Nodes& nodes : same) {
    std::vector<std::string> longer;
    for (const std::string& a : left)
      for (const std::string& b : texts(nodes, 0))
        if (longer.size() < kMostEdges)
          longer.push_back(fmt::format("{}{}{}", a, a.empty() ? "" : " … ", b));
    left = std::move(longer);
  }
  for (const std::string& words : left) derivations_.pass_over(words);
  return all;
}

bool Star::append(std::optional<Tuples>& to, const std::optional<Tuples>& more, size_t words,
                  Side side) {
  if (!to || !more) {
    to.reset();
    return false;
  }
  Tuples all;
  bool open = false;
  for (const Tuple& t : *to) {
    if (t.size() == words) {
      all.insert(t);
      continue;
    }
    for (const Tuple& m : *more) {
      Tuple longer = t;
      const size_t take = std::min(m.size(), words - t.size());
      if (side == Side::begin)
        longer.insert(longer.end(), m.begin(), m.begin() + ptrdiff_t(take));
      else
        longer.insert(longer.begin(), m.end() - ptrdiff_t(take), m.end());
      open |= longer.size() < words;
      all.insert(std::move(longer));
    }
    if (all.size() > kMostEdges) {
      to.reset();
      return false;
    }
  }
  to = std::move(all);
  return open;
}

std::optional<Star::Tuples> Star::edges(const std::vector<Nodes>& parts, const Wrong& pieces,
                                        size_t words, Side side) {
  std::optional<Tuples> found = Tuples{{}};
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Piece& p = pieces[side == Side::begin ? i : pieces.size() - 1 - i];
    bool open = true;
    if (p.part == Piece::kOwnWord) {
      Tuple own;
      for (std::string_view w : minpair::words(p.word)) own.emplace_back(w);
      open = append(found, Tuples{own}, words, side);
    } else {
      const Nodes& nodes = parts[p.part];
      for (size_t n = 0; n < nodes.size() && open; ++n)
        open = append(
            found,
            edges(nodes[side == Side::begin ? n : nodes.size() - 1 - n], p.form, words, side),
            words, side);
    }
    if (!open) break;
  }
  return found;
}

const std::optional<Star::Tuples>& Star::edges(Derivations::Node node, uint32_t form, size_t words,
                                               Side side) {
  auto [it, is_new] = edges_.try_emplace({node, form, words, side});
  if (!is_new) return it->second;
  std::optional<Tuples> found = Tuples{};
  const std::vector<Nodes> ways = derivations_.alternatives_of(node);
  if (ways.size() == 1 && ways[0] == Nodes{node}) {
    Tuple own;
    for (std::string_view w : minpair::words(derivations_.form_of(node, form))) own.emplace_back(w);
    if (own.size() > words)
      own.erase(side == Side::begin ? own.begin() + ptrdiff_t(words) : own.begin(),
                side == Side::begin ? own.end() : own.end() - ptrdiff_t(words));
    found->insert(std::move(own));
  } else {
    for (const Nodes& way : ways) {
      const std::optional<Tuples> of_way = edges({way}, {{0, form, {}}}, words, side);
      if (of_way && found) found->insert(of_way->begin(), of_way->end());
      if (!of_way || found->size() > kMostEdges) {
        found.reset();
        break;
      }
    }
  }
  return edges_[{node, form, words, side}] = std::move(found);
}

// In the order of ranks, so that two forms of one derivation stand at the same place.
std::vector<std::string> Star::texts(const Nodes& nodes, uint32_t form) const {
  std::vector<std::string> all{""};
  for (Derivations::Node n : nodes) {
    std::vector<std::string> own;
    const std::vector<Nodes> ways = derivations_.alternatives_of(n);
    if (ways.size() == 1 && ways[0] == Nodes{n})
      own.emplace_back(derivations_.form_of(n, form));
    else
      for (const Nodes& way : ways)
        for (std::string& t : texts(way, form)) own.push_back(std::move(t));
    std::vector<std::string> longer;
    for (const std::string& a : all)
      for (const std::string& b : own)
        longer.push_back(fmt::format("{}{}{}", a, a.empty() || b.empty() ? "" : " ", b));
    all = std::move(longer);
  }
  return all;
}

}  // namespace minpair::stimuli::cfg
