// What a sentence costs with weights as they are stored: sentences of so many tokens, one at a
// time, every token scored against the whole vocabulary. Of the processor's time, which a busy
// machine changes least; the best of some rounds.
//
//   bench_stored MODEL.gguf [TOKENS] [ROUNDS] [THREADS] [PRECISION]

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "base/random.h"
#include "model/model.h"

namespace minpair {
namespace {

int run(int argc, char** argv) {
  if (argc < 2)
    return fmt::print(stderr, "bench_stored MODEL.gguf [TOKENS] [ROUNDS] [THREADS] [PRECISION]\n"),
           2;
  const auto tokens = argc > 2 ? uint32_t(std::strtoul(argv[2], nullptr, 10)) : 19;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 3;
  auto model = model::load_model(argv[1], {.threads = argc > 4 ? std::atoi(argv[4]) : 1,
                                           .precision = argc > 5 ? argv[5] : "fp32"});
  Random random(1);
  double best = HUGE_VAL, sum = 0;
  for (int round = 0; round <= rounds; ++round) {  // the first only brings the file into memory
    query::Query query;
    for (uint32_t i = 0; i < tokens; ++i) {
      query.ids.push_back(tokenizer::TokenId(random.below(model->info().vocabulary)));
      if (i > 0) query.asks.push_back({i - 1, query::Targets{{query.ids[i]}}});
    }
    const std::clock_t begin = std::clock();
    const query::Answer answer = model->answer({&query, 1})[0];
    const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
    if (round > 0) best = std::min(best, seconds);
    for (const auto& at : answer) sum += query::logits_of(at).logprob();
  }
  fmt::print(
      R"({{"tokens": {}, "seconds": {:.4f}, "tokens_per_second": {:.2f}, "logprobs": {:.9g}}})"
      "\n",
      tokens, best, tokens / best, sum);
  return 0;
}

}  // namespace
}  // namespace minpair

int main(int argc, char** argv) { return minpair::run(argc, argv); }
