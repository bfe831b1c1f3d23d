// The notation: NLTK's, with features, labels and statements on top.

#include "stimuli/grammar/cfg_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/file.h"
#include "base/rows.h"
#include "base/text.h"
#include "stimuli/grammar/paradigm.h"

namespace minpair::stimuli::cfg {
namespace {

constexpr size_t kMostFiles = 32;
constexpr size_t kMostSymbols = 1000;  // on the right side of a rule
constexpr size_t kMostCopies = 256;    // that the | in a feature's value can make of a rule

bool is_name_byte(char c) {
  unsigned char u = static_cast<unsigned char>(c);
  return (u >= '0' && u <= '9') || (u >= 'A' && u <= 'Z') || (u >= 'a' && u <= 'z') || u == '_' ||
         u >= 0x80;
}

// A symbol as written: a demand can have several values, number=sg|pl.
struct Written {
  Symbol symbol;
  std::vector<std::vector<std::string>> values;  // one list for each demand
};

class Parser {
 public:
  Parser(std::string_view text, File& file, uint32_t number, const std::filesystem::path& folder)
      : text_(without_mark(text)), number_(number), file_(file), folder_(folder) {}

  void parse() {
    if (!valid_utf8(text_)) throw bad_input("the grammar is not UTF-8").at(file_.names[number_]);
    while (skip_blank_lines()) {
      if (peek() == '%')
        statement();
      else
        rule();
      end_of_line();
    }
  }

 private:
  [[noreturn]] void fail(std::string message, std::string hint = "") {
    Error e = file_.error(std::move(message), place());
    if (!hint.empty()) e.hint(std::move(hint));
    throw e;
  }

  bool done() const { return at_ >= text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }
  bool ahead(std::string_view s) const { return text_.substr(at_).starts_with(s); }
  void step() {
    if (text_[at_] == '\n') {
      ++line_;
      line_begin_ = at_ + 1;
    }
    ++at_;
  }
  Place place() {
    if (counted_to_ < line_begin_) counted_to_ = line_begin_, characters_ = 0;
    characters_ += count_characters(text_.substr(counted_to_, at_ - counted_to_));
    counted_to_ = at_;
    return {line_, uint32_t(characters_ + 1), number_};
  }
  bool accept(std::string_view s) {
    if (!ahead(s)) return false;
    for (size_t i = 0; i < s.size(); ++i) step();
    skip_space();
    return true;
  }
  // Within a line; a backslash at its end continues it.
  void skip_space() {
    for (;;) {
      if (peek() == ' ' || peek() == '\t' || peek() == '\r') {
        step();
      } else if (ahead("\\\n") || ahead("\\\r\n")) {
        while (peek() != '\n') step();
        step();
      } else {
        break;
      }
    }
  }
  void skip_comment() {
    if (peek() == '#')
      while (!done() && peek() != '\n') step();
  }
  bool skip_blank_lines() {
    for (;;) {
      skip_space();
      skip_comment();
      if (done()) return false;
      if (peek() != '\n') return true;
      step();
    }
  }
  void end_of_line() {
    skip_space();
    skip_comment();
    if (!done() && peek() != '\n') fail(fmt::format("unexpected '{}'", next_word()));
  }
  std::string next_word() {
    size_t end = at_;
    while (end < text_.size() && !std::strchr(" \t\r\n", text_[end])) ++end;
    return std::string(text_.substr(at_, std::max<size_t>(end - at_, 1)));
  }

  std::string name(const char* what) {
    size_t begin = at_;
    while (is_name_byte(peek())) step();
    if (begin == at_) fail(fmt::format("{} is missing here", what));
    return std::string(text_.substr(begin, at_ - begin));
  }
  // As NLTK has them: NP, NP-SBJ, S/NP, VP^<TOP>.
  std::string nonterminal() {
    size_t begin = at_;
    auto inner = [&] {
      char c = peek();
      return is_name_byte(c) || c == '/' ||
             (at_ > begin && !ahead("->") && std::strchr("^<>-", c) && c != '\0');
    };
    while (inner()) step();
    if (begin == at_) fail(fmt::format("a symbol is missing here, there is '{}'", next_word()));
    return std::string(text_.substr(begin, at_ - begin));
  }

  // --- statements ---

  std::string rest_of_line() {
    size_t begin = at_;
    while (!done() && peek() != '\n' && peek() != '#') step();
    return std::string(trim(text_.substr(begin, at_ - begin)));
  }

