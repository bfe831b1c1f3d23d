// The files that authors release, as tables of texts.

#include "papers/table.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/counts.h"
#include "base/error.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/names.h"
#include "base/python_json.h"
#include "base/rows.h"
#include "base/text.h"
#include "suite/formats/format.h"

namespace minpair::papers {
namespace {

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

Table delimited(const std::filesystem::path& file, char separator,
                const std::vector<std::string>& names, bool quotes, const std::string& shown) {
  Table table;
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
  if (names.empty() && rows.next(cells)) check_text();
  const size_t width = cells.size();
  for (const std::string& name : cells) table.columns.emplace_back(trim(name));
  while (rows.next(cells)) {
    if (says_nothing(cells)) continue;
    if (cells.size() != width)
      throw bad_input(fmt::format("{}, {} {} expected", counted(cells.size(), "field"), width,
                                  plural(width, "was", "were")))
          .at(shown, rows.line());
    check_text();
    table.rows.push_back(cells);
    table.lines.push_back(rows.line());
  }
  return table;
}

// Every line is a row of one column: a text, or JSON for SQLite's own functions.
Table line_by_line(const std::filesystem::path& file, const std::string& column,
                   const std::string& shown) {
  Table table{{column}, {}, {}};
  LineReader lines(file);
  for (std::string_view line; lines.next(line);) {
    if (trim(line).empty()) continue;
    if (!valid_utf8(line)) throw bad_input("this is not UTF-8").at(shown, lines.line_number());
    table.rows.push_back({std::string(line)});
    table.lines.push_back(lines.line_number());
  }
  return table;
}

void check_json(const Table& table, const std::string& shown) {
  for (size_t i = 0; i < table.rows.size(); ++i) {
    check_json_depth(table.rows[i][0], shown, table.lines[i]);
    if (!nlohmann::json::accept(table.rows[i][0]))
      throw bad_input("this is not valid JSON").at(shown, table.lines[i]);
  }
}

// Items in any format of minimal pairs, with released scores where there are some.
Table item_rows(const std::filesystem::path& path) {
  auto items = suite::recognise_format(path).read(path, {});
  std::vector<std::map<std::string, std::string>> rows;
  std::set<std::string> names;
  for (suite::Item item; items->next(item);) {
    std::map<std::string, std::string>& row = rows.emplace_back();
    for (const auto& [name, value] : item.features) row[name] = suite::feature_text(item, name);
    row["id"] = item.id, row["test"] = item.test;
    row["condition"] = item.condition, row["language"] = item.language;
    const suite::PublishedScores* scores = items->published();
    for (size_t i = 0; i < item.sentences.size(); ++i) {
      const suite::Sentence& s = item.sentences[i];
      row[fmt::format("text.{}", i)] = s.text;
      row[fmt::format("locus.{}", i)] = slice(s.text, s.locus);
      row[fmt::format("left.{}", i)] = s.text.substr(0, s.locus.begin);
      row[fmt::format("right.{}", i)] = s.text.substr(s.locus.end);
      if (scores && i < scores->sentences.size())
        row[fmt::format("score.{}", i)] = fmt::format("{}", scores->sentences[i]);
    }
    for (const auto& [name, value] : row) names.insert(name);
  }
  Table table{{names.begin(), names.end()}, {}, std::vector<uint64_t>(rows.size(), 0)};
  for (auto& row : rows) {
    std::vector<std::string>& cells = table.rows.emplace_back();
    for (const std::string& name : table.columns) cells.push_back(row[name]);
  }
  return table;
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

Table read_format(const std::filesystem::path& path, const std::string& format,
                  const std::string& shown, const Reading& reading) {
  if (format == "items") return item_rows(path);
  if (format == "lines") return line_by_line(path, "line", shown);
  if (format != "json" && format != "jsonl")
    return delimited(path, format == "csv" ? ',' : '\t', reading.names, format != "tsv-plain",
                     shown);
  Table table = format == "json"
                    ? Table{{"object"}, {{std::string(without_mark(read_file(path)))}}, {1}}
                    : line_by_line(path, "object", shown);
  check_json(table, shown);
  return table;
}

// A file from which nothing comes would be a model or a test that is missing without a word.
Table read_rows(const std::filesystem::path& path, const std::string& format,
                const std::string& shown, const Reading& reading) {
  try {
    Table table = read_format(path, format, shown, reading);
    if (!table.rows.empty()) return table;
  } catch (Error& e) {
    if (e.where().file == path.string()) e.at(shown, e.where().line, e.where().column);
    throw;
  }
  throw bad_input("there are no rows in this file").at(shown);
}

}  // namespace

Table read_table(const std::filesystem::path& path, const Reading& reading) {
  const bool xz = path.extension() == ".xz", gz = path.extension() == ".gz";
  const std::string ending = unpacked_name(path).extension().string();
  std::string format = reading.format;
  if (format.empty())
    format = ending == ".jsonl" || ending == ".json" || ending == ".csv" ? ending.substr(1) : "tsv";
  if (!xz && !gz) return read_rows(path, format, path.string(), reading);
  const Unpacked file(xz ? unpacked_xz(read_file(path), path.string()) : unpacked_gz(path));
  return read_rows(file.path(), format, path.string(), reading);
}

std::filesystem::path unpacked_name(const std::filesystem::path& path) {
  const std::filesystem::path ending = path.extension();
  return ending == ".xz" || ending == ".gz" ? path.parent_path() / path.stem() : path;
}

namespace {

// The file as it is named, else packed or unpacked.
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
