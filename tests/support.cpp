#include "support.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace minpair::testing {

namespace fs = std::filesystem;

namespace {

fs::path from_environment(const char* variable, const fs::path& otherwise) {
  const char* set = std::getenv(variable);
  fs::path path = set ? fs::path(set) : otherwise;
  return fs::is_directory(path) ? path : fs::path();
}

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

}  // namespace

fs::path source_dir() { return MINPAIR_SOURCE_DIR; }
fs::path minpair_program() { return MINPAIR_BINARY; }
fs::path data_dir() { return from_environment("MINPAIR_DATA", source_dir() / "../shared/data"); }
fs::path models_dir() {
  return from_environment("MINPAIR_MODELS", source_dir() / "../shared/models");
}
std::string no_data() {
  return "needs the published data, which is not part of minpair: set MINPAIR_DATA (or "
         "MINPAIR_MODELS) to its folder";
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "minpair-XXXXXX").string();
  path_ = ::mkdtemp(pattern.data());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Ran run_command(const std::string& command) {
  TemporaryFolder folder;
  std::string full =
      "( " + command + " ) >" + (folder / "out").string() + " 2>" + (folder / "err").string();
  int status = std::system(full.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(folder / "out"),
          slurp(folder / "err")};
}

Ran run_in_browser(const std::string& script, const std::string& arguments) {
  return run_command("MINPAIR_WEB='" + (minpair_program().parent_path() / "web").string() +
                     "' node '" + (source_dir() / "web/test" / script).string() + "' " + arguments);
}

}  // namespace minpair::testing
