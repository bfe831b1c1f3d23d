#include "crew/messages.h"

#include <cstring>

#include "base/error.h"
#include "plan/sorted_records.h"

namespace minpair {
namespace {

template <class T>
T take(std::string_view& from) {
  T x;
  if (from.size() < sizeof x) throw cannot("a message between the processes is cut off");
  std::memcpy(&x, from.data(), sizeof x);
  from.remove_prefix(sizeof x);
  return x;
}

}  // namespace

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
    append_number(bytes, q.reads.size());
    for (const Read& r : q.reads) {
      append_number(bytes, uint64_t{r.position} << 1 | (r.normalized ? 1 : 0));
      append_number(bytes, r.targets.size());
      for (TokenId t : r.targets) append_number(bytes, uint32_t(t));
    }
  }
  return bytes;
}

std::vector<Query> parse_queries(std::string_view bytes) {
  std::vector<Query> queries(read_number(bytes));
  for (Query& q : queries) {
    q.ids.resize(read_number(bytes));
    for (TokenId& id : q.ids) id = TokenId(uint32_t(read_number(bytes)));
    q.reads.resize(read_number(bytes));
    for (Read& r : q.reads) {
      uint64_t place = read_number(bytes);
      r.position = uint32_t(place >> 1);
      r.normalized = place & 1;
      r.targets.resize(read_number(bytes));
      for (TokenId& t : r.targets) t = TokenId(uint32_t(read_number(bytes)));
    }
  }
  return queries;
}

std::string answers_text(const std::vector<Answer>& answers) {
  std::string bytes;
  for (const Answer& answer : answers)
    for (const ReadAnswer& read : answer) {
      append_raw(bytes, read.log_sum_exp);
      for (float logit : read.logits) append_raw(bytes, logit);
    }
  return bytes;
}

std::vector<Answer> parse_answers(std::string_view bytes, const std::vector<Query>& queries) {
  std::vector<Answer> answers(queries.size());
  for (size_t q = 0; q < queries.size(); ++q) {
    answers[q].resize(queries[q].reads.size());
    for (size_t r = 0; r < answers[q].size(); ++r) {
      answers[q][r].log_sum_exp = take<double>(bytes);
      answers[q][r].logits.resize(queries[q].reads[r].targets.size());
      for (float& logit : answers[q][r].logits) logit = take<float>(bytes);
    }
  }
  if (!bytes.empty()) throw cannot("a message between the processes is too long");
  return answers;
}

}  // namespace minpair
