// The folder and the GGUF file of one model score a text alike: the same tokens, the same token
// before the first, the same log-probabilities. Of each architecture that has both; the weights are
// the goldens', the vocabulary is a byte-level one.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "model/golden.h"

namespace minpair::model {
namespace {

using testing::golden;
using testing::TemporaryFolder;
using Json = nlohmann::ordered_json;

template <typename T>
std::string bytes(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
std::string text(const std::string& s) { return bytes<uint64_t>(s.size()) + s; }

constexpr uint32_t kUint32 = 4, kInt32 = 5, kBool = 7, kString = 8, kArray = 9;

// The parts of a GGUF file between which metadata can be exchanged.
class GgufParts {
 public:
  explicit GgufParts(const std::string& file) : file_(file) {
    at_ = 8;
    tensors_ = take<uint64_t>();
    for (uint64_t keys = take<uint64_t>(); keys > 0; --keys) {
      const size_t begin = at_;
      const std::string key = take_text();
      skip_value(take<uint32_t>());
      if (key.starts_with("tokenizer.")) continue;
      metadata_ += file_.substr(begin, at_ - begin);
      ++keys_;
    }
    const size_t begin = at_;
    for (uint64_t i = 0; i < tensors_; ++i) {
      take_text();
      at_ += 8 * take<uint32_t>();
      at_ += 4 + 8;
    }
    infos_ = file_.substr(begin, at_ - begin);
    data_ = file_.substr((at_ + 31) / 32 * 32);
  }
  void add(const std::string& key, uint32_t type, const std::string& value) {
    metadata_ += text(key) + bytes(type) + value;
    ++keys_;
  }
  void add(const std::string& key, uint32_t type, const std::vector<std::string>& values) {
    std::string all = bytes(type) + bytes<uint64_t>(values.size());
    for (const std::string& v : values) all += v;
    add(key, kArray, all);
  }
  std::string whole() const {
    std::string all = "GGUF" + bytes<uint32_t>(3) + bytes(tensors_) + bytes(keys_) + metadata_;
    all += infos_;
    all.resize((all.size() + 31) / 32 * 32);
    return all + data_;
  }

 private:
  template <typename T>
  T take() {
    T value;
    std::memcpy(&value, file_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::string take_text() {
    const auto size = take<uint64_t>();
    at_ += size;
    return file_.substr(at_ - size, size);
  }
  void skip_value(uint32_t type) {
    constexpr size_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    if (type == kString) return void(take_text());
    if (type != kArray) return void(at_ += kSizes[type]);
    const auto inner = take<uint32_t>();
    for (auto n = take<uint64_t>(); n > 0; --n) skip_value(inner);
  }

  const std::string& file_;
  size_t at_ = 0;
  uint64_t tensors_ = 0, keys_ = 0;
  std::string metadata_, infos_, data_;
};

// A byte-level vocabulary of English letters, with ordinary pieces that are named like special
// tokens. Ids 2 and 3 begin and end a text, as the goldens' configurations say.
struct Vocabulary {
  std::vector<std::string> pieces{"<pad>", "<unk>", "<s>", "</s>", "<bos>", "[MASK]", "\u0120"};
  std::vector<std::pair<std::string, std::string>> merges{
      {"t", "h"}, {"th", "e"}, {"\u0120", "the"}, {"\u0120", "s"}, {"o", "g"}, {"a", "r"}};
  explicit Vocabulary(size_t size) {
    for (char c = 'a'; c <= 'z'; ++c) pieces.emplace_back(1, c);
    for (char c : std::string("TABC.,<>[]/")) pieces.emplace_back(1, c);
    for (const auto& [left, right] : merges) pieces.push_back(left + right);
    while (pieces.size() < size) pieces.push_back("unused" + std::to_string(pieces.size()));
  }
  static bool special(size_t id) { return id == 0 || id == 2 || id == 3; }

  Json tokenizer_json() const {
    Json added = Json::array(), vocabulary = Json::object(), list = Json::array();
    for (size_t i = 0; i < pieces.size(); ++i) {
      vocabulary[pieces[i]] = i;
      if (special(i)) added.push_back({{"id", i}, {"content", pieces[i]}, {"special", true}});
    }
    for (const auto& [left, right] : merges) list.push_back({left, right});
    const Json split{{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", true}};
    return {{"added_tokens", added},
            {"pre_tokenizer", split},
            {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", list}}}};
  }

  void put_into(GgufParts& file) const {
    std::vector<std::string> texts, types, joined;
    for (size_t i = 0; i < pieces.size(); ++i) {
      texts.push_back(text(pieces[i]));
      types.push_back(bytes<int32_t>(special(i) ? 3 : 1));
    }
    for (const auto& [left, right] : merges) joined.push_back(text(left + " " + right));
    file.add("tokenizer.ggml.model", kString, text("gpt2"));
    file.add("tokenizer.ggml.pre", kString, text("gpt-2"));
    file.add("tokenizer.ggml.tokens", kString, texts);
    file.add("tokenizer.ggml.token_type", kInt32, types);
    file.add("tokenizer.ggml.merges", kString, joined);
    file.add("tokenizer.ggml.bos_token_id", kUint32, bytes<uint32_t>(2));
    file.add("tokenizer.ggml.eos_token_id", kUint32, bytes<uint32_t>(3));
    file.add("tokenizer.ggml.add_bos_token", kBool, bytes<uint8_t>(0));
  }
};

struct Scored {
  std::vector<tokenizer::TokenId> ids;  // with what begins the text
  std::vector<double> logprobs;
};

Scored score(const std::filesystem::path& path, const std::string& text) {
  auto model = load_model(path.string(), {.threads = 1});
  query::Query query;
  query.ids.push_back(model->info().start);
  for (const tokenizer::Token& t : model->tokenizer().encode(text, false).tokens)
    query.ids.push_back(t.id);
  for (uint32_t i = 0; i + 1 < query.ids.size(); ++i)
    query.asks.push_back({i, query::Targets{{query.ids[i + 1]}}});
  Scored scored{query.ids, {}};
  const query::Answer answer = model->answer({&query, 1})[0];
  for (const query::Record& r : answer) scored.logprobs.push_back(query::logits_of(r).logprob());
  return scored;
}

class FolderAndGguf : public ::testing::TestWithParam<std::string> {};

TEST_P(FolderAndGguf, ScoreATextAlike) {
  const std::string& name = GetParam();
  Json config = Json::parse(read_file(golden(name) / "config.json"));
  config["bos_token_id"] = 2;
  config["eos_token_id"] = 3;
  const Vocabulary vocabulary(config["vocab_size"].get<size_t>());
  TemporaryFolder folder;
  std::filesystem::copy(golden(name) / "model.safetensors", folder / "model.safetensors");
  write_file(folder / "config.json", config.dump());
  write_file(folder / "tokenizer.json", vocabulary.tokenizer_json().dump());
  write_file(folder / "tokenizer_config.json", R"({"bos_token": null, "eos_token": "</s>"})");
  const std::string file = read_file(golden("gguf") / (name + ".gguf"), 1 << 24);
  GgufParts parts(file);
  vocabulary.put_into(parts);
  write_file(folder / "model.gguf", parts.whole());
  const std::string line = "The dogs near the <bos> car, and a<s>tree [MASK].";
  const Scored one = score(folder.path(), line), other = score(folder / "model.gguf", line);
  EXPECT_EQ(one.ids.front(), 2);
  EXPECT_EQ(std::count(one.ids.begin() + 1, one.ids.end(), 2), 1) << "<s> is declared special";
  EXPECT_EQ(std::count(one.ids.begin(), one.ids.end(), 4), 0) << "<bos> is not";
  ASSERT_EQ(one.ids, other.ids);
  // Of Mambas, llama.cpp and its converter compute something else than transformers: exponents in
  // half precision, a norm for each group.
  if (name.starts_with("mamba")) return;
  for (size_t i = 0; i < one.logprobs.size(); ++i)
    EXPECT_NEAR(one.logprobs[i], other.logprobs[i], 1e-4) << i;
}

// Those that read from left to right.
std::vector<std::string> both() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(golden("gguf"))) {
    const std::string name = entry.path().stem();
    if (entry.path().extension() == ".gguf" && !name.ends_with("t5-few")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Golden, FolderAndGguf, ::testing::ValuesIn(both()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::ranges::replace_if(
                               name, [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace minpair::model