  std::string continued_line() {
    std::string line;
    while (!done() && peek() != '\n' && peek() != '#') {
      if (ahead("\\\n") || ahead("\\\r\n")) {
        skip_space();
        if (!line.ends_with(' ')) line += ' ';
      } else {
        line += peek();
        step();
      }
    }
    return std::string(trim(line));
  }

  void statement() {
    Place where = place();
    step();
    skip_space();
    std::string what = name("the name of a statement");
    skip_space();
    Place argument = place();
    if (what == "start") {
      file_.start = nonterminal();
      file_.start_place = argument;
    } else if (what == "test") {
      file_.test = rest_of_line();
    } else if (what == "language") {
      file_.language = rest_of_line();
    } else if (what == "lexicon") {
      file_.lexicons.emplace_back(rest_of_line(), argument);
      if (file_.lexicons.back().first.empty()) fail("the name of a table is missing here");
    } else if (what == "include") {
      include(rest_of_line(), argument);
    } else if (what == "vary") {
      vary(where);
    } else if (what == "condition") {
      paths(file_.condition);
    } else if (what == "cluster") {
      file_.has_cluster = true;
      paths(file_.cluster);
    } else if (what == "feature") {
      paths(file_.feature);
    } else if (what == "design") {
      paths(file_.design);
      if (file_.design.empty()) fail("the features that vary are missing here");
    } else if (what == "criterion") {
      std::string text = continued_line();
      file_.criteria.push_back(
          parse_criterion(text, {file_.names[number_], argument.line, argument.column, {}}));
    } else if (what == "sample") {
      sample(rest_of_line(), argument);
    } else if (what == "syncretic") {
      if (std::string value = rest_of_line(); value != "skip")
        throw file_.error(fmt::format("'% syncretic {}' is unknown", value), argument)
            .hint("% syncretic skip");
      file_.skip_syncretic = true;
    } else if (what == "tied" || what == "apart") {
      bond(what == "apart", where);
    } else {
      std::string guess = closest(
          what, {"start", "test", "language", "lexicon", "include", "vary", "condition", "cluster",
                 "feature", "sample", "syncretic", "design", "criterion", "tied", "apart"});
      Error e = file_.error(fmt::format("there is no statement '{}'", what), where);
      throw guess.empty() ? e : e.hint(fmt::format("did you mean '{}'?", guess));
    }
  }

  void include(const std::string& name, Place where) {
    std::filesystem::path path = folder_ / name;
    if (name.empty() || !std::filesystem::is_regular_file(path))
      throw file_.error(fmt::format("there is no file '{}'", path.string()), where)
          .hint("the path counts from the grammar's folder");
    if (file_.names.size() == kMostFiles)
      throw file_.error("too many files are included; does one include itself?", where);
    file_.names.push_back(path.string());
    std::string text = read_file(path, 1 << 26);
    Parser(text, file_, uint32_t(file_.names.size() - 1), path.parent_path()).parse();
  }

  // % vary person 1:3 2:3 3:1
  void vary(Place where) {
    if (!file_.vary.empty())
      throw file_.error("the locus varies in one feature, and there is a '% vary' already", where)
          .hint("make it a grammar of its own");
    file_.vary = full_feature_name(name("the feature to vary"));
    file_.vary_place = where;
    skip_space();
    while (is_name_byte(peek())) {
      std::string from = lower(name("a value"));
      if (!accept(":")) fail("':' is missing here", "write from:to, as in 1:3");
      file_.vary_to[from].push_back(lower(name("a value")));
      skip_space();
    }
  }

  void sample(const std::string& size, Place where) {
    try {
      file_.sample = parse_sample(size);
    } catch (Error& e) {
      throw e.at(file_.names[where.file], where.line, where.column);
    }
  }

  void paths(std::vector<Path>& to) {
    while (is_name_byte(peek())) {
      Path p;
      p.place = place();
      p.feature = name("a feature");
      if (accept(".")) {
        p.label = p.feature;
        p.feature = name("a feature");
      }
      p.feature = full_feature_name(p.feature);
      to.push_back(std::move(p));
      skip_space();
    }
  }

  void bond(bool apart, Place where) {
    Bond b{apart, {}, where};
    while (!done() && !std::strchr("\n#", peek())) {
      Path p;
      p.place = place();
      p.feature = nonterminal();
      if (accept(".")) p = {p.feature, full_feature_name(name("a feature")), p.place};
      b.paths.push_back(std::move(p));
      skip_space();
    }
    if (b.paths.size() < (apart ? 1 : 2))
      fail("a name is missing here", "name symbols, or features of labelled parts: subject.lemma");
    file_.bonds.push_back(std::move(b));
  }

