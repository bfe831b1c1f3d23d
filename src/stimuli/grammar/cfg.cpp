// Context-free rules with features, solved: every symbol with every combination of feature values
// that somebody asks for becomes one choice of the derivations.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "stimuli/grammar/cfg_bonds.h"
#include "stimuli/grammar/cfg_check.h"
#include "stimuli/grammar/cfg_design.h"
#include "stimuli/grammar/cfg_star.h"
#include "stimuli/grammar/cfg_words.h"
#include "stimuli/grammar/grammar.h"

namespace minpair::stimuli {
namespace cfg {
namespace {

constexpr unsigned kDeepest = 400;          // symbols inside each other
constexpr unsigned kLongest = 1500;         // symbols on the way to the last word: they need stack
constexpr uint64_t kMostSteps = 4'000'000;  // combinations of feature values that are tried

using Wanted = std::vector<std::string>;  // names of features, sorted

Wanted joined(const Wanted& a, const Wanted& b) {
  Wanted all;
  std::ranges::set_union(a, b, std::back_inserter(all));
  return all;
}

// A symbol with the values of the features that were wanted of it ("" where it leaves them open).
struct Solution {
  std::vector<std::string> values;
  Derivations::Node node;
};

// What is asked of a symbol.
struct Question {
  std::string symbol;
  Wanted wanted;
  Features fixed;
  Locus locus = Locus::none;
  unsigned depth = 0;

  std::string key() const {
    std::string k = fmt::format("{}\x1f{}\x1f{}", symbol, int(locus), depth);
    for (const std::string& w : wanted) {
      auto it = fixed.find(w);
      k += '\x1f' + w + '\x1e' + (it == fixed.end() ? "" : it->second);
    }
    return k;
  }
};

class Solver {
 public:
  Solver(const File& file, const RulesOf& rules, Words& words, Derivations& derivations,
         std::optional<unsigned> depth)
      : file_(file),
        rules_(rules),
        words_(words),
        derivations_(derivations),
        depth_(depth),
        needed_(needed_of_labels(file)),
        bonds_(file),
        star_(file, derivations) {
    find_exposed();
    find_meetings();
  }

  const std::vector<Solution>& solve(const Question& q) {
    std::string key = q.key();
    if (auto it = solved_.find(key); it != solved_.end()) return it->second;
    Place here = rules_.at(q.symbol)[0]->left.place;
    if (++nesting_ > kDeepest)
      throw file_.error(fmt::format("more than {} symbols inside each other", kDeepest), here)
          .hint("give a smaller --depth");
    Answer answer;
    if (!depth_ || q.depth > 0)
      for (const Rule* r : rules_.at(q.symbol)) apply(*r, q, answer);
    check_same_cells(q, answer);
    --nesting_;
    std::vector<Solution> solutions;
    for (auto& [values, sequences] : answer.found)
      solutions.push_back({values, choice(std::move(sequences))});
    return solved_.emplace(std::move(key), std::move(solutions)).first->second;
  }

  const Used& used() const { return used_; }

 private:
  using Sequences = std::vector<std::vector<Derivations::Node>>;
  // The cells that the lemmas of one rule offered, to find the one that lacks what others have.
  struct Offer {
    const Symbol* lemma;
    std::set<std::string> cells;
  };
  struct Answer {
    std::vector<std::pair<std::vector<std::string>, Sequences>> found;  // in order of appearance
    std::map<std::vector<std::string>, size_t> place;                   // in found
    std::set<std::pair<size_t, std::vector<Derivations::Node>>> seen;
    std::map<std::string, std::vector<Offer>> offers;

    // Two cells with the same form, say, must not give the same sentences twice.
    void add(std::vector<std::string> values, const std::vector<Derivations::Node>& sequence) {
      auto [it, is_new] = place.emplace(values, found.size());
      if (is_new) found.emplace_back(std::move(values), Sequences{});
      if (seen.emplace(it->second, sequence).second) found[it->second].second.push_back(sequence);
    }
  };
  // A rule on the way from left to right.
  struct State {
    Features variables;
    Features parts;  // subject.number and the like, from labelled symbols below
    Features entry;  // features of the only lemma of a lexical rule
    std::vector<Derivations::Node> nodes;
    std::vector<size_t> begins;  // in nodes, of each symbol
  };

