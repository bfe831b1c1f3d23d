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
    rows_.emplace_back(begin, tree.buffer.size());
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
  for (auto [begin, end] : rows_) add_line(tree, begin, end);
  for (Word& w : tree.words)
    if (w.head > tree.words.size()) {
      sloppy("a head that does not exist");
      w.head = 0;
    }
}

void ConlluReader::add_line(Tree& tree, size_t begin, size_t end) {
  std::string_view row = std::string_view(tree.buffer).substr(begin, end - begin);
  std::string_view columns[10];
  for (std::string_view& c : columns) c = next_column(row);
  auto bad = [&](const std::string& what) {
    return bad_input(what)
        .at(lines_.name(), tree.line)
        .hint(
            "ten columns separated by tabs are expected: "
            "https://universaldependencies.org/format.html");
  };
  std::string_view id = columns[0];
  if (columns[3].data() == nullptr || columns[7].empty())
    throw bad(fmt::format("'{}' has fewer than eight columns", id));
  if (id.find('.') != std::string_view::npos) return;  // an empty node
  bool space_after = !has_value(columns[9], "SpaceAfter=No");

  if (size_t dash = id.find('-'); dash != std::string_view::npos) {
    SurfaceToken token{columns[1], 0, 0, space_after};
    if (!parse_number(id.substr(0, dash), token.first) ||
        !parse_number(id.substr(dash + 1), token.last) || token.first != tree.words.size() + 1 ||
        token.last < token.first || token.last - token.first > max_words)
      throw bad(fmt::format("'{}' is not the range of a multiword token here", id));
    tree.tokens.push_back(token);
    return;
  }
  uint32_t number = 0;
  if (!parse_number(id, number) || number != tree.words.size() + 1)
    throw bad(fmt::format("word '{}' does not follow word {}", id, tree.words.size()));
  Word w{columns[1], columns[2], columns[3], columns[5],
         columns[7], 0,          0,          parse_ud_features(columns[5])};
  if (columns[6] != "_" && !parse_number(columns[6], w.head)) sloppy("a head that is not a number");
  bool covered = !tree.tokens.empty() && tree.tokens.back().last >= number;
  if (!covered) tree.tokens.push_back({w.form, number, number, space_after});
  w.token = uint32_t(tree.tokens.size() - 1);
  tree.words.push_back(w);
}

std::string Tree::text(std::vector<Span>& spans, bool spaced) const {
  std::string s;
  spans.clear();
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0 && !s.empty() && (spaced || tokens[i - 1].space_after)) s += ' ';
    size_t begin = s.size();
    // "_" is a word that is not written; a sentence of underscores does not occur.
    if (tokens[i].form != "_") s += tokens[i].form;
    spans.push_back({begin, s.size()});
    if (tokens[i].form == "_" && begin > 0 && s.back() == ' ')
      s.pop_back(), spans.back() = {s.size(), s.size()};
  }
  return s;
}

}  // namespace minpair::stimuli
