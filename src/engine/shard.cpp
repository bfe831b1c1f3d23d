#include "engine/split.h"

#include <fmt/format.h>

#include <charconv>
#include <unordered_map>

#include "base/error.h"
#include "engine/cost.h"

namespace minpair::engine {
namespace {

bool whole_number(std::string_view text, uint32_t& to) {
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), to);
  return failed == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

Shard parse_shard(const std::string& text) {
  size_t slash = text.find('/');
  Shard shard;
  std::string_view all = text;
  if (slash == std::string::npos || !whole_number(all.substr(0, slash), shard.number) ||
      !whole_number(all.substr(slash + 1), shard.of) || shard.number < 1 || shard.number > shard.of)
    throw wrong_call(fmt::format("'{}' is not a shard", text))
        .hint("the third of eight is --shard 3/8");
  return shard;
}

std::string shard_text(const Shard& shard) { return fmt::format("{}/{}", shard.number, shard.of); }

std::vector<bool> items_of(const Shard& shard, SortedRecords& questions,
                           const query::Reducers& reducers, uint64_t items, QueryOrder order) {
  // An item stands where its first query is; a query that several ask costs the first of them.
  std::vector<uint32_t> in_order, cost(items, 0);
  std::vector<bool> placed(items, false);
  std::vector<uint64_t> asked(items, 0);  // names the queries of an item
  uint64_t total = 0;
  Cost tokens(order);
  DistinctQueries all(questions, reducers);
  uint64_t number = 0;
  for (DistinctQuery d; all.next(d); ++number) {
    uint64_t own = tokens.of(d.query);
    total += own;
    bool first = true;
    d.requests.each(reducers, [&](const Request& request) {
      const uint64_t item = request.place.item;
      if (first) cost[item] += uint32_t(own);
      first = false;
      const uint64_t names[] = {asked[item], number};
      asked[item] = hash128({reinterpret_cast<const char*>(names), sizeof names}).low;
      if (placed[item]) return;
      placed[item] = true;
      in_order.push_back(uint32_t(item));
    });
  }
  std::vector<bool> ours(items, false);
  for (uint64_t i = 0; i < items; ++i) ours[i] = !placed[i] && shard.number == 1;
  uint64_t before = 0;
  std::unordered_map<uint64_t, uint64_t> owners;  // by what is asked: equal items stay together
  for (uint32_t item : in_order) {
    uint64_t middle = 2 * before + cost[item];
    before += cost[item];
    uint64_t owner =
        total == 0 ? 0 : std::min<uint64_t>(middle * shard.of / (2 * total), shard.of - 1);
    owner = owners.try_emplace(asked[item], owner).first->second;
    if (owner + 1 == shard.number) ours[item] = true;
  }
  return ours;
}

}  // namespace minpair::engine
