#include "stimuli/grammar/avg.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/rows.h"
#include "base/text.h"

namespace minpair::stimuli {

namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// One line of a grammar, read from left to right.
class Line {
 public:
  Line(std::string_view text, const std::string& file, uint64_t number)
      : text_(text), file_(file), number_(number) {}

  void skip_blanks() {
    while (at_ < text_.size() && blank(text_[at_])) ++at_;
  }
  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return text_[at_]; }
  bool take(std::string_view s) {
    if (!text_.substr(at_).starts_with(s)) return false;
    at_ += s.size();
    return true;
  }
  std::string_view rest() const { return text_.substr(at_); }
  size_t position() const { return at_; }

  Where where(size_t at) const {
    return {file_, number_, count_characters(text_.substr(0, at)) + 1, {}};
  }
  [[noreturn]] void fail(std::string what, size_t at, std::string hint) const {
    throw bad_input(std::move(what)).at(where(at)).hint(std::move(hint));
  }

  // A word of a right-hand side: up to a blank, a bar or an opening bracket.
  std::string_view word() {
    size_t begin = at_;
    while (at_ < text_.size() && !blank(text_[at_]) && text_[at_] != '|' && text_[at_] != '[')
      ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // The comma-separated list after a name, with its brackets, in the order it is written.
  std::vector<std::string> attributes() {
    size_t open = at_++;
    size_t close = text_.find(']', at_);
    if (close == std::string_view::npos)
      fail("this bracket is never closed", open, "attributes are written V[3,s]");
    std::string_view inside = text_.substr(at_, close - at_);
    at_ = close + 1;
    std::vector<std::string> list;
    if (trim(inside).empty()) return list;
    for (std::string_view part : split(inside, ',')) {
      if (trim(part).empty())
        fail("an attribute is empty", open, "write V[3,s], or V[] for no attributes");
      list.emplace_back(trim(part));
    }
    return list;
  }

  AvgSymbol symbol(std::string name) {
    AvgSymbol s{std::move(name), attributes()};
    std::sort(s.attributes.begin(), s.attributes.end());
    s.attributes.erase(std::unique(s.attributes.begin(), s.attributes.end()), s.attributes.end());
    return s;
  }

 private:
  std::string_view text_;
  const std::string& file_;
  uint64_t number_;
  size_t at_ = 0;
};

// "vary: V_1[3]; V_1[s]"; varying together, "vary: Det_1[no] + Det_2[no]"; or "vary: N[] <> V[]".
void parse_vary(Line& line, AvgGrammar& grammar) {
  do {
    line.skip_blanks();
    AvgVary vary{{}, line.where(line.position())};
    bool more = true;
    while (more) {
      line.skip_blanks();
      size_t begin = line.position();
      std::string name(line.word());
      if (name.empty() || line.at_end() || line.peek() != '[')
        line.fail("a preterminal with brackets is expected here", begin,
                  "for example: vary: V[] or vary: V[3]; V[p]");
      vary.symbols.push_back(line.symbol(std::move(name)));
      line.skip_blanks();
      size_t joined = line.position();
      bool exchange = line.take("<>");
      more = exchange || line.take("+");
      if ((exchange && vary.symbols.size() > 1) || (more && vary.exchange))
        line.fail("two preterminals change places, not more", joined,
                  "write vary: N[] <> V[], and another statement after a semicolon");
      vary.exchange |= exchange;
    }
    grammar.vary.push_back(std::move(vary));
  } while (line.take(";"));
  if (!line.at_end())
    line.fail(fmt::format("'{}' is not expected here", line.rest()), line.position(),
              "alternatives of a vary statement are separated by semicolons");
}

std::vector<AvgToken> parse_tokens(Line& line) {
  std::vector<AvgToken> tokens;
  for (;;) {
    line.skip_blanks();
    if (line.at_end() || line.peek() == '|') return tokens;
    size_t begin = line.position();
    AvgToken token;
    token.word = line.word();
    token.where = line.where(begin);
    if (!line.at_end() && line.peek() == '[') {
      if (token.word.empty())
        line.fail("a bracket without a name before it", begin, "preterminals are written V[3,s]");
      token.is_word = false;
      token.symbol = line.symbol(std::move(token.word));
      token.word.clear();
    }
    tokens.push_back(std::move(token));
  }
}

AvgTemplate make_template(const std::vector<std::string>& attributes, std::vector<AvgToken> tokens,
                          Where where) {
  AvgTemplate t{{}, {}, {}, std::move(tokens), std::move(where)};
  for (const std::string& a : attributes) {
    if (a.starts_with("cluster=")) {
      t.cluster = trim(std::string_view(a).substr(8));
    } else if (size_t equals = a.find('='); equals != std::string::npos) {
      t.features.emplace_back(trim(a.substr(0, equals)), trim(a.substr(equals + 1)));
    } else {
      t.condition += (t.condition.empty() ? "" : "_") + a;
    }
  }
  return t;
}

std::string join_words(const std::vector<AvgToken>& tokens) {
  std::string form;
  for (const AvgToken& t : tokens) {
    if (!t.is_word)
      throw bad_input(
          fmt::format("{} is a preterminal inside the forms of another one", t.symbol.str()))
          .at(t.where)
          .hint("only templates, lines that begin with S[], can use preterminals");
    form += (form.empty() ? "" : " ") + t.word;
  }
  return form;
}

// Forms that a file adds to a preterminal that common.avg began come after those.
AvgCell& cell_for(AvgGrammar& grammar, const AvgSymbol& symbol, const Where& where) {
  for (AvgCell& c : grammar.cells)
    if (c.symbol == symbol) return c;
  return grammar.cells.emplace_back(AvgCell{symbol, {}, where});
}

void parse_rule(Line& line, AvgGrammar& grammar) {
  size_t begin = line.position();
  AvgSymbol left{std::string(line.word()), {}};
  std::vector<std::string> written;
  if (!line.at_end() && line.peek() == '[') {
    Line again = line;
    written = again.attributes();
    left = line.symbol(std::move(left.name));
  }
  if (left.name.empty())
    line.fail("a name is expected here", begin, "a line is 'V[3,s] form | form' or 'S[] template'");
  line.skip_blanks();
  if (!line.take("->")) line.take("\xe2\x86\x92");  // the paper's arrow, which the files leave out
  Where where = line.where(begin);
  do {
    size_t start = line.position();
    std::vector<AvgToken> tokens = parse_tokens(line);
    if (tokens.empty())
      line.fail("there is nothing here", start, "write a form, or remove the bar beside it");
    if (left.name == "S") {
      grammar.templates.push_back(make_template(written, std::move(tokens), where));
    } else {
      cell_for(grammar, left, where).forms.push_back(join_words(tokens));
    }
  } while (line.take("|"));
}

// "language: de", "text: natural". CLAMS's own program takes such a line for a preterminal that
// nothing uses, so a grammar with it still runs there.
bool parse_setting(Line& line, AvgGrammar& grammar) {
  static const std::vector<std::string> keys = {"language",  "text",    "subject", "distractor",
                                                "design",    "sample",  "tied",    "apart",
                                                "syncretic", "distinct"};
  Line ahead = line;
  const std::string name(ahead.word());
  for (const std::string& key : keys) {
    Line value = line;
    if (value.take(key) && value.take(":")) {
      value.skip_blanks();
      grammar.settings.push_back(
          {key, std::string(trim(value.rest())), value.where(value.position())});
      return true;
    }
  }
  if (!name.ends_with(':')) return false;
  std::vector<std::string> known = keys;
  known.insert(known.end(), {"vary", "criterion"});
  const std::string guess = closest(name.substr(0, name.size() - 1), known);
  line.fail(fmt::format("there is no statement '{}'", name), line.position(),
            guess.empty() ? fmt::format("there are: {}", join(known, ", "))
                          : fmt::format("did you mean '{}:'?", guess));
}

bool includes(const std::vector<std::string>& all, const std::vector<std::string>& wanted) {
  return std::includes(all.begin(), all.end(), wanted.begin(), wanted.end());
}

}  // namespace

