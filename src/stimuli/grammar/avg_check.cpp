// What can be said against an attribute-varying grammar before it is expanded.

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "stimuli/grammar/avg.h"

namespace minpair::stimuli {
namespace {

std::string_view number_word(std::string_view attribute) {
  const std::string low = lower(attribute);
  if (low == "s" || low == "sg" || low == "sing" || low == "singular") return "singular";
  if (low == "p" || low == "pl" || low == "plur" || low == "plural") return "plural";
  return "";
}

// The first number that a condition names is that of the subject.
void check_condition(const AvgGrammar& grammar, const AvgTemplate& t) {
  std::string_view said;
  for (std::string_view part : split(t.condition, '_'))
    if (said.empty()) said = number_word(part);
  const std::string subjects = grammar.setting("subject");
  for (const AvgToken& token : t.tokens) {
    const std::vector<std::string_view> names = words(subjects);
    if (token.is_word || std::find(names.begin(), names.end(), token.symbol.name) == names.end())
      continue;
    for (const std::string& a : token.symbol.attributes)
      if (const std::string_view own = number_word(a); !own.empty() && !said.empty() && own != said)
        throw bad_input(fmt::format("the condition {} says that the subject is {}, but {} is {}",
                                    t.condition, said, token.symbol.str(), own))
            .at(token.where)
            .hint("the attributes of S name the condition, the number of the subject first");
    return;
  }
}

// CLAMS's own program separates forms by bars, too.
void check_slashes(const AvgGrammar& grammar) {
  for (const AvgCell& cell : grammar.cells)
    for (const std::string& form : cell.forms)
      for (std::string_view word : words(form))
        if (word == "/")
          throw bad_input(fmt::format("the slash in '{}' would be a word of the sentence", form))
              .at(cell.where)
              .hint("forms are separated by bars: a | b");
}

// 'tied:' and 'apart:' name what is there; of the subjects and distractors that common.avg names
// for all tests, one at least. 'subject:' alone takes back what common.avg says.
void check_named(const AvgGrammar& grammar) {
  for (const AvgSetting& s : grammar.settings) {
    const bool bond = s.key == "tied" || s.key == "apart";
    if (!bond && s.key != "subject" && s.key != "distractor" && s.key != "distinct") continue;
    const std::vector<std::string_view> names = words(s.value);
    if (bond && names.size() < 2)
      throw bad_input(fmt::format("'{}:' names two preterminals or more", s.key))
          .at(s.where)
          .hint(fmt::format("for example: {}: N_1 N_2", s.key));
    const auto defined = [&](std::string_view name) { return grammar.defines(name); };
    const auto unknown = std::find_if_not(names.begin(), names.end(), defined);
    if (unknown != names.end() &&
        (bond || s.key == "distinct" || std::none_of(names.begin(), names.end(), defined)))
      throw bad_input(fmt::format("'{}:' names {}, but nothing has that name", s.key, *unknown))
          .at(s.where)
          .hint("it names preterminals of this grammar or of its common.avg, without brackets");
  }
}

void check_vary(const AvgGrammar& grammar) {
  for (const AvgVary& vary : grammar.vary)
    for (const AvgSymbol& by : vary.symbols)
      if (!grammar.defines(by.name))
        throw bad_input(fmt::format("nothing is called {}", by.name))
            .at(vary.where)
            .hint("a vary statement names preterminals of this grammar or of its common.avg");
}

// NP_1 without brackets would be a word of the sentence. I may be one.
void check_words(const AvgGrammar& grammar, const AvgTemplate& t) {
  for (const AvgToken& token : t.tokens)
    if (token.is_word && token.word.size() > 1 && grammar.defines(token.word))
      throw bad_input(fmt::format("{} stands here as a word of the sentence", token.word))
          .at(token.where)
          .hint(fmt::format("a preterminal has brackets: {}[]", token.word));
}

}  // namespace

void check_avg(const AvgGrammar& grammar) {
  check_vary(grammar);
  check_named(grammar);
  check_slashes(grammar);
  for (const AvgTemplate& t : grammar.templates) {
    check_words(grammar, t);
    check_condition(grammar, t);
  }
  if (std::string value = grammar.setting("syncretic"); !value.empty() && value != "skip")
    throw bad_input(fmt::format("syncretic: {} is unknown", value))
        .at(grammar.place_of("syncretic"))
        .hint("syncretic: skip");
}

}  // namespace minpair::stimuli
