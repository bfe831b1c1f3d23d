#include "serve/bench.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "engine/texts.h"
#include "introspect/typed.h"

namespace minpair::serve {
namespace {

using json = nlohmann::ordered_json;

}  // namespace

std::string bench_json(query::Model& model, const std::string& method,
                       const std::vector<std::string>& texts, size_t top) {
  json out{{"model", model.info().name}};
  try {
    std::vector<suite::Text> whole, gaps;
    for (const std::string& text : texts)
      (text.find("[MASK]") == text.npos ? whole : gaps).push_back({text});
    const auto predicted = engine::predictions(model, gaps, uint32_t(top));
    const method::Method& chosen = method::find_method(method, model.info());
    if (!whole.empty()) {
      engine::ScoredTexts scored = engine::score_texts(model, chosen, whole, {.words = true});
      engine::mark_differences(scored.texts);
      out = json::parse(engine::scored_json(model, chosen, scored, -1));
    }
    if (!gaps.empty()) out["predictions"] = json::parse(engine::predictions_json(predicted, -1));
  } catch (const Error& e) {
    out["error"] = e.message();
  }
  return json_text(out);
}

std::string looked_into_json(query::Model& model, const std::vector<std::string>& texts) {
  try {
    return introspect::inside_json(model, {texts[0], texts[1], texts.size() > 2 ? texts[2] : ""});
  } catch (const Error& e) {
    return json_text(json{{"model", model.info().name}, {"error", e.message()}});
  }
}

}  // namespace minpair::serve
