// The files that authors release, as tables of texts.

#include <fmt/format.h>
#include <fnmatch.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <unordered_map>

#include "base/counts.h"
#include "base/error.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/names.h"
#include "base/python_json.h"
#include "base/rows.h"
#include "base/text.h"
#include "papers/frame.h"
#include "suite/formats/format.h"

namespace minpair::papers {
namespace {

using Json = nlohmann::ordered_json;

// A table that came through a spreadsheet may have other marks between its columns than its name
// says: those that cut its head into more fields.
char separator_of(const std::filesystem::path& file, char expected, bool quotes) {
  std::string_view head;
  LineReader lines(file);
  if (!lines.next(head)) return expected;
  auto fields = [&](char separator) { return split_row(head, separator, quotes).size(); };
  char best = expected;
  for (char separator : {',', ';', '\t'})
    if (fields(separator) > fields(best)) best = separator;
  return best;
}

bool says_nothing(const std::vector<std::string>& cells) {
  return std::all_of(cells.begin(), cells.end(), [](const auto& c) { return trim(c).empty(); });
}

Frame delimited(const std::filesystem::path& file, char separator,
                const std::vector<std::string>& names, bool quotes, const std::string& shown) {
  Frame frame;
  if (names.empty()) separator = separator_of(file, separator, quotes);
  RowReader rows(file, separator, quotes);
  std::vector<std::string> cells = names;
  auto check_text = [&] {
    for (size_t i = 0; i < cells.size(); ++i)
      if (!valid_utf8(cells[i]))
        throw bad_input(fmt::format("field {} is not UTF-8", i + 1))
            .at(shown, rows.line())
            .hint("convert the file, for example with iconv");
  };
  if (names.empty() && rows.next(cells)) {
    check_text();
    frame.names_stand_at(rows.line());
  }
  const size_t width = cells.size();
  for (const std::string& name : cells) frame.add_column(std::string(trim(name)));
  while (rows.next(cells)) {
    if (says_nothing(cells)) continue;
    if (cells.size() != width)
      throw bad_input(fmt::format("{}, {} {} expected", counted(cells.size(), "field"), width,
                                  plural(width, "was", "were")))
          .at(shown, rows.line());
    check_text();
    frame.add_row(cells, rows.line());
  }
  return frame;
}

// Members of members and of lists are a.b and a.0, members of objects by place as well; a list's
// size is a.length.
void flatten(const Json& value, const std::string& name,
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
    out.emplace_back(name, value.is_null() ? "" : json_text(value));
  }
}

using Cells = std::vector<std::pair<std::string, std::string>>;

// Rows that name their cells themselves; what one lacks is empty.
Frame framed(const std::vector<Cells>& rows, const std::vector<uint64_t>& lines = {}) {
  Frame frame;
  std::unordered_map<std::string, size_t> place;
  for (const Cells& row : rows)
    for (const auto& [name, cell] : row)
      if (place.try_emplace(name, place.size()).second) frame.add_column(name);
  std::vector<std::string> cells;
  for (size_t r = 0; r < rows.size(); ++r) {
    cells.assign(place.size(), "");
    for (const auto& [name, cell] : rows[r]) cells[place[name]] = cell;
    frame.add_row(cells, r < lines.size() ? lines[r] : 0);
  }
  return frame;
}

Frame json_lines(const std::string& text, const std::string& file) {
  std::vector<Cells> rows;
  std::vector<uint64_t> lines;
  size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    if (++number == 1) line = without_mark(line);
    if (trim(line).empty()) continue;
    check_json_depth(line, file, number);
    auto value = Json::parse(line, nullptr, false);
    if (value.is_discarded()) throw bad_input("this is not valid JSON").at(file, number);
    flatten(value, "", rows.emplace_back());
    lines.push_back(number);
  }
  return framed(rows, lines);
}

// Goes down to the rows: a name is a member, * every member or element.
void walk(const Json& value, std::span<const std::string> steps, Cells stars,
          std::vector<Cells>& rows) {
  if (steps.empty()) {
    flatten(value, value.is_primitive() ? "value" : "", stars);
    rows.push_back(std::move(stars));
  } else if (steps[0] != "*") {
    if (value.is_object() && value.contains(steps[0]))
      walk(value.at(steps[0]), steps.subspan(1), std::move(stars), rows);
  } else if (value.is_structured()) {
    const size_t level = 1 + size_t(std::count_if(stars.begin(), stars.end(), [](const auto& s) {
                           return s.first.starts_with('*');
                         }));
    for (const auto& [key, inner] : value.items()) {
      Cells deeper = stars;
      deeper.emplace_back(fmt::format("*{}", level), key);
      walk(inner, steps.subspan(1), std::move(deeper), rows);
    }
  }
}

