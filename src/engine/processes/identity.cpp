#include "engine/processes/identity.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"
#include "engine/processes/messages.h"
#include "method/text.h"

namespace minpair::engine {

std::string identity_of(query::Model& model) {
  query::Query query{method::encoded({"The cat sleeps ."}, model.tokenizer(), {}).ids, {}, {}};
  for (size_t i = 0; i < query.ids.size(); ++i)
    query.asks.push_back({uint32_t(i), query::Targets{{query.ids[i]}}});
  std::string answer = hex_of(hash128(answers_text(model.answer({&query, 1}))));
  const query::ModelInfo& info = model.info();
  return fmt::format("{}\n{}\n{}\n{}", info.precision, info.fingerprint,
                     model.tokenizer().fingerprint(), answer);
}

std::string difference(const std::string& ours, const std::string& theirs) {
  std::vector<std::string_view> a = split(ours, '\n'), b = split(theirs, '\n');
  if (a.size() != 4 || b.size() != 4) return "another version of minpair";
  if (a[0] != b[0]) return fmt::format("it computes in {}, the first process in {}", b[0], a[0]);
  if (a[1] != b[1]) return "its model has different weights";
  if (a[2] != b[2]) return "its tokenizer is different";
  if (a[3] != b[3]) return "its processor rounds differently";
  return "";
}

}  // namespace minpair::engine
