#include "store/facts.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"

namespace minpair::store {

using Json = nlohmann::json;

std::string facts_json(const Facts& facts) { return json_text(Json(facts)); }

Facts parse_facts(std::string_view json, const std::string& file_for_messages) {
  Json object = Json::parse(json, nullptr, false);
  Facts facts;
  bool fine = object.is_object();
  for (auto at = object.begin(); fine && at != object.end(); ++at) {
    fine = at->is_string();
    if (fine) facts[at.key()] = at->get<std::string>();
  }
  if (!fine) throw bad_input("the facts of a run are not names with texts").at(file_for_messages);
  return facts;
}

}  // namespace minpair::store
