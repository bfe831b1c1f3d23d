#pragma once
// Which forms of a template are chosen before the others. Private to grammar/.

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"

namespace minpair::stimuli {

// The forms that some places of the template have, while the others take all of theirs but those
// that a settled one keeps them from.
struct Settled {
  std::map<size_t, size_t> forms;                // by position
  std::vector<std::pair<size_t, size_t>> apart;  // positions

  bool allows(size_t position, size_t form) const {
    return std::none_of(apart.begin(), apart.end(), [&](const auto& pair) {
      size_t other = pair.first == position    ? pair.second
                     : pair.second == position ? pair.first
                                               : position;
      auto settled = forms.find(other);
      return other != position && settled != forms.end() && settled->second == form;
    });
  }
  bool consistent() const {
    return std::all_of(forms.begin(), forms.end(),
                       [&](const auto& f) { return allows(f.first, f.second); });
  }
  bool concerns(Span stretch) const {
    auto inside = [&](size_t p) { return p >= stretch.begin && p < stretch.end; };
    return std::any_of(forms.begin(), forms.end(), [&](auto& f) { return inside(f.first); }) ||
           std::any_of(apart.begin(), apart.end(),
                       [&](auto& a) { return inside(a.first) || inside(a.second); });
  }
};

}  // namespace minpair::stimuli