  // The same alternatives are the same node, so that equal sequences are seen to be equal.
  Derivations::Node choice(Sequences sequences) {
    auto it = choices_.find(sequences);
    if (it != choices_.end()) return it->second;
    Derivations::Node node = derivations_.add_choice(sequences);
    choices_.emplace(std::move(sequences), node);
    return node;
  }

  // Which features of labelled parts each symbol can tell about.
  void find_exposed() {
    for (const Rule& r : file_.rules)
      for (const std::string& key : bonds_.of_symbol(r.left.text))
        exposed_[r.left.text].insert(key);
    for (bool more = true; more;) {
      more = false;
      for (const Rule& r : file_.rules)
        for (const Symbol& s : r.right) {
          std::set<std::string>& up = exposed_[r.left.text];
          size_t before = up.size();
          if (auto it = needed_.find(s.label); !s.label.empty() && it != needed_.end())
            for (const std::string& f : it->second) up.insert(s.label + "." + f);
          for (const auto& [feature, key] : bonds_.of_label(s.label)) up.insert(key);
          if (s.kind == Symbol::Kind::nonterminal && s.text != r.left.text) {
            const std::set<std::string> below = exposed_[s.text];
            up.insert(below.begin(), below.end());
          }
          more |= up.size() != before;
        }
    }
  }

  // Where several parts that a bond names come together, it is to be known of each.
  void find_meetings() {
    for (const Rule& r : file_.rules) {
      std::map<std::string, int> times;
      for (const std::string& key : bonds_.of_symbol(r.left.text)) ++times[key];
      for (const Symbol& s : r.right) {
        for (const auto& [feature, key] : bonds_.of_label(s.label)) ++times[key];
        if (s.kind == Symbol::Kind::nonterminal)
          for (const std::string& key : exposed_[s.text])
            if (bonds_.is_key(key)) ++times[key];
      }
      for (const auto& [key, n] : times)
        if (n > 1) meeting_[&r].insert(key);
    }
  }

  bool meets(const Rule& rule, const Question& q, const std::string& key) const {
    auto it = meeting_.find(&rule);
    return (it != meeting_.end() && it->second.contains(key)) ||
           std::binary_search(q.wanted.begin(), q.wanted.end(), key);
  }

  void apply(const Rule& rule, const Question& q, Answer& answer) {
    State state;
    for (const std::string& key : bonds_.of_symbol(rule.left.text))
      bonds_.meet(state.parts, key, std::to_string(rule.entry));
    for (const Demand& d : rule.left.demands) {
      auto fixed = q.fixed.find(d.feature);
      if (fixed == q.fixed.end()) continue;
      if (d.variable ? !unify(state.variables, d.value, fixed->second) : d.value != fixed->second)
        return;
    }
    if (q.locus != Locus::none && rule.right.size() != 1)
      throw file_.error("the locus must be one word", rule.left.place)
          .hint("label the symbol of the word itself");
    next(rule, q, 0, state, answer);
  }

  void next(const Rule& rule, const Question& q, size_t i, State state, Answer& answer) {
    if (++steps_ > kMostSteps)
      throw file_.error("too many combinations of feature values", rule.left.place);
    for (; i < rule.right.size() && rule.right[i].kind == Symbol::Kind::word; ++i) {
      const Symbol& s = rule.right[i];
      if (q.locus != Locus::none || s.label == "locus")
        throw file_.error("the locus needs a paradigm to take its wrong form from", s.place)
            .hint("write <lemma> instead of a quoted word");
      if (too_deep(q)) return;
      for (const auto& [feature, key] : bonds_.of_label(s.label))
        if (!bind(s, feature, key, feature == "lemma" ? s.text : "", state)) return;
      put(s, words_.word(s.text), state);
    }
    if (i == rule.right.size()) return finish(rule, q, state, answer);
    const Symbol& s = rule.right[i];
    Locus locus = q.locus;
    if (s.label == "locus") locus = file_.joint(rule) ? Locus::joint : Locus::alone;
    if (++pending_ > kLongest)
      throw file_.error(fmt::format("more than {} symbols in one sentence", kLongest), s.place)
          .hint("give a smaller --depth");
    if (s.kind == Symbol::Kind::nonterminal)
      next_symbol(rule, q, i, state, locus, answer);
    else if (!too_deep(q))
      next_lemma(rule, q, i, state, locus, answer);
    --pending_;
  }

