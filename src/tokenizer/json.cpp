#include "tokenizer/json.h"

#include <fmt/format.h>

#include <new>

#include "base/error.h"
#include "base/file.h"
#include "base/python_json.h"

namespace minpair::tokenizer {
namespace {
// Gemma's, the largest published one, has 34 MB.
constexpr uint64_t kLargestFile = uint64_t{1} << 28;
constexpr size_t kDeepest = 64;
}  // namespace

JsonFile::JsonFile(const std::filesystem::path& path) : name_(path.string()) {
  parse(read_file(path, kLargestFile));
}

JsonFile::JsonFile(std::string_view text, std::string name) : name_(std::move(name)) {
  parse(text);
}

void JsonFile::parse(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.empty()) text = "";  // simdjson copies from where it is, which may be nowhere
  simdjson::error_code failed = parser_.allocate(text.size() + 64, kDeepest);
  if (!failed) failed = parser_.parse(text.data(), text.size()).get(root);
  // A parser that got only some of its memory must not be asked again.
  if (failed == simdjson::MEMALLOC) throw std::bad_alloc();
  // transformers writes 10^30 for a length that nobody knows, and infinities.
  if (failed) {
    std::string standard = standard_json(text);
    failed = parser_.parse(standard).get(root);
    if (failed == simdjson::MEMALLOC) throw std::bad_alloc();
  }
  if (failed)
    throw bad_input(fmt::format("this is not valid JSON: {}", simdjson::error_message(failed)))
        .at(name_)
        .hint("download the file again; is it complete?");
}

std::optional<JsonValue> member(JsonValue value, std::string_view key) {
  JsonValue found;
  if (!value.is_object() || value.at_key(key).get(found) || found.is_null()) return std::nullopt;
  return found;
}

std::optional<std::string_view> string_member(JsonValue value, std::string_view key) {
  std::string_view s;
  std::optional<JsonValue> found = member(value, key);
  if (!found || found->get(s)) return std::nullopt;
  return s;
}

std::optional<bool> bool_member(JsonValue value, std::string_view key) {
  bool b;
  std::optional<JsonValue> found = member(value, key);
  if (!found || found->get(b)) return std::nullopt;
  return b;
}

std::optional<int64_t> int_member(JsonValue value, std::string_view key) {
  int64_t i;
  std::optional<JsonValue> found = member(value, key);
  if (!found || found->get(i)) return std::nullopt;
  return i;
}

}  // namespace minpair::tokenizer
