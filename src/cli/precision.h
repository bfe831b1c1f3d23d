#pragma once
// The options by which a model is loaded, and what came of --precision.

#include <fmt/format.h>

#include "cli/cli.h"
#include "model/model.h"

namespace minpair::cli {

inline void add_precision(Arguments& app, model::LoadOptions& load) {
  app.add_option("--precision", load.precision,
                 "arithmetic of matrix products: fp32, fast (fp32 in two bf16 parts; quantised "
                 "weights: times 16-bit integers), bf16, or auto: fast for quantised weights and "
                 "where the processor has a matrix unit, else fp32. Only fp32, and fast for "
                 "quantised weights, give the same bytes on every machine")
      .shows_default();
}

inline void say_matrix_unit(const query::Model& model) {
  if (!model.info().matrix_unit.empty()) fmt::print(stderr, "{}\n", model.info().matrix_unit);
}

// How a model that one command loads is loaded.
inline void add_load_options(Arguments& app, model::LoadOptions& load) {
  app.add_option("--vocab", load.vocabulary, "the vocabulary of a recurrent model in a file");
  add_edge_options(app, load);
  app.add_option("--threads", load.threads, "how many threads; all by default").between(1, 1024);
  add_precision(app, load);
}

}  // namespace minpair::cli
