// Directories that transformers itself has written, and the log-probabilities that it computed.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "model/architectures.h"
#include "model/model.h"
#include "support.h"

namespace minpair::model {
namespace {

using Json = nlohmann::json;
using tokenizer::TokenId;

std::filesystem::path parity() {
  std::filesystem::path folder = testing::models_dir() / "parity";
  return !testing::models_dir().empty() && std::filesystem::exists(folder) ? folder : "";
}

double worst_of(query::Model& model, const query::Query& query, const std::vector<double>& theirs) {
  query::Answer answer = model.answer({&query, 1}).at(0);
  EXPECT_EQ(answer.size(), theirs.size());
  double worst = 0;
  for (size_t i = 0; i < answer.size(); ++i)
    worst = std::max(worst, std::abs(logits_of(answer[i]).logprob() - theirs[i]));
  return worst;
}

// Each token given those before it.
query::Query left_to_right(const query::Model& model, const std::vector<TokenId>& ids) {
  query::Query q;
  q.ids.push_back(model.info().start);
  q.ids.insert(q.ids.end(), ids.begin(), ids.end() - 1);
  for (uint32_t i = 0; i < ids.size(); ++i) q.asks.push_back({i, query::Targets{{ids[i]}}});
  return q;
}

query::Query about_all(const std::vector<TokenId>& ids, uint32_t first = 0) {
  query::Query q{ids, {}, {}};
  for (uint32_t i = first; i < ids.size(); ++i) q.asks.push_back({i, query::Targets{{ids[i]}}});
  return q;
}

query::Query masked_at(const query::Model& model, std::vector<TokenId> ids, uint32_t at) {
  query::Query q{ids, {{at, query::Targets{{ids[at]}}}}, {}};
  q.ids[at] = model.tokenizer().special().mask;
  return q;
}

double worst_of(query::Model& model, const Json& sentence) {
  auto ids = sentence.at("ids").get<std::vector<TokenId>>();
  if (sentence.contains("lp")) return worst_of(model, left_to_right(model, ids), sentence.at("lp"));
  double worst = worst_of(model, about_all(ids), sentence.at("ce"));
  auto pll = sentence.value("pll", std::vector<double>());  // not of the longest ones
  for (uint32_t i = 0; i < pll.size(); ++i)
    worst = std::max(worst, worst_of(model, masked_at(model, ids, i + 1), {pll[i]}));
  return worst;
}

TEST(Parity, FoldersOfTransformersGiveItsNumbers) {
  if (parity().empty()) GTEST_SKIP() << testing::no_data();
  size_t compared = 0;
  for (const char* name :
       {"albert-base", "bert-base", "gemma3-base", "gemma3-final-cap", "gemma3-linear",
        "gemma3-thetas", "gpt2-base", "llama-base", "llama-dynamic", "llama-longrope", "llama-yarn",
        "mistral-null", "modernbert-base", "neox-pct05", "neox-pct1", "neox-theta",
        "roberta-base"}) {
    SCOPED_TRACE(name);
    std::unique_ptr<query::Model> model = load_model((parity() / name).string());
    const Json theirs = Json::parse(read_file(parity() / name / "reference.json"));
    for (const Json& s : theirs.at("sentences")) {
      if (s.at("ids").size() > model->info().max_tokens) continue;  // refused, never guessed
      EXPECT_LT(worst_of(*model, s), 1e-4) << s.at("text");
      ++compared;
    }
  }
  EXPECT_GT(compared, 50u);
  EXPECT_NO_THROW(load_model((parity() / "model-max-length").string()));
}

// Made by tools/golden/make_transformers.py with the real library: a folder of every family and
// variation, and what the library computed with it. MINPAIR_GOLDEN: others than those of the tree
// (tools/golden/check.py, for long sentences).
std::filesystem::path made_by_transformers(const std::string& name) {
  if (const char* other = std::getenv("MINPAIR_GOLDEN")) return std::filesystem::path(other) / name;
  return testing::source_dir() / "tests/model/golden" / name;
}

// What Hugging Face's library does not have is a GGUF file, made by make_rwkv.py and scored by
// llama.cpp.
std::filesystem::path model_in(const std::string& name) {
  const std::filesystem::path folder = made_by_transformers(name), gguf = folder / "model.gguf";
  return std::filesystem::exists(gguf) ? gguf : folder;
}

std::vector<std::string> folders_of_transformers() {
  std::vector<std::string> names;
  for (const auto& folder : std::filesystem::directory_iterator(made_by_transformers("")))
    if (std::filesystem::exists(folder.path() / "reference.json"))
      names.push_back(folder.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

query::Query next_tokens(const std::vector<TokenId>& ids) {
  query::Query q{{ids.begin(), ids.end() - 1}, {}, {}};
  for (uint32_t i = 0; i + 1 < ids.size(); ++i) q.asks.push_back({i, query::Targets{{ids[i + 1]}}});
  return q;
}

// Twenty tokens, one after the other.
query::Query about_gap(const std::vector<TokenId>& ids) {
  query::Query q{ids, {}, {}};
  for (TokenId target = 5; target < 25; ++target)
    q.asks.push_back({uint32_t(ids.size() / 2), query::Targets{{target}}});
  return q;
}

struct Reference {
  std::vector<query::Query> queries;
  std::vector<std::vector<double>> theirs;
  double allowed = 1e-4;
};

Reference reference_in(const std::filesystem::path& file) {
  Reference reference;
  const Json made = Json::parse(read_file(file));
  const std::string kind = made.value("kind", "causal");
  for (const Json& input : made.at("inputs")) {
    auto ids = input.at("ids").get<std::vector<TokenId>>();
    // GPT-BERT says nothing about the first.
    reference.queries.push_back(kind == "causal"                 ? next_tokens(ids)
                                : kind == "masked"               ? about_all(ids)
                                : kind == "masked but the first" ? about_all(ids, 1)
                                                                 : about_gap(ids));
    reference.theirs.push_back(input.at("logprobs"));
    // In single precision the library itself may lose more with this model.
    reference.allowed = std::max(reference.allowed, 2 * input.value("single", 0.0));
  }
  return reference;
}

Reference reference_of(const std::string& name) {
  return reference_in(made_by_transformers(name) / "reference.json");
}

class Made : public ::testing::TestWithParam<std::string> {
 protected:
  Made() : model_(load()) {
    Reference reference = reference_of(GetParam());
    queries_ = std::move(reference.queries);
    theirs_ = std::move(reference.theirs);
    allowed_ = reference.allowed;
  }
  std::unique_ptr<query::Model> load(int threads = 1) const {
    return load_model(model_in(GetParam()).string(), {.threads = threads});
  }

  std::unique_ptr<query::Model> model_;
  std::vector<query::Query> queries_;
  std::vector<std::vector<double>> theirs_;
  double allowed_ = 0;
};

TEST_P(Made, EveryTokenAsInTheLibrary) {
  double worst = 0;
  size_t tokens = 0;
  for (size_t i = 0; i < queries_.size(); ++i) {
    double here = worst_of(*model_, queries_[i], theirs_[i]);
    EXPECT_LT(here, allowed_) << queries_[i].ids.size();
    worst = std::max(worst, here);
    tokens += theirs_[i].size();
  }
  // For the table in docs/models.md.
  RecordProperty("folder", GetParam());
  RecordProperty("type", model_->info().architecture);
  RecordProperty("tokens", int(tokens));
  RecordProperty("worst", fmt::format("{:.1e}", worst));
}

// Alone, in a batch with others and with a prefix of the longest, on other threads.
TEST_P(Made, TheSameBitsInAnyBatch) {
  query::Query begin = queries_.back();
  begin.ids.resize(30);
  std::erase_if(begin.asks, [](const query::Ask& ask) { return ask.position >= 30; });
  queries_.push_back(begin);
  std::vector<query::Answer> together = load(3)->answer(queries_);
  for (size_t i = 0; i < queries_.size(); ++i)
    EXPECT_EQ(model_->answer({&queries_[i], 1}).at(0), together[i]) << i;
}

// Sentences that part from the longest one early, late, and in the middle: prefixes, states and
// encoders are shared by what has them in common, and change no bit on any number of threads.
TEST_P(Made, BranchesHaveTheBitsThatTheyHaveAlone) {
  const query::Query whole = queries_.back();
  const size_t n = whole.ids.size(), gap = whole.ids.size() / 2;
  const bool fills_gaps = model_->info().encoder_layers > 0;
  std::vector<query::Query> branches{whole, whole};
  for (size_t cut : {size_t(1), size_t(7), gap, n - 1}) {
    query::Query branch = whole;
    for (size_t i = cut; i < n; ++i) {
      const size_t from = (7 * i + cut) % n;
      if (!fills_gaps || (i != gap && from != gap)) branch.ids[i] = whole.ids[from];
    }
    branches.push_back(branch);
  }
  // The same sentence, asked for other things.
  branches[0].asks.resize(whole.asks.size() / 2);
  std::vector<query::Answer> alone;
  for (const query::Query& branch : branches) alone.push_back(model_->answer({&branch, 1}).at(0));
  for (int threads : {1, 2, 4}) EXPECT_EQ(load(threads)->answer(branches), alone) << threads;
}

TEST_P(Made, LayersCanBeAskedAndTheLastOneIsTheAnswer) {
  const query::ModelInfo& info = model_->info();
  query::Query q = queries_[1];
  const std::vector<query::Ask> asked = q.asks;
  for (query::Ask& ask : q.asks) {
    query::Targets& targets = std::get<query::Targets>(ask.what);
    targets.normalized = false;
  }
  query::Answer scores = model_->answer({&q, 1}).at(0);
  for (uint16_t layer : {uint16_t(0), uint16_t(info.layers)}) {
    query::Query inside{q.ids, {}, {}};
    for (const query::Ask& ask : asked) {
      inside.asks.push_back(
          {ask.position, query::Lens{layer, std::get<query::Targets>(ask.what).ids}});
      inside.asks.push_back({ask.position, query::Hidden{layer}});
    }
    query::Answer answer = model_->answer({&inside, 1}).at(0);
    for (size_t i = 0; i < asked.size(); ++i) {
      EXPECT_EQ(answer[2 * i] == scores[i], layer > 0) << "layer " << layer << ", token " << i;
      EXPECT_FALSE(std::get<query::State>(answer[2 * i + 1]).values.empty());
    }
  }
}

TEST_P(Made, ChangesAreObeyedInAnyBatch) {
  query::Query changed = queries_[1];
  changed.changes.push_back({{query::Site::residual, 1, 0, 0}, query::Zero{}});
  query::Answer alone = model_->answer({&changed, 1}).at(0);
  EXPECT_NE(alone, model_->answer({&queries_[1], 1}).at(0));
  queries_.push_back(changed);
  EXPECT_EQ(load(3)->answer(queries_).back(), alone);
}

// An input as long as the second one, and its answer.
TEST_P(Made, AllThatAnotherInputHasGivesItsAnswerAndItsOwnChangesNoBit) {
  const query::SiteSet sites = model_->sites();
  for (const Architecture& known : architectures())
    if (known.type == model_->info().architecture) {
      EXPECT_EQ(known.sites, sites) << "as 'minpair list architectures' says";
    }
  ASSERT_TRUE(sites.test(size_t(query::Site::residual)));
  const query::Query& ours = queries_[1];
  query::Query theirs = ours;
  const bool fills_gaps = model_->info().encoder_layers > 0;
  const auto middle = theirs.ids.begin() + ptrdiff_t(ours.ids.size() / 2);  // the gap
  std::rotate(theirs.ids.begin() + 1, theirs.ids.begin() + 2,
              fills_gaps ? middle : theirs.ids.end());
  if (fills_gaps) std::rotate(middle + 1, middle + 2, theirs.ids.end());
  const query::Answer here = model_->answer({&ours, 1}).at(0);
  const query::Answer there = model_->answer({&theirs, 1}).at(0);
  EXPECT_NE(here, there);
  for (uint16_t layer = 0; layer <= model_->info().layers; ++layer) {
    query::Query changed = ours;
    for (uint32_t p = 0; p < ours.ids.size(); ++p)
      changed.changes.push_back(
          {{query::Site::residual, layer, 0, p}, query::From{theirs.ids, {p}}});
    EXPECT_EQ(model_->answer({&changed, 1}).at(0), there) << "layer " << layer;
    for (size_t site = 0; site < query::kSites; ++site) {
      if (!sites.test(site) || (layer == 0 && site > 0)) continue;
      for (uint32_t p : {1u, uint32_t(ours.ids.size() / 2)}) {
        changed.changes = {{{query::Site(site), layer, 0, p}, query::From{ours.ids, {p}}}};
        EXPECT_EQ(model_->answer({&changed, 1}).at(0), here) << "layer " << layer << ", " << site;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Transformers, Made, ::testing::ValuesIn(folders_of_transformers()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); },
                               '_');
                           return name;
                         });

// tools/golden/make_gguf.py had llama.cpp's converter write them. Where llama.cpp computes
// otherwise than transformers, its numbers stand beside the file.
TEST(Parity, GgufOfLlamaCppIsTheSameModel) {
  size_t compared = 0;
  for (const auto& file : std::filesystem::directory_iterator(made_by_transformers("gguf"))) {
    if (file.path().extension() != ".gguf") continue;
    SCOPED_TRACE(file.path().stem());
    std::unique_ptr<query::Model> model = load_model(file.path().string(), {.threads = 1});
    std::filesystem::path own = file.path();
    own.replace_extension(".json");
    const Reference reference =
        std::filesystem::exists(own) ? reference_in(own) : reference_of(file.path().stem());
    double worst = 0;
    for (size_t i = 0; i < reference.queries.size(); ++i)
      worst = std::max(worst, worst_of(*model, reference.queries[i], reference.theirs[i]));
    EXPECT_LT(worst, 1e-4);
    // For the table in docs/models.md.
    RecordProperty(file.path().stem(), fmt::format("{:.1e}", worst));
    ++compared;
  }
  EXPECT_GE(compared, 31u);
}

TEST(Parity, RwkvCutsTextsAsLlamaCppDoes) {
  for (const char* name :
       {"rwkv5", "rwkv5-heads", "rwkv6", "rwkv7", "rwkv6-folder", "rwkv7-folder"}) {
    const Json made = Json::parse(read_file(made_by_transformers(name) / "reference.json"));
    std::unique_ptr<query::Model> model = load_model(model_in(name).string(), {.threads = 1});
    for (const Json& one : made.at("texts")) {
      const auto text = one.at("text").get<std::string>();
      std::vector<TokenId> ids;
      size_t at = 0;
      for (const tokenizer::Token& token : model->tokenizer().encode(text, false).tokens) {
        ids.push_back(token.id);
        EXPECT_GE(token.span.begin, at) << text;
        at = token.span.begin;
      }
      EXPECT_EQ(ids, one.at("ids").get<std::vector<TokenId>>()) << text;
    }
  }
}

// The model of a folder whose configuration was changed; null: it is refused.
std::unique_ptr<query::Model> with_change(const std::string& name, const Json& change) {
  testing::TemporaryFolder folder;
  for (const auto& file : std::filesystem::directory_iterator(made_by_transformers(name)))
    if (file.path().filename() != "config.json")
      std::filesystem::create_symlink(file.path(), folder / file.path().filename().string());
  Json config = Json::parse(read_file(made_by_transformers(name) / "config.json"));
  Json* at = &config;
  for (const Json& key : change.at("path")) at = &(*at)[key.get<std::string>()];
  *at = change.at("value");
  write_file(folder / "config.json", config.dump());
  try {
    return load_model(folder.path().string(), {.threads = 1});
  } catch (const Error&) {
    return nullptr;
  }
}

// Where the library is not followed.
bool is_read_otherwise(const std::string& type, const std::string& key, bool answered) {
  // Google's files say "gelu" and mean the one by tanh, as the library also took it up to 4.47.
  if (type == "gemma") return key == "hidden_act";
  // How weights are first made; the library applies it to those that it reads, too.
  if (type.starts_with("mamba")) return key == "rescale_prenorm_residual";
  // Without "head_dim", which this configuration has not, the library's yarn fails.
  return type == "mixtral" && key == "rope_parameters" && !answered;
}

// tools/golden/walk.py changed each key of each configuration and asked the library. Where it has
// no answer, ours must not be another one than without the change.
TEST(Parity, EveryKeyOfAConfigurationIsObeyedOrRefused) {
  std::istringstream lines(read_file(made_by_transformers("walk.jsonl")));
  size_t obeyed = 0, harmless = 0, refused = 0, unanswered = 0;
  std::set<std::string> keys;
  for (std::string line; std::getline(lines, line);) {
    const Json change = Json::parse(line);
    const auto name = change.at("folder").get<std::string>();
    std::unique_ptr<query::Model> model = with_change(name, change);
    if (!model) {
      ++refused;
      continue;
    }
    const bool other = change.contains("logprobs"), same = change.contains("same");
    if (is_read_otherwise(model->info().architecture, change.at("path").back(), other || same))
      continue;
    const Reference reference = reference_of(name);
    const std::vector<double> without = reference.theirs[1];
    const std::vector<double> theirs = other ? change.at("logprobs") : Json(without);
    EXPECT_LT(worst_of(*model, reference.queries[1], theirs), 1e-4) << line;
    keys.insert(model->info().architecture + " " + change.at("path").dump());
    ++(other ? obeyed : same ? harmless : unanswered);
  }
  RecordProperty("obeyed", int(obeyed));
  RecordProperty("of_no_effect", int(harmless));
  RecordProperty("refused", int(refused));
  RecordProperty("refused_by_the_library", int(unanswered));
  RecordProperty("keys", int(keys.size()));
  EXPECT_GT(obeyed, 400u);
  EXPECT_GT(harmless, 400u);
  EXPECT_GT(refused, 400u);
}

TEST(Parity, UnsupportedFoldersAreRefusedByName) {
  if (parity().empty()) GTEST_SKIP() << testing::no_data();
  const std::pair<const char*, const char*> refused[] = {
      {"bert-is-decoder", "is_decoder"},
      {"electra-is-decoder", "is_decoder"},
      {"roberta-is-decoder", "is_decoder"},
      {"gpt2-base-model-untied", "no language-model head"},
      {"llama-base-model", "no language-model head"},
      {"x-adapter", "adapter"},
      {"x-bnb4", "quantised by bitsandbytes"},
      {"x-bnb8", "quantised by bitsandbytes"},
      {"x-gptq", "quantised by gptq"}};
  for (const auto& [name, why] : refused) try {
      load_model((parity() / name).string());
      ADD_FAILURE() << name << " was loaded";
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), ::testing::HasSubstr(why)) << name;
    }
}

}  // namespace
}  // namespace minpair::model
