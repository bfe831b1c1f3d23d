// What the processes of a run send each other: queries, and the answers to queries.

#include <cstdlib>

#include "base/error.h"
#include "engine/processes/messages.h"

using namespace minpair;

static std::vector<query::Query> queries_of(std::string_view bytes) {
  std::vector<query::Query> queries = engine::parse_queries(bytes);
  const std::string text = engine::queries_text(queries);
  if (engine::queries_text(engine::parse_queries(text)) != text) std::abort();
  return queries;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const engine::Message m = engine::parse_message(bytes);
    std::string_view rest = m.rest;
    if (m.say == engine::Say::batch) queries_of(rest);
    if (m.say == engine::Say::answers) {
      // The queries that are answered come first here, and say how long they are.
      const size_t length = size_t(std::min<uint64_t>(m.number, rest.size()));
      const std::vector<query::Query> queries = queries_of(rest.substr(0, length));
      const auto answers = engine::parse_answers(rest.substr(length), queries);
      if (engine::answers_text(answers) !=
          engine::answers_text(engine::parse_answers(engine::answers_text(answers), queries)))
        std::abort();
    }
  } catch (const Error&) {
  }
  return 0;
}