  // --- rules ---

  void rule() {
    Written left = left_side();
    if (!accept("->")) fail("'->' is missing here", "a rule is written S -> NP VP");
    uint32_t group = uint32_t(file_.rules.size());
    do {
      std::vector<Written> right = symbols();
      std::vector<Wrong> wrong;
      while (peek() == '*') {
        Place star = place();
        accept("*");
        Wrong other;
        for (const Written& w : symbols()) other.push_back(piece(w, right));
        if (std::ranges::find(wrong, other) != wrong.end())
          throw file_.error("two wrong orders are the same", star).hint("leave one of them out");
        if (is_order(other, right.size()))
          throw file_.error("this wrong order is the right one", star).hint("leave it out");
        wrong.push_back(std::move(other));
      }
      add_rule(left, right, wrong, group);
    } while (accept("|"));
  }

  // Every part at its own place, as it is.
  static bool is_order(const Wrong& pieces, size_t parts) {
    if (pieces.size() != parts) return false;
    for (size_t i = 0; i < parts; ++i)
      if (pieces[i].part != i || pieces[i].form != 0) return false;
    return true;
  }

  std::vector<Written> symbols() {
    std::vector<Written> all;
    while (!done() && !std::strchr("|\n#*", peek())) {
      if (all.size() == kMostSymbols)
        fail(fmt::format("a rule can have {} symbols at most", kMostSymbols));
      all.push_back(symbol());
    }
    return all;
  }

  // What a symbol behind a star is: the one of the right order that it names, or a new word.
  Piece piece(const Written& w, const std::vector<Written>& right) {
    const Symbol& s = w.symbol;
    std::vector<uint32_t> same;
    for (uint32_t i = 0; i < right.size(); ++i) {
      const Symbol& r = right[i].symbol;
      auto asks_the_same = [&] {
        if (s.demands.size() != r.demands.size() || w.values != right[i].values) return false;
        for (size_t d = 0; d < s.demands.size(); ++d)
          if (s.demands[d].feature != r.demands[d].feature ||
              s.demands[d].variable != r.demands[d].variable ||
              s.demands[d].value != r.demands[d].value)
            return false;
        return true;
      };
      if (s.kind == r.kind && s.text == r.text && (s.label.empty() || s.label == r.label) &&
          (!s.bracketed || asks_the_same()))
        same.push_back(i);
    }
    if (s.kind == Symbol::Kind::word) {
      if (same.empty()) return {Piece::kOwnWord, 0, s.text};
      return {same[0], 0, {}};  // equal words are equal anywhere
    }
    if (same.size() == 1) return {same[0], 0, {}};
    Error e = file_.error(same.empty() ? s.text + " is not among the symbols before the star"
                                       : "there are several " + s.text + " before the star",
                          s.place);
    throw e.hint(same.empty() ? "a wrong order has the same symbols, or words in quotes"
                              : "give them labels or features that tell them apart, here too");
  }

  Written left_side() {
    Written w;
    w.symbol.place = place();
    w.symbol.text = nonterminal();
    features(w);
    skip_space();
    return w;
  }

  Written symbol() {
    Written w;
    Symbol& s = w.symbol;
    s.place = place();
    label(s);
    if (peek() == '\'' || peek() == '"') {
      s.kind = Symbol::Kind::word;
      s.text = quoted(peek());
    } else if (peek() == '<') {
      s.kind = Symbol::Kind::lemma;
      s.text = quoted('>');
    } else {
      s.text = nonterminal();
    }
    if (s.kind != Symbol::Kind::word) features(w);
    skip_space();
    return w;
  }

  void label(Symbol& s) {
    size_t end = at_;
    while (end < text_.size() && is_name_byte(text_[end])) ++end;
    if (end == at_ || end >= text_.size() || text_[end] != ':') return;
    s.label = name("a label");
    accept(":");
  }

  std::string quoted(char close) {
    Place begin = place();
    step();
    size_t from = at_;
    while (!done() && peek() != close && peek() != '\n') step();
    if (peek() != close)
      throw file_.error(fmt::format("the closing {} is missing", close), begin)
          .hint("put words between two of them: 'the' 'cat'");
    std::string s(text_.substr(from, at_ - from));
    step();
    return s;
  }

