#include "stimuli/grammar/cfg_design.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace minpair::stimuli::cfg {
namespace {

using Node = Derivations::Node;
using Sequence = std::vector<Node>;

// A region of one sentence: its mark and what follows, up to the next.
struct Part {
  std::string name;  // "": what stands before the first
  Sequence nodes;
  Count count = 1;
};

std::vector<Part> parts_of(const Sequence& sequence, const Derivations& derivations) {
  std::vector<Part> parts(1);
  for (Node n : sequence) {
    if (std::string_view word = derivations.word_of(n);
        !word.empty() && word.front() == kRegionMark)
      parts.push_back({std::string(word.substr(1)), {}, 1});
    parts.back().nodes.push_back(n);
    const Count more = derivations.count_of(n);
    Count& count = parts.back().count;
    count = count > kCountless / more ? kCountless : count * more;
  }
  return parts;
}

class Aligner {
 public:
  Aligner(const File& file, const Section& section, Derivations& derivations)
      : file_(file), section_(section), derivations_(derivations) {}

  // The roots anew, all with the same number of derivations.
  std::vector<Node> aligned(const std::vector<Node>& roots) {
    std::vector<std::vector<Sequence>> ways;  // by sentence
    for (Node root : roots) ways.push_back(derivations_.alternatives_of(root));
    for (size_t s = 1; s < ways.size(); ++s)
      if (ways[s].size() != ways[0].size()) differ("", ways[0].size(), s, ways[s].size());
    for (size_t way = 0; way < ways[0].size(); ++way) {
      std::vector<Sequence*> sentences;
      for (std::vector<Sequence>& w : ways) sentences.push_back(&w[way]);
      align(sentences);
    }
    std::vector<Node> anew;
    for (std::vector<Sequence>& w : ways) anew.push_back(derivations_.add_choice(w));
    return anew;
  }

 private:
  void align(const std::vector<Sequence*>& sentences) {
    std::vector<std::vector<Part>> parts;
    for (const Sequence* s : sentences) parts.push_back(parts_of(*s, derivations_));
    for (size_t s = 1; s < parts.size(); ++s)
      if (!std::ranges::equal(parts[0], parts[s], {}, &Part::name, &Part::name))
        throw file_
            .error(fmt::format("'{}' and '{}' have different regions", section_.names[0],
                               section_.names[s]),
                   file_.design[0].place)
            .hint(
                "all sentences of an item have the same labels in the same order; a part may be "
                "empty");
    for (size_t p = 0; p < parts[0].size(); ++p) {
      std::vector<Part*> region;
      for (std::vector<Part>& of_sentence : parts) region.push_back(&of_sentence[p]);
      fill_up(region);
    }
    for (size_t s = 0; s < parts.size(); ++s) {
      sentences[s]->clear();
      for (const Part& part : parts[s])
        sentences[s]->insert(sentences[s]->end(), part.nodes.begin(), part.nodes.end());
    }
  }

  void fill_up(const std::vector<Part*>& region) {
    Count most = 1;
    for (const Part* part : region) most = std::max(most, part->count);
    for (size_t s = 0; s < region.size(); ++s) {
      Part& part = *region[s];
      if (part.count == most) continue;
      if (part.count != 1) {
        size_t other = 0;
        while (region[other]->count != most) ++other;
        differ(part.name, most, s, part.count, other);
      }
      part.nodes = {copies(std::move(part.nodes), most)};
    }
  }

  // The same so many times, in a few nodes.
  Node copies(Sequence nodes, Count count) {
    std::vector<Sequence> all;
    for (Node some = derivations_.add_choice({std::move(nodes)}); count > 0; count /= 2) {
      if (count % 2) all.push_back({some});
      some = derivations_.add_choice({{some}, {some}});
    }
    return derivations_.add_choice(all);
  }

  [[noreturn]] void differ(const std::string& region, Count there, size_t sentence, Count here,
                           size_t other = 0) const {
    throw file_
        .error(fmt::format("{} can be {} ways in '{}', but {} in '{}'",
                           region.empty() ? "the sentence" : fmt::format("'{}'", region),
                           count_digits(there), section_.names[other], count_digits(here),
                           section_.names[sentence]),
               file_.design[0].place)
        .hint(
            "words at the same position belong to one item: lists must have the same length, or "
            "one entry");
  }

  const File& file_;
  const Section& section_;
  Derivations& derivations_;
};

// Every section has the sentences of the first, in its order.
void arrange(const File& file, const Section& first, Section& section) {
  std::vector<Node> roots = section.beside, in_order;
  roots.insert(roots.begin(), section.root);
  const bool fewer = section.names.size() < first.names.size();
  for (const std::string& name : (fewer ? first : section).names)
    if (std::ranges::find((fewer ? section : first).names, name) ==
        (fewer ? section : first).names.end())
      throw file.error(fmt::format("some items have no sentence '{}'", name), file.design[0].place)
          .hint(
              "what tells items apart (condition, cluster, feature) must not decide which "
              "sentences there are");
  for (const std::string& name : first.names)
    in_order.push_back(
        roots[size_t(std::ranges::find(section.names, name) - section.names.begin())]);
  section.names = first.names;
  section.root = in_order[0];
  section.beside.assign(in_order.begin() + 1, in_order.end());
}

}  // namespace

std::vector<Section> designs_of(const File& file, std::vector<Section> sentences,
                                Derivations& derivations) {
  std::vector<Section> designs;
  using Shared = std::tuple<std::string, std::string, decltype(Section::features)>;
  std::map<Shared, size_t> places;
  for (Section& s : sentences) {
    auto [at, is_new] = places.try_emplace({s.condition, s.cluster, s.features}, designs.size());
    if (is_new) {
      designs.push_back(std::move(s));
      continue;
    }
    Section& same = designs[at->second];
    if (std::ranges::find(same.names, s.names[0]) != same.names.end())
      throw file
          .error(fmt::format("two sentences of an item are called '{}'", s.names[0]),
                 file.design[0].place)
          .hint("their names are the values of the design's features: choose others");
    same.names.push_back(s.names[0]);
    same.beside.push_back(s.root);
  }
  for (Section& d : designs) {
    arrange(file, designs[0], d);
    std::vector<Node> roots{d.root};
    roots.insert(roots.end(), d.beside.begin(), d.beside.end());
    if (roots.size() < 2)
      throw file.error("a design has two sentences or more", file.design[0].place)
          .hint("the features after '% design' have several values");
    roots = Aligner(file, d, derivations).aligned(roots);
    d.root = roots[0];
    d.beside.assign(roots.begin() + 1, roots.end());
  }
  return designs;
}

}  // namespace minpair::stimuli::cfg
