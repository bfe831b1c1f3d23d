#pragma once
// What tests share: where the published data is, and a folder of their own.

#include <filesystem>
#include <string>

namespace minpair {
namespace fs = std::filesystem;
}

namespace minpair::testing {

// $MINPAIR_DATA or ../shared/data; empty when absent. Use: if (data_dir().empty()) GTEST_SKIP() <<
// no_data();
std::filesystem::path data_dir();
// $MINPAIR_MODELS or ../shared/models; empty when absent.
std::filesystem::path models_dir();
std::string no_data();  // the message for a skip
std::filesystem::path source_dir();
std::filesystem::path minpair_program();

// A fresh folder, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Runs a command with the shell: status, standard output and error.
struct Ran {
  int status;
  std::string out, err;
};
Ran run_command(const std::string& command);

// web/test/SCRIPT in a real browser.
Ran run_in_browser(const std::string& script, const std::string& arguments);

}  // namespace minpair::testing