  // A word is a leaf, one level below its rule.
  bool too_deep(const Question& q) const { return depth_ && q.depth <= 1; }

  void next_symbol(const Rule& rule, const Question& q, size_t i, const State& state, Locus locus,
                   Answer& answer) {
    const Symbol& s = rule.right[i];
    Question below{s.text, wanted_of(s, q, rule), fixed_of(s, state), locus,
                   depth_ ? q.depth - 1 : 0};
    for (const Solution& solution : solve(below)) {
      State after = state;
      bool fits = true;
      for (size_t w = 0; w < below.wanted.size(); ++w)
        fits = fits && take(s, below.wanted[w], solution.values[w], after);
      if (!fits) continue;
      put(s, solution.node, after);
      next(rule, q, i + 1, std::move(after), answer);
    }
  }

  void next_lemma(const Rule& rule, const Question& q, size_t i, const State& state, Locus locus,
                  Answer& answer) {
    const Symbol& s = rule.right[i];
    const bool entry = rule.is_entry();
    Features fixed = fixed_of(s, state);
    const Wanted own = wanted_of(s, q, rule);
    Wanted wanted = own;
    if (entry) {
      for (const auto& [name, value] : entry_fixed(rule, q, state))
        if (fixed.emplace(name, value).first->second != value) return;
      wanted = joined(own, q.wanted);
    }
    Offer offer{&s, {}};
    for (const Words::Found& found : words_.find(s, fixed, wanted, locus)) {
      State after = state;
      bool fits = true;
      for (const std::string& w : wanted) {
        auto it = found.features.find(w);
        const std::string value = it == found.features.end() ? "" : it->second;
        if (entry) fits = fits && unify(after.entry, w, value);
        if (std::ranges::binary_search(own, w)) fits = fits && take(s, w, value, after);
      }
      if (entry)
        for (const Demand& d : rule.left.demands)
          if (auto it = found.features.find(d.feature); d.variable && it != found.features.end())
            fits = fits && unify(after.variables, d.value, it->second);
      if (!fits) continue;
      offer.cells.insert(inflection_of(found.features, wanted));
      if (found.skipped) continue;
      put(s, found.node, after);
      next(rule, q, i + 1, std::move(after), answer);
    }
    if (entry && !s.bracketed && !offer.cells.empty())
      answer.offers[offer_key(rule)].push_back(std::move(offer));
  }

  // Notes what a symbol on the right says about a feature. False: a contradiction.
  bool take(const Symbol& s, const std::string& feature, const std::string& value, State& state) {
    if (bonds_.is_key(feature)) return bonds_.meet(state.parts, feature, value);
    if (feature.find('.') != feature.npos) return unify(state.parts, feature, value);
    const Demand* d = s.find(feature);
    if (d && d->variable && !unify(state.variables, d->value, value)) return false;
    if (d && d->variable && s.label == "locus" && feature == file_.vary && !value.empty())
      used_.locus_values[&s].insert(value);
    for (const auto& [bound, key] : bonds_.of_label(s.label))
      if (bound == feature &&
          !bind(s, feature, key, value.empty() && d && !d->variable ? d->value : value, state))
        return false;
    auto needed = needed_.find(s.label);
    if (s.label.empty() || needed == needed_.end() || !needed->second.contains(feature))
      return true;
    std::string said = !value.empty() ? value : d && !d->variable ? d->value : "";
    return unify(state.parts, s.label + "." + feature, said);
  }

