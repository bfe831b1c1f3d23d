#pragma once
// Queries and answers as bytes: in sorted records, in the journal, between processes. Bytes carry
// the identity of a reducer, not what it does: the reader provides the reducers.

#include <map>
#include <string>
#include <string_view>

#include "query/query.h"

namespace minpair::query {

class Reducers {
 public:
  void add(const Query& query);                                        // those that it asks for
  std::shared_ptr<const Reducer> find(const Hash128& identity) const;  // throws

 private:
  std::map<Hash128, std::shared_ptr<const Reducer>> all_;
};

void append_asks(std::string& to, const std::vector<Ask>& asks);
void take_asks(std::string_view& from, std::vector<Ask>& asks, const Reducers& reducers);
void append_changes(std::string& to, const std::vector<Change>& changes);
std::vector<Change> take_changes(std::string_view& from);
void append_query(std::string& to, const Query& query);
Query take_query(std::string_view& from, const Reducers& reducers);

// Stable across machines and versions, like the bytes.
Hash128 identity(const Query& query);

// The kinds and sizes of records are not written where the asks tell them.
void append_answer(std::string& to, const Answer& answer);
Answer take_answer(std::string_view& from, const std::vector<Ask>& asks);

}  // namespace minpair::query
