#include "suite/formats/xml.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/error.h"
#include "base/text.h"

namespace minpair::suite {
namespace {

constexpr size_t kDeepest = 256;
constexpr std::string_view kSpace = " \t\r\n";

std::string_view without_prefix(std::string_view name) {
  size_t colon = name.find(':');
  return colon == name.npos ? name : name.substr(colon + 1);
}

}  // namespace

XmlReader::XmlReader(std::string_view xml, std::string name) : xml_(xml), name_(std::move(name)) {
  if (xml_.starts_with("\xEF\xBB\xBF")) at_ = 3;
}

void XmlReader::fail(const char* what) const { throw bad_input(what).at_byte(name_, at_); }

// What stands before `end`, which is passed over.
std::string_view XmlReader::until(std::string_view end) {
  size_t found = xml_.find(end, at_);
  if (found == xml_.npos) fail("the XML ends too early");
  std::string_view between = xml_.substr(at_, found - at_);
  at_ = found + end.size();
  return between;
}

XmlReader::Event XmlReader::next() {
  if (ends_at_once_) {
    ends_at_once_ = false;
    return end_element(open_.back());
  }
  for (;;) {
    if (at_ == xml_.size()) {
      if (!open_.empty()) fail("the XML ends too early");
      return Event::finished;
    }
    std::string_view rest = xml_.substr(at_);
    if (rest.starts_with("<!--")) {
      until("-->");
    } else if (rest.starts_with("<?")) {
      until("?>");
    } else if (rest.starts_with("<![CDATA[")) {
      at_ += 9;
      text_ = until("]]>");
      return Event::text;
    } else if (rest.starts_with("<!")) {
      fail("this XML declares a document type, which no spreadsheet does");
    } else if (rest[0] == '<') {
      return markup();
    } else {
      size_t end = std::min(xml_.find('<', at_), xml_.size());
      text_.clear();
      append_decoded(text_, xml_.substr(at_, end - at_));
      at_ = end;
      return Event::text;
    }
  }
}

XmlReader::Event XmlReader::markup() {
  ++at_;
  if (at_ < xml_.size() && xml_[at_] == '/') {
    ++at_;
    return end_element(trim(until(">")));
  }
  // A > may stand in an attribute.
  size_t end = at_;
  for (char quote = 0; end < xml_.size() && (quote || xml_[end] != '>'); ++end) {
    char c = xml_[end];
    if (quote ? c == quote : c == '"' || c == '\'') quote = quote ? 0 : c;
  }
  if (end == xml_.size()) fail("the XML ends inside an element");
  std::string_view tag = xml_.substr(at_, end - at_);
  at_ = end + 1;
  return begin_element(tag);
}

XmlReader::Event XmlReader::begin_element(std::string_view tag) {
  ends_at_once_ = tag.ends_with('/');
  if (ends_at_once_) tag.remove_suffix(1);
  size_t end = std::min(tag.find_first_of(kSpace), tag.size());
  std::string_view name = tag.substr(0, end);
  if (name.empty() || open_.size() == kDeepest) fail("this is not a spreadsheet's XML");
  open_.push_back(name);
  element_ = without_prefix(name);
  attributes_.clear();
  for (size_t at = tag.find_first_not_of(kSpace, end); at != tag.npos;
       at = tag.find_first_not_of(kSpace, at)) {
    size_t equals = tag.find('=', at);
    size_t open = equals == tag.npos ? tag.npos : tag.find_first_of("\"'", equals);
    size_t close = open == tag.npos ? tag.npos : tag.find(tag[open], open + 1);
    if (close == tag.npos) fail("an attribute has no value");
    attributes_.emplace_back(without_prefix(trim(tag.substr(at, equals - at))),
                             tag.substr(open + 1, close - open - 1));
    at = close + 1;
  }
  return Event::begin;
}

XmlReader::Event XmlReader::end_element(std::string_view name) {
  if (open_.empty() || open_.back() != name) fail("an element ends that did not begin");
  open_.pop_back();
  element_ = without_prefix(name);
  return Event::end;
}

std::string XmlReader::attribute(std::string_view name) const {
  std::string value;
  for (const auto& [key, raw] : attributes_)
    if (key == name) {
      append_decoded(value, raw);
      break;
    }
  return value;
}

void XmlReader::append_decoded(std::string& to, std::string_view raw) const {
  static constexpr std::pair<std::string_view, char> names[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  for (size_t at = 0; at < raw.size();) {
    if (raw[at] != '&') {
      size_t next = std::min(raw.find('&', at), raw.size());
      to += raw.substr(at, next - at);
      at = next;
      continue;
    }
    size_t end = raw.find(';', at);
    if (end == raw.npos) fail("'&' without ';'");
    std::string_view entity = raw.substr(at + 1, end - at - 1);
    at = end + 1;
    bool known = false;
    for (auto [name, character] : names)
      if (entity == name) {
        to += character;
        known = true;
      }
    if (known) continue;
    uint32_t code = 0;
    bool hex = entity.starts_with("#x");
    const char* digits = entity.data() + (hex ? 2 : 1);
    const char* stop = entity.data() + entity.size();
    if (!entity.starts_with('#') || digits >= stop ||
        std::from_chars(digits, stop, code, hex ? 16 : 10).ptr != stop || code == 0 ||
        code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
      fail("an entity that XML does not know");
    append_utf8(to, code);
  }
}

}  // namespace minpair::suite
