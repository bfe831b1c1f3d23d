#include "train/train.h"

#include <ATen/ops/linalg_svdvals.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/random.h"
#include "corpus/corpus.h"
#include "support.h"
#include "train/optimizer.h"

using namespace minpair;
using namespace minpair::train;
using minpair::testing::TemporaryFolder;

namespace {

void write_corpus(const TemporaryFolder& folder) {
  const char* subjects[] = {"Der Autor", "Die Autoren", "Die Frau", "Die Frauen", "Das Kind"};
  const char* singular[] = {"lacht", "redet", "schwimmt", "bleibt"};
  const char* plural[] = {"lachen", "reden", "schwimmen", "bleiben"};
  Random random(3);
  std::string text;
  for (int i = 0; i < 600; ++i) {
    const uint64_t s = random.below(5), v = random.below(4);
    text += std::string(subjects[s]) + " " + (s % 2 == 1 ? plural[v] : singular[v]) + " .\n";
  }
  write_file(folder / "text.txt", text);
  corpus::CorpusOptions o;
  o.sources = {{folder / "text.txt"}};
  o.vocabulary = 50;
  o.wordpiece = 120;
  o.endings = minpair::testing::source_dir() / "languages/de.endings";
  o.quiet = true;
  corpus::prepare_corpus(o, folder / "corpus");
}

template <class Options>
void set_run(Options& o, const TemporaryFolder& folder, const std::string& name) {
  o.corpus = folder / "corpus";
  o.out = folder / name;
  o.quiet = true;
  o.checkpoint_steps = 7;
}

TrainBertOptions tiny_bert(const TemporaryFolder& folder, const std::string& name) {
  TrainBertOptions o;
  set_run(o, folder, name);
  o.shape = {0, 16, 2, 2, 32, 32};
  o.rows = 4;
  o.width = 32;
  o.tokens = 6000;
  o.warmup = 500;
  return o;
}

TrainLstmOptions tiny_lstm(const TemporaryFolder& folder, const std::string& name) {
  TrainLstmOptions o;
  set_run(o, folder, name);
  o.shape = {0, 12, 12, 2, false};
  o.epochs = 2;
  o.batch = 4;
  o.bptt = 9;
  o.rate = 5;
  return o;
}

std::string weights(const TemporaryFolder& folder, const std::string& name) {
  return read_file(folder / name / "model.safetensors");
}

// After how many tokens models were kept beside the finished one.
std::vector<double> stages_in(const fs::path& folder) {
  std::vector<double> at;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("checkpoint-")) continue;
    EXPECT_TRUE(fs::exists(entry.path() / "model.safetensors")) << name;
    at.push_back(std::stod(name.substr(11)));
  }
  std::sort(at.begin(), at.end());
  return at;
}

std::string loss_lines(const TemporaryFolder& folder, const std::string& name) {
  std::istringstream in(read_file(folder / name / "curve.jsonl"));
  std::string kept;
  for (std::string line; std::getline(in, line);)
    kept += line.substr(0, line.find(",\"per")) + "\n";
  return kept;
}

}  // namespace

TEST(TrainBert, AKilledTrainingEndsWithTheSameBits) {
  TemporaryFolder folder;
  write_corpus(folder);
  const TrainResult whole = train_bert(tiny_bert(folder, "whole"));
  TrainBertOptions o = tiny_bert(folder, "killed");
  o.stop_at_step = 24;  // three steps after a checkpoint
  EXPECT_FALSE(train_bert(o).finished);
  EXPECT_FALSE(fs::exists(folder / "killed/model.safetensors"));
  o.stop_at_step = 0;
  const TrainResult resumed = train_bert(o);
  EXPECT_EQ(resumed.steps, whole.steps);
  EXPECT_EQ(resumed.valid_loss, whole.valid_loss);
  EXPECT_TRUE(weights(folder, "killed") == weights(folder, "whole"));
  EXPECT_EQ(loss_lines(folder, "killed"), loss_lines(folder, "whole"));
}

TEST(TrainBert, StagesAreKeptAndChangeNothing) {
  TemporaryFolder folder;
  write_corpus(folder);
  train_bert(tiny_bert(folder, "plain"));
  TrainBertOptions o = tiny_bert(folder, "staged");
  o.stages = 3;
  train_bert(o);
  EXPECT_TRUE(weights(folder, "staged") == weights(folder, "plain"));
  const std::vector<double> at = stages_in(folder / "staged");
  ASSERT_EQ(at.size(), 3u);
  const double total = o.tokens, batch = double(o.rows * o.width);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_GE(at[i], total / std::pow(2, 3 - double(i)));
    EXPECT_LT(at[i], total / std::pow(2, 3 - double(i)) + batch);
  }
}

