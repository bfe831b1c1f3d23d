#pragma once
// What Python's json module writes although it is not JSON.

#include <string>
#include <string_view>

namespace minpair::inline base {

// NaN becomes null, infinities the largest doubles, and integers of more than 18 digits doubles.
std::string standard_json(std::string_view text);

}  // namespace minpair::inline base
