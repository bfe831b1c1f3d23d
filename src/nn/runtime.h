#pragma once
// The machine: which instructions, how many threads. Chosen here and nowhere else.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nn/matrix_unit.h"

namespace minpair::nn {

struct Kernels;
struct IntegerKernels;

// avx2 and avx512 give the same bits; generic (no fused multiply-add) differs in the last ones.
// avx512vnni is avx512 with instructions for products of whole numbers.
enum class Isa { generic, avx2, avx512, avx512vnni };

std::string_view name_of(Isa isa);
std::vector<Isa> available_isas();  // what this machine can run, best last

class Runtime {
 public:
  // Without arguments: $MINPAIR_THREADS and $MINPAIR_ISA, else every core and the best
  // instructions; products in fp32.
  explicit Runtime(int threads = 0, std::optional<Isa> isa = std::nullopt,
                   Arithmetic arithmetic = {});
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  int threads() const;
  Isa isa() const;
  const Kernels& kernels() const;
  const IntegerKernels& integers() const;
  const Arithmetic& arithmetic() const;

  // Runs work(unit, worker) for every unit in [0, units), in any order, on all threads; returns
  // when all are done. A result may depend on the unit, never on the worker.
  void parallel(size_t units, const std::function<void(size_t unit, int worker)>& work) const;

  // Memory of a worker's own, at least that many floats, aligned for every kernel. The next call
  // for the same worker may move it.
  float* scratch(int worker, size_t floats) const;

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
};

// Zeroed floats on a 64-byte boundary (large ones on huge pages).
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(size_t floats);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  float* data() { return data_; }
  const float* data() const { return data_; }
  float& operator[](size_t i) { return data_[i]; }
  float operator[](size_t i) const { return data_[i]; }
  size_t size() const { return size_; }
  // Contents are lost when it grows.
  void reserve(size_t floats);

 private:
  float* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace minpair::nn
