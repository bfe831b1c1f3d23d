#pragma once

#include <cstddef>

namespace minpair::nn {

// How many blocks of a size hold so many, and how many these then hold.
constexpr size_t blocks(size_t count, size_t size) { return (count + size - 1) / size; }
constexpr size_t round_up(size_t count, size_t size) { return blocks(count, size) * size; }

}  // namespace minpair::nn
