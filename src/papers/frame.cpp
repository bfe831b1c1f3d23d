#include "papers/frame.h"

#include <fmt/format.h>
#include <regex.h>

#include <charconv>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "base/counts.h"
#include "base/error.h"
#include "base/names.h"
#include "base/text.h"

namespace minpair::papers {
namespace {

// In rows of files that lack a column which others have. No text that is meant to be read.
const std::string kNoColumn = "\x1a";

}  // namespace

void Frame::add_column(const std::string& name) {
  place_.try_emplace(name, names_.size());
  names_.push_back(name);
  columns_.emplace_back();
}

void Frame::add_own(const std::string& name, std::vector<std::string> cells) {
  place_.insert_or_assign(name, names_.size());
  names_.push_back(name);
  columns_.push_back(std::move(cells));
}

void Frame::add_row(const std::vector<std::string>& cells, uint64_t line) {
  for (size_t i = 0; i < columns_.size(); ++i) columns_[i].push_back(cells[i]);
  origins_.push_back({nullptr, line});
  ++rows_;
}

void Frame::comes_from(const std::filesystem::path& file) {
  where_.file = file.string();
  const auto name = std::make_shared<const std::string>(where_.file);
  for (Origin& origin : origins_) origin.file = name;
}

std::string Frame::place(size_t row) const {
  const Origin& origin = origins_[row];
  if (!origin.file) return where_.file;
  return origin.line ? fmt::format("{}:{}", *origin.file, origin.line) : *origin.file;
}

size_t Frame::column(const std::string& name) const {
  auto at = place_.find(name);
  if (at != place_.end()) return at->second;
  throw unknown_name(fmt::format("there is no column '{}'", name), name, names_).at(where_);
}

const std::string& Frame::text(size_t column, size_t row) const {
  const std::string& cell = columns_[column][row];
  if (cell != kNoColumn) return cell;
  throw bad_input(fmt::format("there is no column '{}'", names_[column]))
      .at(place(row))
      .hint("other files of this kind have one");
}

const std::vector<double>& Frame::numbers(size_t column) const {
  auto [found, fresh] = numbers_.try_emplace(column);
  if (!fresh) return found->second;
  found->second.reserve(rows_);
  for (const std::string& whole : columns_[column]) {
    const std::string_view cell = trim(whole);
    double value = std::nan("");
    const char* end = cell.data() + cell.size();
    if (cell == "True" || cell == "TRUE" || cell == "true")
      value = 1;
    else if (cell == "False" || cell == "FALSE" || cell == "false")
      value = 0;
    else if (double x; !cell.empty() && std::from_chars(cell.data(), end, x).ptr == end)
      value = x;
    found->second.push_back(value);
  }
  return found->second;
}

// Columns may stand in another order.
void Frame::append(const Frame& other) {
  for (const std::string& name : other.names_)
    if (!place_.contains(name)) {
      add_column(name);
      columns_.back().resize(rows_, kNoColumn);
    }
  for (size_t i = 0; i < names_.size(); ++i) {
    auto at = other.place_.find(names_[i]);
    for (size_t r = 0; r < other.rows_; ++r)
      columns_[i].push_back(at == other.place_.end() ? kNoColumn : other.columns_[at->second][r]);
  }
  rows_ += other.rows_;
  origins_.insert(origins_.end(), other.origins_.begin(), other.origins_.end());
  where_ = other.where_;
}

// These rows of these columns, added as columns of their own.
void Frame::take(const Frame& from, const std::vector<size_t>& rows, const std::string& prefix) {
  for (size_t c = 0; c < from.names_.size(); ++c) {
    add_column(prefix + from.names_[c]);
    columns_.back().reserve(rows.size());
    for (size_t r : rows) columns_.back().push_back(from.columns_[c][r]);
  }
  if (rows_ == 0)  // of the first that is taken
    for (size_t r : rows) origins_.push_back(from.origins_[r]);
  rows_ = rows.size();
}

Frame Frame::paired() const {
  Frame out;
  out.where_ = where_;
  std::vector<size_t> first, second;
  for (size_t r = 0; r < rows_; r += 2) {
    if (r + 1 == rows_ || origins_[r].file != origins_[r + 1].file)
      throw bad_input("the number of lines is odd, but two make a pair").at(place(r));
    first.push_back(r);
    second.push_back(r + 1);
  }
  out.take(*this, first, "first.");
  out.take(*this, second, "second.");
  return out;
}

std::vector<std::string> Frame::keys(const std::vector<std::string>& on, bool alike) const {
  std::vector<std::string> all(rows_);
  for (const std::string& name : on) {
    const size_t at = column(name);
    for (size_t r = 0; r < rows_; ++r)
      all[r] += (alike ? lower(trim(text(at, r))) : text(at, r)) + '\x1f';
  }
  return all;
}

namespace {

// Which rows of another table have a key, in their order, and by which of its columns.
struct Partner {
  size_t row = 0;
  std::string by;
};
using Partners = std::unordered_map<std::string, std::vector<Partner>>;

void add_partner(Partners& partners, const std::string& key, size_t row, const std::string& by) {
  std::vector<Partner>& known = partners[key];
  if (!known.empty() && known.back().row == row)
    known.back().by = "both";
  else
    known.push_back({row, by});
}

}  // namespace

Frame Frame::joined(const Frame& other, const Join& join) const {
  std::vector<std::string> here = join.on;
  if (!join.column.empty()) here.push_back(join.column);
  const std::vector<std::string> own = keys(here, join.alike), groups = keys(join.on, join.alike);
  std::vector<std::vector<std::string>> theirs;
  for (const std::string& column : join.either) {
    std::vector<std::string> on = join.on;
    on.push_back(column);
    theirs.push_back(other.keys(on, join.alike));
  }
  if (theirs.empty()) theirs.push_back(other.keys(join.on, join.alike));
  Partners partners;
  for (size_t r = 0; r < other.rows_; ++r)
    for (size_t i = 0; i < theirs.size(); ++i)
      add_partner(partners, theirs[i][r], r, join.either.empty() ? "" : join.either[i]);

  std::vector<size_t> mine, there, alone;
  std::vector<std::string> by;
  std::map<std::pair<const std::string*, std::string>, size_t> next;  // of a file's group
  for (size_t r = 0; r < rows_; ++r) {
    auto found = partners.find(own[r]);
    if (found == partners.end()) {
      alone.push_back(r);
      continue;
    }
    const Partner* partner = &found->second.front();
    if (join.in_order) {
      size_t& from = next[{origins_[r].file.get(), groups[r]}];
      for (const Partner& p : found->second)
        if (p.row >= from) {
          partner = &p;
          from = p.row + 1;
          break;
        }
    }
    mine.push_back(r);
    there.push_back(partner->row);
    by.push_back(partner->by);
  }
  Frame out;
  out.where_ = where_;
  out.alone_ = alone_;
  if (!alone.empty())
    out.alone_.push_back(
        fmt::format("{} {} no partner in {}; the first: {}", counted(alone.size(), "row"),
                    plural(alone.size(), "has", "have"), join.file, place(alone[0])));
  out.take(*this, mine, "");
  out.take(other, there, join.prefix);
  if (!join.either.empty()) out.add_own(join.prefix + "by", std::move(by));
  return out;
}

// What # stands for in the columns that are called "annotator_#", in the order of the file.
std::vector<std::string> Frame::fitting(const std::string& pattern) const {
  const size_t at = pattern.find('#');
  if (at == pattern.npos)
    throw bad_input(fmt::format("'{}' has no # that columns could differ in", pattern)).at(where_);
  const std::string before = pattern.substr(0, at), after = pattern.substr(at + 1);
  std::vector<std::string> found;
  for (const std::string& name : names_)
    if (name.size() > before.size() + after.size() && name.starts_with(before) &&
        name.ends_with(after))
      found.push_back(name.substr(at, name.size() - before.size() - after.size()));
  if (found.empty())
    throw bad_input(fmt::format("no column is called '{}', whatever # is", pattern)).at(where_);
  return found;
}

// One row for each of `over`; what is called "annotator_#" in the file is the column's own name.
Frame Frame::stacked(const Stack& stack) const {
  Frame out;
  for (const std::string& over :
       stack.over.empty() ? fitting(stack.columns.front().second) : stack.over) {
    Frame part = *this;
    part.add_constant("over", over);
    for (const auto& [name, pattern] : stack.columns) {
      std::string theirs = pattern;
      if (size_t at = theirs.find('#'); at != theirs.npos) theirs.replace(at, 1, over);
      std::vector<std::string> cells = columns_[column(theirs)];
      part.add_own(name, std::move(cells));
    }
    out.append(part);
  }
  return out;
}

// Files that only count answers have a row for so many of them.
Frame Frame::repeated(const std::string& name) const {
  constexpr double kMost = 1e6;
  const size_t times = column(name);
  std::vector<size_t> rows;
  std::vector<std::string> number;
  for (size_t r = 0; r < rows_; ++r) {
    const double n = numbers(times)[r];
    if (!(n >= 0 && n == std::floor(n) && double(rows.size()) + n <= kMost))
      throw bad_input(fmt::format("'{}' is not a number of answers", text(times, r))).at(place(r));
    for (size_t i = 1; double(i) <= n; ++i) {
      rows.push_back(r);
      number.push_back(std::to_string(i));
    }
  }
  Frame out;
  out.where_ = where_;
  out.take(*this, rows, "");
  out.add_own("number", std::move(number));
  return out;
}

namespace {

// Everything that a POSIX extended regular expression finds, replaced.
class Replacement {
 public:
  explicit Replacement(const Derived& derived) : with_(derived.with) {
    if (regcomp(&pattern_, derived.pattern.c_str(), REG_EXTENDED) != 0)
      throw bad_input(fmt::format("'{}' is not a regular expression", derived.pattern));
  }
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement() { regfree(&pattern_); }

