#pragma once
// A recurrent model of a few hundred weights, as PyTorch saved it.

#include "model/model.h"
#include "support.h"

namespace minpair::engine {

inline fs::path golden() { return testing::source_dir() / "tests/golden/recurrent"; }

inline std::unique_ptr<query::Model> lstm() {
  model::LoadOptions options;
  options.vocabulary = golden() / "vocab.txt";
  return model::load_model((golden() / "lstm0.pt").string(), options);
}

}  // namespace minpair::engine
