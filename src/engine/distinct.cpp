#include "engine/distinct.h"

#include <algorithm>
#include <compare>

#include "base/bytes.h"
#include "base/error.h"

namespace minpair::engine {
namespace {

constexpr uint32_t kChanged = UINT32_MAX;

void take_request(std::string_view& from, Request& request, const query::Reducers& reducers) {
  request.place.item = take_number(from);
  request.place.method = uint32_t(take_number(from));
  request.place.query = uint32_t(take_number(from));
  take_asks(from, request.asks, reducers);
}

// Asks that differ only in their targets become one. One with and one without the sum over the
// vocabulary stay apart: whether a logit is the same bits in both is the model's business.
struct Slot {
  uint32_t position;
  size_t kind;
  Hash128 rest;
  auto operator<=>(const Slot&) const = default;
};

Hash128 rest_of(const query::What& what) {
  if (const auto* t = std::get_if<query::Targets>(&what)) return {0, t->normalized};
  if (const auto* r = std::get_if<query::Rank>(&what)) return {0, uint32_t(r->id)};
  if (const auto* b = std::get_if<query::Best>(&what)) return {0, b->k};
  if (const auto* c = std::get_if<query::Classes>(&what)) return c->reducer->identity();
  if (const auto* h = std::get_if<query::Hidden>(&what)) return {uint64_t(h->site), h->layer};
  if (std::holds_alternative<query::Lens>(what)) return query::identity({{}, {{0, what}}, {}});
  return {};
}

Slot slot_of(const query::Ask& ask) { return {ask.position, ask.what.index(), rest_of(ask.what)}; }

size_t place_of(const std::vector<query::Ask>& asks, const Slot& slot) {
  return size_t(
      std::lower_bound(asks.begin(), asks.end(), slot,
                       [](const query::Ask& a, const Slot& s) { return slot_of(a) < s; }) -
      asks.begin());
}

void add_asks(std::vector<query::Ask>& all, const std::vector<query::Ask>& more) {
  for (const query::Ask& ask : more) {
    Slot slot = slot_of(ask);
    size_t at = place_of(all, slot);
    const auto* targets = std::get_if<query::Targets>(&ask.what);
    if (at == all.size() || slot_of(all[at]) != slot) {
      query::What what = targets ? query::Targets{{}, targets->normalized} : ask.what;
      all.insert(all.begin() + ptrdiff_t(at), {ask.position, std::move(what)});
    }
    if (!targets) continue;
    std::vector<tokenizer::TokenId>& ids = std::get<query::Targets>(all[at].what).ids;
    for (tokenizer::TokenId t : targets->ids) {
      auto place = std::lower_bound(ids.begin(), ids.end(), t);
      if (place == ids.end() || *place != t) ids.insert(place, t);
    }
  }
}

query::Logits some_of(const query::Logits& answer, const std::vector<tokenizer::TokenId>& asked,
                      const std::vector<tokenizer::TokenId>& wanted) {
  query::Logits own{{}, answer.log_sum_exp};
  for (tokenizer::TokenId t : wanted) {
    auto place = std::lower_bound(asked.begin(), asked.end(), t);
    own.logits.push_back(answer.logits[size_t(place - asked.begin())]);
  }
  return own;
}

}  // namespace

void add_question(SortedRecords& to, const Place& place, const query::Query& query,
                  QueryOrder order) {
  std::string key, value;
  // By length; or, where prefixes are shared, as words in a dictionary: neighbours begin alike.
  append_key(key, order == QueryOrder::length ? query.ids.size() : 0, 4);
  for (tokenizer::TokenId id : query.ids) append_key(key, uint32_t(id), 4);
  // Behind the ids: a negative id, which no query has, and what makes it another query.
  if (!query.changes.empty()) {
    append_key(key, kChanged, 4);
    append_changes(key, query.changes);
  }
  append_number(value, place.item);
  append_number(value, place.method);
  append_number(value, place.query);
  append_asks(value, query.asks);
  to.add(key, value);
}

DistinctQueries::DistinctQueries(SortedRecords& questions, const query::Reducers& reducers)
    : questions_(questions), reducers_(reducers) {
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
  distinct.query.asks.clear();
  distinct.query.changes.clear();
  distinct.requests = {};
  for (size_t at = 4; at < key_.size(); at += 4) {
    uint32_t id = uint32_t(read_key(key_, at, 4));
    if (id == kChanged) {
      std::string_view changes = std::string_view(key_).substr(at + 4);
      distinct.query.changes = query::take_changes(changes);
      break;
    }
    distinct.query.ids.push_back(tokenizer::TokenId(id));
  }
  std::string key = key_;
  do {
    std::string_view record = value_;
    take_request(record, request_, reducers_);
    add_asks(distinct.query.asks, request_.asks);
    distinct.requests.records_ += value_;
    ++distinct.requests.count_;
    more_ = advance();
  } while (more_ && key_ == key);
  return true;
}

void Requests::each(const query::Reducers& reducers,
                    const std::function<void(const Request&)>& visit) const {
  Request request;
  for (std::string_view rest = records_; !rest.empty();) {
    take_request(rest, request, reducers);
    visit(request);
  }
}

query::Answer answer_for(const Request& request, const query::Query& query,
                         const query::Answer& answer) {
  query::Answer own;
  own.reserve(request.asks.size());
  for (const query::Ask& ask : request.asks) {
    size_t at = place_of(query.asks, slot_of(ask));
    if (const auto* targets = std::get_if<query::Targets>(&ask.what))
      own.push_back(some_of(logits_of(answer[at]),
                            std::get<query::Targets>(query.asks[at].what).ids, targets->ids));
    else
      own.push_back(answer[at]);
  }
  return own;
}

}  // namespace minpair::engine
