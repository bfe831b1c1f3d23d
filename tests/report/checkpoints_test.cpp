#include "report/checkpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/labels.h"

namespace minpair::report {

using ::testing::ElementsAre;

static std::vector<std::string> said(const std::vector<std::string>& models) {
  std::vector<std::string> all;
  for (const Training& t : trainings_among(models)) {
    std::string line = t.title + ":";
    for (const Stage& s : t.stages) line += " " + s.said + "=" + std::to_string(s.model);
    all.push_back(line);
  }
  return all;
}

TEST(Checkpoints, AreRecognisedByName) {
  EXPECT_THAT(said({"EleutherAI/pythia-70m@step10000", "EleutherAI/pythia-70m@step2000",
                    "EleutherAI/pythia-70m", "gpt2"}),
              ElementsAre("pythia-70m: 2000=1 10000=0 final=2"));
  EXPECT_THAT(said({"runs/gpt/checkpoint-500/", "runs/gpt/checkpoint-1000", "runs/gpt@main"}),
              ElementsAre("gpt: 500=0 1000=1 final=2"));
  EXPECT_THAT(said({"babylm@chck_10M", "babylm@chck_900K", "babylm@chck_1B"}),
              ElementsAre("babylm: 900K=1 10M=0 1B=2"));
  EXPECT_THAT(said({"olmo@stage1-step10-tokens5B", "olmo@stage1-step9-tokens4B"}),
              ElementsAre("olmo@stage1: 9=1 10=0"));
  EXPECT_THAT(said({"a-global_step0004", "a-global_step12"}), ElementsAre("a: 4=0 12=1"));
  EXPECT_THAT(said({"checkpoint-1", "checkpoint-2"}), ElementsAre("checkpoints: 1=0 2=1"));
}

TEST(Checkpoints, SeedsAndFoldersOfTheSameNameAreTrainingsOfTheirOwn) {
  EXPECT_THAT(
      said({"lstm/step1/seed1", "lstm/step2/seed1", "lstm/step1/seed2", "lstm/step2/seed2"}),
      ElementsAre("lstm/seed1: 1=0 2=1", "lstm/seed2: 1=2 2=3"));
  EXPECT_THAT(said({"a/gpt/step1", "a/gpt/step2", "b/gpt/step1", "b/gpt/step2"}),
              ElementsAre("a/gpt: 1=0 2=1", "b/gpt: 1=2 2=3"));
}

TEST(Checkpoints, OneAloneOrAWordInsideAnotherIsNone) {
  EXPECT_THAT(said({"gpt-step1000"}), ElementsAre());
  EXPECT_THAT(said({"footstep1", "footstep2", "step2x", "step3x", "step", "epoch-"}),
              ElementsAre());
  EXPECT_THAT(said({"step99999999999999999999999", "step2"}), ElementsAre());
}

TEST(Checkpoints, AreNotCalledByTheirStepAlone) {
  std::vector<store::RunRecord> runs(4);
  const char* names[] = {"runs/gpt/checkpoint-500", "runs/gpt/checkpoint-900", "./checkpoint-7",
                         "org/py@step1"};
  for (size_t i = 0; i < runs.size(); ++i)
    runs[i].model.id = int64_t(i), runs[i].model.name = names[i];
  const auto labels = model_labels(runs);
  EXPECT_EQ(labels.at(0), "gpt/checkpoint-500");
  EXPECT_EQ(labels.at(1), "gpt/checkpoint-900");
  EXPECT_EQ(labels.at(2), "checkpoint-7");
  EXPECT_EQ(labels.at(3), "py@step1");
}

TEST(Checkpoints, StandAlongTheAxisByStepOrByItsLogarithm) {
  EXPECT_THAT(step_positions({0, 10, 20}), ElementsAre(0, 0.5, 1));
  std::vector<double> wide = step_positions({1, 10, 100});
  EXPECT_NEAR(wide[1], 0.5, 1e-12);
  std::vector<double> all = step_positions({0, 1, 1000, INFINITY});
  EXPECT_EQ(all.front(), 0);
  EXPECT_EQ(all.back(), 1);
  EXPECT_TRUE(0 < all[1] && all[1] < all[2] && all[2] < 1);
  EXPECT_THAT(step_positions({7}), ElementsAre(0.5));
  EXPECT_THAT(step_positions({}), ElementsAre());
}

}  // namespace minpair::report
