#pragma once
// Changes of JSON that mostly leave it JSON: values are exchanged, repeated, left out, made
// extreme.

#include <algorithm>
#include <vector>

#include "mutation.h"

namespace minpair::fuzzing {

struct Stretch {
  size_t begin = 0, end = 0;
  size_t size() const { return end - begin; }
};

// Where values and elements are, as far as the text is JSON. An element of an object has its key.
class JsonMap {
 public:
  explicit JsonMap(std::string_view text) : text_(text) {
    while (at_ < text_.size()) step();
  }
  std::vector<Stretch> values, elements;

 private:
  void step() {
    const char c = text_[at_];
    if (c == '"') return add(string_end());
    if (c == '{' || c == '[') {
      open_.push_back({at_++, 0});
      starts_.push_back(at_);
      return;
    }
    if (c == '}' || c == ']') return close();
    if (c == ',') {
      element();
      if (!starts_.empty()) starts_.back() = at_ + 1;
      ++at_;
      return;
    }
    const std::string_view marks = " \t\r\n:{}[],\"";
    if (marks.find(c) != marks.npos) {
      ++at_;
      return;
    }
    add(std::min(text_.find_first_of(marks, at_), text_.size()));
  }
  void add(size_t end) {
    values.push_back({at_, end});
    at_ = end;
  }
  size_t string_end() const {
    for (size_t i = at_ + 1; i < text_.size(); ++i)
      if (text_[i] == '\\')
        ++i;
      else if (text_[i] == '"')
        return i + 1;
    return text_.size();
  }
  void element() {
    if (!starts_.empty() && starts_.back() < at_) elements.push_back({starts_.back(), at_});
  }
  void close() {
    element();
    ++at_;
    if (open_.empty()) return;
    values.push_back({open_.back().begin, at_});
    open_.pop_back();
    starts_.pop_back();
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<Stretch> open_;
  std::vector<size_t> starts_;
};

inline std::string odd_value(Choice& choose) {
  static const std::string kOdd[] = {"null",
                                     "true",
                                     "false",
                                     "0",
                                     "-1",
                                     "1",
                                     "1.5",
                                     "1e400",
                                     "-0.0",
                                     "2147483648",
                                     "9007199254740993",
                                     "18446744073709551615",
                                     "18446744073709551616",
                                     "\"\"",
                                     "[]",
                                     "{}",
                                     "\"\\ud800\"",
                                     "\"\\u0000\"",
                                     "\"a\\nb\"",
                                     "\"/..\"",
                                     "[[[[[[[[[[[[[[]]]]]]]]]]]]]]",
                                     "[1,2,3]",
                                     "[null]",
                                     "{\"a\":1}",
                                     "1e-320",
                                     "\"\xc3\xa4\xf0\x9f\x98\x80\""};
  return choose.of(kOdd);
}

inline std::string mutate_json(std::string text, Choice& choose) {
  const JsonMap map(text);
  if (map.values.empty()) return any_change(text);
  const Stretch value = choose.of(map.values), other = choose.of(map.values);
  const std::string there = text.substr(other.begin, other.size());
  switch (choose.below(map.elements.empty() ? 5 : 8)) {
    case 0:
      return text.replace(value.begin, value.size(), odd_value(choose));
    case 1:
      return text.replace(value.begin, value.size(), there);
    case 2:
    case 3: {
      std::string inside = text.substr(value.begin, value.size());
      const bool quoted = inside.size() > 1 && inside.front() == '"' && inside.back() == '"';
      if (quoted) inside = inside.substr(1, inside.size() - 2);
      inside = any_change(inside, 16);
      return text.replace(value.begin, value.size(), quoted ? '"' + inside + '"' : inside);
    }
    case 4:
      return text.replace(value.begin, value.size(), "[" + there + "]");
    default:
      break;
  }
  const Stretch element = choose.of(map.elements), another = choose.of(map.elements);
  const std::string own = text.substr(element.begin, element.size());
  switch (choose.below(3)) {
    case 0: {  // left out, with its comma
      size_t end = element.end;
      if (end < text.size() && text[end] == ',') ++end;
      return text.erase(element.begin, end - element.begin);
    }
    case 1:
      return text.insert(another.begin, own + ",");
    default:
      return text.replace(another.begin, another.size(), own);
  }
}

}  // namespace minpair::fuzzing
