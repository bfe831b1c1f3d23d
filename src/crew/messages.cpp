#include "crew/messages.h"

#include "base/error.h"
#include "plan/bytes.h"
#include "plan/sorted_records.h"
#include "plan/words.h"

namespace minpair {

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
  m.number = read_number(bytes);
  m.rest = bytes;
  return m;
}

std::string queries_text(const std::vector<Query>& queries) {
  std::string bytes;
  append_number(bytes, queries.size());
  for (const Query& q : queries) {
    append_number(bytes, q.ids.size());
    for (TokenId id : q.ids) append_number(bytes, uint32_t(id));
    append_reads(bytes, q.reads);
  }
  return bytes;
}

std::vector<Query> parse_queries(std::string_view bytes) {
  std::vector<Query> queries(read_number(bytes));
  for (Query& q : queries) {
    q.ids.resize(read_number(bytes));
    for (TokenId& id : q.ids) id = TokenId(uint32_t(read_number(bytes)));
    take_reads(bytes, q.reads);
  }
  return queries;
}

std::string answers_text(const std::vector<Answer>& answers) {
  std::string bytes;
  for (const Answer& answer : answers) append_answer(bytes, answer);
  return bytes;
}

std::vector<Answer> parse_answers(std::string_view bytes, const std::vector<Query>& queries) {
  std::vector<Answer> answers;
  for (const Query& query : queries) take_answer(bytes, answers.emplace_back(shaped_for(query)));
  if (!bytes.empty()) throw cannot("a message between the processes is too long");
  return answers;
}

}  // namespace minpair
