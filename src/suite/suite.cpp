#include "suite/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/folder.h"
#include "base/paths.h"
#include "suite/formats/format.h"

namespace minpair::suite {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> jsonl_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::path& entry : entries_of(folder))
    if (entry.extension() == ".jsonl") files.push_back(entry);
  return files;
}

// What a foreign format says of its items, where nobody wrote a manifest for them.
void take_own_manifest(Suite& suite) {
  const Format* format = suite.manifest_file.empty() ? guess_format(suite.path) : nullptr;
  if (format && format->manifest) suite.manifest = format->manifest(suite.path);
}

Suite suite_in_folder(const fs::path& folder) {
  Suite suite{folder, jsonl_files(folder), {}, {}};
  if (fs::exists(folder / "manifest.json")) {
    suite.manifest_file = folder / "manifest.json";
    suite.manifest = read_manifest(suite.manifest_file);
  }
  if (suite.files.empty()) take_own_manifest(suite);
  if (suite.manifest.name.empty())
    suite.manifest.name = fs::weakly_canonical(folder).filename().string();
  return suite;
}

Suite suite_in_file(const fs::path& file) {
  Suite suite{file, {file}, {}, {}};
  fs::path beside = fs::path(file).replace_extension(".manifest.json");
  if (file != "-" && fs::exists(beside)) {
    suite.manifest_file = beside;
    suite.manifest = read_manifest(beside);
  }
  if (file.extension() == ".json") take_own_manifest(suite);
  if (suite.manifest.name.empty())
    suite.manifest.name = file == "-" ? "standard input" : file.stem().string();
  return suite;
}

}  // namespace

const std::map<std::string, uint64_t>& ItemStream::skipped() const {
  static const std::map<std::string, uint64_t> nothing;
  return nothing;
}

Suite find_suite(const std::string& name_or_path, const std::string& columns) {
  if (!columns.empty()) {
    Suite suite = find_suite(name_or_path);
    suite.columns = columns;
    return suite;
  }
  if (name_or_path == "-") return suite_in_file("-");
  std::error_code ignored;
  if (fs::is_directory(name_or_path, ignored)) return suite_in_folder(name_or_path);
  if (fs::exists(name_or_path, ignored)) return suite_in_file(name_or_path);
  fs::path shipped = find_shipped("suites", name_or_path);
  if (!shipped.empty()) return suite_in_folder(shipped);
  std::vector<std::string> names;
  for (const Suite& s : shipped_suites()) names.push_back(s.path.filename().string());
  std::string guess = closest(name_or_path, names);
  const size_t slash = name_or_path.find('/');
  const std::string whole = name_or_path.substr(0, slash);
  if (slash != name_or_path.npos && std::find(names.begin(), names.end(), whole) != names.end())
    throw bad_input(fmt::format("there is no suite '{}'", name_or_path))
        .hint(fmt::format("choose a language of '{0}' with -s {0} --language de", whole));
  throw bad_input(
      fmt::format("there is no suite '{}': no file, no folder, no shipped suite", name_or_path))
      .hint(guess.empty() ? "'minpair list suites' shows what ships"
                          : fmt::format("did you mean '{}'?", guess));
}

std::vector<Suite> shipped_suites() {
  std::set<std::string> names;
  for (const fs::path& folder : shipped_folders("suites"))
    if (fs::is_directory(folder))
      for (const fs::path& entry : entries_of(folder))
        if (fs::exists(entry / "manifest.json")) names.insert(entry.filename().string());
  std::vector<Suite> suites;
  for (const std::string& name : names)
    suites.push_back(suite_in_folder(find_shipped("suites", name)));
  return suites;
}

}  // namespace minpair::suite
