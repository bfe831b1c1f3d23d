#include "engine/processes/messages.h"

#include "base/bytes.h"
#include "base/error.h"
#include "query/bytes.h"

namespace minpair::engine {

std::string message(Say say, uint64_t number, std::string_view rest) {
  std::string bytes(1, char(say));
  append_number(bytes, number);
  bytes += rest;
  return bytes;
}

Message parse_message(std::string_view bytes) {
  if (bytes.empty()) throw cannot("a message between the processes is empty");
  Message m;
  m.say = Say(bytes.front());
  bytes.remove_prefix(1);
  m.number = take_number(bytes);
  m.rest = bytes;
  return m;
}

namespace {

std::vector<query::Ask> without_reducers(std::vector<query::Ask> asks) {
  for (query::Ask& ask : asks)
    if (const auto* classes = std::get_if<query::Classes>(&ask.what)) {
      std::span<const tokenizer::TokenId> ids = classes->reducer->ids();
      ask.what = query::Targets{{ids.begin(), ids.end()}, false};
    }
  return asks;
}

}  // namespace

std::string queries_text(const std::vector<query::Query>& queries) {
  std::string bytes;
  append_number(bytes, queries.size());
  for (const query::Query& q : queries)
    query::append_query(bytes, {q.ids, without_reducers(q.asks), q.changes});
  return bytes;
}

std::vector<query::Query> parse_queries(std::string_view bytes) {
  std::vector<query::Query> queries(take_count(bytes));
  for (query::Query& q : queries) q = query::take_query(bytes, {});
  return queries;
}

std::string answers_text(const std::vector<query::Answer>& answers) {
  std::string bytes;
  for (const query::Answer& answer : answers) query::append_answer(bytes, answer);
  return bytes;
}

std::vector<query::Answer> parse_answers(std::string_view bytes,
                                         const std::vector<query::Query>& queries) {
  std::vector<query::Answer> answers;
  for (const query::Query& query : queries) {
    query::Answer& answer =
        answers.emplace_back(query::take_answer(bytes, without_reducers(query.asks)));
    for (size_t i = 0; i < answer.size(); ++i)
      if (const auto* classes = std::get_if<query::Classes>(&query.asks[i].what))
        answer[i] = classes->reducer->reduce(logits_of(answer[i]).logits);
  }
  if (!bytes.empty()) throw cannot("a message between the processes is too long");
  return answers;
}

}  // namespace minpair::engine
