#pragma once
// Turns running text into what language models are trained on, the way Gulordava et al. 2018 and
// Mueller et al. 2020 (CLAMS) did: words, the N most frequent ones as vocabulary, sentences with
// too many unknown words dropped, the rest shuffled and split.
//
// A prepared corpus is a folder:
//   train.txt valid.txt test.txt   one sentence per line, words between single spaces
//   vocab.txt                      one word per line, the line is its number; <unk> and <eos> first
//   wordpiece.txt                  the same for pieces of words, when asked for
//   endings.tsv                    the endings that these pieces keep apart, when asked for
//   corpus.json                    what was done, and how much there is
// Unknown words stay readable in the text; a trainer maps them to <unk>.
//
// The text is read twice and never held in memory. The same options and seed give the same bytes.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace minpair::corpus {

struct CorpusSource {
  std::filesystem::path file;  // plain or .xz, one sentence per line
  std::string language = "de";
  double keep = 1.0;  // the share of its sentences that is used
};

struct CorpusOptions {
  std::vector<CorpusSource> sources;
  size_t vocabulary = 50000;      // most frequent words, per language; several languages are joined
  size_t wordpiece = 0;           // size of the WordPiece vocabulary, 0: none
  std::filesystem::path endings;  // that WordPiece cuts off (corpus/endings.h); empty: none
  double max_unknown = 0.05;      // sentences with a larger share of unknown words are dropped
  size_t min_words = 1;
  size_t max_words = 0;         // 0: any length
  bool unique = false;          // the same sentence only once
  bool truecase = false;        // lower-case a sentence's first word when it is usually so
  double without_period = 0.0;  // share of sentences whose final full stop is dropped
  double valid = 0.1, test = 0.1;
  uint64_t seed = 1;
  bool quiet = false;
};

struct CorpusReport {
  uint64_t read = 0;                                                            // sentences
  uint64_t not_sampled = 0, wrong_length = 0, repeated = 0, unknown_words = 0;  // dropped, and why
  uint64_t train = 0, valid = 0, test = 0;
  uint64_t train_words = 0;
  double coverage = 0;  // share of the kept words that the vocabulary has
  size_t vocabulary = 0, wordpiece = 0;
};

// What a reader of the report should not miss, or nothing: many sentences dropped for rare words.
std::string corpus_warning(const CorpusReport& report);

// "FILE", "de:FILE", "de:FILE=0.5": a language in front, a share behind.
CorpusSource parse_source(const std::string& text, const std::string& language);

CorpusReport prepare_corpus(const CorpusOptions& options, const std::filesystem::path& folder);

}  // namespace minpair::corpus
