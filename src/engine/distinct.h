#pragma once
// Equal inputs, however often and by whomever asked, become one query that asks everything wanted.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/sorted_records.h"
#include "query/bytes.h"

namespace minpair::engine {

// Who asked: the item's number in this run, the method, the query's number among the item's.
struct Asker {
  uint64_t item = 0;
  uint32_t method = 0, query = 0;
  std::vector<query::Ask> asks;
};

// In the order of asking, as bytes: every item of a large suite may ask the same.
class Askers {
 public:
  size_t size() const { return count_; }
  void each(const query::Reducers& reducers, const std::function<void(const Asker&)>& visit) const;

 private:
  friend class DistinctQueries;
  std::string records_;
  size_t count_ = 0;
};

struct DistinctQuery {
  query::Query query;
  Askers askers;
};

enum class QueryOrder { length, prefix };

void add_question(SortedRecords& to, uint64_t item, size_t method, size_t index,
                  const query::Query& query, QueryOrder order = QueryOrder::length);

// Walks over sorted questions; one DistinctQuery at a time, shortest first.
class DistinctQueries {
 public:
  DistinctQueries(SortedRecords& questions, const query::Reducers& reducers);
  bool next(DistinctQuery& distinct);

 private:
  SortedRecords& questions_;
  const query::Reducers& reducers_;
  std::string key_, value_;  // the first record of the next query
  Asker asker_;              // only to keep its memory
  bool more_;
  bool advance();
};

// What `asker` wanted, out of the answer to the union of all asks.
query::Answer answer_for(const Asker& asker, const query::Query& query,
                         const query::Answer& answer);

}  // namespace minpair::engine
