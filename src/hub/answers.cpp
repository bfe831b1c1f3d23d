#include "hub/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/python_json.h"

namespace minpair::hub {
namespace {

bool is_shard(const std::string& name, std::string_view stem, std::string_view extension) {
  return name.starts_with(std::string(stem) + "-") && name.find("-of-") != name.npos &&
         name.ends_with(extension);
}

// One format of weights, the better one; only at the top of the repository.
std::vector<std::string> weights(const std::map<std::string, uint64_t>& files) {
  const std::pair<std::string, std::string> formats[] = {{"model", ".safetensors"},
                                                         {"pytorch_model", ".bin"}};
  for (const auto& [stem, extension] : formats) {
    if (files.contains(stem + extension)) return {stem + extension};
    std::string index = stem + extension + ".index.json";
    if (!files.contains(index)) continue;
    std::vector<std::string> all{index};
    for (const auto& [name, bytes] : files)
      if (is_shard(name, stem, extension)) all.push_back(name);
    if (all.size() > 1) return all;
  }
  return {};
}

std::string found(const Headers& headers, const char* name) {
  auto at = headers.find(name);
  return at == headers.end() ? "" : at->second;
}

}  // namespace

void add_header(std::string_view line, Headers& headers) {
  if (line.starts_with("HTTP/")) headers.clear();  // of a redirect before
  size_t colon = line.find(':');
  if (colon == line.npos) return;
  std::string name(line.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  std::string_view value = line.substr(colon + 1);
  while (!value.empty() && value.find_first_of(" \t") == 0) value.remove_prefix(1);
  while (!value.empty() && value.find_last_of(" \t\r\n") == value.size() - 1)
    value.remove_suffix(1);
  headers[name] = value;
}

Repository repository_of(std::string_view body, const std::string& url) {
  using Json = nlohmann::json;
  Repository repository;
  bool whole = true;
  const auto take_file = [&](const Json& file) {
    const auto name = file.find("rfilename"), size = file.find("size");
    whole = whole && name != file.end() && name->is_string();
    if (!whole) return;
    const bool known = size != file.end() && size->is_number_unsigned();
    repository.files[name->get<std::string>()] = known ? size->get<uint64_t>() : 0;
  };
  // Nothing else of the answer is kept: in memory it can be seventy times as large.
  std::string key;
  const auto keep = [&](int depth, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::key && depth == 1) key = value;
    if (depth == 0 || event == Json::parse_event_t::key) return depth < 4;
    if (depth == 1) return key == "sha" || key == "siblings";
    if (key == "siblings" && depth == 2 && event == Json::parse_event_t::object_end)
      take_file(value);
    return key == "siblings" && event != Json::parse_event_t::object_end &&
           (depth == 2 ? event == Json::parse_event_t::object_start
                       : depth == 3 && event == Json::parse_event_t::value);
  };
  try {
    check_json_depth(body, url);
    const Json answer = Json::parse(body, keep);
    repository.commit = answer.at("sha").get<std::string>();
    whole = whole && answer.at("siblings").is_array();
  } catch (const Json::exception&) {
    whole = false;
  }
  if (!whole)
    throw bad_input(fmt::format("{} does not answer as a Hugging Face hub", url))
        .hint("is HF_ENDPOINT right?");
  if (!is_commit(repository.commit))
    throw bad_input(fmt::format("{} names '{}', which is not a commit", url, repository.commit));
  std::erase_if(repository.files, [](const auto& f) { return !is_safe_path(f.first); });
  return repository;
}

Content content_of(const Headers& headers, const std::string& url) {
  std::string tag = found(headers, headers.contains("x-linked-etag") ? "x-linked-etag" : "etag");
  if (tag.starts_with("W/")) tag.erase(0, 2);
  std::erase(tag, '"');
  if ((tag.size() != 40 && tag.size() != 64) ||
      tag.find_first_not_of("0123456789abcdef") != tag.npos)
    throw bad_input(fmt::format("{} names no hash that the file could be checked by", url))
        .hint("is HF_ENDPOINT a Hugging Face hub?");
  std::string length =
      found(headers, headers.contains("x-linked-size") ? "x-linked-size" : "content-length");
  if (length.empty() || length.find_first_not_of("0123456789") != length.npos)
    throw bad_input(fmt::format("{} does not say how long the file is", url));
  return {tag, std::strtoull(length.c_str(), nullptr, 10)};
}

std::vector<std::string> needed(const std::string& model,
                                const std::map<std::string, uint64_t>& files) {
  std::vector<std::string> chosen = weights(files);
  if (chosen.empty()) {
    std::string others;
    for (const auto& [name, bytes] : files)
      if (name.ends_with(".gguf") || name.ends_with(".h5") || name.ends_with(".msgpack") ||
          name.ends_with(".onnx") || name.ends_with(".safetensors") || name.ends_with(".pt"))
        others += (others.empty() ? "" : ", ") + name;
    throw bad_input(fmt::format("{} has neither model.safetensors nor pytorch_model.bin", model))
        .hint(others.empty() ? "it may be no model at all"
                             : fmt::format("it has {}; --file NAME fetches one of them", others));
  }
  static const char* const small[] = {"config.json",
                                      "tokenizer.json",
                                      "tokenizer_config.json",
                                      "special_tokens_map.json",
                                      "added_tokens.json",
                                      "vocab.txt",
                                      "vocab.json",
                                      "merges.txt",
                                      "rwkv_vocab_v20230424.txt",
                                      "generation_config.json"};
  for (const char* name : small)
    if (files.contains(name)) chosen.push_back(name);
  for (const auto& [name, bytes] : files)
    if (name.ends_with(".model") && name.find('/') == name.npos) chosen.push_back(name);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace minpair::hub
