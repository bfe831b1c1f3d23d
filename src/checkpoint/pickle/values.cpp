#include "checkpoint/pickle/values.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace minpair::checkpoint::pickle {

namespace {

// What the walk has learnt about a value.
struct Visit {
  enum : uint8_t { unseen, open, done } stage = unseen;
  uint32_t depth = 0;
  uint64_t walk = 0;
};

size_t child_count(const Value& v) { return v.items.size() + 2 * v.entries.size() + 2; }

const Value* child(const Value& v, size_t i) {
  if (i < v.items.size()) return v.items[i].get();
  i -= v.items.size();
  if (i < 2 * v.entries.size())
    return (i % 2 ? v.entries[i / 2].second : v.entries[i / 2].first).get();
  return (i - 2 * v.entries.size() == 0 ? v.callable : v.state).get();
}

bool leaf(const Value& v) {
  return v.items.empty() && v.entries.empty() && !v.callable && !v.state;
}

uint64_t own_walk(const Value& v) { return 1 + v.text.size() / 64; }

uint64_t saturating_add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

// Walks without recursion. A value with children is found in `visits` by its `integer`, which such
// values do not use otherwise.
class Walk {
 public:
  Walk(std::vector<Visit>& visits, const Limits& limits) : visits_(visits), limits_(limits) {}

  void from(const Value& start) {
    if (leaf(start) || visit(start).stage == Visit::done) return;
    open(start);
    while (!path_.empty()) {
      auto& [value, next] = path_.back();
      if (next < child_count(*value)) {
        if (const Value* c = child(*value, next++)) enter(*c);
      } else {
        close();
      }
    }
  }

 private:
  Visit& visit(const Value& v) { return visits_[size_t(v.integer)]; }

  void open(const Value& v) {
    if (path_.size() >= limits_.max_depth)
      throw bad_input(fmt::format("values are nested more than {} deep", limits_.max_depth));
    visit(v) = {Visit::open, 1, own_walk(v)};
    path_.emplace_back(&v, 0);
  }

  void enter(const Value& c) {
    if (leaf(c)) return count(*path_.back().first, 1, own_walk(c));
    Visit& seen = visit(c);
    if (seen.stage == Visit::open) throw bad_input("a value contains itself");
    if (seen.stage == Visit::done) return count(*path_.back().first, seen.depth, seen.walk);
    open(c);
  }

  void close() {
    Visit& closed = visit(*path_.back().first);
    closed.stage = Visit::done;
    path_.pop_back();
    if (!path_.empty()) count(*path_.back().first, closed.depth, closed.walk);
  }

  void count(const Value& parent, uint32_t depth, uint64_t walk) {
    Visit& p = visit(parent);
    p.depth = std::max(p.depth, depth + 1);
    if (p.depth > limits_.max_depth)
      throw bad_input(fmt::format("values are nested more than {} deep", limits_.max_depth));
    p.walk = saturating_add(p.walk, walk);
  }

  std::vector<Visit>& visits_;
  const Limits& limits_;
  std::vector<std::pair<const Value*, size_t>> path_;
};

}  // namespace

Arena::~Arena() {
  if (released_) return;
  // Everything is still held by all_, so nothing is destroyed while links are cut.
  for (const ValuePtr& v : all_) {
    v->items.clear();
    v->entries.clear();
    v->callable.reset();
    v->state.reset();
  }
}

ValuePtr Arena::make(Value::Kind kind) {
  if (all_.size() >= max_values_)
    throw bad_input(fmt::format("the pickle makes more than {} values", max_values_));
  auto v = std::make_shared<Value>();
  v->kind = kind;
  all_.push_back(v);
  return v;
}

void Arena::check(const Value& root, const Limits& limits) {
  std::vector<Visit> visits;
  for (const ValuePtr& v : all_)
    if (!leaf(*v)) {
      v->integer = int64_t(visits.size());
      visits.emplace_back();
    }
  Walk walk(visits, limits);
  for (const ValuePtr& v : all_) walk.from(*v);
  if (!leaf(root) && visits[size_t(root.integer)].walk > limits.max_walk)
    throw bad_input("values share each other so often that nobody could walk over them all");
  for (const ValuePtr& v : all_)
    if (!leaf(*v)) v->integer = 0;
}

ValuePtr none() {
  static const ValuePtr value = std::make_shared<Value>();
  return value;
}

ValuePtr boolean(bool value) {
  auto make = [](bool b) {
    auto v = std::make_shared<Value>();
    v->kind = Value::Kind::boolean;
    v->boolean = b;
    return v;
  };
  static const ValuePtr no = make(false), yes = make(true);
  return value ? yes : no;
}

}  // namespace minpair::checkpoint::pickle
