#pragma once
// Reads a short text that a person wrote: a formula, a filter. Says at which character it is wrong.
//
//   Cursor at(text, "formula", "docs/suite-format.md has the notation");
//   if (at.take('(')) ...
//   at.fail("')' is missing here");   // in the formula '(a < b', character 7: ')' is missing here

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace minpair::suite {

class Cursor {
 public:
  static constexpr int kDeepest = 200;  // brackets in brackets

  Cursor(std::string_view text, std::string_view kind, std::string_view hint,
         Error (*error)(std::string) = bad_input)
      : text_(text), kind_(kind), hint_(hint), error_(error) {}

  [[noreturn]] void fail(const std::string& what) const;

  bool at_end();  // after white space
  char peek() const { return text_[at_]; }
  // The text from the next character on, and moving past some of it.
  std::string_view rest() const { return text_.substr(at_); }
  void skip(size_t bytes) { at_ += bytes; }

  bool take(std::string_view mark);
  // Whole words, one after the other; nothing is taken where one is missing.
  bool take_words(std::initializer_list<std::string_view> words);
  // Empty where none begins. A hyphen inside is part of the name: a minus has spaces around it.
  std::string name();
  // A number that an operator, a digit behind a minus or nothing follows; else empty, and nothing
  // is taken: "5-3" begins with a number, "3-gram" is a name.
  std::string number();
  // What stands between two of these marks; nothing where the first one is missing.
  std::optional<std::string> quoted(
      char quote, std::string_view unended = "the name that begins here has no end");

 private:
  std::string_view text_, kind_, hint_;
  Error (*error_)(std::string);
  size_t at_ = 0;
};

}  // namespace minpair::suite
