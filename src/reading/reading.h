#pragma once
// What word surprisals say about reading times beyond length, frequency and the words before: the
// gain in log-likelihood on words that the regression has not seen.
//
//   Question question{.times = "times.tsv", .words = {"gpt2.csv", "lstm.csv"}};
//   for (const Gain& g : gains(join(question), question))
//     fmt::print("{} {}", g.model, g.gain.value);

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "stats/linear.h"
#include "stats/stats.h"

namespace minpair::reading {

struct Question {
  std::filesystem::path times;               // a row for every observation
  std::vector<std::filesystem::path> words;  // of `minpair surprisal`, a file for every model
  // Columns of the times. In the words, `text` may be called as here.
  std::string text = "text", position = "position", word = "word", time = "time";
  std::string frequency;           // a column with counts; or
  std::filesystem::path unigrams;  // a word, a tab and its count on every line
  std::string measure = "surprisal";
  uint64_t first = 1;       // the position of a text's first word in the times
  uint32_t spillover = 1;   // how many preceding words count as well
  uint64_t mismatches = 0;  // this many words may be spelt differently; they are left out
  bool log = false;         // logarithms of the times
  bool by_text = false;     // whole texts are held out together, not single words
  uint32_t folds = 10;
  uint64_t seed = 1;
};

// A word in its text, with everything that may explain how long it is read.
struct Place {
  std::string text, word;
  uint32_t position = 0;
  std::vector<double> controls;
  std::vector<double> surprisals;  // of all models: of the word, of the one before, ...
  uint32_t unit = 0, fold = 0;     // of the cross-validation
};
struct Observation {
  uint32_t place = 0;
  double time = 0;
};
struct Joined {
  std::vector<std::string> models;    // the names of their files
  std::vector<std::string> controls;  // names; the constant is the first
  std::vector<std::string> predictors;
  std::vector<Place> places;
  std::vector<Observation> observations;
  std::map<std::string, uint64_t> left_out;  // observations, by the reason
  std::vector<std::string> mismatches;       // words that differ, with their places
};

// Every time beside its word. A word that is not the same in all files is an error that names both
// places, beyond the allowed number.
Joined join(const Question& question);

struct Gain {
  std::string model;
  stats::Estimate gain;  // of log-likelihood for each held-out observation, in nats
  double p = 1;          // signs of units flipped
  double mean_surprisal = 0;
  // Over all observations: with the controls alone, and with this model.
  double base_log_likelihood = 0, log_likelihood = 0, base_r2 = 0, r2 = 0;
  stats::LinearFit fit;
};
std::vector<Gain> gains(const Joined& joined, const Question& question);

// The joined table, for other programs: text, position, word, time, fold, controls, surprisals.
std::string joined_csv(const Joined& joined);

}  // namespace minpair::reading