  bool bind(const Symbol& s, const std::string& feature, const std::string& key,
            const std::string& value, State& state) {
    if (value.empty())
      throw file_.error(fmt::format("nothing says what {}.{} is here", s.label, feature), s.place)
          .hint(fmt::format("a '% tied' or '% apart' asks for it: write {}[{}=...]", s.text,
                            feature));
    return bonds_.meet(state.parts, key, value);
  }

  void put(const Symbol& s, Derivations::Node node, State& state) {
    state.begins.push_back(state.nodes.size());
    if (file_.makes_design()) {
      if (!s.label.empty()) state.nodes.push_back(words_.word(kRegionMark + s.label));
      state.nodes.push_back(node);
      return;
    }
    if (s.label == "subject") state.nodes.push_back(before_subject_mark_);
    if (s.label == "distractor") state.nodes.push_back(before_mark_);
    state.nodes.push_back(node);
    if (s.label == "subject")
      state.nodes.push_back(subject_mark_);
    else if (s.label == "distractor")
      state.nodes.push_back(distractor_mark_);
  }

  Wanted wanted_of(const Symbol& s, const Question& q, const Rule& rule) {
    std::set<std::string> wanted;
    for (const Demand& d : s.demands) wanted.insert(d.feature);
    if (auto it = needed_.find(s.label); !s.label.empty() && it != needed_.end())
      wanted.insert(it->second.begin(), it->second.end());
    for (const auto& [feature, key] : bonds_.of_label(s.label))
      if (meets(rule, q, key)) wanted.insert(feature);
    if (s.kind == Symbol::Kind::nonterminal)
      for (const std::string& e : exposed_[s.text])
        if (std::binary_search(q.wanted.begin(), q.wanted.end(), e) ||
            (bonds_.is_key(e) && meets(rule, q, e)))
          wanted.insert(e);
    return {wanted.begin(), wanted.end()};
  }

  Features fixed_of(const Symbol& s, const State& state) {
    Features fixed;
    for (const Demand& d : s.demands) {
      if (!d.variable) {
        fixed[d.feature] = d.value;
      } else if (auto it = state.variables.find(d.value); it != state.variables.end()) {
        fixed[d.feature] = it->second;
      }
    }
    return fixed;
  }

  // A lemma alone on the right is an entry of the symbol on the left: it has all its features.
  Features entry_fixed(const Rule& rule, const Question& q, const State& state) {
    Features fixed = fixed_of(rule.left, state);
    for (const auto& [name, value] : q.fixed) fixed.emplace(name, value);
    return fixed;
  }

  void finish(const Rule& rule, const Question& q, const State& state, Answer& answer) {
    std::vector<std::string> values;
    for (const std::string& w : q.wanted) {
      const Demand* d = rule.left.find(w);
      const Features& from = d && d->variable        ? state.variables
                             : w.find('.') != w.npos ? state.parts
                                                     : state.entry;
      auto it = from.find(d && d->variable ? d->value : w);
      auto fixed = q.fixed.find(w);
      values.push_back(d && !d->variable        ? d->value
                       : it != from.end()       ? it->second
                       : fixed != q.fixed.end() ? fixed->second
                                                : "");
    }
    used_.alternatives.insert(rule.alternative);
    for (const std::vector<Derivations::Node>& sequence : sequences_of(rule, state))
      answer.add(values, sequence);
  }

  std::vector<std::vector<Derivations::Node>> sequences_of(const Rule& rule, const State& state) {
    if (rule.wrong.empty() && !file_.joint(rule)) return {state.nodes};
    std::vector<Wrong> wrong = rule.wrong;
    if (wrong.empty()) {  // all loci take their next form
      const size_t forms = words_.joint_forms(state.parts.at("locus." + file_.vary));
      for (uint32_t form = 1; form <= forms; ++form) {
        Wrong& w = wrong.emplace_back();
        for (uint32_t p = 0; p < rule.right.size(); ++p)
          w.push_back({p, rule.right[p].label == "locus" ? form : 0, {}});
      }
    }
    std::vector<std::vector<Derivations::Node>> parts;
    for (size_t p = 0; p < state.begins.size(); ++p) {
      auto at = [&](size_t i) {
        return state.nodes.begin() +
               ptrdiff_t(i < state.begins.size() ? state.begins[i] : state.nodes.size());
      };
      parts.emplace_back(at(p), at(p + 1));
    }
    const bool skip = file_.skip_syncretic && rule.wrong.empty() && wrong.size() == 1;
    if (!skip) return {star_.sequence(rule, parts, std::move(wrong))};
    std::vector<std::vector<Derivations::Node>> all;
    for (const auto& some : star_.without_syncretic(rule, parts))
      all.push_back(star_.sequence(rule, some, wrong));
    return all;
  }

