#include "train/run.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <thread>

#include "train/blas.h"
#include "train/library_error.h"
#include "train/masking.h"

using namespace minpair;
using namespace minpair::train;

TEST(Perplexity, IsANumberThatCanBeRead) {
  EXPECT_EQ(perplexity_text(std::log(55.24)), "55.2");
  EXPECT_EQ(perplexity_text(563.4), "4.8e+244");
  EXPECT_EQ(perplexity_text(1e9), "inf");
}

TEST(Divergence, IsALossThatStaysHighOrIsNoNumber) {
  Divergence guessing(1000), spike(1000), lost(1000), broken(1000);
  bool any = false;
  for (int i = 0; i < 100; ++i) any |= guessing.seen(7.5) || spike.seen(i == 50 ? 80.0 : 6.0);
  EXPECT_FALSE(any);
  int steps = 1;
  while (!lost.seen(100) && steps < 100) ++steps;
  EXPECT_LE(steps, 20);
  EXPECT_TRUE(broken.seen(std::nan("")));
  EXPECT_FALSE(guessing.lost(7.5));
  EXPECT_TRUE(guessing.lost(100));
  EXPECT_TRUE(guessing.lost(std::nan("")));
}

TEST(Plan, IsDoneWhenTheTimeIsUpHoweverSlowTheSteps) {
  const Plan by_tokens(1000, 0), by_clock(1e12, 1e-9);
  EXPECT_FALSE(by_tokens.done(999));
  EXPECT_TRUE(by_tokens.done(1000));
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(by_clock.done(0));
}

TEST(Plan, LeavesTimeForWhatComesAfterTheLastStep) {
  Plan plan(1e9, 1);
  plan.measure(0, 1000);
  const double before = plan.total();
  EXPECT_NEAR(before, 3600e3, 2e3);
  plan.reserve(600);
  plan.measure(0, 1000);
  EXPECT_NEAR(before - plan.total(), 600e3, 2e3);
}

TEST(Blas, IsNamedByItsFile) {
  const Blas slow =
      blas_among({"/lib/libc.so.6", "/usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11"});
  EXPECT_TRUE(slow.reference);
  EXPECT_NE(blas_text(slow).find("libopenblas0-pthread"), std::string::npos);
  Blas fast = blas_among({"/usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3",
                          "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblasp-r0.3.21.so"});
  EXPECT_EQ(fast.name, "OpenBLAS");
  EXPECT_FALSE(fast.reference);
  fast.gigaflops = 60;
  EXPECT_EQ(blas_text(fast).find("warning"), std::string::npos);
  fast.gigaflops = 1;
  EXPECT_NE(blas_text(fast).find("warning"), std::string::npos) << "whatever its name";
}

TEST(Blas, OfThisProgramIsMeasured) {
  const Blas blas = measured_blas();
  EXPECT_GT(blas.gigaflops, 0.05);
  EXPECT_LT(blas.gigaflops, 2000);
  EXPECT_FALSE(blas.file.empty());
}

TEST(LibraryError, IsOneLineAndWhatToDo) {
  try {
    torch::mm(torch::zeros({2, 3}), torch::zeros({2, 3}));
    FAIL();
  } catch (const c10::Error& e) {
    const Error error = library_error(e);
    EXPECT_EQ(error.message().find('\n'), std::string::npos);
    EXPECT_EQ(error.message().find("frame #"), std::string::npos);
    EXPECT_NE(error.message().find("shapes"), std::string::npos) << error.message();
    EXPECT_FALSE(error.next().empty());
  }
}

namespace {

// How often the second piece of `lach ##t` is hidden.
double hidden_endings(const corpus::Endings& endings) {
  const std::vector<std::string> vocab{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "lach", "##t"};
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(vocab[i].front(), '[');
  PieceText text;
  for (int i = 0; i < 10; ++i) text.ids.insert(text.ids.end(), {5, 6});
  text.starts.push_back(text.ids.size());
  MaskingOptions options;
  options.words = 0.1;
  const Masker masker(vocab, text, endings, options);
  Random random(1);
  size_t hidden = 0;
  for (int i = 0; i < 500; ++i) {
    std::vector<size_t> places;
    masker.choose(text.sentence(0), random, places);
    for (const size_t place : places) hidden += place % 2;
  }
  return double(hidden) / 5000;
}

}  // namespace

TEST(Masking, HidesEndingsOnlyWhereTheyAreNamed) {
  corpus::Endings endings;
  endings.all = {"t"};
  EXPECT_NEAR(hidden_endings({}), 0.08, 0.02);
  EXPECT_NEAR(hidden_endings(endings), 0.08 + 0.9 * 0.35, 0.03);
}
