#pragma once
// Python pickles read as data. Nothing is ever executed: a call of a class or function in the
// pickle becomes an inert object that remembers the name and the arguments.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minpair::pickle {

struct Value;
using ValuePtr = std::shared_ptr<Value>;

struct Value {
  enum class Kind {
    none,
    boolean,
    integer,
    real,
    string,
    bytes,
    list,
    tuple,
    dict,
    set,
    global,
    object,
    persistent
  };
  Kind kind = Kind::none;
  bool boolean = false;
  int64_t integer = 0;
  double real = 0;
  std::string text;             // string, bytes; global: "module.name"
  std::vector<ValuePtr> items;  // list, tuple, set; object: the call's arguments
  std::vector<std::pair<ValuePtr, ValuePtr>> entries;  // dict (in order); object: set items
  ValuePtr callable;  // object: what was called; persistent: its id
  ValuePtr state;     // object: what BUILD gave it
};

struct Limits {
  uint64_t max_values = 50'000'000;
  uint64_t max_depth = 1000;  // nesting when walked; cycles are refused
};

// Reads one pickle (protocols 0 to 5) from the front of `bytes`; `used` gets its length.
// Allocations are bounded by a small multiple of bytes.size(). Throws minpair::Error with the byte
// offset.
ValuePtr read(std::string_view bytes, const std::string& file_for_messages,
              uint64_t* used = nullptr, const Limits& limits = {});

// The value of a string key in a dict, or nullptr.
ValuePtr get(const Value& dict, std::string_view key);

}  // namespace minpair::pickle
