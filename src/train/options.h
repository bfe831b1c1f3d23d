#pragma once
// The numbers that describe a model and its training, without libtorch.

#include <cstdint>

namespace minpair::train {

struct BertShape {
  int64_t vocab = 12000;
  int64_t hidden = 256;
  int64_t layers = 4;
  int64_t heads = 4;
  int64_t inner = 1024;
  int64_t positions = 128;
};

struct LstmShape {
  int64_t vocab = 0;
  int64_t embedding = 800;
  int64_t hidden = 800;
  int64_t layers = 2;
  bool tied = false;  // one matrix for input and output words; needs embedding == hidden
};

struct MaskingOptions {
  double words = 0.16;           // share of words that are chosen
  double whole = 0.5;            // of the chosen words of several pieces: hide all, else one
  double endings = 0.35;         // endings hidden in words that were not chosen
  double agreeing_weight = 2.0;  // how much likelier a word is chosen whose ending agrees
  double frequent = 2e-3;        // pieces more frequent than this are chosen less often
};

struct OptimizerOptions {
  double adam_rate = 1.5e-3;
  double muon_rate = 0.02;
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-8;
  double decay = 0.01;
  double momentum = 0.95;
  int newton_steps = 5;
  bool bf16 = false;  // Muon's products in bfloat16
};

}  // namespace minpair::train
