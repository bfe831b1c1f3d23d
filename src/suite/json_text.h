#pragma once
// JSON as it is written in one go, millions of lines of it. (What is taken apart again is
// nlohmann's.)

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/error.h"

namespace minpair::suite {

void append_json_number(std::string& to, double number);  // the shortest that reads back

// Writes JSON from front to back, as fast as texts are copied; commas and colons are its own. What
// is complete, up to the last bracket, is in `to`.
//
//   JsonWriter json(line);
//   json.open('{').key("id").text("x1").key("locus").open('[').number(3).number(8).close(']');
//   json.close('}');
class JsonWriter {
 public:
  // `spaced`: as Python writes it.
  explicit JsonWriter(std::string& to, bool spaced = false) : to_(to), spaced_(spaced) {}
  JsonWriter(const JsonWriter&) = delete;

  JsonWriter& open(char bracket) {
    separate();
    put(bracket);
    ++depth_;
    first_ = true;
    if (size_ > kRoom) flush();
    return *this;
  }
  JsonWriter& close(char bracket) {
    put(bracket);
    --depth_;
    return ended();
  }
  JsonWriter& key(std::string_view name) {
    separate();
    put('"');
    put_escaped(name);
    put('"');
    put(':');
    if (spaced_) put(' ');
    first_ = true;
    if (size_ > kRoom) flush();
    return *this;
  }
  JsonWriter& text(std::string_view value) {
    separate();
    put('"');
    put_escaped(value);
    put('"');
    return ended();
  }
  // The shortest that reads back; null for NaN; JSON has no infinity: 1e999 is read as one.
  JsonWriter& number(double value);
  JsonWriter& number(float value);
  JsonWriter& rounded(double value);  // to four digits; null where it is none
  JsonWriter& whole(uint64_t value);
  JsonWriter& integer(int64_t value);
  JsonWriter& boolean(bool value) { return json(value ? "true" : "false"); }
  JsonWriter& json(std::string_view value) {  // as it is
    separate();
    put(value);
    return ended();
  }

 private:
  static constexpr size_t kRoom = 1024;

  void separate() {
    if (first_) return;
    put(',');
    if (spaced_) put(' ');
  }
  JsonWriter& ended() {
    first_ = false;
    if (depth_ == 0 || size_ > kRoom) flush();
    return *this;
  }
  void put(char c) { buffer_[size_++] = c; }  // there is always room for punctuation
  void put(std::string_view bytes);
  void put_escaped(std::string_view text);
  void flush() {
    to_.append(buffer_, size_);
    size_ = 0;
  }

  std::string& to_;
  bool spaced_, first_ = true;  // first: nothing stands before, or its key
  size_t depth_ = 0;            // brackets that are open
  size_t size_ = 0;
  char buffer_[kRoom + 16];  // a call of the library for every comma would take most of the time
};

Error not_json(std::string_view why);

}  // namespace minpair::suite