  std::string in(const std::string& text) const {
    std::string out;
    size_t at = 0;
    regmatch_t found;
    while (at <= text.size() &&
           regexec(&pattern_, text.c_str() + at, 1, &found, at ? REG_NOTBOL : 0) == 0) {
      const size_t begin = at + size_t(found.rm_so), end = at + size_t(found.rm_eo);
      out += text.substr(at, begin - at) + with_;
      if (begin == end) {  // nothing is found everywhere
        if (begin < text.size()) out += text[begin];
        at = begin + 1;
      } else {
        at = end;
      }
    }
    return at < text.size() ? out + text.substr(at) : out;
  }

 private:
  regex_t pattern_;
  std::string with_;
};

}  // namespace

void Frame::derive(const Derived& derived) {
  if (derived.pattern.empty()) {
    std::vector<std::string> cells;
    for (size_t r = 0; r < rows_; ++r) cells.push_back(filled(derived.from, *this, r));
    return add_own(derived.name, std::move(cells));
  }
  const Replacement replacement(derived);
  std::vector<std::string> cells = columns_[column(derived.from)];
  for (std::string& cell : cells)
    if (cell != kNoColumn) cell = replacement.in(cell);
  add_own(derived.name, std::move(cells));
}

void Frame::add_constant(const std::string& name, const std::string& value) {
  add_own(name, std::vector<std::string>(rows_, value));
}

const Frame& Frame::table(const std::filesystem::path& path, const Source& as, Tables& tables) {
  std::string key =
      fmt::format("{}\n{}\n{}\n{}", path.string(), as.format, as.rows, fmt::join(as.names, "\n"));
  auto [found, fresh] = tables.try_emplace(key);
  if (fresh) {
    found->second = read_table(path, as);
    found->second.comes_from(path);
  }
  return found->second;
}

Frame Frame::read(const Source& source, const std::filesystem::path& folder, Tables& tables) {
  Frame all;
  for (const std::string& name : source.files)
    for (const Found& found : files_of(name, folder)) {
      Frame one = table(found.path, source, tables);
      one.add_constant("file", unpacked_name(found.path).stem().string());
      one.add_constant("star", found.star);
      all.append(one);
    }
  if (source.pairs) all = all.paired();
  if (!source.stack.columns.empty()) all = all.stacked(source.stack);
  if (!source.repeat.empty()) all = all.repeated(source.repeat);
  all.do_step({.derived = source.derived, .joins = source.joins}, folder, tables);
  for (const Step& step : source.then) all.do_step(step, folder, tables);
  return all;
}

}  // namespace minpair::papers
