#pragma once
// JSON as minpair writes it, from any of nlohmann's types. Texts come from files, and names from
// names of files: bytes that are not UTF-8 are replaced by U+FFFD, never an error at the end of a
// run; what a terminal would obey is escaped. The library itself is read by those who call this,
// not here.

#include <string>

#include "base/outgoing.h"

namespace minpair::inline base {

// In one line, or with `indent` of `fill` for every level.
template <typename Json>
std::string json_text(const Json& value, int indent = -1, char fill = ' ') {
  return json_without_controls(value.dump(indent, fill, false, Json::error_handler_t::replace));
}

// In one line of ASCII, for readers that take bytes for characters.
template <typename Json>
std::string ascii_json_text(const Json& value) {
  return value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace minpair::inline base
