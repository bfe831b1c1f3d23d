#pragma once
// Numbers as bytes, in files and in messages. Taking throws where the bytes end too early.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/error.h"

namespace minpair::inline base {

// Seven bits to a byte: small numbers are short.
inline void append_number(std::string& to, uint64_t number) {
  while (number >= 0x80) {
    to.push_back(char(number | 0x80));
    number >>= 7;
  }
  to.push_back(char(number));
}

inline uint64_t take_number(std::string_view& from) {
  uint64_t number = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (from.empty()) throw bad_input("a number is cut off");
    uint8_t byte = uint8_t(from.front());
    from.remove_prefix(1);
    number |= uint64_t(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return number;
  }
  throw bad_input("a number is too long");
}

// How many things follow, each of at least `bytes` bytes: never more than there can be.
inline size_t take_count(std::string_view& from, size_t bytes = 1) {
  uint64_t count = take_number(from);
  if (count > from.size() / bytes) throw bad_input("a list is cut off");
  return size_t(count);
}

// As they are in memory.
template <class T>
void append_raw(std::string& to, T x) {
  to.append(reinterpret_cast<const char*>(&x), sizeof x);
}

template <class T>
T take_raw(std::string_view& from) {
  T x;
  if (from.size() < sizeof x) throw bad_input("a number is cut off");
  std::memcpy(&x, from.data(), sizeof x);
  from.remove_prefix(sizeof x);
  return x;
}

// Big-endian, so that bytes sort as numbers do.
inline void append_key(std::string& key, uint64_t number, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) key.push_back(char(number >> (8 * i)));
}

inline uint64_t read_key(std::string_view key, size_t at, int bytes) {
  uint64_t number = 0;
  for (int i = 0; i < bytes; ++i) number = number << 8 | uint8_t(key[at + size_t(i)]);
  return number;
}

}  // namespace minpair::inline base
