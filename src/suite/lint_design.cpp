#include "suite/lint_design.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace minpair::suite {
namespace {

constexpr Check kNoCriterion{"no_criterion", Severity::warning,
                             "a design that no criterion of the manifest judges"};
constexpr Check kNotInAny{"words_in_no_region", Severity::warning,
                          "words of a sentence are in none of its regions"};
constexpr Check kOtherRegions{"regions_differ", Severity::error,
                              "sentences of a design have different regions"};
constexpr Check kOtherNames{"sentences_missing", Severity::error,
                            "the item has other sentences than the first of its test"};
constexpr Check kNoSuch{"criterion_names_nothing", Severity::error,
                        "a criterion names a sentence or a region that the item lacks"};
constexpr Check kOtherWords{"different_words_compared", Severity::note,
                            "a criterion compares a region with different words in it"};

bool only_spaces(std::string_view text) { return trim(text).empty(); }

bool words_outside(const Sentence& s) {
  size_t end = 0;
  for (const Region& r : s.regions) {
    if (!only_spaces(std::string_view(s.text).substr(end, r.span.begin - end))) return true;
    end = r.span.end;
  }
  return !only_spaces(std::string_view(s.text).substr(end));
}

bool same_regions(const Sentence& a, const Sentence& b) {
  return std::equal(a.regions.begin(), a.regions.end(), b.regions.begin(), b.regions.end(),
                    [](const Region& x, const Region& y) { return x.name == y.name; });
}

const Region* region_of(const Item& item, const Formula::Node& node) {
  const Sentence* s = find_sentence(item, node.sentence);
  return s && node.region != "*" ? find_region(*s, node.region) : nullptr;
}

// Does a region have different words on the two sides? In a difference of differences the same
// words may stand on both, so that they cancel.
bool compares_other_words(const Item& item, const Formula& formula, size_t comparison) {
  std::vector<int> sign(formula.nodes.size());
  sign[formula.nodes[comparison].left] = 1;
  sign[formula.nodes[comparison].right] = -1;
  std::map<std::string, std::map<std::string_view, int>> weights;  // of words, by region
  for (size_t i = comparison; i-- > 0;) {
    const Formula::Node& node = formula.nodes[i];
    if (sign[i] == 0) continue;
    if (node.kind == Formula::Kind::plus || node.kind == Formula::Kind::minus) {
      sign[node.left] = sign[i];
      sign[node.right] = node.kind == Formula::Kind::plus ? sign[i] : -sign[i];
    } else if (const Region* r = region_of(item, node)) {
      const Sentence& s = *find_sentence(item, node.sentence);
      weights[node.region][slice(s.text, r->span)] += sign[i];
    }
  }
  return std::any_of(weights.begin(), weights.end(), [](const auto& region) {
    return region.second.size() > 1 &&
           std::any_of(region.second.begin(), region.second.end(),
                       [](const auto& words) { return words.second != 0; });
  });
}

}  // namespace

DesignLint::DesignLint(const std::vector<Criterion>& criteria) {
  for (const Criterion& c : criteria)
    criteria_.push_back({c.test, parse_formula(c.formula, c.metric)});
}

void DesignLint::check(const Item& item, const Found& found) {
  check_regions(item, found);
  if (item.design) check_names(item, found);
  check_criteria(item, found);
}

void DesignLint::check_regions(const Item& item, const Found& found) {
  const Sentence& first = item.sentences[0];
  for (const Sentence& s : item.sentences)
    if (item.design && !s.regions.empty() && words_outside(s)) {
      found(kNotInAny, s);
      break;
    }
  auto other = std::find_if(item.sentences.begin(), item.sentences.end(),
                            [&](const Sentence& s) { return !same_regions(s, first); });
  if (other != item.sentences.end()) found(kOtherRegions, *other);
}

void DesignLint::check_names(const Item& item, const Found& found) {
  std::vector<std::string> names;
  for (const Sentence& s : item.sentences) names.push_back(s.name);
  std::sort(names.begin(), names.end());
  if (names_.try_emplace(item.test, names).first->second != names)
    found(kOtherNames, item.sentences[0]);
}

void DesignLint::check_criteria(const Item& item, const Found& found) {
  bool judged = false, missing = false, other_words = false;
  for (const auto& [test, formula] : criteria_) {
    if (!test.empty() && test != item.test) continue;
    judged = true;
    for (size_t i = 0; i < formula.nodes.size(); ++i) {
      const Formula::Node& node = formula.nodes[i];
      if (node.kind == Formula::Kind::score)
        missing |=
            !find_sentence(item, node.sentence) || (node.region != "*" && !region_of(item, node));
      if (node.kind >= Formula::Kind::less && node.kind <= Formula::Kind::close)
        other_words |= compares_other_words(item, formula, i);
    }
  }
  if (missing) found(kNoSuch, item.sentences[0]);
  if (other_words) found(kOtherWords, item.sentences[0]);
  if (item.design && !judged) found(kNoCriterion, item.sentences[0]);
}

}  // namespace minpair::suite