TEST(TrainBert, LearnsAndOtherSeedsGiveOtherWeights) {
  TemporaryFolder folder;
  write_corpus(folder);
  TrainBertOptions o = tiny_bert(folder, "one");
  o.tokens = 30000;
  o.checkpoint_steps = 0;
  EXPECT_LT(train_bert(o).valid_loss, 2.0);  // 120 pieces: 4.8 without any knowledge
  TrainBertOptions a = tiny_bert(folder, "a"), b = tiny_bert(folder, "b");
  b.seed = 2;
  train_bert(a);
  train_bert(b);
  EXPECT_FALSE(weights(folder, "a") == weights(folder, "b"));
}

TEST(TrainBert, SampledOutputsLearnToo) {
  TemporaryFolder folder;
  write_corpus(folder);
  TrainBertOptions o = tiny_bert(folder, "sampled");
  o.tokens = 30000;
  o.checkpoint_steps = 0;
  o.sampled = 10;
  EXPECT_LT(train_bert(o).valid_loss, 2.0);
}

TEST(Orthogonalise, BringsSingularValuesNearOneInEitherPrecision) {
  at::Generator random = at::detail::createCPUGenerator(3);
  const auto matrix = torch::empty({40, 24}).normal_(0.0, 1.0, random);
  const auto exact = orthogonalise(matrix, 5), rounded = orthogonalise(matrix, 5, true);
  for (const auto& made : {exact, rounded}) {
    ASSERT_EQ(made.scalar_type(), torch::kFloat32);
    const auto values = at::linalg_svdvals(made);
    EXPECT_GT(values.min().item<float>(), 0.6f);
    EXPECT_LT(values.max().item<float>(), 1.3f);
  }
  EXPECT_FALSE(torch::equal(exact, rounded));
  EXPECT_GT((exact * rounded).sum().item<float>() / (exact.norm() * rounded.norm()).item<float>(),
            0.99f);
}

// On processors without it, libtorch computes the same slowly: what is tested is that it can.
TEST(TrainBert, LearnsWithProductsInBfloat16) {
  TemporaryFolder folder;
  write_corpus(folder);
  for (const int sampled : {0, 10}) {
    TrainBertOptions o = tiny_bert(folder, "bf16-" + std::to_string(sampled));
    o.tokens = 30000;
    o.checkpoint_steps = 0;
    o.sampled = sampled;
    o.bf16 = true;
    EXPECT_LT(train_bert(o).valid_loss, 2.0);
  }
}

TEST(TrainBert, ADivergingTrainingStopsAndKeepsItsCheckpoint) {
  TemporaryFolder folder;
  write_corpus(folder);
  TrainBertOptions o = tiny_bert(folder, "out");
  o.stop_at_step = 10;
  train_bert(o);
  const std::string good = read_file(folder / "out/checkpoint.pt");
  o.stop_at_step = 0;
  o.optimizer.adam_rate = o.optimizer.muon_rate = 1e6;
  try {
    train_bert(o);
    FAIL() << "rates of a million are fine?";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("diverged"), std::string::npos);
    EXPECT_NE(e.next().find("checkpoint of step 7 is kept"), std::string::npos) << e.next();
    EXPECT_NE(e.next().find("--adam-rate"), std::string::npos) << e.next();
  }
  EXPECT_TRUE(read_file(folder / "out/checkpoint.pt") == good);
  EXPECT_FALSE(fs::exists(folder / "out/model.safetensors"));
}

TEST(TrainBert, HalfPrecisionHalvesTheFile) {
  TemporaryFolder folder;
  write_corpus(folder);
  TrainBertOptions full = tiny_bert(folder, "full"), half = tiny_bert(folder, "half");
  full.tokens = half.tokens = 500;
  half.half = true;
  train_bert(full);
  train_bert(half);
  EXPECT_LT(weights(folder, "half").size(), weights(folder, "full").size() * 3 / 4);
}

TEST(TrainBert, AnotherShapeDoesNotResume) {
  TemporaryFolder folder;
  write_corpus(folder);
  TrainBertOptions o = tiny_bert(folder, "out");
  o.tokens = 500;
  train_bert(o);
  o.shape.hidden = 32;
  EXPECT_THROW(train_bert(o), Error);
}

