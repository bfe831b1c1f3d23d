#pragma once
// Parts of the program in separate files, since not every machine can have them.

#include <filesystem>
#include <string>

namespace minpair::inline base {

// "minpair-train", say: beside the program, or where it was installed. Empty when it was not built.
std::filesystem::path program_part(const std::string& name);

}  // namespace minpair::inline base
