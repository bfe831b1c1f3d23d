#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "engine/engine.h"
#include "method/method.h"
#include "stimuli/stimuli.h"

namespace minpair::engine {
namespace {

// The items of standard input in an unnamed file.
std::filesystem::path kept_input() {
  std::filesystem::path folder = std::filesystem::temp_directory_path();
  int fd = unnamed_file(folder);
  char buffer[1 << 16];
  for (ssize_t n; (n = ::read(0, buffer, sizeof buffer)) != 0;) {
    if (n < 0) throw cannot_errno("cannot read the items of standard input");
    write_all(fd, {buffer, size_t(n)}, folder);
  }
  return fmt::format("/proc/self/fd/{}", fd);
}

}  // namespace

SuiteSource suite_source(const suite::Suite& suite) {
  const suite::Manifest manifest = stimuli::manifest_of(suite);
  method::check_manifest(manifest, suite.manifest_file.string());
  if (suite.path == "-" && suite.columns.empty()) {
    std::filesystem::path file = kept_input();
    return {manifest, [file] { return suite::read_items(file); }, {}, {}, {}};
  }
  // A grammar's own word list may have the same name.
  std::filesystem::path lexicon = suite.path / "lexicon.tsv";
  if (!suite.is_folder() || stimuli::from_grammars(suite) || !std::filesystem::exists(lexicon))
    lexicon.clear();
  return {manifest, [suite] { return stimuli::open_items(suite); }, {}, suite.columns, lexicon};
}

}  // namespace minpair::engine
