#include "stimuli/grammar/cfg_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace minpair::stimuli::cfg {
namespace {

using Names = std::vector<std::string>;

Names names_of(const RulesOf& rules) {
  Names names;
  for (const auto& [name, unused] : rules) names.push_back(name);
  return names;
}

Error with_guess(Error e, const std::string& word, const Names& known) {
  std::string guess = closest(word, known);
  return guess.empty() ? e : e.hint(fmt::format("did you mean '{}'?", guess));
}

void check_defined(const File& file, const RulesOf& rules) {
  auto defined = [&](const std::string& name, Place place) {
    if (rules.contains(name)) return;
    const std::string guess = closest(name, names_of(rules));
    throw file.error(fmt::format("there is no rule for {}", name), place)
        .hint(fmt::format("a word of the language is written in quotes: '{}'{}", name,
                          guess.empty() ? "" : fmt::format("; or did you mean {}?", guess)));
  };
  defined(file.start, file.start_place);
  for (const Rule& r : file.rules)
    for (const Symbol& s : r.right)
      if (s.kind == Symbol::Kind::nonterminal) defined(s.text, s.place);
}

void check_reachable(const File& file, const RulesOf& rules) {
  std::set<std::string> reached{file.start};
  Names open{file.start};
  while (!open.empty()) {
    std::string name = std::move(open.back());
    open.pop_back();
    for (const Rule* r : rules.at(name))
      for (const Symbol& s : r->right)
        if (s.kind == Symbol::Kind::nonterminal && reached.insert(s.text).second)
          open.push_back(s.text);
  }
  for (const Rule& r : file.rules)
    if (!reached.contains(r.left.text) && r.left.place.file == 0)  // included ones may be spare
      throw file
          .error(fmt::format("{} cannot be reached from {}", r.left.text, file.start), r.left.place)
          .hint("use it in a rule, or take its rules out");
}

enum class Resolve { by_any_rule, by_all_rules };

// The symbols all of whose parts are resolved, in any of their rules or in all of them: those that
// end, and those that are finite.
std::set<std::string> resolved(const File& file, const RulesOf& rules, Resolve how) {
  std::map<std::string, std::vector<size_t>> uses;  // once for every occurrence
  std::vector<size_t> missing(file.rules.size());
  std::map<std::string, size_t> open_rules;
  std::set<std::string> done;
  Names ready;
  auto rule_done = [&](const Rule& r) {
    const std::string& name = r.left.text;
    bool symbol_done = --open_rules[name] == 0 || how == Resolve::by_any_rule;
    if (symbol_done && done.insert(name).second) ready.push_back(name);
  };
  for (const auto& [name, own] : rules) open_rules[name] = own.size();
  for (size_t i = 0; i < file.rules.size(); ++i) {
    for (const Symbol& s : file.rules[i].right)
      if (s.kind == Symbol::Kind::nonterminal) {
        uses[s.text].push_back(i);
        ++missing[i];
      }
    if (missing[i] == 0) rule_done(file.rules[i]);
  }
  while (!ready.empty()) {
    std::string name = std::move(ready.back());
    ready.pop_back();
    for (size_t i : uses[name])
      if (--missing[i] == 0) rule_done(file.rules[i]);
  }
  return done;
}

// A symbol, apart from those done, that leads back to itself. Whatever is not done has a part that
// is not, so that following these must come round.
const Symbol* find_loop(const File& file, const RulesOf& rules, const std::set<std::string>& done) {
  const auto open = [&](const Symbol& s) {
    return s.kind == Symbol::Kind::nonterminal && !done.contains(s.text);
  };
  const auto first =
      std::ranges::find_if(file.rules, [&](const Rule& r) { return !done.contains(r.left.text); });
  if (first == file.rules.end()) return nullptr;
  std::set<std::string> seen;
  const Symbol* at = &first->left;
  while (seen.insert(at->text).second)
    for (const Rule* r : rules.at(at->text)) {
      const auto part = std::ranges::find_if(r->right, open);
      if (part == r->right.end()) continue;
      at = &*part;
      break;
    }
  return &rules.at(at->text)[0]->left;
}

void check_ending(const File& file, const RulesOf& rules) {
  const Symbol* loop = find_loop(file, rules, resolved(file, rules, Resolve::by_any_rule));
  if (loop)
    throw file
        .error(fmt::format("{} never ends: all its rules lead back to it", loop->text), loop->place)
        .hint(fmt::format("add a rule for {} that ends in words", loop->text));
}

void check_finite(const File& file, const RulesOf& rules) {
  const Symbol* loop = find_loop(file, rules, resolved(file, rules, Resolve::by_all_rules));
  if (loop)
    throw file
        .error(fmt::format("{} contains itself, so the language is infinite", loop->text),
               loop->place)
        .hint("give the depth of the trees: --depth 6");
}

void check_lemmas(const File& file, const Paradigms& paradigms) {
  for (const Rule& r : file.rules)
    for (const Symbol& s : r.right) {
      if (s.kind != Symbol::Kind::lemma || paradigms.find(s.text)) continue;
      Error e = file.error(fmt::format("there is no paradigm for '{}'", s.text), s.place);
      if (file.lexicons.empty()) throw e.hint("name the table: % lexicon words.tsv");
      throw with_guess(e, s.text, paradigms.lemmas());
    }
}

// A feature that somebody asks of a symbol must be given by each of its rules, or agreement would
// silently be lost. Words may leave it open.
void check_asked(const File& file, const RulesOf& rules, const Needed& needed) {
  std::map<std::string, std::map<std::string, Place>> asked;  // where it is asked for first
  for (const Path& p : file.paths())
    if (p.label.empty()) asked[file.start].emplace(p.feature, p.place);
  for (const Rule& r : file.rules)
    for (const Symbol& s : r.right) {
      if (s.kind != Symbol::Kind::nonterminal) continue;
      for (const Demand& d : s.demands) asked[s.text].emplace(d.feature, s.place);
      if (auto it = needed.find(s.label); !s.label.empty() && it != needed.end())
        for (const std::string& f : it->second) asked[s.text].emplace(f, s.place);
    }
  auto leaves_open = [](const Rule& r) {
    bool words_only = std::all_of(r.right.begin(), r.right.end(),
                                  [](const Symbol& s) { return s.kind == Symbol::Kind::word; });
    return words_only || r.is_entry();
  };
  for (const auto& [name, features] : asked)
    for (const Rule* r : rules.at(name)) {
      if (leaves_open(*r)) continue;
      for (const auto& [feature, place] : features)
        if (!r->left.find(feature))
          throw file
              .error(
                  fmt::format("{} has no {} here, but {}line {} asks for it", name, feature,
                              place.file == r->left.place.file ? "" : file.names[place.file] + ", ",
                              place.line),
                  r->left.place)
              .hint(fmt::format("write {}[{}=...] ->", name, feature));
    }
}

// A variable that stands in one place only lets everything through. It says something where it
// passes on a feature of a lemma, or where a statement asks a labelled part for the feature.
void check_variables(const File& file, const Needed& needed) {
  for (const Rule& r : file.rules) {
    std::map<std::string, std::vector<const Symbol*>> uses;
    auto note = [&](const Symbol& s) {
      for (const Demand& d : s.demands)
        if (d.variable) uses[d.value].push_back(&s);
    };
    note(r.left);
    for (const Symbol& s : r.right) note(s);
    for (const auto& [variable, symbols] : uses) {
      const Symbol& s = *symbols[0];
      if (symbols.size() > 1 || (&s == &r.left && r.is_entry())) continue;
      const auto own = std::ranges::find_if(
          s.demands, [&v = variable](const Demand& d) { return d.variable && d.value == v; });
      auto asked = needed.find(s.label);
      if (!s.label.empty() && asked != needed.end() && asked->second.contains(own->feature))
        continue;
      Names others;
      for (const auto& [name, unused] : uses)
        if (name != variable) others.push_back(name);
      const std::string guess = others.size() == 1 ? others[0] : closest(variable, others);
      throw file
          .error(fmt::format("?{} constrains nothing: it occurs once in this rule", variable),
                 s.place)
          .hint(guess.empty()
                    ? fmt::format("give another symbol {}=?{}, or take it out of {}", own->feature,
                                  variable, s.text)
                    : fmt::format("did you mean ?{}? Else take it out of {}", guess, s.text));
    }
  }
}

// Words that differ in a feature by nature, such as nouns in gender, beside a symbol of the same
// rule that agrees in it: they take part, or the rule says that any will do.
void check_beside(const File& file, const RulesOf& rules, const Paradigms& paradigms) {
  std::map<std::string, std::map<std::string, std::set<std::string>>> kinds;  // symbol, feature
  for (const auto& [name, own] : rules) {
    if (!std::ranges::all_of(own, [](const Rule* r) { return r->is_entry(); })) continue;
    for (const Rule* r : own)
      for (const Cell& c : *paradigms.find(r->right[0].text))
        for (const auto& [feature, value] : c.features)
          if (feature == "gender" || feature == "animacy") kinds[name][feature].insert(value);
  }
  for (const Rule& r : file.rules)
    for (const Symbol& s : r.right) {
      auto own = kinds.find(s.text);
      if (s.kind != Symbol::Kind::nonterminal || own == kinds.end()) continue;
      for (const auto& [feature, values] : own->second) {
        if (values.size() < 2 || s.find(feature)) continue;
        const auto agrees = [&f = feature](const Symbol& other) {
          const Demand* d = other.find(f);
          return d && d->variable;
        };
        if (std::ranges::any_of(r.right, agrees))
          throw file
              .error(fmt::format("the words of {} differ in {}, which this rule does not ask for",
                                 s.text, feature),
                     s.place)
              .hint(fmt::format(
                  "write {0}[{1}=?...] as beside it; or, if any will do, {0}[{1}={2}]", s.text,
                  feature, join(std::vector<std::string>(values.begin(), values.end()), "|")));
      }
    }
}

// What a lemma says in brackets adds to what its symbol says.
void check_entries(const File& file) {
  for (const Rule& r : file.rules) {
    if (!r.is_entry()) continue;
    for (const Demand& d : r.right[0].demands) {
      const Demand* own = r.left.find(d.feature);
      if (own && !own->variable && !d.variable && own->value != d.value)
        throw file
            .error(fmt::format("'{}' is {}={} here, but {} is {}={}", r.right[0].text, d.feature,
                               d.value, r.left.text, own->feature, own->value),
                   r.right[0].place)
            .hint("a lemma has the features of its symbol");
    }
  }
}

// There every label is a region.
void check_design(const File& file, const std::set<std::string>& labels) {
  if (!file.vary.empty())
    throw file.error("a design has no '% vary'", file.vary_place)
        .hint("'% design' names what varies");
  if (labels.contains("locus"))
    throw file.error("a design has regions, and no locus", file.design[0].place)
        .hint("give the region another name");
  for (const Rule& r : file.rules)
    if (!r.wrong.empty())
      throw file.error("a design has no right and wrong orders", r.left.place)
          .hint("give the orders a feature, and name it in '% design'");
}

void check_labels(const File& file, const Needed& needed) {
  std::set<std::string> labels;
  for (const Rule& r : file.rules)
    for (const Symbol& s : r.right)
      if (!s.label.empty()) labels.insert(s.label);
  std::vector<Path> paths = file.paths();
  for (const Bond& b : file.bonds) paths.insert(paths.end(), b.paths.begin(), b.paths.end());
  for (const Path& p : paths)
    if (!p.label.empty() && !labels.contains(p.label))
      throw with_guess(
          file.error(fmt::format("nothing is labelled '{}:'", p.label), p.place)
              .hint(fmt::format("write {}: before the symbol that is meant, in a rule", p.label)),
          p.label, {labels.begin(), labels.end()});
  if (file.makes_design()) return check_design(file, labels);
  for (const Rule& r : file.rules)
    for (const Symbol& s : r.right)
      if (!s.label.empty() && s.label != "locus" && s.label != "subject" &&
          s.label != "distractor" && !needed.contains(s.label))
        throw with_guess(
            file.error(fmt::format("no statement uses the label '{}'", s.label), s.place), s.label,
            {"locus", "subject", "distractor"});
  bool locus = labels.contains("locus"), vary = !file.vary.empty();
  for (const Rule& r : file.rules)
    if (!r.wrong.empty() && r.loci() > 0)
      throw file.error("a rule with a wrong order is the locus itself", r.left.place)
          .hint("take the label 'locus:' out of it");
  if (vary && !locus)
    throw file.error("no symbol is labelled as the locus", file.vary_place)
        .hint("write locus: before the symbol whose form is varied");
  if (locus && !vary)
    throw file.error("nothing says how the locus goes wrong", file.start_place)
        .hint("name the feature that is varied: % vary number");
}

// Symbols have rules, and lists that are tied are equally long.
void check_bonds(const File& file, const RulesOf& rules) {
  for (const Bond& b : file.bonds) {
    const Path* first = nullptr;
    size_t length = 0;
    for (const Path& p : b.paths) {
      if (!p.label.empty()) continue;
      auto own = rules.find(p.feature);
      if (own == rules.end())
        throw with_guess(file.error(fmt::format("there is no rule for {}", p.feature), p.place),
                         p.feature, names_of(rules));
      if (b.apart) continue;
      for (const auto& [left, entries] : file.entries) {
        if (left != p.feature && !left.starts_with(p.feature + '\x1f')) continue;
        if (first && entries != length)
          throw file
              .error(fmt::format("{} and {} are tied, but have {} and {} alternatives",
                                 first->feature, p.feature, length, entries),
                     p.place)
              .hint("what belongs together has the same position in each list");
        first = &p;
        length = entries;
      }
    }
  }
}

// A lemma of another kind than what some rule names: N[gender=fem] leaves Autor out.
bool may_be_left_out(const File& file, const Rule& rule, const Paradigms& paradigms) {
  if (!rule.is_entry()) return false;
  const std::vector<Cell>& cells = *paradigms.find(rule.right[0].text);
  const auto leaves_out = [&](const Demand& d) {
    if (d.variable || (d.feature != "lemma" && !is_inherent(d.feature))) return false;
    const Demand* own = rule.left.find(d.feature);
    if (own && !own->variable) return own->value != d.value;
    return d.feature == "lemma" ? rule.right[0].text != d.value
                                : std::ranges::any_of(cells, [&](const Cell& c) {
                                    auto it = c.features.find(d.feature);
                                    return it != c.features.end() && it->second != d.value;
                                  });
  };
  return std::ranges::any_of(file.rules, [&](const Rule& r) {
    return std::ranges::any_of(
        r.right, [&](const Symbol& s) { return std::ranges::any_of(s.demands, leaves_out); });
  });
}

// '% syncretic skip' leaves its forms out.
bool is_passed_over(const Rule& rule, const Paradigms& paradigms,
                    const std::set<std::string>& skipped) {
  return rule.is_entry() &&
         std::ranges::any_of(*paradigms.find(rule.right[0].text), [&](const Cell& c) {
           return std::ranges::any_of(
               skipped, [&](const std::string& words) { return words.find(c.form) != words.npos; });
         });
}

}  // namespace

