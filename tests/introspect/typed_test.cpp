// A typed pair, looked into at once: its figures are those of the sweeps, and what cannot be asked
// is said.

#include "introspect/typed.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "engine/made_up.h"
#include "introspect/attribute.h"
#include "introspect/made_up.h"
#include "introspect/patch.h"
#include "model/model.h"
#include "support.h"

namespace minpair::introspect {
namespace {

using namespace testing;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Of the words of tiny models (made_up.h): subject, attractor, locus, one more.
struct Tiny {
  std::string folder, w;
};
class LooksInside : public ::testing::TestWithParam<Tiny> {
 protected:
  LooksInside() : model_(load()), w_(GetParam().w) {}
  std::unique_ptr<query::Model> load() {
    const std::string& name = GetParam().folder;
    if (!name.ends_with(".pt"))
      return model::load_model((source_dir() / "tests/model/golden" / name).string());
    const auto recurrent = source_dir() / "tests/golden/recurrent";
    return model::load_model((recurrent / name).string(), {.vocabulary = recurrent / "vocab.txt"});
  }
  // The texts of made_up.h: number of the subject, of the attractor, of the verb.
  std::string text(int subject, int attractor, int verb) const {
    return fmt::format("{0}{1} {0}{2} {0}{3} {0}9", w_, 10 + subject, 24 + attractor, 7 + verb);
  }
  json look(const std::string& other = "") {
    return json::parse(inside_json(*model_, {text(0, 0, 0), text(0, 0, 1), other}));
  }
  bool masked() const { return model_->info().kind == query::ModelInfo::Kind::masked; }
  // Of one that fills a gap, a second mask would be another gap.
  bool masks_words() const { return masked() && model_->info().encoder_layers == 0; }

  std::unique_ptr<query::Model> model_;
  std::string w_;
};

// The page has four digits.
void expect_near(const json& given, double expected) {
  EXPECT_NEAR(given.get<double>(), expected, 1e-4 + 1e-3 * std::abs(expected));
}

TEST_P(LooksInside, WordsAreThoseOfErasureAndTheLastLensIsTheMargin) {
  const json found = look();
  const std::vector<suite::Item> items = agreement(w_);
  const WordReadings read = read_erasure(*model_, source_of(items), {});
  expect_near(found["margin"], read.readings[0].margin);
  EXPECT_EQ(found["lens"].back(), found["margin"]);
  EXPECT_EQ(found["lens"].size(), model_->info().layers + 1);
  const std::vector<WordEffect>& words = read.readings[0].words;
  ASSERT_EQ(found["words"][0]["effects"].size(), words.size());
  for (size_t w = 0; w < words.size(); ++w) {
    EXPECT_EQ(found["words"][0]["names"][w], words[w].word);
    expect_near(found["words"][0]["effects"][w][0], words[w].effect);
  }
  std::string all;
  for (const json& part : found["words"][0]["parts"]) all += part[0];
  EXPECT_EQ(all, text(0, 0, 0));
}

TEST_P(LooksInside, WithoutAThirdSentenceAWordIsMaskedInside) {
  const json found = look();
  ASSERT_TRUE(found.contains("patch")) << found;
  EXPECT_EQ(found["words"][0]["id"], masks_words() ? "masked" : "left out");
  EXPECT_EQ(found["patch"]["id"], masks_words() ? "masked" : "zero");
  const size_t layers = model_->info().layers;
  for (size_t w = 0; w < found["patch"]["effects"].size(); ++w) {
    const json& effects = found["patch"]["effects"][w];
    ASSERT_EQ(effects.size(), layers + 1);
    // The embedding of a mask is all that the masked sentence has instead of the word.
    if (masks_words()) {
      EXPECT_EQ(effects[0], found["words"][0]["effects"][w][0]);
    }
    // Nobody reads any more what stands elsewhere after the last layer, but the next step of a
    // recurrent one.
    const bool asked_here = !masked() && w + 1 == found["patch"]["effects"].size();
    if (!asked_here && model_->info().kind != query::ModelInfo::Kind::recurrent) {
      EXPECT_EQ(effects[layers], 0.0);
    }
  }
}

TEST_P(LooksInside, AThirdSentenceIsTheCounterpart) {
  for (const auto& [other, swap] :
       {std::pair{text(1, 0, 1), Swap::subject}, std::pair{text(0, 1, 0), Swap::attractor}}) {
    const json found = look(other);
    const std::vector<suite::Item> items = agreement(w_);
    PatchOptions options;
    options.swap = swap;
    options.roles = {"subject", "attractor", "locus"};
    const PatchReadings read =
        read_patches(*model_, source_of(items), source_of(items), {}, options);
    const PatchItem& item = read.readings[0];
    expect_near(found["total"], item.margin - item.there);
    EXPECT_EQ(found["patch"]["names"][0], w_ + "10");
    const size_t n = read.components.size();
    ASSERT_EQ(n, found["layers"].size());
    for (size_t l = 0; l < n; ++l)
      for (size_t place : {0u, 1u})
        expect_near(found["patch"]["effects"][place][l], item.margin - item.changed[place * n + l]);
    // What the place that is asked has after the last layer decides alone.
    EXPECT_EQ(found["patch"]["effects"].back()[n - 1], found["total"]);
  }
}

TEST_P(LooksInside, SaysWhatCannotBeAsked) {
  auto said = [&](const TypedPair& pair, const TypedLimits& limits = {}) -> std::string {
    try {
      inside_json(*model_, pair, limits);
    } catch (const Error& e) {
      return e.message();
    }
    return "";
  };
  const std::string right = text(0, 0, 0), wrong = text(0, 0, 1);
  EXPECT_THAT(said({right, right, ""}), HasSubstr("is not asked about pairs"));
  EXPECT_THAT(said({right, wrong, w_ + "11 " + w_ + "9"}), HasSubstr("does not end as"));
  EXPECT_THAT(said({right, wrong, w_ + "12 " + text(1, 0, 1)}), HasSubstr("number of words"));
  EXPECT_THAT(said({right, wrong, right}), HasSubstr("reads the same"));
  EXPECT_THAT(said({right, wrong, ""}, {.words = 1}), HasSubstr("up to 1 word"));
  const json late =
      json::parse(inside_json(*model_, {right, wrong, ""}, {.time = std::chrono::milliseconds(0)}));
  EXPECT_THAT(late["left_out"].get<std::string>(), HasSubstr("after 0 seconds"));
  EXPECT_FALSE(late.contains("patch"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, LooksInside,
                         ::testing::Values(Tiny{"bert", "wort"}, Tiny{"gpt2", "wort"},
                                           Tiny{"t5", "wort"}, Tiny{"bart", "wort"},
                                           Tiny{"mbart", "wort"}, Tiny{"rwkv", "wort"},
                                           Tiny{"mamba2", "wort"}, Tiny{"lstm0.pt", "w"}),
                         [](const auto& tested) {
                           return tested.param.folder.substr(0, tested.param.folder.find('.'));
                         });

}  // namespace
}  // namespace minpair::introspect
