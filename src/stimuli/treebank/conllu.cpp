#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "stimuli/treebank/treebank.h"

namespace minpair::stimuli {
namespace {

constexpr size_t max_words = 100000;  // in one sentence: more is not a sentence

bool parse_number(std::string_view text, uint32_t& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::string_view next_column(std::string_view& row) {
  size_t tab = row.find('\t');
  std::string_view column = row.substr(0, tab);
  row.remove_prefix(tab == std::string_view::npos ? row.size() : tab + 1);
  return column;
}

bool has_value(std::string_view misc, std::string_view pair) {
  for (size_t at = misc.find(pair); at != std::string_view::npos; at = misc.find(pair, at + 1)) {
    size_t end = at + pair.size();
    if ((at == 0 || misc[at - 1] == '|') && (end == misc.size() || misc[end] == '|')) return true;
  }
  return false;
}

}  // namespace

ConlluReader::ConlluReader(const std::filesystem::path& path) : lines_(path) {}

void ConlluReader::sloppy(const std::string& what) {
  if (sloppy_++ == 0)
    first_sloppy_ = fmt::format("{}:{}: {}", lines_.name(), lines_.line_number(), what);
}

bool ConlluReader::next(Tree& tree) {
  tree.id.clear();
  tree.words.clear();
  tree.tokens.clear();
  tree.buffer.clear();
  rows_.clear();
  std::string_view line;
  while (lines_.next(line)) {
    if (lines_.line_number() == 1 && (line.starts_with("\x1F\x8B") || line.starts_with("\xFD"
                                                                                       "7zXZ")))
      throw bad_input("this file is packed").at(lines_.name()).hint("unpack it first");
    if (trim(line).empty()) {
      if (rows_.empty()) continue;
      finish(tree);
      return true;
    }
    if (line[0] == '#') {
      constexpr std::string_view key = "# sent_id = ";
      if (line.starts_with(key)) tree.id = trim(line.substr(key.size()));
      continue;
    }
    if (rows_.empty()) tree.line = lines_.line_number();
    size_t begin = tree.buffer.size();
    tree.buffer += line;
    rows_.push_back({begin, tree.buffer.size(), lines_.line_number()});
    if (rows_.size() > max_words)
      throw bad_input("a sentence of more than 100,000 lines: is this CoNLL-U?")
          .at(lines_.name(), lines_.line_number());
  }
  if (rows_.empty()) return false;
  sloppy("no empty line after the last sentence");
  finish(tree);
  return true;
}

// The buffer is complete, so that views into it stay.
void ConlluReader::finish(Tree& tree) {
  for (const Row& row : rows_) add_row(tree, row);
  for (Word& w : tree.words)
    if (w.head > tree.words.size()) {
      sloppy("a head that does not exist");
      w.head = 0;
    }
}

Error ConlluReader::bad(const std::string& what, uint64_t line) const {
  return bad_input(what)
      .at(lines_.name(), line)
      .hint(
          "ten columns separated by tabs are expected: "
          "https://universaldependencies.org/format.html");
}

void ConlluReader::add_multiword(Tree& tree, const std::string_view* columns, bool space_after,
                                 uint64_t line) {
  std::string_view id = columns[0];
  size_t dash = id.find('-');
  SurfaceToken token{columns[1], 0, 0, space_after};
  if (!parse_number(id.substr(0, dash), token.first) ||
      !parse_number(id.substr(dash + 1), token.last) || token.first != tree.words.size() + 1 ||
      token.last < token.first || token.last - token.first > max_words)
    throw bad(fmt::format("'{}' is not the range of a multiword token here", id), line);
  tree.tokens.push_back(token);
}

void ConlluReader::add_row(Tree& tree, const Row& row) {
  std::string_view rest = std::string_view(tree.buffer).substr(row.begin, row.end - row.begin);
  std::string_view columns[10];
  for (std::string_view& c : columns) c = next_column(rest);
  std::string_view id = columns[0];
  if (columns[3].data() == nullptr || columns[7].empty())
    throw bad(fmt::format("'{}' has fewer than eight columns", id), row.line);
  bool space_after = !has_value(columns[9], "SpaceAfter=No");
  if (id.find('.') != std::string_view::npos) {
    tree.tokens.push_back({columns[1], 0, 0, space_after});
    return;
  }
  if (id.find('-') != std::string_view::npos)
    return add_multiword(tree, columns, space_after, row.line);
  uint32_t number = 0;
  if (!parse_number(id, number) || number != tree.words.size() + 1)
    throw bad(fmt::format("word '{}' does not follow word {}", id, tree.words.size()), row.line);
  Word w{columns[1],
         columns[2],
         columns[3],
         columns[5],
         columns[7],
         0,
         0,
         parse_ud_features(columns[5]),
         has_value(columns[9], "Proper=True")};
  if (columns[6] != "_" && !parse_number(columns[6], w.head)) sloppy("a head that is not a number");
  size_t last = tree.tokens.size();  // the token before this word, if it covers this word too
  while (last > 0 && tree.tokens[last - 1].empty_node()) --last;
  if (last == 0 || tree.tokens[last - 1].last < number) {
    tree.tokens.push_back({w.form, number, number, space_after});
    last = tree.tokens.size();
  }
  w.token = uint32_t(last - 1);
  tree.words.push_back(w);
}

bool Tree::withheld() const {
  size_t gone = size_t(
      std::count_if(words.begin(), words.end(), [](const Word& w) { return w.form == "_"; }));
  return gone > 1 && 2 * gone >= words.size();
}

std::string Tree::text(std::vector<Span>& spans, bool spaced) const {
  std::string s;
  bool space = false;
  spans.clear();
  for (const SurfaceToken& token : tokens) {
    if (token.withheld() || (token.empty_node() && !spaced)) {
      spans.push_back({s.size(), s.size()});
      continue;
    }
    if (space) s += ' ';
    spans.push_back({s.size(), s.size() + token.form.size()});
    s += token.form;
    space = spaced || token.space_after;
  }
  return s;
}

}  // namespace minpair::stimuli
