#pragma once
// Scores that authors released with their data become a run like any other.

#include <map>
#include <string>

#include "store/store.h"

namespace minpair::engine {

struct Released {
  std::map<std::string, uint64_t> items;     // by model
  std::map<std::string, uint64_t> no_items;  // lines of the source that are none, by reason
};

// `format` is the name of the format the items come from; it says what the scores are: "gevalm"
// means `ce`, "bert-syntax" means `masked`. The model's name comes from the file or folder, unless
// given. Everything is stored in one transaction.
Released store_released(store::Store& store, suite::ItemStream& items, const std::string& format,
                        const suite::Manifest& manifest, const std::string& model = "");

// The manifest with what the paper printed, for formats that have one; else one with only the name.
suite::Manifest published_manifest(const std::string& format);

}  // namespace minpair::engine
