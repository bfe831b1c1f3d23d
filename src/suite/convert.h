#pragma once
// From any format to any other, item by item; every item is accounted for.

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "suite/formats/format.h"
#include "suite/prepare.h"

namespace minpair::suite {

struct Converted {
  struct Cell {
    std::string test, condition;
    uint64_t items = 0;
  };
  uint64_t written = 0;
  uint64_t prepared = 0;                     // of them: changed by the preparation
  std::vector<Cell> cells;                   // written items, in the order of their appearance
  std::map<std::string, uint64_t> left_out;  // the format cannot hold them, by reason
  std::map<std::string, uint64_t> no_items;  // in the source, but no items, by reason
};

// Does not commit: whoever made the writer does. `progress` is called now and then.
Converted convert_items(ItemStream& from, ItemWriter& to,
                        const std::function<void(uint64_t items)>& progress = {},
                        const Preparation& preparation = {});

}  // namespace minpair::suite
