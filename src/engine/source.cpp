#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "engine/run.h"
#include "stimuli/grammar/grammar.h"

namespace minpair::engine {
namespace {

// The items of standard input in an unnamed file, which the system removes with the process.
std::filesystem::path kept_input() {
  int fd =
      ::open(std::filesystem::temp_directory_path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) throw cannot_errno("cannot make a temporary file");
  char buffer[1 << 16];
  for (ssize_t n; (n = ::read(0, buffer, sizeof buffer)) != 0;)
    if (n < 0 || ::write(fd, buffer, size_t(n)) != n)
      throw cannot_errno("cannot keep the items of standard input");
  return fmt::format("/proc/self/fd/{}", fd);
}

}  // namespace

SuiteSource suite_source(const suite::Suite& suite) {
  if (suite.path == "-") {
    std::filesystem::path file = kept_input();
    return {suite.manifest, [file] { return suite::read_items(file); }, {}, {}};
  }
  std::filesystem::path lexicon = suite.path / "lexicon.tsv";
  if (!suite.is_folder() || !std::filesystem::exists(lexicon)) lexicon.clear();
  return {suite.manifest, [suite] { return stimuli::open_items(suite); }, {}, lexicon};
}

}  // namespace minpair::engine
