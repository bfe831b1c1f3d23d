// From an attribute-varying grammar to its derivations: each template is a sequence of choices, and
// the stretch from its first varied word to its last is the locus.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/text.h"
#include "stimuli/grammar/avg.h"
#include "stimuli/grammar/design.h"
#include "stimuli/grammar/grammar.h"
#include "stimuli/grammar/settled.h"
#include "stimuli/grammar/walker.h"

namespace minpair::stimuli {

namespace {

// A locus of several words is written out; a grammar that would need more than this is a mistake.
constexpr size_t kMostLoci = 1000000;

// What stands at a place of the template: a form of this cell, the same as that of the place
// `from`.
struct Part {
  const AvgCell* cell;
  size_t from;
};

// Words that vary together. Option 0 has the right cells, the others have wrong ones.
struct Group {
  std::vector<size_t> positions;
  std::vector<std::vector<Part>> options;
};

class Compiler {
 public:
  Compiler(const AvgGrammar& grammar, Derivations& derivations)
      : grammar_(grammar), derivations_(derivations) {}

  void add(const AvgTemplate& t);
  // Behind the last template.
  void check_vary() const {
    if (grammar_.vary.empty() || some_vary_) return;
    throw bad_input("the vary statement finds no wrong form")
        .at(grammar_.vary[0].where)
        .hint("what it names is in no template, or has no line with other attributes");
  }

 private:
  const AvgCell& cell(const AvgToken& token) const;
  std::vector<Group> groups(const AvgTemplate& t) const;
  void add_linked(const AvgTemplate& t, const AvgVary& vary, std::vector<Group>& groups) const;
  void check_lengths(const Group& group) const;
  Span stretch(const AvgTemplate& t, const std::vector<Group>& groups) const;
  std::vector<size_t> places(const AvgTemplate& t,
                             const std::vector<std::string_view>& names) const;
  std::vector<std::vector<size_t>> settle(const AvgTemplate& t, size_t cluster,
                                          Settled& settled) const;
  std::vector<Derivations::Node> marks(const AvgTemplate& t, size_t position);
  size_t cluster_position(const AvgTemplate& t, const std::vector<Group>& groups) const;
  void add_cluster(const AvgTemplate& t, Span stretch, Derivations::Node loci_of_cluster,
                   size_t position, const Settled& settled);
  Derivations::Node choice(const AvgTemplate& t, size_t position, const Settled& settled);
  Derivations::Node loci(const AvgTemplate& t, const std::vector<Group>& groups, Span stretch,
                         const Settled& settled);
  std::vector<Derivations::Node> locus(const AvgTemplate& t, const std::vector<Group>& groups,
                                       Span stretch, const std::vector<size_t>& forms);
  bool design() const { return !grammar_.setting("design").empty(); }
  std::vector<std::string> names(const std::vector<Group>& groups) const;

