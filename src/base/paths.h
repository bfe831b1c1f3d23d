#pragma once
// Where to find what ships with minpair: suites/ and models/.

#include <filesystem>
#include <string>
#include <vector>

namespace minpair::inline base {

// $MINPAIR_HOME, the source tree this program was built in, or the installed share folder: the
// first that exists. Looked up in that order for every `kind` ("suites", "models").
std::vector<std::filesystem::path> shipped_folders(const std::string& kind);
// The shipped folder of that name, or an empty path.
std::filesystem::path find_shipped(const std::string& kind, const std::string& name);
// Another place for what ships, searched before all others: for a library with data of its own.
void add_home(const std::filesystem::path& folder);
std::string version();
// The folder of the running program.
std::filesystem::path program_folder();

}  // namespace minpair::inline base
