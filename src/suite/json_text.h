#pragma once
// JSON written by hand, for millions of lines.

#include <string>
#include <string_view>

#include "base/error.h"

namespace minpair::suite {

void append_json_string(std::string& to, std::string_view text);  // with its quotes
void append_json_number(std::string& to, double number);          // the shortest that reads back

Error not_json(std::string_view why);

}  // namespace minpair::suite
