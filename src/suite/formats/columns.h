#pragma once
// What the columns of a typed list are for, told by their names. Private to this folder.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minpair::suite {

enum class Role {
  feature,  // whatever else is there
  good,
  bad,
  sentence,  // of a list with one sentence a row,
  judgment,  // whose grammaticality this column says
  item,      // which rows or conditions belong together
  test,
  condition,
  language,
  cluster,
  context
};

// What --columns calls the roles.
const std::vector<std::pair<std::string, Role>>& said_roles();

// The roles of the columns, those in `named` ("good=Satz,bad=Falsch") first. Throws when `named`
// names a column that is not there.
std::vector<Role> roles_of(const std::vector<std::string>& header, std::string_view named);

// Is there a good and a bad sentence; or one sentence a row, with its item or a judgment?
bool makes_pairs(const std::vector<Role>& roles);
bool makes_long_list(const std::vector<Role>& roles);

// 1, true, yes, grammatical, ... and their opposites; -1 when it is neither.
int judgment_of(std::string_view text);

}  // namespace minpair::suite
