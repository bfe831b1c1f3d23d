// What becomes of the rows of released files before formulas see them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "papers/formula.h"

namespace minpair::papers {

namespace {

bool says_nothing(std::string_view cell) {
  const std::string_view bare = trim(cell);
  return bare.empty() || bare == "NA" || bare == "nan" || bare == "NaN";
}

}  // namespace

std::string filled(const std::string& pattern, const Frame& frame, size_t row, bool needed) {
  std::string text;
  for (size_t at = 0; at < pattern.size();) {
    size_t open = pattern.find('{', at), close = pattern.find('}', open);
    if (close == pattern.npos) return text + pattern.substr(at);
    text += pattern.substr(at, open - at);
    const std::string name = pattern.substr(open + 1, close - open - 1);
    const std::string& cell = frame.text(frame.column(name), row);
    if (needed && says_nothing(cell))
      throw bad_input(fmt::format("column '{}': '{}' says nothing", name, cell))
          .at(frame.place(row));
    text += cell;
    at = close + 1;
  }
  return text;
}

namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// A word in the making.
struct Word {
  std::string text, form;
  size_t position = 0, pieces = 0;
  std::vector<double> sums;  // NaN where a piece has no value
};

}  // namespace

Frame Frame::worded(const Words& words) const {
  Frame out;
  out.where_ = where_;
  for (const char* name : {"text", "position", "word", "pieces"}) out.add_column(name);
  for (const std::string& name : words.sums) out.add_column(name);
  const size_t token = column(words.token), text = column(words.text);
  std::vector<const std::vector<double>*> values;
  for (const std::string& name : words.sums) values.push_back(&numbers(column(name)));
  Word word;
  auto end = [&](size_t row) {
    if (word.form.empty()) return;
    std::vector<std::string> cells = {word.text, std::to_string(++word.position), word.form,
                                      std::to_string(word.pieces)};
    for (double sum : word.sums) cells.push_back(std::isnan(sum) ? "" : fmt::format("{}", sum));
    out.add_row(cells);
    out.origins_.back() = origins_[row];
    word.form.clear();
  };
  for (size_t r = 0; r < rows_; ++r) {
    const std::string& piece = this->text(token, r);
    if (this->text(text, r) != word.text || r == 0) {
      end(r ? r - 1 : 0);
      word = {columns_[text][r], "", 0, 0, {}};
    }
    const size_t begin =
        size_t(std::find_if_not(piece.begin(), piece.end(), is_space) - piece.begin());
    if (begin > 0) end(r - 1);
    std::string_view rest = trim(piece);
    if (std::any_of(rest.begin(), rest.end(), is_space))
      throw bad_input(fmt::format("'{}' is a piece of two words", piece)).at(place(r));
    if (rest.empty()) continue;
    if (word.form.empty()) word.pieces = 0, word.sums.assign(values.size(), 0);
    word.form += rest;
    ++word.pieces;
    for (size_t i = 0; i < values.size(); ++i) word.sums[i] += (*values[i])[r];
    if (is_space(piece.back())) end(r);
  }
  if (rows_ > 0) end(rows_ - 1);
  return out;
}

void Frame::add_before(const Before& before) {
  const std::vector<std::string>& texts = columns_[column(before.text)];
  const std::vector<double> positions = numbers(column(before.position));
  std::map<std::pair<std::string, double>, size_t> places;
  for (size_t r = 0; r < rows_; ++r) places.emplace(std::pair(texts[r], positions[r]), r);
  for (const std::string& name : before.columns) {
    std::vector<std::string> cells(rows_);
    const std::vector<std::string>& own = columns_[column(name)];
    for (size_t r = 0; r < rows_; ++r)
      if (auto at = places.find({texts[r], positions[r] - 1}); at != places.end())
        cells[r] = own[at->second];
    add_own("before." + name, std::move(cells));
  }
}

void Frame::do_step(const Step& step, const std::filesystem::path& folder, Tables& tables) {
  if (step.words) *this = worded(*step.words);
  if (!step.where.empty()) {
    const std::vector<double> wanted = Formula::parse(step.where).each(*this);
    std::vector<size_t> rows;
    for (size_t r = 0; r < rows_; ++r)
      if (wanted[r] != 0) rows.push_back(r);
    Frame out;
    out.where_ = where_;
    out.alone_ = alone_;
    out.take(*this, rows, "");
    *this = std::move(out);
  }
  for (const Derived& derived : step.derived) derive(derived);
  for (const auto& [name, formula] : step.computed) {
    std::vector<std::string> cells;
    for (double value : Formula::parse(formula).each(*this))
      cells.push_back(std::isnan(value) ? "" : fmt::format("{}", value));
    add_own(name, std::move(cells));
  }
  for (const Join& join : step.joins) {
    Frame other;
    const Source as{.format = join.format, .names = join.names};
    for (const Found& found : files_of(join.file, folder))
      other.append(table(found.path, as, tables));
    *this = joined(other, join);
  }
  if (step.before) add_before(*step.before);
  if (step.fit) *this = fitted(*this, *step.fit);
}

}  // namespace minpair::papers
