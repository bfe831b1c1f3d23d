#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "base/folder.h"
#include "base/hash.h"
#include "base/outgoing.h"
#include "base/paths.h"
#include "hub/parts.h"

namespace minpair::hub {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

fs::path hub_home() {
  if (std::string home = variable("HF_HOME"); !home.empty()) return home;
  std::string cache = variable("XDG_CACHE_HOME");
  if (cache.empty()) cache = variable("HOME") + "/.cache";
  return fs::path(cache) / "huggingface";
}

fs::path default_cache() {
  std::string direct = variable("HF_HUB_CACHE");
  return direct.empty() ? hub_home() / "hub" : fs::path(direct);
}

std::string first_line(const fs::path& path) {
  std::string text = read_file(path, 4096);
  return text.substr(0, text.find_first_of("\r\n "));
}

// As the hub's own library finds it: the environment, else where a login left it.
std::string default_token() {
  for (const char* name : {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"})
    if (std::string token = variable(name); !token.empty()) return token;
  fs::path file = variable("HF_TOKEN_PATH");
  if (file.empty()) file = hub_home() / "token";
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) ? first_line(file) : "";
}

bool is_name_part(std::string_view part) {
  if (part.empty() || part.size() > 96 || part.front() == '.' || part.find("..") != part.npos)
    return false;
  return std::all_of(part.begin(), part.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

bool is_hexadecimal(std::string_view s) {
  return s.find_first_not_of("0123456789abcdef") == s.npos;
}

bool is_weights(const fs::path& path) {
  std::string e = path.extension().string();
  return e == ".safetensors" || e == ".bin" || e == ".pt" || e == ".pth" || e == ".gguf";
}

std::string kind_of(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder / "config.json", ignored)) {
    auto config = nlohmann::json::parse(read_file(folder / "config.json", 1 << 24), nullptr, false);
    if (!config.is_object()) return "";
    if (auto a = config.find("architectures");
        a != config.end() && a->is_array() && !a->empty() && a->front().is_string())
      return a->front();
    if (auto t = config.find("model_type"); t != config.end() && t->is_string()) return *t;
    return "";
  }
  for (const fs::path& entry : entries_if_any(folder))
    if (entry.extension() == ".gguf") return "GGUF";
  return "";
}

}  // namespace

Settings settings() {
  Settings s;
  if (std::string endpoint = variable("HF_ENDPOINT"); !endpoint.empty()) s.endpoint = endpoint;
  while (s.endpoint.ends_with('/')) s.endpoint.pop_back();
  s.cache = default_cache();
  s.token = default_token();
  std::string offline = variable("HF_HUB_OFFLINE");
  s.offline = offline == "1" || offline == "true" || offline == "TRUE" || offline == "yes" ||
              offline == "ON";
  return s;
}

bool is_model_name(const std::string& name) {
  size_t slash = name.find('/');
  if (slash == name.npos) return is_name_part(name);
  return is_name_part(name.substr(0, slash)) && is_name_part(name.substr(slash + 1));
}

bool is_commit(const std::string& text) { return text.size() == 40 && is_hexadecimal(text); }

bool is_safe_path(const std::string& path) {
  if (path.empty() || path.size() > 1000 || path.find('\\') != path.npos || has_control(path))
    return false;
  size_t from = 0;
  while (from <= path.size()) {
    size_t slash = std::min(path.find('/', from), path.size());
    std::string part = path.substr(from, slash - from);
    if (part.empty() || part == "." || part == "..") return false;
    from = slash + 1;
  }
  return true;
}

fs::path repository_folder(const std::string& model, const Settings& settings) {
  std::string name = model;
  if (size_t slash = name.find('/'); slash != name.npos) name.replace(slash, 1, "--");
  return settings.cache / ("models--" + name);
}

bool has_hash(const fs::path& file, const std::string& hash) {
  MappedFile mapped(file);
  bool git = hash.size() == 40;
  return (git ? git_blob_hex(mapped.bytes()) : sha256_hex(mapped.bytes())) == hash;
}

fs::path locate(const std::string& model, const Settings& settings) {
  size_t at = model.find('@');
  std::string name = model.substr(0, at);
  std::string revision = at == model.npos ? "main" : model.substr(at + 1);
  if (!is_model_name(name) || !is_safe_path(revision)) return {};
  fs::path repository = repository_folder(name, settings);
  std::error_code ignored;
  std::string commit = revision;
  if (fs::is_regular_file(repository / "refs" / revision, ignored))
    commit = first_line(repository / "refs" / revision);
  if (!is_commit(commit)) return {};
  fs::path folder = repository / "snapshots" / commit;
  return fs::is_directory(folder, ignored) ? folder : fs::path();
}

Known describe(const std::string& name, const fs::path& folder) {
  Known known{name, folder, 0, kind_of(folder)};
  std::error_code ignored;
  for (const fs::path& entry : entries_below_if_any(folder))
    if (fs::is_regular_file(entry, ignored)) known.bytes += fs::file_size(entry, ignored);
  return known;
}

namespace {

// Branches and tags, "main" first, then commits that have no other name.
std::vector<std::string> revisions_in(const fs::path& repository) {
  std::vector<std::string> named, commits;
  std::error_code ignored;
  const fs::path refs = repository / "refs";
  for (const fs::path& ref : entries_below_if_any(refs))
    if (fs::is_regular_file(ref, ignored)) named.push_back(fs::relative(ref, refs).string());
  for (const fs::path& snapshot : entries_if_any(repository / "snapshots"))
    commits.push_back(snapshot.filename().string());
  std::sort(named.begin(), named.end(), [](const std::string& a, const std::string& b) {
    return std::pair(a != "main", a) < std::pair(b != "main", b);
  });
  named.insert(named.end(), commits.begin(), commits.end());
  return named;
}

bool has_weights(const fs::path& folder) {
  const std::vector<fs::path> files = entries_if_any(folder);
  return std::any_of(files.begin(), files.end(), is_weights);
}

std::vector<Known> by_name(std::vector<Known> all) {
  std::sort(all.begin(), all.end(), [](const Known& a, const Known& b) { return a.name < b.name; });
  return all;
}

}  // namespace

std::vector<Known> cached_models(const Settings& settings) {
  std::vector<Known> all;
  for (const fs::path& entry : entries_if_any(settings.cache)) {
    std::string name = entry.filename().string();
    if (!name.starts_with("models--")) continue;
    name = name.substr(8);
    if (size_t dashes = name.find("--"); dashes != name.npos) name.replace(dashes, 2, "/");
    std::set<fs::path> seen;
    for (const std::string& revision : revisions_in(entry)) {
      std::string called = revision == "main" ? name : name + "@" + revision;
      fs::path folder = locate(called, settings);
      if (!folder.empty() && has_weights(folder) && seen.insert(folder).second)
        all.push_back(describe(called, folder));
    }
  }
  return by_name(std::move(all));
}

std::vector<Known> shipped_models() {
  std::vector<Known> all;
  for (const fs::path& folder : shipped_folders("models")) {
    for (const fs::path& entry : entries_of(folder))
      if (fs::is_directory(entry)) all.push_back(describe(entry.filename().string(), entry));
    if (!all.empty()) break;
  }
  return by_name(std::move(all));
}

}  // namespace minpair::hub
