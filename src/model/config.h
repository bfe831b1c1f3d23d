#pragma once
// config.json as Hugging Face writes it: typed look-ups that say which key is wrong.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minpair::model {

class Config {
 public:
  explicit Config(const std::filesystem::path& file);
  // From elsewhere (GGUF metadata); `file` is for messages.
  Config(const std::filesystem::path& file, std::string json_text);

  bool has(std::string_view key) const;
  bool says(std::string_view key) const;  // if only that it is null
  // Sizes are at least 1 and small enough to multiply two of them.
  size_t size(std::string_view key) const;  // throws when absent
  size_t size(std::string_view key, size_t otherwise) const;
  uint32_t count(std::string_view key) const { return static_cast<uint32_t>(size(key)); }
  uint32_t count(std::string_view key, size_t otherwise) const {
    return static_cast<uint32_t>(size(key, otherwise));
  }
  int64_t integer(std::string_view key, int64_t otherwise) const;
  double real(std::string_view key, double otherwise) const;
  bool flag(std::string_view key, bool otherwise) const;
  std::string text(std::string_view key, std::string_view otherwise) const;
  std::vector<std::string> texts(std::string_view key) const;  // one or a list; empty when absent
  // A number inside objects: number_in({"rope_parameters", "full_attention", "rope_theta"}, 1e4).
  double real_in(const std::vector<std::string>& path, double otherwise) const;
  bool flag_in(const std::vector<std::string>& path, bool otherwise) const;
  std::string text_in(const std::vector<std::string>& path, const std::string& otherwise) const;
  std::vector<double> reals_in(const std::vector<std::string>& path) const;  // empty when absent
  bool has_in(const std::vector<std::string>& path) const { return find_in(path) != nullptr; }
  // An object as a configuration, with what it need not say; all of this one when nothing is usual
  // or the object is absent.
  Config inside(std::string_view key, const std::string& usual) const;

  // Which transformers wrote it: {4, 44}; {0, 0} where it does not say.
  std::pair<int, int> written_by() const;
  // Two names of one thing; throws where both are said and differ, because versions of transformers
  // do not agree on which of them counts.
  void must_agree(std::string_view key, std::string_view other) const;

  // What changes no number, or only in ways that are not used here. Each may be several, with
  // spaces.
  void ignore(std::initializer_list<std::string_view> keys) const;
  // Throws where the configuration asks for what is not implemented.
  void must_be(std::string_view key, bool usual, const std::string& why) const;
  // Throws when it has a key that nobody has looked up: it might change the numbers. Harmless ones
  // that every configuration may have are known; $MINPAIR_IGNORE_KEYS names more, with commas.
  void refuse_unknown(const std::string& architecture) const;

  const std::filesystem::path& file() const { return file_; }
  const std::string& bytes() const { return bytes_; }  // part of a model's fingerprint

 private:
  const nlohmann::json* find(std::string_view key) const;
  const nlohmann::json* find_in(const std::vector<std::string>& path) const;
  [[noreturn]] void wrong(std::string_view key, std::string_view wanted) const;

  std::filesystem::path file_;
  std::string bytes_;
  std::shared_ptr<const nlohmann::json> json_;
  std::shared_ptr<std::set<std::string>> asked_;  // keys that were looked up, with dots inside
};

}  // namespace minpair::model
