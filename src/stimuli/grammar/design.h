#pragma once
// Designs from grammars: every sentence of an item is written out with marks where regions begin,
// and gets its text and regions from that.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "stimuli/grammar/derivations.h"
#include "suite/suite.h"

namespace minpair::stimuli {

// In front of a region's name, as a word of its own. No grammar file may have this character.
inline constexpr char kRegionMark = '\x01';
void check_no_mark(std::string_view text, const std::string& file);

// While it is derived, a design has nothing but words and marks, with one space between them.
inline constexpr Style kMarkedWords{false, false, false, false};

// Makes a minimal set of marked words a design: names, texts in this style, regions.
void make_design(suite::Item& item, const std::vector<std::string>& names, const Style& style);

// "garden path: critical in ambiguous > critical in unambiguous", as a grammar says it.
struct StatedCriterion {
  suite::Criterion criterion;
  Where where;
};
StatedCriterion parse_criterion(std::string_view text, Where where);
// Those of a file, without expanding it. Their test is empty where the file does not name it.
std::vector<StatedCriterion> cfg_criteria(std::string_view text, const std::string& name,
                                          const std::filesystem::path& folder);
std::vector<StatedCriterion> avg_criteria(std::string_view text, std::string_view common,
                                          const std::string& name);
// Throws when the grammar makes no design, or one names what its first item lacks.
void check_criteria(const std::vector<StatedCriterion>& criteria, const Derivations& derivations);

}  // namespace minpair::stimuli
