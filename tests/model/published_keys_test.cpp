// Keys of published configurations that change nothing, or have one right value: the same bits with
// them as without, and a refusal that names the key where the value is another.

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "model/golden.h"

namespace minpair::model {
namespace {

using testing::golden;
using testing::TemporaryFolder;
using Json = nlohmann::json;

class Changed {
 public:
  Changed(const std::string& name, const Json& keys) {
    std::filesystem::copy(golden(name), folder_.path());
    Json config = Json::parse(read_file(folder_ / "config.json"));
    config.update(keys);
    write_file(folder_ / "config.json", config.dump());
  }
  std::vector<float> logits() const {
    auto model = load_model(folder_.path().string(), {.threads = 1});
    query::Query query = testing::about_itself({5, 9, 40, 7, 33, 12, 8, 60, 21, 30, 17, 4});
    std::vector<float> all;
    const query::Answer answer = model->answer({&query, 1})[0];
    for (const query::Record& r : answer)
      for (float logit : query::logits_of(r).logits) all.push_back(logit);
    return all;
  }
  std::string error() const {
    try {
      load_model(folder_.path().string(), {.threads = 1});
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }

 private:
  TemporaryFolder folder_;
};

void changes_nothing(const std::string& name, const Json& keys) {
  const std::vector<float> plain = Changed(name, Json::object()).logits();
  std::vector<float> changed;
  ASSERT_NO_THROW(changed = Changed(name, keys).logits()) << name << keys;
  ASSERT_EQ(plain.size(), changed.size());
  EXPECT_EQ(std::memcmp(plain.data(), changed.data(), plain.size() * sizeof(float)), 0) << keys;
}

void is_refused(const std::string& name, const Json& keys) {
  const std::string error = Changed(name, keys).error();
  for (const auto& [key, value] : keys.items())
    EXPECT_NE(error.find("\"" + key + "\""), error.npos) << name << keys << error;
}

// As in the files of Command R7B, Command A and Tiny Aya.
TEST(PublishedKeys, OfCohere2) {
  changes_nothing("cohere2", {{"layer_switch", 4},
                              {"order_of_interleaved_layers", "local_attn_first"},
                              {"position_embedding_type", "rope_gptj"},
                              {"rotary_pct", 1.0},
                              {"use_embedding_sharing", true},
                              {"use_gated_activation", true},
                              {"use_parallel_block", true},
                              {"use_parallel_embedding", true}});
  for (const Json& other :
       {Json::object({{"layer_switch", 2}}),
        Json::object({{"order_of_interleaved_layers", "global_attn_first"}}),
        Json::object({{"position_embedding_type", "alibi"}}), Json::object({{"rotary_pct", 0.5}}),
        Json::object({{"use_embedding_sharing", false}}),
        Json::object({{"use_gated_activation", false}}),
        Json::object({{"use_parallel_block", false}}),
        Json::object({{"use_parallel_embedding", false}})})
    is_refused("cohere2", other);
  Json unsaid{{"layer_types", nullptr}, {"layer_switch", 4}};
  changes_nothing("cohere2", unsaid);
  unsaid = {{"layer_types", nullptr}, {"layer_switch", 3}};
  EXPECT_NE(Changed("cohere2", unsaid).error().find("layer_switch"), std::string::npos);
}

// Transformers 2 wrote every key.
TEST(PublishedKeys, OfTransformers2) {
  for (const char* name : {"gpt2-saved", "llama-saved", "opt"})
    changes_nothing(name, {{"is_decoder", false}, {"is_encoder_decoder", false}});
  changes_nothing("gpt2-saved", {{"eos_token_ids", 0}, {"pruned_heads", Json::object()}});
  changes_nothing("distilbert-saved", {{"eos_token_ids", 0}, {"is_decoder", false}});
  is_refused("gpt2-saved", {{"is_encoder_decoder", true}});
}

TEST(PublishedKeys, OfEttin) {
  changes_nothing("modernbert-decoder", {{"causal_mask", true}, {"is_causal", true}});
  is_refused("modernbert-decoder", {{"causal_mask", false}});
  changes_nothing("modernbert-saved", {{"causal_mask", false}, {"is_causal", false}});
  is_refused("modernbert-saved", {{"is_causal", true}});
}

TEST(PublishedKeys, LlamasTurnWholeHeadsWhateverIsSaid) {
  changes_nothing("llama-saved", {{"partial_rotary_factor", 0.5}});
}

}  // namespace
}  // namespace minpair::model
