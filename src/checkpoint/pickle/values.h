#pragma once
// Private to the room: who owns the values while a pickle is read, and the text forms of protocol
// 0.

#include "checkpoint/pickle/pickle.h"

namespace minpair::checkpoint::pickle {

// Owns every value made, so that cyclic or endlessly nested ones can be taken apart flat: neither a
// leak nor a recursion of destructors.
class Arena {
 public:
  explicit Arena(uint64_t max_values) : max_values_(max_values) {}
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  ValuePtr make(Value::Kind kind);  // throws when there are too many
  // Throws unless the values are acyclic, nested at most max_depth deep, and `root` is walked in at
  // most max_walk steps.
  void check(const Value& root, const Limits& limits);
  // From here on the values own each other; only after check().
  void release() { released_ = true; }

 private:
  uint64_t max_values_;
  std::vector<ValuePtr> all_;
  bool released_ = false;
};

ValuePtr none();
ValuePtr boolean(bool value);

// Each throws with a message that lacks the place.
void decimal(std::string_view digits, Value& into);  // integer or big_integer
void little_endian(std::string_view bytes, Value& into);
double real(std::string_view text);
std::string unquote(std::string_view repr);                 // 'it\'s' as Python 2 writes it
std::string raw_unicode_unescape(std::string_view latin1);  // to UTF-8
std::string to_latin1(std::string_view utf8);

}  // namespace minpair::checkpoint::pickle
