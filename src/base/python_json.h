#pragma once
// JSON as others write it: what Python's json module writes although it is not JSON, and how deeply
// values may be nested.

#include <cstdint>
#include <string>
#include <string_view>

namespace minpair::inline base {

// NaN becomes null, infinities the largest doubles, and integers of more than 18 digits doubles.
std::string standard_json(std::string_view text);

// No file that means well is nested more deeply. Code that copies or prints a value recurses, and
// runs out of stack when the nesting has no end.
inline constexpr int kDeepestJson = 200;
// An object that keeps the order of its members looks through all of them for each new one.
inline constexpr size_t kMostMembers = 10'000;
// Throws if the text is nested more deeply than that, or an object has more members.
void check_json_depth(std::string_view json, const std::string& file, uint64_t line = 0);

}  // namespace minpair::inline base