  void features(Written& w) {
    if (peek() != '[') return;
    accept("[");
    w.symbol.bracketed = true;
    while (!accept_bracket()) {
      Demand d;
      d.feature = full_feature_name(name("a feature"));
      if (w.symbol.find(d.feature)) fail(fmt::format("{} is given twice", d.feature));
      skip_space();
      if (!accept("=")) fail("'=' is missing here", "write feature=value or feature=?variable");
      d.variable = accept("?");
      std::vector<std::string> values{value(d)};
      skip_space();
      while (!d.variable && accept("|")) {
        values.push_back(value(d));
        skip_space();
      }
      w.symbol.demands.push_back(std::move(d));
      w.values.push_back(std::move(values));
      if (!accept(",") && peek() != ']') fail("',' or ']' is missing here");
    }
  }

  std::string value(const Demand& d) {
    if (d.feature == "lemma" && !d.variable && peek() == '\'') return quoted('\'');
    std::string v = name("a value");
    return d.variable || d.feature == "lemma" ? v : lower(v);
  }

  bool accept_bracket() {
    if (peek() != ']') return false;
    step();
    return true;
  }

  // One rule for every choice among alternative values.
  void add_rule(const Written& left, const std::vector<Written>& right,
                const std::vector<Wrong>& wrong, uint32_t group) {
    std::vector<Rule> rules(1);
    rules[0].left = left.symbol;
    rules[0].wrong = wrong;
    rules[0].group = group;
    rules[0].alternative = file_.alternatives++;
    for (const Written& w : right) rules[0].right.push_back(w.symbol);
    for (size_t s = 0; s <= right.size(); ++s) {
      const Written& w = s == 0 ? left : right[s - 1];
      for (size_t d = 0; d < w.values.size(); ++d) {
        std::vector<Rule> more;
        for (const Rule& r : rules)
          for (const std::string& v : w.values[d]) {
            Rule& copy = more.emplace_back(r);
            (s == 0 ? copy.left : copy.right[s - 1]).demands[d].value = v;
          }
        rules = std::move(more);
        if (rules.size() > kMostCopies)
          throw file_.error("too many alternative values in one rule", left.symbol.place);
      }
    }
    count_entries(rules);
    for (Rule& r : rules) file_.rules.push_back(std::move(r));
  }

  // All copies of an alternative with the same left side stand at the same place of its list.
  void count_entries(std::vector<Rule>& rules) {
    std::map<std::string, uint32_t> here;
    for (Rule& r : rules) {
      std::string key = r.left.text;
      for (const Demand& d : r.left.demands)
        key += fmt::format("\x1f{}={}{}", d.feature, d.variable ? "?" : "", d.value);
      auto [it, is_new] = here.try_emplace(key, 0);
      if (is_new) it->second = file_.entries[key]++;
      r.entry = it->second;
    }
  }

  std::string_view text_;
  size_t at_ = 0, line_begin_ = 0;
  size_t counted_to_ = 0, characters_ = 0;  // of the line, before that place
  uint32_t line_ = 1, number_ = 0;
  File& file_;
  std::filesystem::path folder_;
};

}  // namespace

const Demand* Symbol::find(std::string_view feature) const {
  for (const Demand& d : demands)
    if (d.feature == feature) return &d;
  return nullptr;
}

size_t Rule::loci() const { return size_t(std::ranges::count(right, "locus", &Symbol::label)); }

bool File::joint(const Rule& rule) const { return rule.loci() > (empty_forms ? 0 : 1); }

std::vector<Path> File::paths() const {
  std::vector<Path> all;
  for (const auto* some : {&condition, &cluster, &feature, &design})
    all.insert(all.end(), some->begin(), some->end());
  return all;
}

Error File::error(std::string message, Place place) const {
  Error e = bad_input(std::move(message));
  e.at(names[place.file], place.line, place.column);
  return e;
}

File parse(std::string_view text, const std::string& name, const std::filesystem::path& folder) {
  File file;
  file.names.push_back(name);
  Parser(text, file, 0, folder).parse();
  auto own = std::find_if(file.rules.begin(), file.rules.end(),
                          [](const Rule& r) { return r.left.place.file == 0; });
  if (own == file.rules.end())
    throw bad_input("there are no rules").at(name).hint("write S -> 'word' ...");
  if (file.start.empty()) {
    file.start = own->left.text;
    file.start_place = own->left.place;
  }
  return file;
}

}  // namespace minpair::stimuli::cfg
