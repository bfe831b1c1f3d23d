#pragma once
// Everything between items and a model: equal queries are asked once, shared prefixes computed
// once, batches have the size that the model states, and answers are kept until the run is stored.
//
//   SuiteSource suite = suite_source(suite::find_suite("de-agreement"));
//   RunReport report = run_suite(&store, suite, model, {&method::find_method("ce")}, {});
//
// A run can be resumed at any moment: the model's answers are kept beside the results file until
// the run is complete; it is then stored in one transaction. Other doors: perplexity.h;
// released.h, scores that others published; processes/processes.h, one run on many processes.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "method/method.h"
#include "model/model.h"
#include "store/store.h"
#include "suite/suite.h"

namespace minpair::engine {

// Which items: empty lists and 0 mean all.
struct Selection {
  std::vector<std::string> tests, conditions, languages;
  std::string where;    // suite/filter.h
  uint64_t limit = 0;   // this many of those, from the start
  uint64_t sample = 0;  // this many of those, drawn by `seed`
  std::string per;      // "test", "condition": so many of each; empty: of all
  uint64_t seed = 1;
};

// A suite split over machines that do not talk to each other. Every one of them plans the whole
// suite, and all come to the same split: items that ask alike stay together, so that little is
// computed twice, and each part has about as many tokens.
struct Shard {
  uint32_t number = 1, of = 1;  // from 1
  bool whole() const { return of == 1; }
};

Shard parse_shard(const std::string& text);  // "3/8"
std::string shard_text(const Shard& shard);

struct PlanOptions {
  size_t memory = size_t{32} << 20;     // for each of the two sorted lists
  std::filesystem::path scratch = ".";  // for what does not fit
  uint32_t batch_tokens = 0;            // how much the model gets at once; 0: its own choice
};

struct PlanCounts {
  uint64_t items = 0;
  uint64_t asked = 0;     // queries before removing duplicates
  uint64_t distinct = 0;  // forward passes
  uint64_t tokens = 0;    // of the distinct ones, each shared prefix once
  uint64_t alone = 0;     // of all, as if each were asked on its own
};

// Called after every batch, with tokens; what it throws ends the work, and the next run continues
// there.
using Tick = std::function<void(uint64_t done, uint64_t total)>;

struct RunOptions {
  Selection selection;
  Shard shard;                    // of the selected items
  std::filesystem::path lexicon;  // for clozes; empty: the suite's
  uint32_t min_words = 10;        // on each side of a cloze
  std::string context;            // before every sentence that has none of its own
  std::string context_file;       // where that comes from, for the facts of the run
  std::string name;               // of the model in the results; empty: as it was called
  bool dry_run = false;           // only plan, and estimate the time
  bool quiet = false;             // no progress
  Tick tick;                      // sees progress as well
  PlanOptions plan;
  model::LoadOptions load;  // how the model was loaded, for the facts of the run
};

struct RunReport {
  std::string suite, model;
  std::vector<std::string> methods;
  std::vector<int64_t> runs;  // in the store, parallel to `methods`; empty for a dry run
  PlanCounts counts;
  uint64_t suite_items = 0;    // in the whole suite
  uint64_t selected = 0;       // in all shards
  uint64_t stored_before = 0;  // items × methods that needed no work
  uint64_t resumed = 0;        // queries that an earlier, interrupted run had answered
  uint64_t excluded = 0;       // items × methods
  uint64_t retokenized = 0;    // items whose contexts change how the scored text is tokenized
  double seconds = 0, model_seconds = 0, store_seconds = 0;
  double estimated_seconds = 0;  // of a dry run
};

// A suite that can be read from the beginning any number of times.
struct SuiteSource {
  suite::Manifest manifest;
  std::function<std::unique_ptr<suite::ItemStream>()> open;
  std::string called;             // what the user called it; empty: its name
  std::string columns;            // of a typed list: their roles; empty: as their names say
  std::filesystem::path lexicon;  // lexicon.tsv beside the items; empty: there is none
};

// Standard input is kept in a temporary file, since a run reads its suite twice.
SuiteSource suite_source(const suite::Suite& suite);

// What answers batches: the model of this process, or several processes that have the same one.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual size_t size() const = 0;  // how many answer at the same time
  virtual void submit(std::vector<query::Query> batch) = 0;
  virtual bool full() const = 0;  // enough is in progress to keep all of them busy
  // The answers to the oldest batch that was submitted and not yet taken.
  virtual std::vector<query::Answer> next() = 0;
};

// `store` may be null for a dry run. `executor`: who answers; null: the model alone.
RunReport run_suite(store::Store* store, const SuiteSource& suite, query::Model& model,
                    const std::vector<const method::Method*>& methods, const RunOptions& options,
                    Executor* executor = nullptr);

// For a few items in memory: scores[item][method].
struct ItemScores {
  judge::Reason excluded = judge::Reason::none;
  std::vector<judge::SentenceScore> sentences;
};
std::vector<std::vector<ItemScores>> score_items(query::Model& model,
                                                 const std::vector<const method::Method*>& methods,
                                                 std::span<const suite::Item> items,
                                                 const Tick& tick = nullptr,
                                                 PlanCounts* counts = nullptr);

// A tiny computation whose result is known: probabilities over the vocabulary sum to one, and an
// answer does not depend on what else is in the batch. Throws when the build is broken.
void self_test(query::Model& model);

store::ModelRecord record_of(const query::Model& model);

// The command that makes the same run again, the program's version, and where a sentence starts and
// ends. Nothing of how or where it was computed: no threads, no output, no resuming, no shards.
store::Facts facts_of(const SuiteSource& suite, const query::Model& model,
                      const std::vector<const method::Method*>& methods, const RunOptions& options);

}  // namespace minpair::engine
