#pragma once
// Training of language models with libtorch: the LSTMs of Mueller et al. 2020 and a small BERT.
//
// A training lives in its output folder. It writes `checkpoint.pt` every few minutes, the learning
// curve to `curve.jsonl`, and the finished model beside them. Started again on the same folder, it
// resumes from the checkpoint and, with the same number of threads, ends with the same bits as one
// that was never interrupted.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "train/options.h"

namespace minpair::train {

struct RunOptions {
  std::filesystem::path corpus;  // as `minpair corpus` leaves it
  std::filesystem::path out;
  uint64_t seed = 1;
  int threads = 1;
  bool half = false;  // store the finished model in fp16
  bool quiet = false;
  double checkpoint_minutes = 5;
  uint64_t checkpoint_steps = 0;  // instead of minutes
  uint64_t stop_at_step = 0;      // stop there without saving, as if killed
  int patience = 0;               // stop after so many validations without improvement; 0: never
  int stages = 0;  // also keep the model after a half, a quarter, ... of the training, so many
};

struct TrainBertOptions : RunOptions {
  std::filesystem::path from;  // a finished model to begin with; empty: random weights
  BertShape shape;
  MaskingOptions masking;
  OptimizerOptions optimizer;
  int64_t rows = 48, width = 64;  // a batch: sentences packed into rows
  double tokens = 20e6;           // to train on, over as many epochs as it takes
  double hours = 0;               // plan the end by the clock instead; not reproducible
  double warmup = 300e3;          // tokens until the full rate
  double decay_from = 0.4;        // share of the training after which the rate falls to zero
  int64_t sampled = 0;            // random output pieces to compute; 0: all
  bool bf16 = false;              // matrix products in bfloat16
};

struct TrainLstmOptions : RunOptions {
  LstmShape shape;
  bool pieces = false;  // of words, by the corpus's WordPiece vocabulary
  int epochs = 40;
  double tokens = 0;  // to train on, instead of whole epochs
  int64_t batch = 20, bptt = 35;
  double dropout = 0.2;
  bool adam = false;           // else plain SGD
  std::optional<double> rate;  // absent: 20 for SGD, 0.002 for Adam
  double anneal = 4;           // SGD's rate is divided by this when validation does not improve
  double clip = 0.25;          // norm of the gradient
  int64_t sampled = 0;         // random output words to compute, beside the batch's own; 0: all
  double hours = 0;            // plan the end by the clock, with a linear decay
  bool bf16 = false;           // matrix products in bfloat16
};

struct TrainResult {
  uint64_t steps = 0;
  double tokens = 0;
  double valid_loss = 0;  // nats per piece or word
  bool finished = true;   // false: stopped at stop_at_step
};

TrainResult train_bert(const TrainBertOptions& options);
TrainResult train_lstm(const TrainLstmOptions& options);

// Is bfloat16 fast on this processor?
bool has_fast_bf16();

}  // namespace minpair::train