void check_used(const File& file, const Paradigms& paradigms, const Used& used,
                const std::set<std::string>& skipped) {
  std::set<std::string> symbols;
  for (const Rule& r : file.rules)
    if (used.alternatives.contains(r.alternative)) symbols.insert(r.left.text);
  const Rule* idle = nullptr;
  for (const Rule& r : file.rules)
    if (!used.alternatives.contains(r.alternative) && !is_passed_over(r, paradigms, skipped) &&
        !may_be_left_out(file, r, paradigms) &&
        (r.left.place.file == 0 || (r.is_entry() && symbols.contains(r.left.text))) &&
        (!idle || idle->left.text == file.start))
      idle = &r;
  if (idle)
    throw file
        .error(fmt::format("this alternative of {} is in no sentence", idle->left.text),
               idle->right.empty() ? idle->left.place : idle->right[0].place)
        .hint("its features, or those of its words, agree with nothing that asks for them");
  std::set<std::string> values;
  for (const auto& [locus, own] : used.locus_values) values.insert(own.begin(), own.end());
  if (values.size() == 1)
    throw file
        .error(fmt::format("the {} of the locus is always {}", file.vary, *values.begin()),
               used.locus_values.begin()->first->place)
        .hint(fmt::format("if it shall be, write {}={}; else what agrees with it has no other",
                          file.vary, *values.begin()));
}

RulesOf rules_of(const File& file) {
  RulesOf rules;
  for (const Rule& r : file.rules) rules[r.left.text].push_back(&r);
  return rules;
}

Needed needed_of_labels(const File& file) {
  Needed needed;
  for (const Path& p : file.paths())
    if (!p.label.empty()) needed[p.label].insert(p.feature);
  // Words that vary together have the same value.
  if (std::ranges::any_of(file.rules, [&](const Rule& r) { return file.joint(r); }))
    needed["locus"].insert(file.vary);
  return needed;
}

void check(const File& file, const RulesOf& rules, const Paradigms& paradigms, bool finite_depth) {
  check_defined(file, rules);
  check_reachable(file, rules);
  check_ending(file, rules);
  if (!finite_depth) check_finite(file, rules);
  Needed needed = needed_of_labels(file);
  for (const Bond& b : file.bonds)
    for (const Path& p : b.paths)
      if (!p.label.empty()) needed[p.label].insert(p.feature);
  check_labels(file, needed);
  check_bonds(file, rules);
  check_lemmas(file, paradigms);
  check_variables(file, needed);
  check_entries(file);
  check_beside(file, rules, paradigms);
  check_asked(file, rules, needed);
}

}  // namespace minpair::stimuli::cfg
