#pragma once
// Designs from context-free rules: which sentences are those of one item.

#include <vector>

#include "stimuli/grammar/cfg_rules.h"
#include "stimuli/grammar/derivations.h"

namespace minpair::stimuli::cfg {

// `sentences`: each all sentences of one name. Those that share condition, cluster and features
// become sections of a design, in which equal ranks make an item: words at the same place of the
// same region belong together, and a region with nothing to choose goes with every choice. Throws
// where that is not so.
std::vector<Section> designs_of(const File& file, std::vector<Section> sentences,
                                Derivations& derivations);

}  // namespace minpair::stimuli::cfg
