#pragma once
// Memory that runs out at a chosen moment. It replaces operator new of the whole program: to be
// included by one file of it.

#include <cstdlib>
#include <new>

namespace minpair {

// Allocations of this thread that still succeed; below zero: all of them.
inline thread_local long allocations_left = -1;

// From its `allowed`-th allocation on, this thread gets no memory, until end().
class NoMemory {
 public:
  explicit NoMemory(long allowed) { allocations_left = allowed; }
  ~NoMemory() { end(); }
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;
  // Whether there was an allocation that failed.
  bool end() {
    ran_out_ = ran_out_ || allocations_left == 0;
    allocations_left = -1;
    return ran_out_;
  }

 private:
  bool ran_out_ = false;
};

inline void* allocate(size_t size, size_t alignment) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  size += (alignment - size % alignment) % alignment;
  if (void* memory = std::aligned_alloc(alignment, size ? size : alignment)) return memory;
  throw std::bad_alloc();
}

}  // namespace minpair

void* operator new(size_t size) { return minpair::allocate(size, alignof(std::max_align_t)); }
void* operator new(size_t size, std::align_val_t alignment) {
  return minpair::allocate(size, size_t(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
