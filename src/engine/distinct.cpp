#include "engine/distinct.h"

#include <algorithm>
#include <tuple>

#include "base/bytes.h"
#include "base/error.h"
#include "engine/bytes.h"

namespace minpair::engine {
namespace {

void take_asker(std::string_view& from, Asker& asker) {
  asker.item = take_number(from);
  asker.method = uint32_t(take_number(from));
  asker.query = uint32_t(take_number(from));
  take_reads(from, asker.reads);
}

// A read with and one without the sum over the vocabulary stay apart: whether a logit is the same
// bits in both is the model's business. So do the reads about many words.
bool before(const query::Read& a, const query::Read& b) {
  return std::tie(a.position, a.normalized, a.words) < std::tie(b.position, b.normalized, b.words);
}

size_t place_of(const std::vector<query::Read>& reads, const query::Read& read) {
  return size_t(std::lower_bound(reads.begin(), reads.end(), read, before) - reads.begin());
}

void add_reads(std::vector<query::Read>& all, const std::vector<query::Read>& more) {
  for (const query::Read& read : more) {
    size_t at = place_of(all, read);
    if (at == all.size() || before(read, all[at]))
      all.insert(all.begin() + ptrdiff_t(at),
                 query::Read{read.position, {}, read.normalized, read.words});
    std::vector<tokenizer::TokenId>& targets = all[at].targets;
    for (tokenizer::TokenId t : read.targets) {
      auto place = std::lower_bound(targets.begin(), targets.end(), t);
      if (place == targets.end() || *place != t) targets.insert(place, t);
    }
  }
}

}  // namespace

void add_question(SortedRecords& to, uint64_t item, size_t method, size_t index,
                  const query::Query& query, QueryOrder order) {
  std::string key, value;
  // By length; or, where prefixes are shared, as words in a dictionary: neighbours begin alike.
  append_key(key, order == QueryOrder::length ? query.ids.size() : 0, 4);
  for (tokenizer::TokenId id : query.ids) append_key(key, uint32_t(id), 4);
  append_number(value, item);
  append_number(value, method);
  append_number(value, index);
  append_reads(value, query.reads);
  to.add(key, value);
}

DistinctQueries::DistinctQueries(SortedRecords& questions) : questions_(questions) {
  questions_.rewind();
  more_ = advance();
}

bool DistinctQueries::advance() {
  std::string_view key, value;
  if (!questions_.next(key, value)) return false;
  key_ = key;
  value_ = value;
  return true;
}

bool DistinctQueries::next(DistinctQuery& distinct) {
  if (!more_) return false;
  distinct.query.ids.clear();
  distinct.query.reads.clear();
  distinct.askers = {};
  for (size_t at = 4; at < key_.size(); at += 4)
    distinct.query.ids.push_back(tokenizer::TokenId(uint32_t(read_key(key_, at, 4))));
  std::string key = key_;
  do {
    std::string_view record = value_;
    take_asker(record, asker_);
    add_reads(distinct.query.reads, asker_.reads);
    distinct.askers.records_ += value_;
    ++distinct.askers.count_;
    more_ = advance();
  } while (more_ && key_ == key);
  return true;
}

void Askers::each(const std::function<void(const Asker&)>& visit) const {
  Asker asker;
  for (std::string_view rest = records_; !rest.empty();) {
    take_asker(rest, asker);
    visit(asker);
  }
}

query::Answer answer_for(const Asker& asker, const query::Query& query,
                         const query::Answer& answer) {
  query::Answer own;
  own.reserve(asker.reads.size());
  for (const query::Read& read : asker.reads) {
    size_t at = place_of(query.reads, read);
    if (read.words >= 0) {
      own.push_back(answer[at]);
      continue;
    }
    const std::vector<tokenizer::TokenId>& targets = query.reads[at].targets;
    query::ReadAnswer a;
    a.log_sum_exp = answer[at].log_sum_exp;
    for (tokenizer::TokenId t : read.targets) {
      auto place = std::lower_bound(targets.begin(), targets.end(), t);
      a.logits.push_back(answer[at].logits[size_t(place - targets.begin())]);
    }
    own.push_back(std::move(a));
  }
  return own;
}

}  // namespace minpair::engine
