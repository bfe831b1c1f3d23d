#include "suite/formats/formats.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <new>

#include "base/folder.h"
#include "suite/formats/support.h"

namespace minpair::suite {
namespace {

class SuiteFileWriter : public ItemWriter {
 public:
  explicit SuiteFileWriter(const fs::path& path) : writer_(path) {}
  std::string write(const Item& item) override {
    writer_.write(item);
    return {};
  }
  void commit() override { writer_.commit(); }

 private:
  SuiteWriter writer_;
};

FileHead look_at(const fs::path& file) {
  FileHead head{file, {}, {}};
  try {
    LineReader lines(file, 1 << 20);
    std::string_view line;
    while (head.lines.size() < 32 && lines.next(line))
      if (!trim(line).empty()) head.lines.emplace_back(line);
  } catch (const Error&) {
    return head;  // not a text file; the name may still tell
  }
  if (head.lines.empty() || !trim(head.lines[0]).starts_with("{")) return head;
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  const simdjson::error_code failed = parser.parse(head.lines[0]).get(object);
  if (failed == simdjson::MEMALLOC) throw std::bad_alloc();
  if (!failed)
    for (auto [key, value] : object) head.keys.emplace_back(key);
  return head;
}

// Whatever else it may be, its reader can say what is missing.
const Format* as_list(const fs::path& file) {
  const std::string extension = lower(file.extension().string());
  return extension == ".csv" || extension == ".tsv" ? &find_format("pairs") : nullptr;
}

const Format* recognise_file(const fs::path& file) {
  FileHead head = look_at(file);
  for (const Format& format : all_formats())
    if (format.recognise(head)) return &format;
  return nullptr;
}

std::vector<fs::path> all_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::path& entry : entries_below(folder))
    if (fs::is_regular_file(entry)) files.push_back(entry);
  return files;
}

// In a folder only files with a format's own extension count: a README is no table.
const Format* recognise_folder(const fs::path& folder) {
  for (const fs::path& file : all_files(folder)) {
    const Format* format = recognise_file(file);
    if (!format) continue;
    const auto& known = format->extensions;
    if (std::find(known.begin(), known.end(), file.extension().string()) != known.end())
      return format;
  }
  return nullptr;
}

std::vector<Format> make_table() {
  std::vector<Format> table{suite_format(), gevalm_format()};
  for (Format& f : blimp_formats()) table.push_back(std::move(f));
  for (Format& f : published_list_formats()) table.push_back(std::move(f));
  // What names its columns comes before what is told by the number of its columns alone.
  for (Format f : {does_bert_agree_format(),
                   gulordava_format(),
                   climp_format(),
                   ewok_format(),
                   pairs_format(),
                   lakretz_tasks_format(),
                   linzen_format(),
                   bert_syntax_format(),
                   bert_syntax_results_format(),
                   clams_format(),
                   clams_bert_format(),
                   marvin_linzen_format(),
                   syntaxgym_format(),
                   lakretz_format(),
                   bhs_format(),
                   feature_circuits_format(),
                   comps_format(),
                   causalgym_format(),
                   zorro_format(),
                   tsv_format()})
    table.push_back(std::move(f));
  return table;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& f : all_formats()) names.push_back(f.name);
  return names;
}

}  // namespace

bool has_keys(const FileHead& head, std::initializer_list<std::string_view> keys) {
  return std::all_of(keys.begin(), keys.end(), [&](std::string_view key) {
    return std::find(head.keys.begin(), head.keys.end(), key) != head.keys.end();
  });
}

bool has_columns(const FileHead& head, size_t columns) {
  return !head.lines.empty() &&
         std::all_of(head.lines.begin(), head.lines.end(), [&](const std::string& line) {
           return size_t(std::count(line.begin(), line.end(), '\t')) + 1 == columns;
         });
}

Format suite_format() {
  return {"suite",
          "minpair's own: JSON Lines, docs/suite-format.md",
          "everything",
          {".jsonl"},
          [](const FileHead& head) {
            return has_keys(head, {"id", "sentences"});
          },
          [](const fs::path& path, const ReadOptions& options) {
            return read_files(files_under(path, {".jsonl"}), options, read_suite_file);
          },
          writes<SuiteFileWriter>()};
}

std::unique_ptr<ItemStream> read_items(std::vector<fs::path> files, const std::string& language) {
  return read_files(std::move(files), {language, {}}, [](const fs::path& file) {
    const Format* format = nullptr;
    if (fs::is_directory(file))
      format = &recognise_format(file);
    else if (file != "-")
      format = recognise_file(file);
    if (!format) format = as_list(file);
    // What no format knows is a suite with an error, and its reader says which.
    return format ? format->read(file, {}) : read_suite_file(file);
  });
}

std::unique_ptr<ItemStream> read_items(const fs::path& file) {
  return read_items(std::vector<fs::path>{file});
}

const std::vector<Format>& all_formats() {
  static const std::vector<Format> table = make_table();
  return table;
}

const Format& find_format(const std::string& name) {
  for (const Format& f : all_formats())
    if (f.name == name) return f;
  std::string guess = closest(name, format_names());
  throw wrong_call(fmt::format("there is no format '{}'", name))
      .hint(guess.empty() ? fmt::format("there are: {}", fmt::join(format_names(), ", "))
                          : fmt::format("did you mean '{}'?", guess));
}

const Format* guess_format(const fs::path& path) {
  if (path == "-") return &find_format("suite");
  return fs::is_directory(path) ? recognise_folder(path) : recognise_file(path);
}

const Format& recognise_format(const fs::path& path) {
  if (path != "-" && !fs::exists(path))
    throw bad_input("there is no such file or folder").at(path.string());
  const Format* format = guess_format(path);
  if (!format && !fs::is_directory(path)) format = as_list(path);
  if (!format)
    throw bad_input("this is in no format that minpair knows")
        .at(path.string())
        .hint(fmt::format("name it with --from: {}\n"
                          "  your own list must begin with the names of its columns:\n"
                          "    good,bad,condition\n"
                          "    The dog barks.,The dog bark.,singular",
                          fmt::join(format_names(), ", ")));
  return *format;
}

}  // namespace minpair::suite
