#pragma once
// Small files of weights, made by hand.

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "checkpoint/checkpoint.h"
#include "support.h"

namespace minpair::checkpoint {

template <typename T>
std::string little_endian(T value) {
  std::string s(sizeof(T), '\0');
  std::memcpy(s.data(), &value, sizeof(T));
  return s;
}

template <typename T>
std::string numbers(std::initializer_list<T> values) {
  std::string s;
  for (T v : values) s += little_endian(v);
  return s;
}

inline std::string safetensors(const std::string& header, const std::string& data) {
  return little_endian<uint64_t>(header.size()) + header + data;
}

inline std::vector<float> floats(const TensorView& t) {
  std::vector<float> to(size_t(t.elements()));
  to_float(t, to.data());
  return to;
}

inline std::vector<float> floats(const Checkpoint& c, std::string_view name) {
  const TensorView* t = c.find(name);
  EXPECT_NE(t, nullptr) << name;
  return t ? floats(*t) : std::vector<float>();
}

// The message that opening `bytes` as a file of that name gives, or "no error".
inline std::string error_of(const std::string& bytes, const std::string& name) {
  testing::TemporaryFolder folder;
  write_file(folder / name, bytes);
  try {
    open_checkpoint(folder / name);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace minpair::checkpoint
