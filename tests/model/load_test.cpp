#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "model/architectures.h"
#include "model/golden.h"

namespace minpair::model {
namespace {

using namespace testing;
using nlohmann::json;
using ::testing::HasSubstr;

// The message of the error that `work` must throw.
template <class F>
std::string error_of(F work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// A golden model that a test may spoil.
class Spoiled {
 public:
  explicit Spoiled(const std::string& name) { std::filesystem::copy(golden(name), folder_.path()); }
  Spoiled& config(const std::function<void(json&)>& change) {
    json c = json::parse(read_file(folder_ / "config.json"));
    change(c);
    write_file(folder_ / "config.json", c.dump());
    return *this;
  }
  // Renames tensors.
  Spoiled& weights(const std::string& from, const std::string& to) {
    std::string bytes = read_file(folder_ / "model.safetensors");
    uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    std::string header = bytes.substr(8, length);
    for (size_t at = 0; (at = header.find(from, at)) != std::string::npos; at += to.size())
      header.replace(at, from.size(), to);
    header.resize((header.size() + 7) / 8 * 8, ' ');
    uint64_t now = header.size();
    std::string prefix(reinterpret_cast<const char*>(&now), 8);
    write_file(folder_ / "model.safetensors", prefix + header + bytes.substr(8 + length));
    return *this;
  }
  // Overwrites one number of a tensor. In half precision, by an infinity.
  Spoiled& weight(const std::string& name, size_t at, float value) {
    std::string bytes = read_file(folder_ / "model.safetensors");
    uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    json tensor = json::parse(bytes.substr(8, length)).at(name);
    char* begin = bytes.data() + 8 + length + tensor.at("data_offsets").at(0).get<size_t>();
    const uint16_t half = value < 0 ? 0xFC00 : 0x7C00;
    if (tensor.at("dtype").get<std::string>() == "F16")
      std::memcpy(begin + 2 * at, &half, 2);
    else
      std::memcpy(begin + 4 * at, &value, 4);
    write_file(folder_ / "model.safetensors", bytes);
    return *this;
  }
  std::filesystem::path path() const { return folder_.path(); }
  std::string error() {
    return error_of([&] { load_model(folder_.path().string()); });
  }

 private:
  TemporaryFolder folder_;
};

TEST(LoadModel, SaysWhatItIs) {
  std::unique_ptr<query::Model> model = load_model(golden("albert").string());
  const query::ModelInfo& info = model->info();
  EXPECT_EQ(info.architecture, "albert");
  EXPECT_EQ(info.kind, query::ModelInfo::Kind::masked);
  EXPECT_EQ(info.layers, 10u);  // five times two inner ones
  EXPECT_EQ(info.hidden, 32u);
  EXPECT_EQ(info.heads, 4u);
  EXPECT_EQ(info.vocabulary, 120u);
  EXPECT_EQ(info.max_tokens, 40u);
  EXPECT_EQ(info.parameters, 33864u);
  EXPECT_EQ(load_model(golden("roberta").string())->info().max_tokens, 38u);
  EXPECT_EQ(load_model(golden("bert-2019").string())->info().architecture, "bert");
}

TEST(LoadModel, FingerprintFollowsWeightsAndConfiguration) {
  std::string original = load_model(golden("bert").string())->info().fingerprint;
  EXPECT_EQ(original, load_model(golden("bert").string())->info().fingerprint);
  TemporaryFolder folder;
  std::filesystem::copy(golden("bert"), folder.path());
  std::string bytes = read_file(folder / "model.safetensors");
  bytes.back() ^= 1;
  write_file(folder / "model.safetensors", bytes);
  EXPECT_NE(original, load_model(folder.path().string())->info().fingerprint);
}

TEST(LoadModel, AMissingHeadIsRefused) {
  std::string error = Spoiled("bert").weights("cls.predictions", "xls.predictions").error();
  EXPECT_THAT(error, HasSubstr("has no language-model head"));
  EXPECT_THAT(error, HasSubstr("cls.predictions.transform.dense.weight"));
  EXPECT_THAT(Spoiled("roberta").weights("lm_head", "lm_heat").error(),
              HasSubstr("no language-model head"));
  EXPECT_THAT(Spoiled("distilbert").weights("vocab_projector.bias", "vocab_projector.bi4s").error(),
              HasSubstr("vocab_projector.bias is missing"));
  EXPECT_THAT(Spoiled("modernbert").weights("head.dense", "heat.dense").error(),
              HasSubstr("head.dense.weight is missing"));
}

TEST(LoadModel, TheDiscriminatorIsNamed) {
  EXPECT_THAT(Spoiled("electra").weights("generator_pred", "discriminator_pred").error(),
              HasSubstr("ELECTRA's discriminator"));
}

TEST(LoadModel, MissingWeightsAreNamed) {
  std::string error =
      Spoiled("bert").weights("layer.1.intermediate", "layer.9.intermediate").error();
  EXPECT_THAT(error, HasSubstr("lacks weights: encoder.layer.1.intermediate.dense.weight, "
                               "encoder.layer.1.intermediate.dense.bias"));
}

TEST(LoadModel, ShapesMustFit) {
  EXPECT_THAT(Spoiled("bert").config([](json& c) { c["intermediate_size"] = 64; }).error(),
              HasSubstr("intermediate.dense.weight is 48 x 32, it must be 64 x 32"));
  EXPECT_THAT(Spoiled("bert").config([](json& c) { c["vocab_size"] = 121; }).error(),
              HasSubstr("word_embeddings.weight is 120 x 32, it must be 121 x 32"));
}

// What nobody has looked at might change the numbers.
TEST(LoadModel, UnknownKeysAreRefused) {
  auto with = [](const char* model, const char* key, json value) {
    return Spoiled(model).config([&](json& c) { c[key] = value; }).error();
  };
  for (const char* model : {"bert", "modernbert", "gpt2", "gpt-neox", "llama", "gemma3"}) {
    EXPECT_THAT(with(model, "attention_multiplier", 0.5),
                HasSubstr("\"attention_multiplier\" is not known for '"));
    EXPECT_EQ(with(model, "attention_multiplier", nullptr), "no error");
    EXPECT_EQ(with(model, "hidden_dropout_prob", 0.5), "no error");
    EXPECT_EQ(with(model, "task_specific_params", {{"a", 1}}), "no error");
    EXPECT_THAT(with(model, "quantization_config", {{"quant_method", "gptq"}}),
                HasSubstr("quantised by gptq"));
  }
  EXPECT_THAT(with("llama", "rope_scaling", {{"rope_type", "linear"}, {"factor", 2}, {"new", 1}}),
              HasSubstr("\"rope_scaling.new\" is not known"));
  ::setenv("MINPAIR_IGNORE_KEYS", "other,attention_multiplier", 1);
  EXPECT_EQ(with("bert", "attention_multiplier", 0.5), "no error");
  ::unsetenv("MINPAIR_IGNORE_KEYS");
  EXPECT_THAT(with("bert", "is_decoder", true), HasSubstr("\"is_decoder\" is true"));
  EXPECT_THAT(with("gpt2", "add_cross_attention", true), HasSubstr("add_cross_attention"));
  // Published configurations say that it is not so.
  EXPECT_EQ(with("qwen2", "use_mrope", false), "no error");
  EXPECT_THAT(with("qwen2", "use_mrope", true), HasSubstr("\"use_mrope\" is true"));
  EXPECT_THAT(with("eurobert", "is_causal", true), HasSubstr("\"is_causal\" is true"));
  EXPECT_THAT(with("gptj", "rotary", false), HasSubstr("\"rotary\" is false"));
}

TEST(LoadModel, NumbersThatOnlyPythonWrites) {
  Spoiled spoiled("bert");
  std::string text = read_file(spoiled.path() / "config.json");
  text.insert(text.find('{') + 1, "\"_limits\": [Infinity, -Infinity, NaN],");
  write_file(spoiled.path() / "config.json", text);
  EXPECT_EQ(spoiled.error(), "no error");
}

TEST(LoadModel, AdaptersAndUnknownArchitecturesAreNamed) {
  Spoiled adapter("llama");
  write_file(adapter.path() / "adapter_config.json", "{}");
  EXPECT_THAT(adapter.error(), HasSubstr("this is an adapter"));
  EXPECT_THAT(Spoiled("llama")
                  .config([](json& c) {
                    c["model_type"] = "custom";
                    c["auto_map"] = {{"AutoModel", "code.py"}};
                  })
                  .error(),
              HasSubstr("which is never run"));
}

// As 'pull' asks, before it fetches the weights.
TEST(LoadModel, AConfigurationAloneTellsWhetherItIsRead) {
  auto check = [](const char* config) {
    return error_of([&] { check_readable(config, "org/name/config.json"); });
  };
  EXPECT_EQ(check(R"({"model_type": "llama"})"), "no error");
  EXPECT_EQ(check(R"({"architectures": ["BertForMaskedLM"]})"), "no error");
  const std::string refused =
      check(R"({"model_type": "internlm3", "auto_map": {"AutoModel": "code.py"}})");
  EXPECT_THAT(refused, HasSubstr("org/name/config.json: the architecture 'internlm3'"));
  EXPECT_THAT(refused, HasSubstr("which is never run"));
  EXPECT_THAT(refused, HasSubstr("a GGUF of it would be read, as 'llama'"));
  EXPECT_THAT(check(R"({"model_type": "llama", "quantization_config": {"quant_method": "awq"}})"),
              HasSubstr("quantised by awq"));
}

TEST(LoadModel, CausalModelsNeedTheirHead) {
  auto untied = [](json& c) { c["tie_word_embeddings"] = false; };
  EXPECT_THAT(Spoiled("gpt2").config(untied).error(), HasSubstr("no language-model head"));
  EXPECT_THAT(Spoiled("llama").config(untied).weights("lm_head", "lm_heat").error(),
              HasSubstr("no language-model head"));
}

TEST(LoadModel, WeightsThatAreNoNumbersAreNamed) {
  const float nan = std::nanf(""), infinite = HUGE_VALF;
  EXPECT_THAT(Spoiled("bert").weight("bert.encoder.layer.1.output.dense.weight", 49, nan).error(),
              HasSubstr("bert.encoder.layer.1.output.dense.weight has nan in row 1, column 1"));
  EXPECT_THAT(
      Spoiled("bert").weight("bert.encoder.layer.0.output.LayerNorm.bias", 3, infinite).error(),
      HasSubstr("bert.encoder.layer.0.output.LayerNorm.bias has inf in row 3, column 0"));
}

// What is only read when a sentence has it, and what only grows too large on the way.
TEST(LoadModel, AnswersThatAreNoNumbersAreNamed) {
  Spoiled spoiled("gpt-neox");
  spoiled.weight("gpt_neox.embed_in.weight", 32 * 9, -HUGE_VALF);
  std::unique_ptr<query::Model> model = load_model(spoiled.path().string());
  const query::Query without{{2, 5, 6}, {{1, query::Targets{{7}}}}, {}};
  const query::Query with{{2, 5, 9}, {{1, query::Targets{{7}}}}, {}};
  EXPECT_EQ(model->answer({&without, 1}).size(), 1u);
  EXPECT_THAT(error_of([&] {
                model->answer({&with, 1});
              }),
              HasSubstr("embed_in.weight has -inf in row 9"));
  Spoiled large("bert");
  large.weight("cls.predictions.transform.LayerNorm.weight", 0, 3e38f)
      .weight("bert.embeddings.word_embeddings.weight", 32 * 7, 3e38f);
  model = load_model(large.path().string());
  EXPECT_THAT(error_of([&] {
                model->answer({&without, 1});
              }),
              HasSubstr("answers with what is not a number, at token 2 of \""));
  // Numbers still, but so large that what is added to them is lost: every token would be certain.
  Spoiled vast("bert");
  vast.weight("cls.predictions.bias", 7, 1e20f);
  model = load_model(vast.path().string());
  EXPECT_THAT(error_of([&] {
                model->answer({&without, 1});
              }),
              HasSubstr("answers with what is not a number"));
}

TEST(LoadModel, GptBertLoadsAsMaskedOrCausal) {
  auto read = [](const char* name, const char* as) {
    return load_model(golden(name).string(), {.threads = 1, .as = as});
  };
  using Kind = query::ModelInfo::Kind;
  EXPECT_EQ(read("gpt-bert", "auto")->info().kind, Kind::masked);
  EXPECT_EQ(read("gpt-bert", "causal")->info().kind, Kind::causal);
  EXPECT_EQ(read("gpt-bert-causal", "auto")->info().kind, Kind::causal);
  EXPECT_EQ(read("gpt-bert-causal", "masked")->info().kind, Kind::masked);
  EXPECT_NE(read("gpt-bert", "causal")->info().fingerprint,
            read("gpt-bert", "masked")->info().fingerprint);
  EXPECT_THAT(error_of([&] { read("bert", "causal"); }),
              HasSubstr("'bert' is a masked model and nothing else"));
  EXPECT_THAT(error_of([&] { read("gpt-bert", "both"); }), HasSubstr("there is no such kind"));
  query::Query first{{5, 6}, {{0, query::Targets{{5}}}}, {}};
  EXPECT_THROW(read("gpt-bert", "masked")->answer({&first, 1}), Error);
}

TEST(LoadModel, AbsurdConfigurationsAreErrors) {
  auto with = [](const char* key, json value) {
    return Spoiled("bert").config([&](json& c) { c[key] = value; }).error();
  };
  for (const char* model : {"bert", "albert", "llama"})
    EXPECT_THAT(Spoiled(model).config([](json& c) { c["num_hidden_layers"] = 200000000; }).error(),
                HasSubstr("\"num_hidden_layers\" is 200000000, and no model has more than 10000"));
  EXPECT_THAT(with("num_hidden_layers", 9999), HasSubstr("lacks weights"));
  EXPECT_THAT(with("num_hidden_layers", 1e300), HasSubstr("whole number"));
  EXPECT_THAT(with("hidden_size", -1), HasSubstr("between 1 and"));
  EXPECT_THAT(with("hidden_size", 0), HasSubstr("between 1 and"));
  EXPECT_THAT(with("hidden_size", "many"), HasSubstr("whole number"));
  EXPECT_THAT(with("num_attention_heads", 5), HasSubstr("5 heads do not divide a width of 32"));
  EXPECT_THAT(with("hidden_act", "mish"), HasSubstr("known are gelu"));
  EXPECT_THAT(with("position_embedding_type", "relative_key"), HasSubstr("relative_key"));
  EXPECT_THAT(with("model_type", "reformer"), HasSubstr("'reformer' is not supported"));
  EXPECT_THAT(with("model_type", "qwen3_next"), HasSubstr("'qwen3_5' resembles it most (Qwen 3.5"));
  EXPECT_THAT(with("model_type", "pegasus"), HasSubstr("'bart' resembles it most"));
  EXPECT_THAT(with("model_type", "gemma3n"), HasSubstr("'gemma3_text' resembles it most"));
  EXPECT_THAT(with("model_type", "gemma3n"), HasSubstr("embeddings for each layer"));
  EXPECT_THAT(with("model_type", "canine"), HasSubstr("no head that predicts words"));
  EXPECT_THAT(with("model_type", "reformer"), HasSubstr("'gpt2' resembles it most"));
  EXPECT_THAT(with("model_type", "rwkv8"), HasSubstr("of RWKV, versions 4 to 7 are read"));
  EXPECT_THAT(with("model_type", "rwkv8"), HasSubstr("'rwkv7' resembles it most"));
  EXPECT_THAT(with("model_type", "rwkv8"), HasSubstr("a GGUF of it would not be read either"));
  EXPECT_THAT(with("model_type", "rwkv6qwen2"),
              HasSubstr("a GGUF of it would be read, as 'rwkv6qwen2'"));
  EXPECT_THAT(with("model_type", "pegasus"), HasSubstr("a GGUF of it would not be read either"));
  EXPECT_THAT(with("model_type", "internlm3"), HasSubstr("a GGUF of it would be read, as 'llama'"));
  EXPECT_THAT(Spoiled("albert").config([](json& c) { c["num_hidden_groups"] = 6; }).error(),
              HasSubstr("more groups than layers"));
  EXPECT_THAT(Spoiled("albert").config([](json& c) { c["num_hidden_layers"] = 5000; }).error(),
              HasSubstr("too many"));
  EXPECT_THAT(Spoiled("roberta").config([](json& c) { c["pad_token_id"] = 39; }).error(),
              HasSubstr("leaves no positions"));
  EXPECT_THAT(
      Spoiled("modernbert").config([](json& c) { c["global_attn_every_n_layers"] = 0; }).error(),
      HasSubstr("between 1 and"));
}

TEST(LoadModel, DanglingLinksAreErrors) {
  EXPECT_THAT(error_of([] { load_model("/no/such/model"); }), HasSubstr("there is no model"));
  TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { load_model(folder.path().string()); }), HasSubstr("config.json"));
  EXPECT_THAT(error_of([] { load_model(golden("bert").string(), {.precision = "fp8"}); }),
              HasSubstr("fp8"));
}

TEST(Answer, BadQueriesAreErrors) {
  std::unique_ptr<query::Model> model = load_model(golden("bert").string());
  auto ask = [&](query::Query query) { return error_of([&] { model->answer({&query, 1}); }); };
  EXPECT_THAT(ask({{}, {}}), HasSubstr("empty"));
  EXPECT_THAT(ask({{120}, {}}), HasSubstr("120 is outside"));
  EXPECT_THAT(ask({{-1}, {}}), HasSubstr("-1 is outside"));
  EXPECT_THAT(ask({std::vector<tokenizer::TokenId>(41, 5), {}}), HasSubstr("at most 40"));
  EXPECT_THAT(ask({{5}, {{1, query::Targets{{5}}}}}), HasSubstr("position 1 of 1"));
  EXPECT_THAT(ask({{5}, {{0, query::Targets{{120}}}}}), HasSubstr("target id 120"));
  EXPECT_THAT(ask({{5}, {{0, query::Rank{120}}}}), HasSubstr("target id 120"));
  EXPECT_THAT(ask({{5}, {{0, query::Hidden{9}}}}), HasSubstr("layers, not 9"));
  EXPECT_THAT(ask({{5}, {{0, query::Lens{9, {5}}}}}), HasSubstr("layers, not 9"));
  EXPECT_THAT(ask({{5}, {{0, query::Lens{1, {120}}}}}), HasSubstr("target id 120"));
  EXPECT_THAT(ask({{5}, {{0, query::Lens{1, {query::kWordEnd}}}}}), HasSubstr("single tokens"));
  EXPECT_THAT(ask({{5}, {}, {{{query::Site::unit, 1, 1, 0}, query::Zero{}}}}),
              HasSubstr("has no units that can be"));
  EXPECT_EQ(ask({{5}, {}}), "no error");
  EXPECT_TRUE(model->answer({}).empty());
}

// A real encoder with other people's outputs. It has no head, so that it cannot score.
TEST(Minilm, HiddenStatesAgreeWithOnnxRuntime) {
  if (models_dir().empty()) GTEST_SKIP() << "the reference models are absent";
  std::filesystem::path folder = models_dir() / "minilm-l6";
  EXPECT_THAT(error_of([&] { load_model(folder.string()); }), HasSubstr("no language-model head"));

  query::ModelInfo known;
  known.name = "minilm";
  known.architecture = "bert";
  Parts parts{std::make_unique<Config>(folder / "config.json"), checkpoint::open_checkpoint(folder),
              tokenizer::load_tokenizer(folder), false, false};
  MaskedModel model({folder, {.threads = 2}, known}, std::get<MakeEncoder>(families().front().make),
                    std::move(parts));
  std::ifstream lines(folder / "reference.jsonl");
  size_t compared = 0;
  for (std::string line; std::getline(lines, line);) {
    json reference = json::parse(line);
    model.watch(reference["ids"], [&](const Value& value) {
      if (value.site != Site::output) return;
      const char* names[] = {"first", "middle", "last"};
      for (size_t i = 0; i < 3; ++i)
        for (size_t d = 0; d < 384; ++d, ++compared)
          ASSERT_NEAR(value.rows.row(reference["positions"][i].get<size_t>())[d],
                      reference[names[i]][d].get<float>(), 1e-4)
              << reference["text"];
    });
  }
  EXPECT_EQ(compared, 40u * 3 * 384);
}

}  // namespace
}  // namespace minpair::model
