#pragma once
// What is known about how a run was made: the command, the program's version, where a sentence
// starts and ends. A small map of names to words for people; what a score depends on is also in the
// keys of the tables.

#include <map>
#include <string>
#include <string_view>

namespace minpair::store {

using Facts = std::map<std::string, std::string>;

std::string facts_json(const Facts& facts);  // one object in one line, by name
Facts parse_facts(std::string_view json, const std::string& file_for_messages);

}  // namespace minpair::store
