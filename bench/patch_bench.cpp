// What a sweep of changes costs: the stream at one position changed in every layer, against as many
// full passes. Of the processor's time, which a busy machine does not change.
//
//   bench_patch MODEL [ITEMS] [TOKENS] [THREADS]

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "base/random.h"
#include "engine/batch_limit.h"
#include "model/model.h"

namespace minpair {
namespace {

using Ids = std::vector<tokenizer::TokenId>;

double seconds(query::Model& model, const std::vector<query::Query>& queries) {
  const std::clock_t begin = std::clock();
  for (size_t at = 0; at < queries.size();) {
    const std::span rest = std::span(queries).subspan(at);
    engine::BatchLimit limit(model.info());
    size_t count = 0;
    while (count < rest.size() && limit.fits(rest[count], rest[count].ids.size())) ++count;
    model.answer(rest.first(count));
    at += count;
  }
  return double(std::clock() - begin) / CLOCKS_PER_SEC;
}

int run(int argc, char** argv) {
  if (argc < 2) return fmt::print(stderr, "bench_patch MODEL [ITEMS] [TOKENS] [THREADS]\n"), 2;
  const size_t items = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 12;
  const size_t tokens = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 12;
  auto model = model::load_model(argv[1], {.threads = argc > 4 ? std::atoi(argv[4]) : 0});
  Random random(1);
  const auto layers = uint16_t(model->info().layers);
  for (const uint32_t position : {uint32_t(1), uint32_t(tokens - 3)}) {
    std::vector<query::Query> plain, sweep;
    for (size_t i = 0; i < items; ++i) {
      Ids here(tokens), there(tokens);
      for (Ids* ids : {&here, &there})
        for (tokenizer::TokenId& id : *ids)
          id = tokenizer::TokenId(random.below(model->info().vocabulary));
      auto ask = [&](const Ids& ids, std::vector<query::Change> changes = {}) {
        return query::Query{
            ids, {{uint32_t(tokens - 3), query::Targets{{5, 6}, false}}}, std::move(changes)};
      };
      for (const Ids* ids : {&here, &there}) plain.push_back(ask(*ids)), sweep.push_back(ask(*ids));
      for (uint16_t l = 0; l <= layers; ++l) {
        plain.push_back(ask(here));
        sweep.push_back(
            ask(here, {{{query::Site::residual, l, 0, position}, query::From{there, {position}}}}));
      }
    }
    // Causal models would compute equal ones once.
    for (size_t i = 0; i < plain.size(); ++i)
      plain[i].ids[0] = tokenizer::TokenId(i % model->info().vocabulary);
    double best_plain = HUGE_VAL, best_sweep = HUGE_VAL;
    for (int round = 0; round < 3; ++round) {
      best_plain = std::min(best_plain, seconds(*model, plain));
      best_sweep = std::min(best_sweep, seconds(*model, sweep));
    }
    fmt::print(
        "position {} of {}: {} full passes {:.3f} s; the sweep, {} items × {} layers, with "
        "both inputs unchanged {:.3f} s: {:.2f}\n",
        position, tokens, plain.size(), best_plain, items, layers + 1, best_sweep,
        best_sweep / best_plain);
  }
  return 0;
}

}  // namespace
}  // namespace minpair

int main(int argc, char** argv) { return minpair::run(argc, argv); }