Frame json_rows(const std::string& text, const std::string& path, const std::string& file) {
  check_json_depth(text, file);
  auto value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) throw bad_input("this is not valid JSON").at(file);
  std::vector<std::string> steps;
  for (std::string_view step : split(path, '.')) steps.emplace_back(step);
  std::vector<Cells> rows;
  walk(value, steps, {}, rows);
  if (rows.empty()) throw bad_input(fmt::format("there is nothing at '{}'", path)).at(file);
  return framed(rows);
}

// Items in any format of minimal pairs, with released scores where there are some.
Frame item_rows(const std::filesystem::path& path) {
  auto items = suite::recognise_format(path).read(path, {});
  std::vector<Cells> rows;
  for (suite::Item item; items->next(item);) {
    Cells& row = rows.emplace_back();
    row = {{"id", item.id},
           {"test", item.test},
           {"condition", item.condition},
           {"language", item.language}};
    const suite::PublishedScores* scores = items->published();
    for (size_t i = 0; i < item.sentences.size(); ++i) {
      const suite::Sentence& s = item.sentences[i];
      row.emplace_back(fmt::format("text.{}", i), s.text);
      row.emplace_back(fmt::format("locus.{}", i), slice(s.text, s.locus));
      row.emplace_back(fmt::format("left.{}", i), s.text.substr(0, s.locus.begin));
      row.emplace_back(fmt::format("right.{}", i), s.text.substr(s.locus.end));
      if (scores && i < scores->sentences.size())
        row.emplace_back(fmt::format("score.{}", i), fmt::format("{}", scores->sentences[i]));
    }
    for (const auto& [name, value] : item.features)
      row.emplace_back(name, suite::feature_text(item, name));
  }
  return framed(rows);
}

// "the sentence as it is 7.1234"
Frame scored_lines(const std::string& text, const std::string& file) {
  Frame frame;
  frame.add_column("text");
  frame.add_column("score");
  size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    if (++number == 1) line = without_mark(line);
    line = trim(line);
    if (line.empty()) continue;
    if (!valid_utf8(line)) throw bad_input("this is not UTF-8").at(file, number);
    size_t at = line.rfind(' ');
    if (at == line.npos)
      throw bad_input("a sentence, a space and a number are needed").at(file, number);
    frame.add_row({std::string(line.substr(0, at)), std::string(line.substr(at + 1))}, number);
  }
  return frame;
}

constexpr size_t kLargest = size_t{1} << 30;
constexpr size_t kBlock = size_t{1} << 18;

std::string unpacked_xz(const std::string& packed, const std::string& file) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kLargest, LZMA_CONCATENATED) != LZMA_OK)
    throw cannot("cannot start the xz decoder");
  stream.next_in = reinterpret_cast<const uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  std::string text;
  lzma_ret result = LZMA_OK;
  while (result == LZMA_OK && text.size() < kLargest) {
    size_t had = text.size();
    text.resize(had + kBlock);
    stream.next_out = reinterpret_cast<uint8_t*>(text.data() + had);
    stream.avail_out = kBlock;
    result = lzma_code(&stream, LZMA_FINISH);
    text.resize(had + kBlock - stream.avail_out);
  }
  lzma_end(&stream);
  if (result != LZMA_STREAM_END)
    throw bad_input("the xz data is damaged, cut off or too large").at(file);
  return text;
}

std::string unpacked_gz(const std::filesystem::path& file) {
  gzFile gz = gzopen(file.c_str(), "rb");
  if (!gz) throw cannot_errno(fmt::format("cannot read {}", file.string()));
  std::string text;
  int n = 1;
  while (n > 0 && text.size() < kLargest) {
    size_t had = text.size();
    text.resize(had + kBlock);
    n = gzread(gz, text.data() + had, unsigned(kBlock));
    text.resize(had + size_t(std::max(n, 0)));
  }
  const bool whole = (gzclose(gz) == Z_OK) && n == 0;  // closed, damaged or not
  if (!whole) throw bad_input("the gzip data is damaged, cut off or too large").at(file.string());
  return text;
}

