#pragma once
// Python pickles read as data. Nothing is ever executed: a call of a class or function in the
// pickle becomes an inert object that remembers the name and the arguments.
//
// Only the containers of Python's own library become what they are: collections.OrderedDict,
// defaultdict and Counter a dict, collections.deque a list, set() and frozenset() a set,
// _codecs.encode() and bytearray() bytes.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minpair::checkpoint::pickle {

struct Value;
using ValuePtr = std::shared_ptr<Value>;

struct Value {
  enum class Kind {
    none,
    boolean,
    integer,
    big_integer,  // does not fit 64 bits
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
  // string: UTF-8, or any bytes when Python 2 wrote it; bytes; global: "module.name"; big_integer:
  // two's complement, little end first.
  std::string text;
  std::vector<ValuePtr> items;  // list, tuple, set; object: the call's arguments, then what was
                                // appended to it
  // dict, in order, a repeated key's last entry counts; object: what was set in it.
  std::vector<std::pair<ValuePtr, ValuePtr>> entries;
  ValuePtr callable;  // object: what was called; persistent: its id
  ValuePtr state;     // object and dict: what BUILD gave it
};

struct Limits {
  uint64_t max_values = 1'000'000;
  uint64_t max_depth = 1000;       // nesting when walked; cycles are refused
  uint64_t max_walk = 50'000'000;  // values and 64-byte pieces of text that a walk over the result
                                   // meets when it follows shared values every time
};

// Reads one pickle (protocols 0 to 5) from the front of `bytes`; `used` gets its length. What comes
// back has no cycles and can be walked recursively. Allocations are bounded by a small multiple of
// bytes.size() and by the limits. Throws minpair::Error with the byte offset.
ValuePtr read(std::string_view bytes, const std::string& file_for_messages,
              uint64_t* used = nullptr, const Limits& limits = {});

// The value of a string key in a dict or in what was set in an object, or nullptr.
ValuePtr get(const Value& dict, std::string_view key);

}  // namespace minpair::checkpoint::pickle
