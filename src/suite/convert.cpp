#include "suite/convert.h"

#include <unordered_map>

namespace minpair::suite {

Converted convert_items(ItemStream& from, ItemWriter& to,
                        const std::function<void(uint64_t items)>& progress,
                        const Preparation& preparation) {
  Converted done;
  std::unordered_map<std::string, size_t> places;
  std::string key;
  uint64_t seen = 0;
  for (Item item; from.next(item);) {
    if (progress && ++seen % 1024 == 0) progress(seen);
    const bool asked = preparation.capitalize || preparation.lower_first || preparation.period;
    Item before;
    if (asked) before = item;
    prepare(preparation, item);
    const bool changed = asked && item != before;
    if (std::string why = to.write(item); !why.empty()) {
      ++done.left_out[why];
      continue;
    }
    key.assign(item.test).append(1, '\0').append(item.condition);
    auto [place, is_new] = places.try_emplace(key, done.cells.size());
    if (is_new) done.cells.push_back({item.test, item.condition, 0});
    ++done.cells[place->second].items;
    ++done.written;
    done.prepared += changed;
  }
  done.no_items = from.skipped();
  return done;
}

}  // namespace minpair::suite