bool AvgSymbol::has(const std::vector<std::string>& wanted) const {
  return includes(attributes, wanted);
}

std::string AvgSymbol::str() const { return fmt::format("{}[{}]", name, join(attributes, ",")); }

const AvgCell* AvgGrammar::find(const AvgSymbol& symbol) const {
  for (const AvgCell& c : cells)
    if (c.symbol == symbol) return &c;
  return nullptr;
}

bool AvgGrammar::defines(std::string_view name) const {
  return std::any_of(cells.begin(), cells.end(),
                     [&](const AvgCell& c) { return c.symbol.name == name; });
}

std::string AvgGrammar::setting(std::string_view key) const {
  auto last = std::find_if(settings.rbegin(), settings.rend(),
                           [&](const AvgSetting& s) { return s.key == key; });
  return last == settings.rend() ? "" : last->value;
}

Where AvgGrammar::place_of(std::string_view key) const {
  auto last = std::find_if(settings.rbegin(), settings.rend(),
                           [&](const AvgSetting& s) { return s.key == key; });
  return last == settings.rend() ? Where{} : last->where;
}

std::vector<std::vector<std::string_view>> AvgGrammar::lists(std::string_view key) const {
  std::vector<std::vector<std::string_view>> all;
  for (const AvgSetting& s : settings)
    if (s.key == key) all.push_back(words(s.value));
  return all;
}