  // --- paradigms with holes ---

  std::string offer_key(const Rule& rule) {
    std::string key = fmt::format("{:08}", rule.group);
    for (const Demand& d : rule.left.demands) key += '\x1f' + d.value;
    return key;
  }

  std::string inflection_of(const Features& features, const Wanted& wanted) {
    Features some;
    for (const std::string& w : wanted)
      if (auto it = features.find(w); it != features.end() && w != "lemma" && !is_inherent(w))
        some.insert(*it);
    return features_text(some);
  }

  void check_same_cells(const Question&, const Answer& answer) {
    for (const auto& [key, offers] : answer.offers) {
      std::map<std::string, const Symbol*> all;
      for (const Offer& o : offers)
        for (const std::string& c : o.cells) all.emplace(c, o.lemma);
      for (const Offer& o : offers)
        for (const auto& [cell, other] : all)
          if (!o.cells.contains(cell))
            throw file_
                .error(fmt::format("'{}' has no form for {}, but '{}' has one", o.lemma->text, cell,
                                   other->text),
                       o.lemma->place)
                .hint("add the form to the table, or give the word a rule of its own");
    }
  }

  const File& file_;
  const RulesOf& rules_;
  Words& words_;
  Derivations& derivations_;
  std::optional<unsigned> depth_;
  Needed needed_;
  Bonds bonds_;
  Star star_;
  std::map<std::string, std::set<std::string>> exposed_;
  std::map<const Rule*, std::set<std::string>> meeting_;
  std::map<std::string, std::vector<Solution>> solved_;
  std::map<Sequences, Derivations::Node> choices_;
  Derivations::Node before_subject_mark_ = derivations_.add_mark(Derivations::Mark::before_subject);
  Derivations::Node subject_mark_ = derivations_.add_mark(Derivations::Mark::subject);
  Derivations::Node before_mark_ = derivations_.add_mark(Derivations::Mark::before);
  Derivations::Node distractor_mark_ = derivations_.add_mark(Derivations::Mark::attractor);
  Used used_;
  unsigned nesting_ = 0;
  unsigned pending_ = 0;
  uint64_t steps_ = 0;
};

Paradigms read_lexicons(const File& file, const std::filesystem::path& folder) {
  Paradigms paradigms;
  for (const auto& [name, place] : file.lexicons) {
    // Counted from the file that names it.
    std::filesystem::path path = folder / name;
    if (place.file > 0) path = std::filesystem::path(file.names[place.file]).parent_path() / name;
    if (!std::filesystem::exists(path))
      throw file.error(fmt::format("there is no table {}", path.string()), place)
          .hint("the path counts from the grammar's folder");
    paradigms.read_file(path);
  }
  return paradigms;
}

// Condition, cluster and features of the items, from what the solution of the start symbol says;
// of a design, one of its sentences.
Section section_of(const File& file, const Wanted& wanted, const Solution& solution) {
  Section section;
  auto value = [&](const Path& p) -> const std::string& {
    size_t at = size_t(std::lower_bound(wanted.begin(), wanted.end(), p.text()) - wanted.begin());
    if (solution.values[at].empty())
      throw file.error(fmt::format("some sentences have no {}", p.text()), p.place)
          .hint("label a part in every rule of the start symbol");
    return solution.values[at];
  };
  for (const Path& p : file.condition) {
    section.condition += (section.condition.empty() ? "" : "_") + value(p);
    section.features.emplace_back(p.text(), value(p));
  }
  for (const Path& p : file.feature) section.features.emplace_back(p.text(), value(p));
  // Where a grammar does not say what its items share, their words at the locus tell them apart.
  section.cluster = file.cluster.empty() && !file.has_cluster ? "" : file.test;
  for (const Path& p : file.cluster) section.cluster += "/" + value(p);
  std::string name;
  for (const Path& p : file.design) name += (name.empty() ? "" : "_") + value(p);
  if (file.makes_design()) section.names = {name};
  section.root = solution.node;
  return section;
}

// A distractor attracts when it differs from the subject in what is varied.
void set_match(const File& file, Section& section) {
  auto value = [&](const char* label) -> const std::string* {
    for (const auto& [name, v] : section.features)
      if (name == fmt::format("{}.{}", label, file.vary)) return std::get_if<std::string>(&v);
    return nullptr;
  };
  const std::string *subject = value("subject"), *distractor = value("distractor");
  section.attracting = subject && distractor && *subject != *distractor;
  if (subject && distractor)
    section.features.emplace_back("match", section.attracting ? "no" : "yes");
}

void add_sections(const File& file, const Paradigms& paradigms, Solver& solver,
                  const Question& question, Derivations& derivations) {
  std::vector<std::vector<Section>> by_condition;  // in the order of appearance
  std::map<std::string, size_t> places;
  std::vector<Section> sections;
  try {
    for (const Solution& s : solver.solve(question)) {
      Section section = section_of(file, question.wanted, s);
      set_match(file, section);
      auto [place, is_new] = places.try_emplace(section.condition, by_condition.size());
      if (is_new) by_condition.emplace_back();
      by_condition[place->second].push_back(std::move(section));
    }
    if (question.depth == 0) check_used(file, paradigms, solver.used(), derivations.syncretic());
    for (std::vector<Section>& some : by_condition)
      std::move(some.begin(), some.end(), std::back_inserter(sections));
    if (file.makes_design()) sections = designs_of(file, std::move(sections), derivations);
    for (Section& s : sections) derivations.add_section(std::move(s));
  } catch (Error& e) {
    if (!e.where().file.empty()) throw;
    throw e.at(file.names[0], file.start_place.line, file.start_place.column);
  }
}

// Items of one subject are not independent of each other.
void default_cluster(File& file) {
  if (file.has_cluster) return;
  bool lemmas = false;
  std::set<std::string> subjects;
  for (const Rule& r : file.rules)
    for (const Symbol& s : r.right)
      if (s.label == "subject") subjects.insert(s.text);
  for (const Rule& r : file.rules)
    if (subjects.contains(r.left.text)) lemmas |= r.left.find("lemma") != nullptr;
  if (lemmas) file.cluster.push_back({"subject", "lemma", file.start_place});
}

}  // namespace
}  // namespace cfg

std::vector<StatedCriterion> cfg_criteria(std::string_view text, const std::string& name,
                                          const std::filesystem::path& folder) {
  cfg::File file = cfg::parse(text, name, folder);
  for (StatedCriterion& c : file.criteria) c.criterion.test = file.test;
  return file.criteria;
}

Derivations read_cfg(std::string_view text, const std::string& name,
                     const std::filesystem::path& folder, const GrammarOptions& options) {
  using namespace cfg;
  check_no_mark(text, name);
  File file = parse(text, name, folder);
  if (file.test.empty()) file.test = std::filesystem::path(name).stem().string();
  if (file.language.empty()) file.language = options.language;
  default_cluster(file);
  RulesOf rules = rules_of(file);
  Paradigms paradigms = read_lexicons(file, folder);
  file.empty_forms = paradigms.has_empty();
  check(file, rules, paradigms, options.depth.has_value());

  Derivations derivations(file.test, file.language);
  Words words(file, paradigms, derivations);
  Solver solver(file, rules, words, derivations, options.depth);
  std::set<std::string> wanted;
  for (const Path& p : file.paths()) wanted.insert(p.text());
  Question question{
      file.start, {wanted.begin(), wanted.end()}, {}, Locus::none, options.depth.value_or(0)};
  add_sections(file, paradigms, solver, question, derivations);
  check_criteria(file.criteria, derivations);
  derivations.ask_sample(file.sample);
  return derivations;
}

}  // namespace minpair::stimuli
