#include "model/config.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"

namespace minpair::model {

using nlohmann::json;

namespace {

constexpr int64_t kLargest = int64_t{1} << 28;

}  // namespace

Config::Config(const std::filesystem::path& file)
    : Config(file, read_file(file, uint64_t{1} << 24)) {}

Config::Config(const std::filesystem::path& file, std::string json_text)
    : file_(file), bytes_(std::move(json_text)) {
  json parsed = json::parse(bytes_, nullptr, false, true);
  if (parsed.is_discarded() || !parsed.is_object())
    throw bad_input("this is not a JSON object")
        .at(file.string())
        .hint("download config.json again");
  json_ = std::make_shared<const json>(std::move(parsed));
}

const json* Config::find(std::string_view key) const {
  auto found = json_->find(std::string(key));
  return found == json_->end() || found->is_null() ? nullptr : &*found;
}

void Config::wrong(std::string_view key, std::string_view wanted) const {
  throw bad_input(fmt::format("\"{}\" must be {}", key, wanted)).at(file_.string());
}

bool Config::has(std::string_view key) const { return find(key) != nullptr; }

size_t Config::size(std::string_view key) const {
  if (!has(key))
    throw bad_input(fmt::format("\"{}\" is missing", key))
        .at(file_.string())
        .hint("is this the config.json that belongs to the weights?");
  return size(key, 1);
}

size_t Config::size(std::string_view key, size_t otherwise) const {
  int64_t value = integer(key, static_cast<int64_t>(otherwise));
  if (value < 1 || value > kLargest)
    wrong(key, fmt::format("between 1 and {}, not {}", kLargest, value));
  return static_cast<size_t>(value);
}

int64_t Config::integer(std::string_view key, int64_t otherwise) const {
  const json* value = find(key);
  if (!value) return otherwise;
  if (value->is_number_unsigned() && value->get<uint64_t>() > uint64_t{INT64_MAX})
    wrong(key, "a smaller number");
  if (!value->is_number_integer()) wrong(key, "a whole number");
  return value->get<int64_t>();
}

double Config::real(std::string_view key, double otherwise) const {
  const json* value = find(key);
  if (!value) return otherwise;
  if (!value->is_number()) wrong(key, "a number");
  return value->get<double>();
}

bool Config::flag(std::string_view key, bool otherwise) const {
  const json* value = find(key);
  if (!value) return otherwise;
  if (!value->is_boolean()) wrong(key, "true or false");
  return value->get<bool>();
}

std::string Config::text(std::string_view key, std::string_view otherwise) const {
  const json* value = find(key);
  if (!value) return std::string(otherwise);
  if (!value->is_string()) wrong(key, "a text");
  return value->get<std::string>();
}

std::vector<std::string> Config::texts(std::string_view key) const {
  std::vector<std::string> all;
  const json* value = find(key);
  if (!value) return all;
  if (!value->is_array()) wrong(key, "a list of texts");
  for (const json& one : *value) {
    if (!one.is_string()) wrong(key, "a list of texts");
    all.push_back(one.get<std::string>());
  }
  return all;
}

const json* Config::find_in(const std::vector<std::string>& path) const {
  const json* at = json_.get();
  for (const std::string& key : path) {
    if (!at->is_object()) return nullptr;
    auto found = at->find(key);
    if (found == at->end() || found->is_null()) return nullptr;
    at = &*found;
  }
  return at;
}

double Config::real_in(const std::vector<std::string>& path, double otherwise) const {
  const json* at = find_in(path);
  if (!at) return otherwise;
  if (!at->is_number()) wrong(path.back(), "a number");
  return at->get<double>();
}

std::string Config::text_in(const std::vector<std::string>& path,
                            const std::string& otherwise) const {
  const json* at = find_in(path);
  if (!at) return otherwise;
  if (!at->is_string()) wrong(path.back(), "a text");
  return at->get<std::string>();
}

}  // namespace minpair::model
