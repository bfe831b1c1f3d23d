#pragma once
// What the processes of a run send each other.

#include <string>
#include <string_view>
#include <vector>

#include "query/query.h"

namespace minpair::engine {

enum class Say : char {
  ready = 'R',    // number of the model, identity: I have it
  batch = 'B',    // number, queries
  answers = 'A',  // number, answers
  next = 'N',     // this model is done
  failed = 'F'    // text
};

struct Message {
  Say say = Say::next;
  uint64_t number = 0;
  std::string_view rest;
};

std::string message(Say say, uint64_t number, std::string_view rest = {});
Message parse_message(std::string_view bytes);  // refers to the bytes

// Other processes do not have the reducers: they are asked for the logits, and what comes back is
// reduced here.
std::string queries_text(const std::vector<query::Query>& queries);
std::vector<query::Query> parse_queries(std::string_view bytes);
std::string answers_text(const std::vector<query::Answer>& answers);
// `queries` as they were before they became text.
std::vector<query::Answer> parse_answers(std::string_view bytes,
                                         const std::vector<query::Query>& queries);

}  // namespace minpair::engine
