// RWKV 5: an RWKV 6 whose small networks say nothing is the same network, and llama.cpp has judged
// those; and what its configuration says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "model/older_forms.h"

namespace minpair::model {
namespace {

using namespace testing;
using ::testing::HasSubstr;

// A folder's weights in single precision.
class Floats {
 public:
  void add(const std::string& name, const std::vector<int64_t>& shape,
           const std::vector<float>& numbers) {
    const size_t begin = data_.size();
    data_.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
    header_[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {begin, data_.size()}}};
  }
  void add_zeros(const std::string& name, const std::vector<int64_t>& shape) {
    int64_t count = 1;
    for (int64_t n : shape) count *= n;
    add(name, shape, std::vector<float>(size_t(count)));
  }
  void write(const std::filesystem::path& file) const {
    const std::string text = header_.dump();
    const uint64_t length = text.size();
    write_file(file, std::string(reinterpret_cast<const char*>(&length), 8) + text + data_);
  }

 private:
  Json header_ = Json::object();
  std::string data_;
};

void add_silent_networks(Floats& all, const std::string& attention, int64_t h) {
  for (const char* letter : {"x", "w"}) all.add_zeros(attention + "time_maa_" + letter, {1, 1, h});
  all.add_zeros(attention + "time_maa_w1", {h, 5 * 4});
  all.add_zeros(attention + "time_maa_w2", {5, 4, h});
  all.add_zeros(attention + "time_decay_w1", {h, 8});
  all.add_zeros(attention + "time_decay_w2", {8, h});
}

// Shares are those of the token before in version 6, and of the token itself in version 5.
Floats as_version_6(const checkpoint::Checkpoint& fifth, int64_t h) {
  const std::string mix = "time_mix_", decay = "time_decay";
  Floats all;
  for (const checkpoint::TensorView& tensor : fifth.tensors()) {
    std::vector<float> numbers(size_t(tensor.elements()));
    checkpoint::to_float(tensor, numbers.data());
    if (const size_t at = tensor.name.find(mix); at != std::string::npos) {
      for (float& share : numbers) share = 1 - share;
      const std::string letter = tensor.name.substr(at + mix.size(), 1);
      all.add(tensor.name.substr(0, at) + "time_maa_" + letter, {1, 1, h}, numbers);
    } else if (tensor.name.ends_with(decay)) {
      all.add(tensor.name, {1, 1, h}, numbers);
      add_silent_networks(all, tensor.name.substr(0, tensor.name.size() - decay.size()), h);
    } else {
      all.add(tensor.name, tensor.shape, numbers);
    }
  }
  return all;
}

std::vector<double> numbers_of(query::Model& model, const std::string& name) {
  std::vector<double> all;
  for (const query::Answer& answer : answers(model, name))
    for (const query::Record& record : answer) all.push_back(logits_of(record).logprob());
  return all;
}

TEST(Rwkv5, IsAVersion6WhoseSmallNetworksSayNothing) {
  for (const std::string name : {"rwkv5", "rwkv5-heads"}) {
    Json config = config_of(name);
    config["layer_norm_epsilon"] = 1e-5;  // version 6 has one for all norms
    config["rescale_every"] = 0;
    const std::unique_ptr<query::Model> fifth = load_with(name, config);
    config["model_type"] = "rwkv6";
    const auto file = checkpoint::open_checkpoint(golden(name));
    TemporaryFolder folder;
    std::filesystem::copy(golden(name), folder.path());
    write_file(folder / "config.json", config.dump());
    as_version_6(*file, config.at("hidden_size")).write(folder / "model.safetensors");
    const auto sixth = load_model(folder.path().string(), {.threads = 1});
    const std::vector<double> ours = numbers_of(*fifth, name), theirs = numbers_of(*sixth, name);
    ASSERT_EQ(ours.size(), theirs.size());
    ASSERT_GT(ours.size(), 40u);
    for (size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], theirs[i], 2e-6) << name;
  }
}

std::string error_with(const std::string& key, const Json& value) {
  Json config = config_of("rwkv5");
  config[key] = value;
  try {
    load_with("rwkv5", config);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Rwkv5, UnsupportedVariantsAreRefused) {
  EXPECT_THAT(error_with("tie_word_embeddings", true), HasSubstr("an output layer of its own"));
  EXPECT_THAT(error_with("attention_hidden_size", 64), HasSubstr("must be \"hidden_size\""));
  EXPECT_THAT(error_with("head_size", 12), HasSubstr("heads of 12 do not divide 32"));
  EXPECT_THAT(error_with("intermediate_size", 64), HasSubstr("channel_mix_key.weight is 96 x 32"));
  EXPECT_THAT(error_with("time_mix_extra_dim", 32), HasSubstr("time_mix_extra_dim"));
  // Versions 5.0 and 5.1, with a number for each head.
  Weights older(golden("rwkv5") / "model.safetensors");
  older.rename("time_faaaa", "time_first");
  EXPECT_THROW(load_with("rwkv5", config_of("rwkv5"), &older), Error);
}

// In single precision nothing is halved; heads are divided before their norm.
TEST(Rwkv5, HalvingIsForHalfPrecision) {
  auto with = [](const char* key, const Json& value) {
    Json config = config_of("rwkv5-heads");
    config[key] = value;
    return answers(*load_with("rwkv5-heads", config), "rwkv5-heads");
  };
  const auto as_it_is = with("use_cache", true);
  EXPECT_EQ(with("rescale_every", 0), as_it_is);
  EXPECT_EQ(with("rescale_every", 1), as_it_is);
  EXPECT_NE(with("head_size_divisor", 8), as_it_is);
  EXPECT_NE(with("layer_norm_epsilon", 1e-5), as_it_is);
}

}  // namespace
}  // namespace minpair::model
