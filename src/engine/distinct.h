#pragma once
// Equal inputs, however often they are asked, become one query that asks everything wanted.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/sorted_records.h"
#include "query/bytes.h"

namespace minpair::engine {

// Where a query comes from: the item's number in this work, the method, and the query's number
// among the item's.
struct Place {
  uint64_t item = 0;
  uint32_t method = 0, query = 0;
};

struct Request {
  Place place;
  std::vector<query::Ask> asks;
};

// In the order of asking, as bytes: every item of a large suite may ask the same.
class Requests {
 public:
  size_t size() const { return count_; }
  void each(const query::Reducers& reducers,
            const std::function<void(const Request&)>& visit) const;

 private:
  friend class DistinctQueries;
  std::string records_;
  size_t count_ = 0;
};

struct DistinctQuery {
  query::Query query;
  Requests requests;
};

enum class QueryOrder { length, prefix };

void add_question(SortedRecords& to, const Place& place, const query::Query& query,
                  QueryOrder order = QueryOrder::length);

// Walks over sorted questions; one DistinctQuery at a time, shortest first.
class DistinctQueries {
 public:
  DistinctQueries(SortedRecords& questions, const query::Reducers& reducers);
  bool next(DistinctQuery& distinct);

 private:
  SortedRecords& questions_;
  const query::Reducers& reducers_;
  std::string key_, value_;  // the first record of the next query
  Request request_;          // only to keep its memory
  bool more_;
  bool advance();
};

// What was requested, out of the answer to the union of all asks.
query::Answer answer_for(const Request& request, const query::Query& query,
                         const query::Answer& answer);

}  // namespace minpair::engine
