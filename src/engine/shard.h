#pragma once
// A suite split over machines that do not talk to each other. Every one of them plans the whole
// suite, and all come to the same split: items that ask alike stand side by side, so that little is
// computed twice, and the cuts are where the tokens are even.

#include <cstdint>
#include <string>

namespace minpair::engine {

struct Shard {
  uint32_t number = 1, of = 1;  // from 1
  bool whole() const { return of == 1; }
};

Shard parse_shard(const std::string& text);  // "3/8"
std::string shard_text(const Shard& shard);

}  // namespace minpair::engine
