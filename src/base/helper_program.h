#pragma once
// Optional programs and plug-ins in files of their own, since not every machine can build them.

#include <filesystem>
#include <string>

namespace minpair::inline base {

// The path of "minpair-train", for example: beside the program, or where it was installed. Empty if
// it was not built.
std::filesystem::path helper_program(const std::string& name);

}  // namespace minpair::inline base
