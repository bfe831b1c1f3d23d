#pragma once
// For the .cpp files of this room that read JSON: simdjson with our errors.

#include <simdjson.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace minpair::tokenizer {

// A parsed file. `root` lives as long as this.
class JsonFile {
 public:
  explicit JsonFile(const std::filesystem::path& path);
  JsonFile(std::string_view text, std::string name);

  simdjson::dom::element root;
  const std::string& name() const { return name_; }

 private:
  void parse(std::string_view text);

  std::string name_;
  simdjson::dom::parser parser_;
};

using JsonValue = simdjson::dom::element;

// The member of an object; nothing when absent, null, or when `value` is no object.
std::optional<JsonValue> member(JsonValue value, std::string_view key);
std::optional<std::string_view> string_member(JsonValue value, std::string_view key);
std::optional<bool> bool_member(JsonValue value, std::string_view key);
std::optional<int64_t> int_member(JsonValue value, std::string_view key);

}  // namespace minpair::tokenizer
