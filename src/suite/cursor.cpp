#include "suite/cursor.h"

#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "base/text.h"

namespace minpair::suite {
namespace {

bool name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c < 0;
}

}  // namespace

void Cursor::fail(const std::string& what) const {
  throw error_(fmt::format("in the {} '{}', character {}: {}", kind_, text_,
                           count_characters(text_.substr(0, at_)) + 1, what))
      .hint(std::string(hint_));
}

bool Cursor::at_end() {
  while (at_ < text_.size() && is_space(static_cast<unsigned char>(text_[at_]))) ++at_;
  return at_ == text_.size();
}

bool Cursor::take(std::string_view mark) {
  if (at_end() || !rest().starts_with(mark)) return false;
  at_ += mark.size();
  return true;
}

bool Cursor::take_words(std::initializer_list<std::string_view> words) {
  size_t before = at_;
  for (std::string_view word : words)
    if (name() != word) {
      at_ = before;
      return false;
    }
  return true;
}

std::string Cursor::name() {
  at_end();
  size_t begin = at_;
  while (at_ < text_.size() &&
         (name_character(text_[at_]) || (text_[at_] == '-' && at_ > begin &&
                                         at_ + 1 < text_.size() && name_character(text_[at_ + 1]))))
    ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}

std::string Cursor::number() {
  const auto digit = [&](size_t at) {
    return at < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at]));
  };
  at_end();
  size_t end = at_;
  while (digit(end) || (end < text_.size() && text_[end] == '.')) ++end;
  const bool hyphen = end < text_.size() && text_[end] == '-' && !digit(end + 1) &&
                      end + 1 < text_.size() && name_character(text_[end + 1]);
  if (hyphen || (end < text_.size() && name_character(text_[end]))) return "";
  const size_t begin = std::exchange(at_, end);
  return std::string(text_.substr(begin, end - begin));
}

std::optional<std::string> Cursor::quoted(char quote, std::string_view unended) {
  if (!take(std::string_view(&quote, 1))) return {};
  size_t end = text_.find(quote, at_);
  if (end == std::string_view::npos) fail(std::string(unended));
  std::string name(text_.substr(at_, end - at_));
  at_ = end + 1;
  return name;
}

}  // namespace minpair::suite
