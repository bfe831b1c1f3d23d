#pragma once
// Finds the BLAS library, which decides the speed of training. libtorch uses the one that the
// system names libblas.so.3: on Debian the reference BLAS, ten times slower than OpenBLAS, unless
// another is installed.

#include <string>
#include <vector>

namespace minpair::train {

struct Blas {
  std::string name;        // "OpenBLAS", "reference BLAS", "BLAS"
  std::string file;        // "libopenblasp-r0.3.21.so"; empty when none was found
  bool reference = false;  // the slow one
  double gigaflops = 0;    // of one thread; 0: not measured
};

// Which of these libraries is the BLAS. Symbolic links must be resolved.
Blas blas_among(const std::vector<std::string>& loaded_libraries);
// The BLAS of this program, timed with one product.
Blas measured_blas();

// "OpenBLAS (libopenblas.so.0): 61 GFLOP/s with one thread", and what to do when it is slow.
std::string blas_text(const Blas& blas);

// Sets the threads of libtorch and of the BLAS, which has a setting of its own.
void set_threads(int threads);

}  // namespace minpair::train
