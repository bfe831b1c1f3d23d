#include "query/bytes.h"

#include <bit>

#include "base/bytes.h"
#include "base/error.h"

namespace minpair::query {
namespace {

using tokenizer::TokenId;

void append_id(std::string& to, TokenId id) { append_number(to, uint32_t(id)); }
TokenId take_id(std::string_view& from) { return TokenId(uint32_t(take_number(from))); }

void append_ids(std::string& to, const std::vector<TokenId>& ids) {
  append_number(to, ids.size());
  for (TokenId id : ids) append_id(to, id);
}

void take_ids(std::string_view& from, std::vector<TokenId>& ids) {
  ids.resize(take_count(from));
  for (TokenId& id : ids) id = take_id(from);
}

void append_floats(std::string& to, const std::vector<float>& values) {
  append_number(to, values.size());
  for (float x : values) append_raw(to, x);
}

std::vector<float> take_floats(std::string_view& from) {
  std::vector<float> values(take_count(from, sizeof(float)));
  for (float& x : values) x = take_raw<float>(from);
  return values;
}

void append_hash(std::string& to, const Hash128& hash) {
  append_raw(to, hash.high);
  append_raw(to, hash.low);
}

Hash128 take_hash(std::string_view& from) {
  uint64_t high = take_raw<uint64_t>(from);
  return {high, take_raw<uint64_t>(from)};
}

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

void append_what(std::string& to, const What& what) {
  std::visit(Overloaded{[&](const Targets& t) {
                          append_number(to, uint64_t{t.ids.size()} << 1 | (t.normalized ? 1 : 0));
                          for (TokenId id : t.ids) append_id(to, id);
                        },
                        [&](const Rank& r) { append_id(to, r.id); }, [](const Entropy&) {},
                        [&](const Best& b) { append_number(to, b.k); },
                        [&](const Classes& c) { append_hash(to, c.reducer->identity()); },
                        [&](const Hidden& h) {
                          append_number(to, uint64_t{h.layer} << 4 | uint64_t(h.site));
                        },
                        [&](const Lens& l) {
                          append_number(to, l.layer);
                          append_ids(to, l.ids);
                        }},
             what);
}

void take_targets(std::string_view& from, What& what) {
  // The list keeps its memory: this is read once for every question of every item.
  Targets& targets =
      std::holds_alternative<Targets>(what) ? std::get<Targets>(what) : what.emplace<Targets>();
  uint64_t count = take_number(from);
  if (count >> 1 > from.size()) throw bad_input("a list is cut off");
  targets.normalized = count & 1;
  targets.ids.resize(size_t(count >> 1));
  for (TokenId& id : targets.ids) id = take_id(from);
}

Site site_of(uint64_t number) {
  if (number >= kSites) throw bad_input("a query names what is in no model");
  return Site(number);
}

void take_what(std::string_view& from, uint64_t kind, What& what, const Reducers& reducers) {
  switch (kind) {
    case 0:
      return take_targets(from, what);
    case 1:
      what = Rank{take_id(from)};
      return;
    case 2:
      what = Entropy{};
      return;
    case 3:
      what = Best{uint32_t(take_number(from))};
      return;
    case 4:
      what = Classes{reducers.find(take_hash(from))};
      return;
    case 5: {
      uint64_t place = take_number(from);
      what = Hidden{uint16_t(place >> 4), site_of(place & 15)};
      return;
    }
    case 6: {
      Lens lens{uint16_t(take_number(from)), {}};
      take_ids(from, lens.ids);
      what = std::move(lens);
      return;
    }
  }
  throw bad_input("a query asks for what this minpair does not know");
}

void append_place(std::string& to, const Place& place) {
  append_number(to, uint64_t(place.site));
  append_number(to, place.layer);
  append_number(to, place.index);
  append_number(to, place.position);
}

Place take_place(std::string_view& from) {
  Place place;
  place.site = site_of(take_number(from));
  place.layer = uint16_t(take_number(from));
  place.index = uint32_t(take_number(from));
  place.position = uint32_t(take_number(from));
  return place;
}

}  // namespace

void Reducers::add(const Query& query) {
  for (const Ask& ask : query.asks)
    if (const auto* classes = std::get_if<Classes>(&ask.what))
      all_.emplace(classes->reducer->identity(), classes->reducer);
}

std::shared_ptr<const Reducer> Reducers::find(const Hash128& identity) const {
  auto found = all_.find(identity);
  if (found == all_.end()) throw bad_input("a query asks about words that nobody has");
  return found->second;
}

void append_asks(std::string& to, const std::vector<Ask>& asks) {
  append_number(to, asks.size());
  for (const Ask& ask : asks) {
    append_number(to, uint64_t{ask.position} << 3 | ask.what.index());
    append_what(to, ask.what);
  }
}

void take_asks(std::string_view& from, std::vector<Ask>& asks, const Reducers& reducers) {
  asks.resize(take_count(from));
  for (Ask& ask : asks) {
    uint64_t place = take_number(from);
    ask.position = uint32_t(place >> 3);
    take_what(from, place & 7, ask.what, reducers);
  }
}

void append_changes(std::string& to, const std::vector<Change>& changes) {
  append_number(to, changes.size());
  for (const Change& change : changes) {
    append_place(to, change.at);
    append_number(to, change.how.index());
    std::visit(Overloaded{[&](const From& f) {
                            append_ids(to, f.ids);
                            append_number(to, f.positions.size());
                            for (uint32_t position : f.positions) append_number(to, position);
                          },
                          [](const Zero&) {}, [&](const Put& p) { append_floats(to, p.values); },
                          [&](const Add& a) {
                            append_floats(to, a.values);
                            append_raw(to, a.by);
                          }},
               change.how);
  }
}

std::vector<Change> take_changes(std::string_view& from) {
  std::vector<Change> changes(take_count(from));
  for (Change& change : changes) {
    change.at = take_place(from);
    switch (take_number(from)) {
      case 0: {
        From source;
        take_ids(from, source.ids);
        source.positions.resize(take_count(from));
        for (uint32_t& position : source.positions) position = uint32_t(take_number(from));
        change.how = std::move(source);
        break;
      }
      case 1:
        change.how = Zero{};
        break;
      case 2:
        change.how = Put{take_floats(from)};
        break;
      case 3: {
        std::vector<float> values = take_floats(from);
        change.how = Add{std::move(values), take_raw<float>(from)};
        break;
      }
      default:
        throw bad_input("a query changes in a way that this minpair does not know");
    }
  }
  return changes;
}

void append_query(std::string& to, const Query& query) {
  append_ids(to, query.ids);
  append_asks(to, query.asks);
  append_changes(to, query.changes);
}

Query take_query(std::string_view& from, const Reducers& reducers) {
  Query query;
  take_ids(from, query.ids);
  take_asks(from, query.asks, reducers);
  query.changes = take_changes(from);
  return query;
}

Hash128 identity(const Query& query) {
  std::string bytes;
  append_query(bytes, query);
  return hash128(bytes);
}

namespace {

// In the place of the sum, of a lens at a layer that answers nothing: no number has these bits.
constexpr uint64_t kNoLogits = 0x7ff86d696e706172;

}  // namespace

void append_answer(std::string& to, const Answer& answer) {
  for (const Record& record : answer)
    std::visit(Overloaded{[&](const Logits& l) {
                            const bool none = l.logits.empty() && l.log_sum_exp == 0;
                            append_raw(to,
                                       none ? kNoLogits : std::bit_cast<uint64_t>(l.log_sum_exp));
                            for (float logit : l.logits) append_raw(to, logit);
                          },
                          [&](const Ranked& r) { append_number(to, r.rank); },
                          [&](const Nats& n) { append_raw(to, n.entropy); },
                          [&](const BestTokens& b) {
                            append_number(to, b.tokens.size());
                            for (const BestTokens::Token& t : b.tokens) {
                              append_id(to, t.id);
                              append_raw(to, t.logprob);
                            }
                          },
                          [&](const ClassRecords& classes) {
                            append_number(to, classes.size());
                            for (const ClassRecord& c : classes) {
                              append_raw(to, c.figures[0]);
                              append_raw(to, c.figures[1]);
                              append_number(to, c.best.size());
                              for (const ClassRecord::Word& w : c.best) {
                                append_number(to, w.word);
                                append_raw(to, w.logprob);
                              }
                            }
                          },
                          [&](const State& s) { append_floats(to, s.values); }},
               record);
}

namespace {

Logits take_logits(std::string_view& from, size_t count) {
  Logits logits;
  const auto bits = take_raw<uint64_t>(from);
  if (bits == kNoLogits) return logits;
  logits.log_sum_exp = std::bit_cast<double>(bits);
  if (count > from.size() / sizeof(float)) throw bad_input("an answer is cut off");
  logits.logits.resize(count);
  for (float& logit : logits.logits) logit = take_raw<float>(from);
  return logits;
}

BestTokens take_best(std::string_view& from) {
  BestTokens best;
  best.tokens.resize(take_count(from, 1 + sizeof(double)));
  for (BestTokens::Token& t : best.tokens) {
    t.id = take_id(from);
    t.logprob = take_raw<double>(from);
  }
  return best;
}

ClassRecords take_classes(std::string_view& from) {
  ClassRecords classes(take_count(from, 2 * sizeof(float)));
  for (ClassRecord& c : classes) {
    c.figures[0] = take_raw<float>(from);
    c.figures[1] = take_raw<float>(from);
    c.best.resize(take_count(from, 1 + sizeof(float)));
    for (ClassRecord::Word& w : c.best) {
      w.word = uint32_t(take_number(from));
      w.logprob = take_raw<float>(from);
    }
  }
  return classes;
}

State take_state(std::string_view& from) { return {take_floats(from)}; }

}  // namespace

Answer take_answer(std::string_view& from, const std::vector<Ask>& asks) {
  Answer answer;
  answer.reserve(asks.size());
  for (const Ask& ask : asks)
    answer.push_back(std::visit(
        Overloaded{[&](const Targets& t) -> Record { return take_logits(from, t.ids.size()); },
                   [&](const Rank&) -> Record { return Ranked{uint32_t(take_number(from))}; },
                   [&](const Entropy&) -> Record { return Nats{take_raw<double>(from)}; },
                   [&](const Best&) -> Record { return take_best(from); },
                   [&](const Classes&) -> Record { return take_classes(from); },
                   [&](const Hidden&) -> Record { return take_state(from); },
                   [&](const Lens& l) -> Record { return take_logits(from, l.ids.size()); }},
        ask.what));
  return answer;
}

}  // namespace minpair::query
