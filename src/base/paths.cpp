#include "base/paths.h"

#include <cstdlib>
#include <mutex>

namespace minpair::inline base {

namespace fs = std::filesystem;

namespace {

struct Homes {
  std::mutex turn;
  std::vector<fs::path> added;
};
Homes& more_homes() {
  static Homes homes;
  return homes;
}

}  // namespace

void add_home(const fs::path& folder) {
  std::lock_guard turn(more_homes().turn);
  more_homes().added.insert(more_homes().added.begin(), folder);
}

std::vector<fs::path> shipped_folders(const std::string& kind) {
  std::vector<fs::path> homes, found;
  {
    std::lock_guard turn(more_homes().turn);
    homes = more_homes().added;
  }
  if (const char* home = std::getenv("MINPAIR_HOME")) homes.emplace_back(home);
  homes.emplace_back(MINPAIR_SOURCE_DIR);
  homes.push_back(program_folder() / "../share/minpair");
  homes.emplace_back(MINPAIR_SHARE_DIR);
  std::error_code ignored;
  for (const fs::path& home : homes)
    if (fs::is_directory(home / kind, ignored)) found.push_back(home / kind);
  return found;
}

fs::path find_shipped(const std::string& kind, const std::string& name) {
  if (name.empty() || name.find('/') != std::string::npos || name.starts_with(".")) return {};
  std::error_code ignored;
  for (const fs::path& folder : shipped_folders(kind))
    if (fs::exists(folder / name, ignored)) return folder / name;
  return {};
}

std::string version() { return MINPAIR_VERSION; }

fs::path program_folder() {
  std::error_code failed;
  fs::path program = fs::read_symlink("/proc/self/exe", failed);
  return failed ? fs::path() : program.parent_path();
}

}  // namespace minpair::inline base
