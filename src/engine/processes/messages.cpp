#include "engine/processes/messages.h"

#include "base/error.h"
#include "engine/bytes.h"
#include "base/bytes.h"
#include "engine/words.h"

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

std::string queries_text(const std::vector<query::Query>& queries) {
  std::string bytes;
  append_number(bytes, queries.size());
  for (const query::Query& q : queries) {
    append_number(bytes, q.ids.size());
    for (tokenizer::TokenId id : q.ids) append_number(bytes, uint32_t(id));
    append_reads(bytes, q.reads);
  }
  return bytes;
}

std::vector<query::Query> parse_queries(std::string_view bytes) {
  std::vector<query::Query> queries(take_number(bytes));
  for (query::Query& q : queries) {
    q.ids.resize(take_number(bytes));
    for (tokenizer::TokenId& id : q.ids) id = tokenizer::TokenId(uint32_t(take_number(bytes)));
    take_reads(bytes, q.reads);
  }
  return queries;
}

std::string answers_text(const std::vector<query::Answer>& answers) {
  std::string bytes;
  for (const query::Answer& answer : answers) append_answer(bytes, answer);
  return bytes;
}

std::vector<query::Answer> parse_answers(std::string_view bytes,
                                         const std::vector<query::Query>& queries) {
  std::vector<query::Answer> answers;
  for (const query::Query& query : queries)
    take_answer(bytes, answers.emplace_back(shaped_for(query)));
  if (!bytes.empty()) throw cannot("a message between the processes is too long");
  return answers;
}

}  // namespace minpair::engine
