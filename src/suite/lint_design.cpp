#include "suite/lint_design.h"

#include <algorithm>

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
    if (!s.regions.empty() && words_outside(s)) {
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
    std::map<std::string, std::string_view> words;  // of regions that the formula names
    for (const Formula::Node& node : formula.nodes) {
      if (node.kind != Formula::Kind::score) continue;
      const Sentence* s = find_sentence(item, node.sentence);
      const Region* r = s && node.region != "*" ? find_region(*s, node.region) : nullptr;
      missing |= !s || (!r && node.region != "*");
      if (!r) continue;
      std::string_view here = slice(s->text, r->span);
      other_words |= words.try_emplace(node.region, here).first->second != here;
    }
  }
  if (missing) found(kNoSuch, item.sentences[0]);
  if (other_words) found(kOtherWords, item.sentences[0]);
  if (item.design && !judged) found(kNoCriterion, item.sentences[0]);
}

}  // namespace minpair::suite
