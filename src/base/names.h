#pragma once
// Names that a user gives to choose among things.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace minpair::inline base {

// Whoever names nothing means everything.
inline bool all_or_among(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace minpair::inline base
