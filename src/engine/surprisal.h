#pragma once
// How surprising every word of a text is. Streaming; memory does not grow with the text.
//
//   Surprisal words(model, {}, [&](const WordSurprisal& w) { use(w); });
//   words.add("Der Hund bellt .");                    // texts, one after the other
//   words.finish();
//
//   surprisal_of_file(model, "story.txt", "words.csv", {}, tick);   // and of tables

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "model/model.h"

namespace minpair::engine {

struct SurprisalOptions {
  uint32_t overlap = 0;  // as in perplexity.h
  bool by_line = false;  // every text on its own; otherwise one is read after the other
  bool entropy = false, rank = false;
  std::string method;  // of masked models; empty: pll-word-l2r
};

// A word between spaces. In nats; what cannot be known is NaN: the first word where a model puts
// nothing before it, words of a sentence that is too long for a masked model.
struct WordSurprisal {
  uint64_t text = 0;      // which text, from 1
  uint32_t position = 0;  // in the text, from 1
  std::string word;
  uint32_t pieces = 0;
  double surprisal = 0;  // the sum of its pieces
  double corrected = 0;  // of the whole word, followed by another: `lp-by-words`
  double entropy = 0;    // of its first piece, before it is read
  uint32_t rank = 0;     // of its first piece; 0: not known
  bool unknown = false;  // the vocabulary lacks it or part of it
};

class Surprisal {
 public:
  using Give = std::function<void(const WordSurprisal&)>;
  Surprisal(query::Model& model, const SurprisalOptions& options, Give give);
  ~Surprisal();
  void add(std::string_view text);
  void finish();
  uint64_t words() const;  // added so far

  class Reader;

 private:
  std::unique_ptr<Reader> reader_;
};

struct SurprisalFile {
  std::string format;  // of the output: csv, tsv or jsonl; empty: as its name ends, else csv
  std::string column;  // which column of a table (or key of JSON Lines) has the texts
  bool bits = true;
  SurprisalOptions options;
};

struct SurprisalDone {
  uint64_t texts = 0, words = 0, unknown = 0, unscored = 0;
  uint64_t resumed = 0;  // queries that an interrupted call had answered
};

// One row per word. A table's other columns are kept. An interrupted call resumes where it stopped:
// until it is complete, the model's answers are kept beside the output (job.h).
SurprisalDone surprisal_of_file(query::Model& model, const std::filesystem::path& in,
                                const std::filesystem::path& out, const SurprisalFile& how,
                                const std::function<void(uint64_t words)>& tick = nullptr);

}  // namespace minpair::engine
