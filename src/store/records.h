#pragma once
// Suites and models in the rows of those who refer to them.

#include <string>

#include "store/store.h"

namespace minpair::store {

class Statement;

// Columns for whoever joins both tables, and their values from column `first` on.
extern const char* const kSuiteAndModel;
SuiteRecord suite_in(const Statement& row, int first, const std::string& file_for_messages);
ModelRecord model_in(const Statement& row, int first);
std::string suite_and_model_are_whole();  // SQL

}  // namespace minpair::store
