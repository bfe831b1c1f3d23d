#include "suite/json_rows.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/python_json.h"
#include "base/text.h"

namespace minpair::suite {

bool JsonRowReader::next(std::vector<Field>& fields) {
  using Json = nlohmann::ordered_json;
  std::string_view line;
  do
    if (!lines_.next(line)) return false;
  while (trim(line).empty());
  check_json_depth(line, name(), lines_.line_number());
  Json object = Json::parse(line, nullptr, false);
  if (!object.is_object())
    throw bad_input("a line must be one JSON object").at(name(), lines_.line_number());
  fields.clear();
  for (const auto& [key, value] : object.items())
    if (value.is_string())
      fields.push_back({key, value.get<std::string>(), false});
    else
      fields.push_back({key, json_text(value), true});
  return true;
}

}  // namespace minpair::suite
