#pragma once
// One way through a suite: what is selected is given out, and the content named.

#include <map>
#include <set>

#include "base/error.h"
#include "engine/plan.h"
#include "suite/filter.h"

namespace minpair::engine {

struct Pass {
  SuiteSource suite;
  Selection selection;
  std::string context;      // of sentences that have none
  std::vector<bool> shard;  // which of the selected items are ours; empty: all
  uint64_t all = 0, selected = 0;
  Fingerprint content;
  std::map<std::string, uint64_t> drawn_below;  // of --sample, by what it is for each of: items
                                                // with a smaller number are in it
  bool drawn = false;
  std::set<std::string> tests, conditions, languages;  // that there are
  suite::Filter filter{selection.where};

  void each(const EachItem& item_wanted, bool naming);

 private:
  bool wants(const suite::Item& item);
  uint64_t number(uint64_t ordinal) const;
  std::string drawn_for(const suite::Item& item) const;
  bool is_drawn(const suite::Item& item) const;
  void draw();
};

// Why nothing was, after a pass that named.
Error nothing_selected(const Pass& pass);

}  // namespace minpair::engine