std::vector<std::string> AvgGrammar::names_of_forms(const AvgCell& cell) const {
  const std::string distinct = setting("distinct");
  const std::vector<std::string_view> own = words(distinct);
  const AvgCell* list = &cell;
  if (std::find(own.begin(), own.end(), cell.symbol.name) == own.end())
    list = &*std::find_if(cells.begin(), cells.end(), [&](const AvgCell& c) {
      return c.symbol.name == cell.symbol.name && c.forms.size() == cell.forms.size();
    });
  std::map<std::string_view, size_t> counts;
  for (const std::string& word : list->forms) ++counts[word];
  std::vector<std::string> names;
  for (const std::string& word : list->forms)
    names.push_back(word.empty() || counts[word] > 1
                        ? fmt::format("{}/{}", cell.symbol.name, names.size() + 1)
                        : word);
  return names;
}

void parse_avg(std::string_view text, const std::string& file, AvgGrammar& grammar) {
  text = without_mark(text);
  uint64_t number = 0;
  for (std::string_view raw : split(text, '\n')) {
    Line line(raw.ends_with('\r') ? raw.substr(0, raw.size() - 1) : raw, file, ++number);
    if (!valid_utf8(raw)) line.fail("this line is not UTF-8", 0, "save the file as UTF-8");
    line.skip_blanks();
    if (line.at_end() || line.peek() == '#') continue;
    if (line.take("vary:")) {
      parse_vary(line, grammar);
    } else if (line.take("criterion:")) {
      line.skip_blanks();
      grammar.criteria.push_back(parse_criterion(line.rest(), line.where(line.position())));
    } else if (!parse_setting(line, grammar)) {
      parse_rule(line, grammar);
    }
  }
}

AvgGrammar parse_avg_files(std::string_view text, std::string_view common,
                           const std::string& name) {
  AvgGrammar grammar;
  check_no_mark(text, name);
  parse_avg(common, (std::filesystem::path(name).parent_path() / "common.avg").string(), grammar);
  parse_avg(text, name, grammar);
  return grammar;
}

std::vector<StatedCriterion> avg_criteria(std::string_view text, std::string_view common,
                                          const std::string& name) {
  return parse_avg_files(text, common, name).criteria;
}

std::vector<const AvgCell*> wrong_cells(const AvgGrammar& grammar, const AvgToken& token) {
  std::vector<const AvgCell*> cells;
  for (const AvgCell& cell : grammar.cells) {
    if (cell.symbol.name != token.symbol.name || cell.symbol == token.symbol) continue;
    for (const AvgVary& vary : grammar.vary) {
      const AvgSymbol& by = vary.symbols.front();
      if (vary.symbols.size() == 1 && by.name == token.symbol.name &&
          token.symbol.has(by.attributes) && cell.symbol.has(by.attributes)) {
        cells.push_back(&cell);
        break;
      }
    }
  }
  return cells;
}

}  // namespace minpair::stimuli
