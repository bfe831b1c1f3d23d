#pragma once
// JSON as it is written in one go, millions of lines of it. (What is taken apart again is
// nlohmann's.)

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace minpair::suite {

void append_json_string(std::string& to, std::string_view text);  // with its quotes
void append_json_number(std::string& to, double number);          // the shortest that reads back

// Writes JSON from front to back, as fast as texts are copied; commas and colons are its own.
//
//   JsonWriter json(line);
//   json.open('{').key("id").text("x1").key("locus").open('[').number(3).number(8).close(']');
//   json.close('}');
class JsonWriter {
 public:
  // `spaced`: as Python writes it.
  explicit JsonWriter(std::string& to, bool spaced = false)
      : to_(to), comma_(spaced ? ", " : ","), colon_(spaced ? ": " : ":") {}

  JsonWriter& open(char bracket) {
    separate();
    to_ += bracket;
    first_ = true;
    return *this;
  }
  JsonWriter& close(char bracket) {
    to_ += bracket;
    first_ = false;
    return *this;
  }
  JsonWriter& key(std::string_view name) {
    text(name);
    to_ += colon_;
    first_ = true;
    return *this;
  }
  JsonWriter& text(std::string_view value);
  JsonWriter& number(double value);   // the shortest that reads back
  JsonWriter& rounded(double value);  // to four digits; null where it is none
  JsonWriter& whole(uint64_t value);
  JsonWriter& boolean(bool value) { return json(value ? "true" : "false"); }
  JsonWriter& json(std::string_view value) {  // as it is
    separate();
    to_ += value;
    return *this;
  }

 private:
  std::string& to_;
  std::string_view comma_, colon_;
  bool first_ = true;  // nothing stands before, or its key

  void separate() {
    if (!first_) to_ += comma_;
    first_ = false;
  }
};

Error not_json(std::string_view why);

}  // namespace minpair::suite