  const AvgGrammar& grammar_;
  Derivations& derivations_;
  // A cell without the forms that are kept from this place.
  std::map<std::pair<const AvgCell*, std::vector<size_t>>, Derivations::Node> choices_;
  std::map<const AvgCell*, std::vector<std::string>> names_of_forms_;
  size_t written_ = 0;  // locus texts so far
  bool some_vary_ = false, some_do_not_ = false;
  std::vector<std::string> names_;  // of the sentences of a design
};

const AvgCell& Compiler::cell(const AvgToken& token) const {
  if (const AvgCell* c = grammar_.find(token.symbol)) return *c;
  std::vector<std::string> known;
  for (const AvgCell& c : grammar_.cells) known.push_back(c.symbol.str());
  std::string guess = closest(token.symbol.str(), known);
  throw bad_input(fmt::format("{} has no forms", token.symbol.str()))
      .at(token.where)
      .hint(guess.empty() ? fmt::format("add a line '{} form | form'", token.symbol.str())
                          : fmt::format("did you mean {}?", guess));
}

// Forms belong together by their place in the list, so the lists must be equally long.
void Compiler::check_lengths(const Group& group) const {
  for (const std::vector<Part>& option : group.options)
    for (size_t k = 0; k < option.size(); ++k) {
      if (option[k].from != group.positions[k]) continue;
      const AvgCell &right = *group.options[0][k].cell, &wrong = *option[k].cell;
      if (right.forms.size() != wrong.forms.size())
        throw bad_input(fmt::format("{} and {} have different numbers of forms: {} and {}",
                                    wrong.symbol.str(), right.symbol.str(), wrong.forms.size(),
                                    right.forms.size()))
            .at(wrong.where)
            .hint("the forms of a word have the same position in both lists");
    }
}

// A[x] + B[x]: both take the attributes of every other line that both have. A[x] <> B[x]: each
// stands where the other one should.
void Compiler::add_linked(const AvgTemplate& t, const AvgVary& vary,
                          std::vector<Group>& groups) const {
  Group group;
  std::vector<Part> right;
  for (const AvgSymbol& by : vary.symbols)
    for (size_t p = 0; p < t.tokens.size(); ++p)
      if (const AvgToken& token = t.tokens[p];
          !token.is_word && token.symbol.name == by.name && token.symbol.has(by.attributes)) {
        group.positions.push_back(p);
        right.push_back({&cell(token), p});
      }
  if (group.positions.size() != vary.symbols.size()) return;
  group.options.push_back(right);
  if (vary.exchange) {
    group.options.push_back({right[1], right[0]});
    return groups.push_back(std::move(group));
  }
  for (const AvgCell& first : grammar_.cells) {
    if (first.symbol.name != vary.symbols[0].name || !first.symbol.has(vary.symbols[0].attributes))
      continue;
    std::vector<Part> option;
    bool other = false;
    for (const Part& r : right)
      if (const AvgCell* c = grammar_.find({r.cell->symbol.name, first.symbol.attributes})) {
        option.push_back({c, r.from});
        other |= c != r.cell;
      }
    if (option.size() == right.size() && other) group.options.push_back(option);
  }
  groups.push_back(std::move(group));
}

std::vector<Group> Compiler::groups(const AvgTemplate& t) const {
  std::vector<Group> groups;
  for (const AvgVary& vary : grammar_.vary)
    if (vary.symbols.size() > 1) add_linked(t, vary, groups);
  for (size_t p = 0; p < t.tokens.size(); ++p) {
    if (t.tokens[p].is_word) continue;
    std::vector<const AvgCell*> wrong = wrong_cells(grammar_, t.tokens[p]);
    if (wrong.empty()) continue;
    Group group{{p}, {{{&cell(t.tokens[p]), p}}}};
    for (const AvgCell* c : wrong) group.options.push_back({{c, p}});
    groups.push_back(std::move(group));
  }
  std::erase_if(groups, [](const Group& g) { return g.options.size() < 2; });
  for (const Group& g : groups) check_lengths(g);
  return groups;
}

// Calls `f` with every combination of numbers below the limits, the last varying fastest.
template <class F>
void combine(const std::vector<size_t>& limits, F f) {
  std::vector<size_t> digits(limits.size());
  if (std::find(limits.begin(), limits.end(), 0u) != limits.end()) return;
  for (;;) {
    f(digits);
    size_t i = digits.size();
    while (i > 0 && ++digits[i - 1] == limits[i - 1]) digits[--i] = 0;
    if (i == 0) return;
  }
}

// Takes the words that all texts begin or end with out of them ("is old", "are old": "old"), since
// the locus is what differs. Every text keeps a word; and where commas attach, one with a comma in
// front keeps the word before it, unless all have that comma.
std::pair<std::string, std::string> take_common_words(std::vector<std::string>& texts,
                                                      const Derivations& derivations) {
  std::vector<std::vector<std::string_view>> split_texts;
  split_texts.reserve(texts.size());
  for (const std::string& t : texts) split_texts.push_back(words(t));
  size_t shortest = SIZE_MAX, before = 0, after = 0;
  for (const auto& t : split_texts) shortest = std::min(shortest, t.size());
  auto all_have = [&](auto word_of) {
    return std::all_of(split_texts.begin(), split_texts.end(),
                       [&](const auto& t) { return word_of(t) == word_of(split_texts[0]); });
  };
  while (before + 1 < shortest && all_have([&](const auto& t) { return t[before]; })) ++before;
  auto begins_with_comma = [&](const auto& t) {
    return beside(t[before], derivations.language()).closes;
  };
  if (derivations.style().attach && before > 0 &&
      std::any_of(split_texts.begin(), split_texts.end(), begins_with_comma))
    --before;
  while (before + after + 1 < shortest &&
         all_have([&](const auto& t) { return t[t.size() - after - 1]; }))
    ++after;
  auto glue = [](const std::vector<std::string_view>& t, size_t begin, size_t end) {
    std::string text;
    for (size_t i = begin; i < end; ++i) text.append(i > begin ? " " : "").append(t[i]);
    return text;
  };
  const auto& any = split_texts[0];
  std::pair<std::string, std::string> common{glue(any, 0, before),
                                             glue(any, any.size() - after, any.size())};
  std::vector<std::string> cores;
  cores.reserve(texts.size());
  for (const auto& t : split_texts) cores.push_back(glue(t, before, t.size() - after));
  texts = std::move(cores);
  return common;
}

Derivations::Node Compiler::choice(const AvgTemplate& t, size_t position, const Settled& settled) {
  const AvgToken& token = t.tokens[position];
  if (token.is_word) return derivations_.add_word(token.word);
  const AvgCell& c = cell(token);
  if (auto form = settled.forms.find(position); form != settled.forms.end())
    return derivations_.add_word(c.forms[form->second]);
  std::vector<size_t> barred;
  for (size_t f = 0; f < c.forms.size() && !settled.apart.empty(); ++f)
    if (!settled.allows(position, f)) barred.push_back(f);
  auto [found, is_new] = choices_.try_emplace({&c, barred});
  if (!is_new) return found->second;
  std::vector<std::vector<Derivations::Node>> alternatives;
  for (size_t f = 0; f < c.forms.size(); ++f)
    if (std::find(barred.begin(), barred.end(), f) == barred.end())
      alternatives.push_back({derivations_.add_word(c.forms[f])});
  return found->second = derivations_.add_choice(alternatives);
}

// The locus with one choice of forms: the text with the right cells, and all texts with wrong ones.
// Empty where they are the same and the grammar skips that.
std::vector<Derivations::Node> Compiler::locus(const AvgTemplate& t,
                                               const std::vector<Group>& groups, Span stretch,
                                               const std::vector<size_t>& forms) {
  std::vector<size_t> options;
  options.reserve(groups.size());
  for (const Group& g : groups) options.push_back(g.options.size());
  std::vector<std::string> texts;
  combine(options, [&](const std::vector<size_t>& chosen) {
    std::string text;
    for (size_t p = stretch.begin; p < stretch.end; ++p) {
      const AvgToken& token = t.tokens[p];
      Part part{token.is_word ? nullptr : &cell(token), p};
      for (size_t g = 0; g < groups.size(); ++g)
        for (size_t k = 0; k < groups[g].positions.size(); ++k)
          if (groups[g].positions[k] == p) part = groups[g].options[chosen[g]][k];
      const std::string& word =
          part.cell ? part.cell->forms[forms[part.from - stretch.begin]] : token.word;
      text += (text.empty() || word.empty() ? "" : " ") + word;
    }
    if (++written_ > kMostLoci)
      throw bad_input("there are too many words between the varied ones")
          .at(t.where)
          .hint("vary one preterminal, or preterminals that are near each other");
    // Two cells can have the same form (je pense, il pense): that is no wrong form.
    if (design() || std::find(texts.begin(), texts.end(), text) == texts.end())
      texts.push_back(text);
  });
  if (texts.size() < 2) {
    if (grammar_.setting("syncretic").empty())
      throw bad_input(fmt::format("the wrong form of '{}' is the same as the right one", texts[0]))
          .at(t.where)
          .hint(
              "take this word out of the lists that the vary statement names, or write "
              "'syncretic: skip'");
    derivations_.pass_over(texts[0]);
    return {};
  }
  if (!design() &&
      std::any_of(texts.begin(), texts.end(), [](auto& text) { return words(text).empty(); }))
    throw bad_input("nothing is left of the locus when all its forms are empty")
        .at(t.where)
        .hint("put a word that is never empty beside the one that can be");
  auto [before, after] = take_common_words(texts, derivations_);
  std::string right = std::move(texts.front());
  texts.erase(texts.begin());
  return {derivations_.add_word(std::move(before)),
          derivations_.add_locus(std::move(right), std::move(texts)),
          derivations_.add_word(std::move(after))};
}

// The sentences of a design are called by the attributes of what varies, in the order of the
// statement: "ambiguous_comma".
std::vector<std::string> Compiler::names(const std::vector<Group>& groups) const {
  std::vector<size_t> options;
  for (const Group& g : groups) options.push_back(g.options.size());
  std::vector<std::string> all;
  combine(options, [&](const std::vector<size_t>& chosen) {
    std::string name;
    for (const AvgVary& vary : grammar_.vary)
      for (size_t g = 0; g < groups.size(); ++g)
        if (const AvgSymbol& s = groups[g].options[chosen[g]][0].cell->symbol;
            s.name == vary.symbols[0].name)
          for (const std::string& a : s.attributes) name += (name.empty() ? "" : "_") + a;
    all.push_back(name);
  });
  return all;
}

Derivations::Node Compiler::loci(const AvgTemplate& t, const std::vector<Group>& groups,
                                 Span stretch, const Settled& settled) {
  std::vector<size_t> sizes;
  for (size_t p = stretch.begin; p < stretch.end; ++p)
    sizes.push_back(t.tokens[p].is_word || settled.forms.count(p) ? 1
                                                                  : cell(t.tokens[p]).forms.size());
  std::vector<std::vector<Derivations::Node>> alternatives;
  combine(sizes, [&](std::vector<size_t> forms) {
    bool allowed = true;
    for (size_t p = stretch.begin; p < stretch.end; ++p) {
      size_t& form = forms[p - stretch.begin];
      if (auto f = settled.forms.find(p); f != settled.forms.end()) form = f->second;
      allowed &= settled.allows(p, form);
    }
    if (!allowed) return;
    if (std::vector<Derivations::Node> nodes = locus(t, groups, stretch, forms); !nodes.empty())
      alternatives.push_back(std::move(nodes));
  });
  return derivations_.add_choice(alternatives);
}

// Where the word stands that makes items belong together: the preterminal that the template names,
// S[cluster=N_1], or the first that has several forms and is not varied.
size_t Compiler::cluster_position(const AvgTemplate& t, const std::vector<Group>& groups) const {
  auto is_varied = [&](size_t p) {
    return std::any_of(groups.begin(), groups.end(), [&](const Group& g) {
      return std::find(g.positions.begin(), g.positions.end(), p) != g.positions.end();
    });
  };
  for (size_t p = 0; p < t.tokens.size(); ++p) {
    if (t.tokens[p].is_word) continue;
    if (t.cluster.empty() ? cell(t.tokens[p]).forms.size() > 1 && !is_varied(p)
                          : t.tokens[p].symbol.name == t.cluster)
      return p;
  }
  if (t.cluster.empty()) return t.tokens.size();
  throw bad_input(fmt::format("cluster={} names nothing in this template", t.cluster))
      .at(t.where)
      .hint("name one of its preterminals, without brackets");
}

// What stands after the word at this place: the end of the subject, or of a noun that could be
// taken for it because it has none of its attributes, not even the number.
std::vector<Derivations::Node> Compiler::marks(const AvgTemplate& t, size_t position) {
  auto named = [&](const AvgToken& token, const char* setting) {
    std::string names = grammar_.setting(setting);
    std::vector<std::string_view> list = words(names);
    return !token.is_word && std::find(list.begin(), list.end(), token.symbol.name) != list.end();
  };
  auto subject = std::find_if(t.tokens.begin(), t.tokens.end(),
                              [&](const AvgToken& token) { return named(token, "subject"); });
  if (subject == t.tokens.end()) return {};
  const AvgToken& token = t.tokens[position];
  if (&token == &*subject) return {derivations_.add_mark(Derivations::Mark::subject)};
  const std::vector<std::string>& own = subject->symbol.attributes;
  bool attracts = named(token, "distractor") &&
                  std::none_of(own.begin(), own.end(),
                               [&](const std::string& a) { return token.symbol.has({a}); });
  if (attracts) return {derivations_.add_mark(Derivations::Mark::attractor)};
  if (!named(token, "distractor")) return {};
  return {derivations_.add_mark(Derivations::Mark::distractor)};
}

void Compiler::add_cluster(const AvgTemplate& t, Span stretch, Derivations::Node loci_of_cluster,
                           size_t position, const Settled& settled) {
  std::vector<Derivations::Node> sequence;
  for (size_t p = 0; p < t.tokens.size(); ++p) {
    if (p == stretch.begin) {
      sequence.push_back(loci_of_cluster);
    } else if (p < stretch.begin || p >= stretch.end) {
      std::vector<Derivations::Node> after = marks(t, p);
      if (!after.empty()) sequence.push_back(derivations_.add_mark(Derivations::Mark::before));
      sequence.push_back(choice(t, p, settled));
      for (Derivations::Node mark : after) sequence.push_back(mark);
    }
  }
  std::string cluster = derivations_.test();
  if (position < t.tokens.size()) {
    const AvgCell& varied = cell(t.tokens[position]);
    auto [names, is_new] = names_of_forms_.try_emplace(&varied);
    if (is_new) names->second = grammar_.names_of_forms(varied);
    cluster += "/" + names->second.at(settled.forms.at(position));
  }
  Section section{t.condition, cluster, {}, derivations_.add_choice({sequence})};
  for (const auto& [name, value] : t.features) section.features.emplace_back(name, value);
  if (design()) section.names = names_;
  derivations_.add_section(std::move(section));
}

// From the first varied word to the last; and further, where one of them can be nothing or a comma,
// so that there is a word in every sentence that the locus can begin with.
Span Compiler::stretch(const AvgTemplate& t, const std::vector<Group>& groups) const {
  Span span{t.tokens.size(), 0};
  auto any_form = [&](auto is) {
    for (const Group& g : groups)
      for (const std::vector<Part>& option : g.options)
        for (const Part& part : option)
          if (std::any_of(part.cell->forms.begin(), part.cell->forms.end(), is)) return true;
    return false;
  };
  for (const Group& g : groups)
    for (size_t p : g.positions) span = {std::min(span.begin, p), std::max(span.end, p + 1)};
  if (design() || span.empty()) return span;
  const auto closes = [&](const std::string& word) {
    return beside(word, derivations_.language()).closes;
  };
  const auto is_closing = [&](const AvgToken& token) {
    return token.is_word && closes(token.word);
  };
  bool left = any_form(closes);
  if (any_form([](const std::string& form) { return form.empty(); })) {
    if (span.end < t.tokens.size() && !is_closing(t.tokens[span.end]))
      ++span.end;
    else
      left = true;
  }
  while (left && span.begin > 0) left = is_closing(t.tokens[--span.begin]);
  return span;
}

// Where the template has these preterminals.
std::vector<size_t> Compiler::places(const AvgTemplate& t,
                                     const std::vector<std::string_view>& names) const {
  std::vector<size_t> positions;
  for (size_t p = 0; p < t.tokens.size(); ++p)
    if (!t.tokens[p].is_word &&
        std::find(names.begin(), names.end(), t.tokens[p].symbol.name) != names.end())
      positions.push_back(p);
  return positions;
}

// The places whose forms are settled one after the other, those that are tied together: that of the
// cluster first. What must be apart from a settled place need not be settled itself.
std::vector<std::vector<size_t>> Compiler::settle(const AvgTemplate& t, size_t cluster,
                                                  Settled& settled) const {
  std::vector<std::vector<size_t>> classes;
  if (cluster < t.tokens.size()) classes.push_back({cluster});
  for (const std::vector<std::string_view>& names : grammar_.lists("tied")) {
    std::vector<size_t> tied = places(t, names);
    if (tied.size() < 2) continue;
    for (size_t p : tied)
      if (const AvgCell& one = cell(t.tokens[tied[0]]), &other = cell(t.tokens[p]);
          one.forms.size() != other.forms.size())
        throw bad_input(fmt::format("{} and {} are tied, but have {} and {} forms",
                                    one.symbol.str(), other.symbol.str(), one.forms.size(),
                                    other.forms.size()))
            .at(other.where)
            .hint("forms that belong together have the same position in both lists");
    if (!classes.empty() && std::find(tied.begin(), tied.end(), cluster) != tied.end())
      classes[0] = std::move(tied);
    else
      classes.push_back(std::move(tied));
  }
  for (const std::vector<std::string_view>& names : grammar_.lists("apart")) {
    std::vector<size_t> all = places(t, names);
    for (size_t i = 0; i + 1 < all.size(); ++i) {
      for (size_t k = i + 1; k < all.size(); ++k) settled.apart.emplace_back(all[i], all[k]);
      if (std::none_of(classes.begin(), classes.end(), [&](const std::vector<size_t>& c) {
            return std::find(c.begin(), c.end(), all[i]) != c.end();
          }))
        classes.push_back({all[i]});
    }
  }
  return classes;
}

void Compiler::add(const AvgTemplate& t) {
  std::vector<Group> varied = groups(t);
  names_ = names(varied);
  if (design() && varied.size() != grammar_.vary.size())
    throw bad_input(fmt::format("of the design {}, not everything is in this template once",
                                grammar_.setting("design")))
        .at(t.where)
        .hint("each of its preterminals must be in the template and have two lines or more");
  (varied.empty() ? some_do_not_ : some_vary_) = true;
  if (some_vary_ && some_do_not_)
    throw bad_input("the vary statement does not concern this template, but others")
        .at(t.where)
        .hint("every template of a grammar, or none, must have a preterminal that is varied");
  Span locus = stretch(t, varied);
  size_t position = cluster_position(t, varied);
  Settled settled;
  std::vector<std::vector<size_t>> classes = settle(t, position, settled);
  std::vector<size_t> sizes;
  size_t total = 1;
  for (const std::vector<size_t>& c : classes) {
    sizes.push_back(cell(t.tokens[c[0]]).forms.size());
    if (total *= sizes.back(); total > kMostLoci)
      throw bad_input("there are too many ways to settle what is tied or apart")
          .at(t.where)
          .hint("name fewer preterminals after tied: and apart:");
  }
  Derivations::Node all{};
  bool is_first = true;
  combine(sizes, [&](const std::vector<size_t>& digits) {
    for (size_t c = 0; c < classes.size(); ++c)
      for (size_t p : classes[c]) settled.forms[p] = digits[c];
    if (!settled.consistent()) return;
    if (!varied.empty() && (is_first || settled.concerns(locus)))
      all = loci(t, varied, locus, settled);
    is_first = false;
    add_cluster(t, locus, all, position, settled);
  });
}

// "design: V C+D": V, and C together with D, take all their attributes, and {name} begins a region.
void add_design(AvgGrammar& grammar, const std::string& file) {
  std::string stated = grammar.setting("design");
  if (stated.empty()) return;
  if (!grammar.vary.empty())
    throw bad_input("a design has no vary statement")
        .at(grammar.vary[0].where)
        .hint("'design:' names what varies");
  for (std::string_view factor : words(stated)) {
    AvgVary vary{{}, {file}};
    for (std::string_view name : split(factor, '+'))
      vary.symbols.push_back({std::string(name), {}});
    grammar.vary.push_back(std::move(vary));
  }
  for (AvgTemplate& t : grammar.templates)
    for (AvgToken& token : t.tokens)
      if (token.is_word && token.word.starts_with('{') && token.word.ends_with('}')) {
        if (token.word.size() == 2)
          throw bad_input("a region has a name").at(token.where).hint("for example: {verb}");
        token.word = kRegionMark + token.word.substr(1, token.word.size() - 2);
      }
}

// '' is no word at all.
void clear_empty_forms(AvgGrammar& grammar) {
  for (AvgCell& cell : grammar.cells)
    for (std::string& form : cell.forms)
      if (form == "''") form.clear();
}

Style style_of(const AvgGrammar& grammar, const GrammarOptions& options) {
  std::string text = grammar.setting("text");
  if (!text.empty() && text != "natural" && text != "tokens")
    throw bad_input(fmt::format("text: {} is unknown", text))
        .at(grammar.place_of("text"))
        .hint("text: natural (Words, like this.) or text: tokens (words , like this)");
  bool natural = text == "natural";
  return {options.capitalize.value_or(natural), options.attach.value_or(natural),
          options.period.value_or(natural), options.eos.value_or(false)};
}

}  // namespace

Derivations read_avg(std::string_view text, std::string_view common, const std::string& name,
                     const GrammarOptions& options) {
  namespace fs = std::filesystem;
  AvgGrammar grammar = parse_avg_files(text, common, name);
  if (grammar.templates.empty())
    throw bad_input("there is no template")
        .at(name)
        .hint("add a line that begins with S[], for example: S[] the N[s] V[s]");
  add_design(grammar, name);
  clear_empty_forms(grammar);
  check_avg(grammar);
  std::string stated = grammar.setting("language");
  Derivations derivations(fs::path(name).stem().string(),
                          stated.empty() ? options.language : stated);
  derivations.style() = style_of(grammar, options);
  Compiler compiler(grammar, derivations);
  for (const AvgTemplate& t : grammar.templates) compiler.add(t);
  compiler.check_vary();
  check_criteria(grammar.criteria, derivations);
  try {
    if (std::string size = grammar.setting("sample"); !size.empty())
      derivations.ask_sample(parse_sample(size));
  } catch (Error& e) {
    throw e.at(grammar.place_of("sample"));
  }
  return derivations;
}

}  // namespace minpair::stimuli
