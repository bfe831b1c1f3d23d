#pragma once
// Designs from grammars: every sentence of an item is written out with marks where regions begin,
// and gets its text and regions from that.

#include <string>
#include <string_view>
#include <vector>

#include "stimuli/grammar/derivations.h"

namespace minpair::stimuli {

// In front of a region's name, as a word of its own. No grammar file has this character.
inline constexpr char kRegionMark = '\x01';

// While it is derived, a design has nothing but words and marks, with one space between them.
inline constexpr Style kMarkedWords{false, false, false, false};

// Makes a minimal set of marked words a design: names, texts in this style, regions.
void make_design(suite::Item& item, const std::vector<std::string>& names, const Style& style);

}  // namespace minpair::stimuli
