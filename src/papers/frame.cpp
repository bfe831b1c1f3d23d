#include "papers/frame.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/error.h"
#include "base/file.h"
#include "base/names.h"
#include "base/rows.h"

namespace minpair::papers {
namespace {

Frame delimited(const std::filesystem::path& file, char separator,
                const std::vector<std::string>& names) {
  Frame frame;
  RowReader rows(file, separator, true);
  std::vector<std::string> cells = names;
  if (names.empty()) rows.next(cells);
  const size_t width = cells.size();
  for (const std::string& name : cells) frame.add_column(name);
  while (rows.next(cells)) {
    if (cells.size() != width)
      throw bad_input(fmt::format("{} fields, {} were expected", cells.size(), width))
          .at(rows.name(), rows.line());
    frame.add_row(cells);
  }
  return frame;
}

// Members of members and of lists are a.b and a.0, members of objects by place as well; a list's
// size is a.length.
void flatten(const nlohmann::ordered_json& value, const std::string& name,
             std::vector<std::pair<std::string, std::string>>& out) {
  auto inside = [&](const std::string& part) { return name.empty() ? part : name + "." + part; };
  if (value.is_object()) {
    size_t place = 0;
    for (const auto& [key, inner] : value.items()) {
      flatten(inner, inside(key), out);
      if (!name.empty() && inner.is_primitive()) flatten(inner, inside(std::to_string(place)), out);
      ++place;
    }
  } else if (value.is_array()) {
    out.emplace_back(inside("length"), std::to_string(value.size()));
    for (size_t i = 0; i < value.size(); ++i) flatten(value[i], inside(std::to_string(i)), out);
  } else if (value.is_string()) {
    out.emplace_back(name, value.get<std::string>());
  } else {
    out.emplace_back(name, value.is_null() ? "" : value.dump());
  }
}

Frame json_lines(const std::string& text, const std::string& file) {
  std::vector<std::vector<std::pair<std::string, std::string>>> rows;
  Frame frame;
  std::map<std::string, size_t> place;
  size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    auto value = nlohmann::ordered_json::parse(line, nullptr, false);
    if (value.is_discarded())
      throw bad_input(fmt::format("line {} is not valid JSON", number)).at(file);
    flatten(value, "", rows.emplace_back());
    for (const auto& [name, cell] : rows.back())
      if (place.try_emplace(name, place.size()).second) frame.add_column(name);
  }
  std::vector<std::string> cells;
  for (const auto& row : rows) {
    cells.assign(place.size(), "");
    for (const auto& [name, cell] : row) cells[place[name]] = cell;
    frame.add_row(cells);
  }
  return frame;
}

// "the sentence as it is 7.1234"
Frame scored_lines(const std::string& text) {
  Frame frame;
  frame.add_column("text");
  frame.add_column("score");
  for (std::string_view line : split(text, '\n')) {
    size_t at = line.rfind(' ');
    if (at != line.npos)
      frame.add_row({std::string(line.substr(0, at)), std::string(trim(line.substr(at)))});
  }
  return frame;
}

Frame read_one(const std::filesystem::path& path, const Source& source) {
  std::string kind = source.format, ending = path.extension().string();
  if (kind.empty()) kind = ending == ".jsonl" ? "jsonl" : ending == ".csv" ? "csv" : "tsv";
  if (kind == "jsonl") return json_lines(read_file(path), path.string());
  if (kind == "scored-lines") return scored_lines(read_file(path));
  return delimited(path, kind == "csv" ? ',' : '\t', source.names);
}

}  // namespace

void Frame::add_column(const std::string& name) {
  place_.try_emplace(name, names_.size());
  names_.push_back(name);
  columns_.emplace_back();
}

void Frame::add_row(const std::vector<std::string>& cells) {
  for (size_t i = 0; i < columns_.size(); ++i) columns_[i].push_back(cells[i]);
  ++rows_;
}

size_t Frame::column(const std::string& name) const {
  auto at = place_.find(name);
  if (at != place_.end()) return at->second;
  throw unknown_name(fmt::format("{}: there is no column '{}'", where_, name), name, names_);
}

// Columns may stand in another order; what one file lacks is empty.
void Frame::append(const Frame& other) {
  for (const std::string& name : other.names_)
    if (!place_.contains(name)) {
      add_column(name);
      columns_.back().resize(rows_);
    }
  for (size_t i = 0; i < names_.size(); ++i) {
    auto at = other.place_.find(names_[i]);
    for (size_t r = 0; r < other.rows_; ++r)
      columns_[i].push_back(at == other.place_.end() ? "" : other.columns_[at->second][r]);
  }
  rows_ += other.rows_;
  where_ = other.where_;
}

Frame Frame::paired() const {
  Frame out;
  out.where_ = where_;
  if (rows_ % 2) throw bad_input("the number of lines is odd, but two make a pair").at(where_);
  for (const char* side : {"first.", "second."})
    for (const std::string& name : names_) out.add_column(side + name);
  for (size_t r = 0; r < rows_; r += 2) {
    std::vector<std::string> cells;
    for (size_t side : {r, r + 1})
      for (const auto& column : columns_) cells.push_back(column[side]);
    out.add_row(cells);
  }
  return out;
}

Frame Frame::joined(const Frame& other, const Join& join) const {
  Frame out;
  out.where_ = where_;
  std::unordered_map<std::string, size_t> theirs;
  size_t key = other.column(join.on), own = column(join.on);
  for (size_t r = 0; r < other.rows_; ++r) theirs.emplace(other.columns_[key][r], r);
  for (const std::string& name : names_) out.add_column(name);
  for (const std::string& name : other.names_) out.add_column(join.prefix + name);
  for (size_t r = 0; r < rows_; ++r) {
    auto at = theirs.find(columns_[own][r]);
    if (at == theirs.end()) continue;
    std::vector<std::string> cells;
    for (const auto& c : columns_) cells.push_back(c[r]);
    for (const auto& c : other.columns_) cells.push_back(c[at->second]);
    out.add_row(cells);
  }
  return out;
}

namespace {

// "scores/*/a_*.csv": all that fit, in order of their names.
std::vector<std::filesystem::path> files_of(const std::string& name,
                                            const std::filesystem::path& folder) {
  if (name.find('*') == name.npos) return {folder / name};
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    std::string below = entry.path().lexically_relative(folder).string();
    if (entry.is_regular_file() && fnmatch(name.c_str(), below.c_str(), FNM_PATHNAME) == 0)
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  if (found.empty())
    throw bad_input(fmt::format("no file is called '{}'", name)).at(folder.string());
  return found;
}

}  // namespace

Frame Frame::read(const Source& source, const std::filesystem::path& folder) {
  Frame all;
  std::vector<std::filesystem::path> paths;
  for (const std::string& name : source.files)
    for (std::filesystem::path& path : files_of(name, folder)) paths.push_back(std::move(path));
  for (const std::filesystem::path& path : paths) {
    Frame one = read_one(path, source);
    one.where_ = path.string();
    one.add_column("file");
    one.columns_.back().assign(one.rows_, path.stem().string());
    all.append(one);
  }
  if (source.pairs) all = all.paired();
  for (const Join& join : source.joins) {
    Frame other = read_one(folder / join.file, {});
    other.where_ = (folder / join.file).string();
    all = all.joined(other, join);
  }
  return all;
}

}  // namespace minpair::papers
