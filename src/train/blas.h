#pragma once
// The library that multiplies matrices, on which the speed of training hangs. libtorch takes the
// one that the system names libblas.so.3; on Debian that is the reference BLAS, ten times slower
// than OpenBLAS, unless another is installed.

#include <string>
#include <vector>

namespace minpair::train {

struct Blas {
  std::string name;        // "OpenBLAS", "reference BLAS", "BLAS"
  std::string file;        // "libopenblasp-r0.3.21.so"; empty when none was found
  bool reference = false;  // the slow one
  double gigaflops = 0;    // of one thread, 0: not measured
};

// Which of these libraries is the BLAS. Symbolic links must be resolved.
Blas blas_among(const std::vector<std::string>& loaded_libraries);
// Of this program, with a product to measure it.
Blas measured_blas();

// "OpenBLAS (libopenblas.so.0): 61 GFLOP/s with one thread", and what to do when it is slow.
std::string blas_text(const Blas& blas);

// Of libtorch and of the BLAS, which has its own.
void set_threads(int threads);

}  // namespace minpair::train
