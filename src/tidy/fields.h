#pragma once
// The columns of each table. docs/results-format.md shows them to users, and a test holds the two
// together.

#include "tidy/frame.h"

namespace minpair::tidy {

std::vector<Field> item_fields();
std::vector<Field> sentence_fields();
std::vector<Field> region_fields();
std::vector<Field> word_fields();
std::vector<Field> token_fields();
std::vector<Field> summary_fields();
std::vector<Field> run_fields();

}  // namespace minpair::tidy
