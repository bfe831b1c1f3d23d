#pragma once
// The little of XML that spreadsheets are written in: elements, attributes, text. Nothing is
// fetched, and there are no entities of one's own. Private to this folder.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minpair::suite {

class XmlReader {
 public:
  enum class Event { begin, end, text, finished };

  // `name` is for messages. The text must outlive the reader.
  XmlReader(std::string_view xml, std::string name);
  Event next();
  // Of the element that begins or ends, without the prefix of its namespace.
  std::string_view element() const { return element_; }
  const std::string& text() const { return text_; }
  std::string attribute(std::string_view name) const;  // "" when there is none

 private:
  Event markup();
  Event begin_element(std::string_view tag);
  Event end_element(std::string_view name);
  std::string_view until(std::string_view end);
  void append_decoded(std::string& to, std::string_view raw) const;
  [[noreturn]] void fail(const char* what) const;

  std::string_view xml_;
  std::string name_;
  size_t at_ = 0;
  bool ends_at_once_ = false;  // <a/>
  std::string_view element_;
  std::string text_;
  std::vector<std::pair<std::string_view, std::string_view>> attributes_;
  std::vector<std::string_view> open_;
};

}  // namespace minpair::suite
