// What one core reaches in a large matrix product of oneDNN, in fp32: multiplications and additions
// for each second of the processor, the best of some rounds.
//
//   bench_matrix [ROUNDS]

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <ctime>

#include "onednn_product.h"

int main(int argc, char** argv) {
  setenv("OMP_NUM_THREADS", "1", 1);
  minpair::OneDnnProduct product;
  product.run();
  double best = HUGE_VAL;
  for (int round = 0, rounds = argc > 1 ? std::atoi(argv[1]) : 5; round < rounds; ++round) {
    const std::clock_t begin = std::clock();
    product.run();
    best = std::min(best, double(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  fmt::print(R"({{"gflops": {:.2f}}})"
             "\n",
             minpair::OneDnnProduct::operations() / best / 1e9);
  return 0;
}
