#pragma once
// The same items, written differently: CLAMS (appendix B) studies the effect of an initial
// capital, and models trained on running text expect a full stop. Ids stay, so that 'minpair
// compare' can pair the two preparations.

#include "suite/item.h"

namespace minpair::suite {

struct Preparation {
  bool capitalize = false;  // the first letter
  bool lower_first = false;
  bool period = false;  // at the end, where no punctuation stands
};

void prepare(const Preparation& preparation, Item& item);

}  // namespace minpair::suite
