#include "stimuli/grammar/design.h"

#include <fmt/format.h>

#include "base/text.h"
#include "stimuli/grammar/walker.h"
#include "suite/formula.h"

namespace minpair::stimuli {
namespace {

void write_sentence(suite::Sentence& s, const Style& style, const std::string& language) {
  std::string marked = std::move(s.text);
  s.text.clear();
  Joiner joiner;
  bool first = true;  // no letter yet
  for (std::string_view word : words(marked)) {
    if (word.front() == kRegionMark) {
      s.regions.push_back({std::string(word.substr(1)), {s.text.size(), s.text.size()}});
      continue;
    }
    if (joiner.space_before(style.attach ? beside(word, language) : Beside{})) s.text += ' ';
    // A region begins with its first word, not with the space before it.
    if (!s.regions.empty() && s.regions.back().span.empty())
      s.regions.back().span.begin = s.text.size();
    s.text += first && style.capitalize ? capitalized(word, language) : std::string(word);
    first = first && !has_word(word);
    if (!s.regions.empty()) s.regions.back().span.end = s.text.size();
  }
  s.text += ending_of(s.text, style, language);
  if (!s.regions.empty() && (style.period || style.eos)) s.regions.back().span.end = s.text.size();
}

// What the formula says first that the item lacks; and what it has instead.
struct Lacking {
  std::string name;
  std::vector<std::string> known;
};
Lacking lacking(const suite::Formula& formula, const suite::Item& item) {
  for (const suite::Formula::Node& node : formula.nodes) {
    if (node.kind != suite::Formula::Kind::score) continue;
    const suite::Sentence* s = suite::find_sentence(item, node.sentence);
    Lacking no{s ? node.region : node.sentence, {}};
    for (const suite::Sentence& other : item.sentences)
      if (!s) no.known.push_back(other.name);
    if (s)
      for (const suite::Region& r : s->regions) no.known.push_back(r.name);
    if (!s || (node.region != "*" && !suite::find_region(*s, node.region))) return no;
  }
  return {};
}

}  // namespace

void check_no_mark(std::string_view text, const std::string& file) {
  if (text.find(kRegionMark) != text.npos)
    throw bad_input("the grammar has a control character (U+0001)").at(file);
}

StatedCriterion parse_criterion(std::string_view text, Where where) {
  size_t colon = text.find(':');
  StatedCriterion c{{std::string(trim(text.substr(0, colon))), {}, {}, {}}, std::move(where)};
  if (colon == text.npos || c.criterion.name.empty())
    throw bad_input("a criterion has a name, a colon and a formula")
        .at(c.where)
        .hint("for example: garden path: verb in ambiguous > verb in unambiguous");
  c.criterion.formula = trim(text.substr(colon + 1));
  try {
    suite::parse_formula(c.criterion.formula);
  } catch (Error& e) {
    throw e.at(c.where);
  }
  return c;
}

void check_criteria(const std::vector<StatedCriterion>& criteria, const Derivations& derivations) {
  if (criteria.empty() || derivations.count() == 0) return;
  if (!derivations.design())
    throw bad_input("criteria judge designs, and this grammar makes none")
        .at(criteria[0].where)
        .hint("a design statement names what varies; docs/grammars.md has examples");
  suite::Item item;
  DerivedItems(derivations).at(0, item);
  for (const StatedCriterion& c : criteria) {
    Lacking no = lacking(suite::parse_formula(c.criterion.formula), item);
    if (no.name.empty()) continue;
    std::string guess = closest(no.name, no.known);
    throw bad_input(fmt::format("the criterion '{}' names '{}', but there are {}", c.criterion.name,
                                no.name, join(no.known, ", ")))
        .at(c.where)
        .hint(guess.empty() ? "sentences and regions are called as they are shown by 'minpair "
                              "generate'"
                            : fmt::format("did you mean '{}'?", guess));
  }
}

void make_design(suite::Item& item, const std::vector<std::string>& names, const Style& style) {
  item.design = true;
  for (size_t i = 0; i < item.sentences.size(); ++i) {
    suite::Sentence& s = item.sentences[i];
    s.name = names[i];
    s.locus = {};
    s.grammatical = false;
    s.regions.clear();
    write_sentence(s, style, item.language);
  }
}

}  // namespace minpair::stimuli
