#pragma once
// Names that a user gives to choose among things.

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace minpair::inline base {

// No name means everything.
inline bool all_or_among(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

// The first of `count` names that is the same as one before it; `count` where there is none.
template <typename Name>
size_t first_repeated(size_t count, Name name) {
  constexpr size_t kFew = 16;
  std::unordered_set<std::string_view> seen;
  for (size_t i = 0; i < count; ++i) {
    if (count > kFew) {
      if (!seen.insert(name(i)).second) return i;
      continue;
    }
    for (size_t before = 0; before < i; ++before)
      if (name(before) == name(i)) return i;
  }
  return count;
}

// A name that is none of `known`: the one that was probably meant, else all there are.
inline Error unknown_name(const std::string& message, std::string_view name,
                          std::vector<std::string> known) {
  std::string guess = closest(name, known);
  if (!guess.empty()) return wrong_call(message).hint("did you mean '" + guess + "'?");
  constexpr size_t kShown = 20;
  size_t more = known.size() > kShown ? known.size() - kShown : 0;
  known.resize(known.size() - more);
  return wrong_call(message).hint("one of: " + join(known, ", ") +
                                  (more ? " and " + std::to_string(more) + " more" : ""));
}

}  // namespace minpair::inline base
