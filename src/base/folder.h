#pragma once
// What is in a folder, in the order of the names. The standard library's iterators do the same, but
// end the program where memory runs out.

#include <filesystem>
#include <vector>

namespace minpair::inline base {

// Everything in it but "." and "..".
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

// The same; nothing where there is no such folder, or it may not be read.
std::vector<std::filesystem::path> entries_if_any(const std::filesystem::path& folder);

// Everything in it and in the folders in it. Links to folders are not followed.
std::vector<std::filesystem::path> entries_below(const std::filesystem::path& folder);

// The same; nothing where there is no such folder, or it may not be read.
std::vector<std::filesystem::path> entries_below_if_any(const std::filesystem::path& folder);

}  // namespace minpair::inline base