TEST(TrainLstm, AKilledTrainingEndsWithTheSameBits) {
  TemporaryFolder folder;
  write_corpus(folder);
  for (const bool adam : {false, true}) {
    const std::string suffix = adam ? "-adam" : "-sgd";
    TrainLstmOptions o = tiny_lstm(folder, "whole" + suffix);
    o.adam = adam;
    o.rate = adam ? 0.01 : 5;
    o.sampled = adam ? 5 : 0;
    o.pieces = adam;
    const TrainResult whole = train_lstm(o);
    o.out = folder / ("killed" + suffix);
    o.stop_at_step = 25;
    EXPECT_FALSE(train_lstm(o).finished);
    o.stop_at_step = 0;
    const TrainResult resumed = train_lstm(o);
    EXPECT_EQ(resumed.steps, whole.steps);
    EXPECT_EQ(resumed.valid_loss, whole.valid_loss);
    EXPECT_TRUE(weights(folder, "killed" + suffix) == weights(folder, "whole" + suffix));
    EXPECT_EQ(loss_lines(folder, "killed" + suffix), loss_lines(folder, "whole" + suffix));
  }
}

TEST(TrainLstm, StagesAreKeptAndChangeNothing) {
  TemporaryFolder folder;
  write_corpus(folder);
  train_lstm(tiny_lstm(folder, "plain"));
  TrainLstmOptions o = tiny_lstm(folder, "staged");
  o.stages = 2;
  train_lstm(o);
  EXPECT_TRUE(weights(folder, "staged") == weights(folder, "plain"));
  ASSERT_EQ(stages_in(folder / "staged").size(), 2u);
}

TEST(TrainLstm, LearnsTheText) {
  TemporaryFolder folder;
  write_corpus(folder);
  TrainLstmOptions o = tiny_lstm(folder, "out");
  o.epochs = 8;
  EXPECT_LT(train_lstm(o).valid_loss, 1.6);  // 18 words: 2.9 without any knowledge
}

TEST(TrainLstm, LearnsWithProductsInBfloat16) {
  TemporaryFolder folder;
  write_corpus(folder);
  for (const int sampled : {0, 10}) {
    TrainLstmOptions o = tiny_lstm(folder, "bf16-" + std::to_string(sampled));
    o.epochs = 8;
    o.sampled = sampled;
    o.bf16 = true;
    EXPECT_LT(train_lstm(o).valid_loss, 1.6);
  }
}

TEST(TrainLstm, EndsAfterSoManyTokensWithinAnEpochOrAfterSeveral) {
  TemporaryFolder folder;
  write_corpus(folder);
  TrainLstmOptions o = tiny_lstm(folder, "epochs");
  const double epoch = train_lstm(o).tokens / o.epochs, batch = double(o.batch * o.bptt);
  for (const double share : {0.5, 2.5}) {
    o.out = folder / ("part" + std::to_string(share));
    o.tokens = share * epoch;
    const TrainResult part = train_lstm(o);
    EXPECT_GE(part.tokens, o.tokens);
    EXPECT_LT(part.tokens, o.tokens + batch);
    EXPECT_TRUE(fs::exists(o.out / "model.safetensors"));
  }
}

TEST(TrainLstm, RatesBelongToTheOptimizer) {
  TemporaryFolder folder;
  write_corpus(folder);
  TrainLstmOptions o = tiny_lstm(folder, "adam");
  o.rate.reset();
  o.adam = true;
  o.epochs = 12;
  EXPECT_LT(train_lstm(o).valid_loss, 2.5);
  o.out = folder / "too-fast";
  o.rate = 20;
  EXPECT_THROW(train_lstm(o), Error);
}

TEST(TrainLstm, ResumingUsesALowerRate) {
  TemporaryFolder folder;
  write_corpus(folder);
  TrainLstmOptions o = tiny_lstm(folder, "out");
  o.stop_at_step = 20;
  train_lstm(o);
  fs::copy(folder / "out", folder / "slower", fs::copy_options::recursive);
  o.stop_at_step = 0;
  train_lstm(o);
  o.out = folder / "slower";
  o.rate = 0.001;
  train_lstm(o);
  EXPECT_FALSE(weights(folder, "slower") == weights(folder, "out"));
}

TEST(TrainLstm, TiedNeedsEqualWidths) {
  TemporaryFolder folder;
  write_corpus(folder);
  TrainLstmOptions o = tiny_lstm(folder, "out");
  o.shape.tied = true;
  o.shape.embedding = 10;
  EXPECT_THROW(train_lstm(o), Error);
}

TEST(TrainBert, AModelCanBeginWithAnother) {
  TemporaryFolder folder;
  write_corpus(folder);
  const TrainResult first = train_bert(tiny_bert(folder, "first"));
  TrainBertOptions again = tiny_bert(folder, "again");
  again.from = folder / "first";
  again.tokens = 600;  // alone this would be hardly more than the random start
  const TrainResult second = train_bert(again);
  TrainBertOptions alone = again;
  alone.out = folder / "alone";
  alone.from.clear();
  EXPECT_LT(second.valid_loss + 0.3, train_bert(alone).valid_loss);
  EXPECT_LT(second.valid_loss, first.valid_loss + 0.3);
  EXPECT_NE(read_file(folder / "again/README.md").find("beginning with first"), std::string::npos);
}
