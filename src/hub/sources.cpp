#include "hub/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/counts.h"
#include "base/file.h"
#include "base/names.h"
#include "base/paths.h"
#include "base/progress.h"
#include "base/python_json.h"
#include "hub/fetch.h"

namespace minpair::hub {
namespace {

using Json = nlohmann::json;

// What may be fetched without a hash is at most this long.
constexpr uint64_t kMostUnchecked = uint64_t{1} << 28;

Source source_of(const Json& j) {
  Source s{j.at("name"), j.at("title"), j.at("citation"), j.at("licence"), j.at("address"), {}};
  if (!is_safe_path(s.name))
    throw bad_input(fmt::format("'{}' is not the name of a source", s.name));
  for (const Json& f : j.at("files")) {
    SourceFile file{f.at("path"), f.value("from", f.at("path").get<std::string>()),
                    f.value("sha256", ""), 0};
    if (auto bytes = f.find("bytes"); bytes != f.end() && bytes->is_number_unsigned())
      file.bytes = bytes->get<uint64_t>();
    const bool hash = file.sha256.size() == 64 &&
                      file.sha256.find_first_not_of("0123456789abcdef") == std::string::npos &&
                      file.bytes > 0;
    if (!is_safe_path(file.path) || (!file.sha256.empty() && !hash))
      throw bad_input(
          fmt::format("{}: '{}' is not a file with a hash and a size", s.name, file.path));
    s.files.push_back(std::move(file));
  }
  return s;
}

bool is_here(const fs::path& path, const SourceFile& file) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return false;
  return file.sha256.empty() || has_hash(path, file.sha256);
}

class Pulling {
 public:
  Pulling(const Source& source, const PullOptions& options, const Settings& settings)
      : source_(source), options_(options), settings_(settings), fetcher_(settings) {}

  PulledSource run(const fs::path& below) {
    PulledSource result{below / source_.name};
    std::vector<const SourceFile*> wanted;
    for (const SourceFile& file : source_.files) {
      if (file.sha256.empty()) result.unchecked.push_back(file.path);
      if (is_here(result.folder / file.path, file)) continue;
      wanted.push_back(&file);
      result.missing += file.bytes;
    }
    result.absent = wanted.size();
    if (options_.dry_run || wanted.empty()) return result;
    if (settings_.offline)
      throw cannot(fmt::format("{} of '{}' {} not here, and nothing is fetched offline",
                               counted(wanted.size(), "file"), source_.name,
                               plural(wanted.size(), "is", "are")))
          .hint("unset HF_HUB_OFFLINE");
    // Whoever waited here may find everything done.
    Lock lock(below / ".locks" / (source_.name + ".lock"));
    Progress progress(source_.name, result.missing, options_.quiet);
    for (const SourceFile* file : wanted) {
      if (const fs::path to = result.folder / file->path; !is_here(to, *file))
        fetch(*file, to, progress);
      done_ += file->bytes;
      --result.absent;
    }
    result.fetched = fetcher_.fetched() + unchecked_bytes_;
    return result;
  }

 private:
  const Source& source_;
  const PullOptions& options_;
  const Settings& settings_;
  Fetcher fetcher_;
  uint64_t done_ = 0, unchecked_bytes_ = 0;

  void fetch(const SourceFile& file, const fs::path& to, Progress& progress) {
    const std::string url = source_.address + escaped(file.from);
    fs::create_directories(to.parent_path());
    if (file.sha256.empty()) {
      Response r = fetcher_.persist([&] { return fetcher_.connection().get(url, kMostUnchecked); },
                                    [] { return false; });
      unchecked_bytes_ += r.body.size();
      return write_file(to, r.body);
    }
    fetcher_.fetch(url, {file.sha256, file.bytes}, to, fmt::format("is known of {}", source_.name),
                   [&](uint64_t now) { progress.set(done_ + now, file.path); });
  }
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

size_t Source::unchecked() const {
  return size_t(std::count_if(files.begin(), files.end(),
                              [](const SourceFile& f) { return f.sha256.empty(); }));
}

std::vector<Source> read_sources(const fs::path& file) try {
  std::vector<Source> all;
  const std::string text = read_file(file, 1 << 24);
  check_json_depth(text, file.string());
  const Json listed = Json::parse(text);
  for (const Json& source : listed.at("sources")) all.push_back(source_of(source));
  return all;
} catch (const Json::exception& e) {
  throw bad_input(fmt::format("not a list of sources: {}", e.what())).at(file.string());
}

std::vector<Source> all_sources() {
  for (const fs::path& folder : shipped_folders("published"))
    if (fs::exists(folder / "sources.json")) return read_sources(folder / "sources.json");
  return {};
}

Source find_source(const std::string& name) {
  std::vector<std::string> known;
  for (Source& source : all_sources()) {
    if (source.name == name) return std::move(source);
    known.push_back(source.name);
  }
  throw unknown_name(fmt::format("there is no source '{}'", name), name, known);
}

bool is_source(const std::string& name) {
  std::vector<Source> all = all_sources();
  return std::any_of(all.begin(), all.end(), [&](const Source& s) { return s.name == name; });
}

fs::path sources_folder() {
  if (std::string cache = variable("MINPAIR_CACHE"); !cache.empty()) return cache;
  if (std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return fs::path(cache) / "minpair";
  return fs::path(variable("HOME")) / ".cache" / "minpair";
}

PulledSource pull_source(const Source& source, const PullOptions& options, const Settings& settings,
                         const fs::path& below) try {
  return Pulling(source, options, settings).run(below);
} catch (const fs::filesystem_error& e) {
  throw cannot(e.code().message()).at(e.path1().string());
}

fs::path locate_source(const std::string& name) {
  if (!is_source(name)) return {};
  const Source source = find_source(name);
  fs::path folder = sources_folder() / name;
  std::error_code none;
  for (const SourceFile& file : source.files)
    if (!fs::is_regular_file(folder / file.path, none)) return {};
  return folder;
}

}  // namespace minpair::hub
