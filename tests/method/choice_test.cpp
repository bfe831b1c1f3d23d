#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "method/method.h"
#include "support.h"

namespace minpair::method {
namespace {

using Kind = query::ModelInfo::Kind;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Not;

suite::Manifest manifest_with(const std::string& method, const std::string& norm = "") {
  suite::Manifest m;
  m.method = method;
  m.norm = norm;
  return m;
}

std::vector<std::string> chosen(const suite::Manifest& manifest, const std::string& asked,
                                bool clozes, Kind kind) {
  std::vector<std::string> names;
  for (const Method* m : methods_for(manifest, asked, clozes, {.kind = kind}))
    names.push_back(m->name());
  return names;
}

using Names = std::vector<std::string>;

TEST(MethodsFor, ThePapersUnlessAnotherIsAskedFor) {
  EXPECT_EQ(chosen({}, "", false, Kind::masked), Names{"pll-word-l2r"});
  EXPECT_EQ(chosen(manifest_with("pll"), "", false, Kind::masked), Names{"pll"});
  EXPECT_EQ(chosen(manifest_with("pll"), "masked, ce", false, Kind::masked),
            (Names{"masked", "ce"}));
  EXPECT_EQ(chosen(manifest_with("pll"), "", false, Kind::causal), Names{"lp"});  // does not fit
  EXPECT_THROW(chosen(manifest_with("pl"), "", false, Kind::masked), Error);
  EXPECT_THROW(chosen({}, "lp", false, Kind::masked), Error);
}

// T5, BART and GPT-BERT say nothing about a word that they see.
TEST(MethodsFor, ModelsThatAnswerOnlyAboutMasksAreAskedAboutMasks) {
  for (const query::ModelInfo& model :
       {query::ModelInfo{.fills_gaps = true}, query::ModelInfo{.answers_before = true}}) {
    EXPECT_EQ(methods_for(manifest_with("ce"), "", false, model)[0]->name(), "pll-word-l2r");
    EXPECT_THAT(methods_for({}, "all", false, model),
                AllOf(Not(Contains(&find_method("ce"))), Contains(&find_method("pll"))));
    EXPECT_THROW(find_method("ce", model), Error);
    // Masks in a row: T5 and BART take them for one gap, GPT-BERT answers about each.
    for (const char* name : {"masked-word", "pll-whole-word"})
      EXPECT_EQ(find_method(name).supports(model), model.answers_before) << name;
  }
  EXPECT_EQ(chosen(manifest_with("ce"), "", false, Kind::masked), Names{"ce"});
}

TEST(MethodsFor, AllAreThoseThatJudgeWhatTheSuiteHas) {
  EXPECT_EQ(chosen({}, "all", true, Kind::masked),
            (Names{"feature-class", "lemma-forms", "lemma-pairs"}));
  Names sentences = chosen({}, "all", false, Kind::masked);
  EXPECT_EQ(sentences.front(), "ce");
  EXPECT_EQ(sentences.back(), "pll-sentence-l2r");
}

std::string error_of(const suite::Manifest& manifest) {
  try {
    check_manifest(manifest, "s/manifest.json");
  } catch (const Error& e) {
    EXPECT_EQ(e.where().str(), "s/manifest.json");
    EXPECT_EQ(e.kind(), Error::Kind::input);
    return e.message() + "; " + e.next();
  }
  return "";
}

TEST(CheckManifest, UnknownKeysAreRefused) {
  EXPECT_EQ(error_of({}), "");
  EXPECT_EQ(error_of(manifest_with("pll", "word")), "");
  EXPECT_EQ(error_of(manifest_with("", "probability")), "");
  EXPECT_EQ(error_of(manifest_with("feature-class", "logit")), "");
  EXPECT_EQ(error_of(manifest_with("pl")), "there is no method 'pl'; did you mean 'pll'?");
  EXPECT_EQ(error_of(manifest_with("cloze")),
            "there is no method 'cloze'; 'minpair list methods' shows what there is");
  EXPECT_EQ(error_of(manifest_with("ce", "means")),
            "there is no normalisation 'means'; did you mean 'mean'?");
  EXPECT_EQ(error_of(manifest_with("feature-class", "mean")),
            "the method 'feature-class' has no normalisation 'mean'; its own is 'probability'");
}

TEST(CheckManifest, ShippedAndPublishedOnesAreRight) {
  size_t checked = 0;
  for (const char* folder : {"suites", "published"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(testing::source_dir() / folder))
      // Papers and sources are data of their own kind.
      if (entry.path().extension() == ".json" && entry.path().filename() != "sources.json" &&
          entry.path().parent_path().filename() != "papers") {
        check_manifest(suite::read_manifest(entry.path()), entry.path().string());
        ++checked;
      }
  EXPECT_GT(checked, 5u);
}

}  // namespace
}  // namespace minpair::method