// Readers take names: that of a file which has none.
class Unpacked {
 public:
  explicit Unpacked(const std::string& text)
      : fd_(unnamed_file(std::filesystem::temp_directory_path())) {
    write_all(fd_, text, path());
  }
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;
  ~Unpacked() { ::close(fd_); }
  std::filesystem::path path() const { return fmt::format("/proc/self/fd/{}", fd_); }

 private:
  int fd_;
};

Frame read_kind(const std::filesystem::path& path, const std::string& kind,
                const std::string& shown, const Source& source) {
  if (kind == "items") return item_rows(path);
  if (kind == "jsonl") return json_lines(read_file(path), shown);
  if (kind == "json") return json_rows(read_file(path), source.rows, shown);
  if (kind == "scored-lines") return scored_lines(read_file(path), shown);
  return delimited(path, kind == "csv" ? ',' : '\t', source.names, kind != "tsv-plain", shown);
}

// A file from which nothing comes would be a model or a test that is missing without a word.
Frame read_rows(const std::filesystem::path& path, const std::string& kind,
                const std::string& shown, const Source& source) {
  try {
    Frame frame = read_kind(path, kind, shown, source);
    if (frame.rows() > 0) return frame;
  } catch (Error& e) {
    if (e.where().file == path.string()) e.at(shown, e.where().line, e.where().column);
    throw;
  }
  throw bad_input("there are no rows in this file").at(shown);
}

}  // namespace

Frame read_table(const std::filesystem::path& path, const Source& source) {
  const bool xz = path.extension() == ".xz", gz = path.extension() == ".gz";
  std::string kind = source.format, ending = unpacked_name(path).extension().string();
  if (kind.empty())
    kind = ending == ".jsonl"  ? "jsonl"
           : ending == ".json" ? "json"
           : ending == ".csv"  ? "csv"
                               : "tsv";
  if (!xz && !gz) return read_rows(path, kind, path.string(), source);
  const Unpacked file(xz ? unpacked_xz(read_file(path), path.string()) : unpacked_gz(path));
  return read_rows(file.path(), kind, path.string(), source);
}

std::filesystem::path unpacked_name(const std::filesystem::path& path) {
  const std::filesystem::path ending = path.extension();
  return ending == ".xz" || ending == ".gz" ? path.parent_path() / path.stem() : path;
}

namespace {

// The file as it is named, else packed or unpacked: here it may be stored otherwise than there.
std::filesystem::path stored_as(const std::filesystem::path& path) {
  if (std::filesystem::exists(path)) return path;
  const std::filesystem::path plain = unpacked_name(path);
  for (const char* ending : {"", ".xz", ".gz"})
    if (std::filesystem::path other = plain.string() + ending; std::filesystem::exists(other))
      return other;
  return path;  // whoever reads it says what is wrong
}

// What the first * of a name stands for in that of a file.
std::string star_of(const std::string& name, const std::string& file) {
  const size_t star = name.find('*');
  const bool alone = name.find('*', star + 1) == name.npos;
  const size_t end =
      alone ? file.size() - (name.size() - star - 1) : file.find_first_of("/.", star);
  return file.substr(star, std::min(end, file.size()) - star);
}

}  // namespace

std::vector<Found> files_of(const std::string& name, const std::filesystem::path& folder) {
  size_t star = name.find('*');
  if (star == name.npos) return {{stored_as(folder / name), ""}};
  const std::string pattern = unpacked_name(name).string();
  std::map<std::string, Found> found;  // by its name when it is unpacked: each file once
  std::filesystem::path fixed = std::filesystem::path(name.substr(0, star)).parent_path();
  if (std::filesystem::is_directory(folder / fixed))
    for (const std::filesystem::path& path : entries_below(folder / fixed)) {
      std::string below = (fixed / path.lexically_relative(folder / fixed)).string();
      const std::string plain = unpacked_name(below).string();
      // What file managers leave behind begins with a dot.
      if (!std::filesystem::is_regular_file(path) || path.filename().string().starts_with('.') ||
          fnmatch(pattern.c_str(), plain.c_str(), FNM_PATHNAME) != 0)
        continue;
      Found& one = found[plain];
      if (one.path.empty() || below == plain) one = {path, star_of(pattern, plain)};
    }
  if (found.empty())
    throw bad_input(fmt::format("no file is called '{}'", name)).at(folder.string());
  std::vector<Found> all;
  for (auto& [plain, one] : found) all.push_back(std::move(one));
  return all;
}

}  // namespace minpair::papers
