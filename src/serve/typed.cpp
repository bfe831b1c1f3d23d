#include "serve/typed.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"

namespace minpair::serve {
namespace {

using json = nlohmann::ordered_json;

constexpr size_t kTexts = 10, kTextLength = 1000, kTop = 50;

}  // namespace

Typed parse_typed(const std::string& body, size_t models) {
  Typed asked;
  json j = json::parse(body, [](int depth, json::parse_event_t, json&) {
    if (depth > 8) throw bad_input("the body is nested too deeply");
    return true;
  });
  for (const json& m : j.at("models"))
    if (!m.is_number_unsigned()) throw bad_input("models are named by their numbers, from 0");
  asked.models = j.at("models").get<std::vector<size_t>>();
  asked.texts = j.at("texts").get<std::vector<std::string>>();
  asked.method = j.value("method", "");
  if (auto top = j.find("top"); top != j.end()) {
    if (!top->is_number_unsigned()) throw bad_input("'top' is a count");
    asked.top = top->get<size_t>();
  }
  if (asked.models.empty() || asked.models.size() > 2) throw bad_input("choose one model or two");
  for (size_t m : asked.models)
    if (m >= models) throw bad_input("there is no such model");
  if (asked.texts.empty() || asked.texts.size() > kTexts)
    throw bad_input(fmt::format("type 1 to {} sentences", kTexts));
  for (const std::string& text : asked.texts)
    if (trim(text).empty() || count_characters(text) > kTextLength)
      throw bad_input(fmt::format("a sentence has 1 to {} characters", kTextLength));
  if (asked.top < 1 || asked.top > kTop)
    throw bad_input(fmt::format("'top' is from 1 to {}", kTop));
  return asked;
}

}  // namespace minpair::serve
