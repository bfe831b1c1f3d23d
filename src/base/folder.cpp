#include "base/folder.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <string_view>

#include "base/error.h"

namespace minpair::inline base {

namespace fs = std::filesystem;

namespace {

struct Close {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// In the folder's own order, after those that are there already; false where it cannot be read, and
// errno says why.
bool append_entries(const fs::path& folder, std::vector<fs::path>& to) {
  std::unique_ptr<DIR, Close> open(::opendir(folder.c_str()));
  if (!open) return false;
  for (;;) {
    errno = 0;  // the end and an error look alike otherwise
    const dirent* entry = ::readdir(open.get());
    if (!entry) return errno == 0;
    if (std::string_view name = entry->d_name; name != "." && name != "..")
      to.push_back(folder / name);
  }
}

bool append_below(const fs::path& folder, std::vector<fs::path>& to) {
  size_t next = to.size();
  if (!append_entries(folder, to)) return false;
  for (; next < to.size(); ++next) {
    const fs::path inner = to[next];  // a copy: the list grows
    if (fs::is_directory(fs::symlink_status(inner)) && !append_entries(inner, to)) return false;
  }
  return true;
}

using Append = bool(const fs::path& folder, std::vector<fs::path>& to);

std::vector<fs::path> sorted(Append* append, const fs::path& folder, bool if_any) {
  std::vector<fs::path> found;
  if (!append(folder, found)) {
    if (errno == ENOMEM) throw std::bad_alloc();
    const bool none = errno == ENOENT || errno == ENOTDIR || errno == EACCES;
    if (!if_any || !none) throw cannot_errno("cannot read this folder").at(folder.string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<fs::path> entries_of(const fs::path& folder) {
  return sorted(append_entries, folder, false);
}

std::vector<fs::path> entries_if_any(const fs::path& folder) {
  return sorted(append_entries, folder, true);
}

std::vector<fs::path> entries_below(const fs::path& folder) {
  return sorted(append_below, folder, false);
}

std::vector<fs::path> entries_below_if_any(const fs::path& folder) {
  return sorted(append_below, folder, true);
}

}  // namespace minpair::inline base
