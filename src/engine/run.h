#pragma once
// A run: a suite, a model and some methods, into the store. Resumable at any moment: what the model
// has answered lies beside the results file until the run is complete, and is then stored in one
// transaction.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/plan.h"
#include "engine/shard.h"
#include "method/words.h"
#include "model/model.h"
#include "store/store.h"
#include "suite/suite.h"

namespace minpair::engine {

// Which items: empty lists and 0 mean all.
struct Selection {
  std::vector<std::string> tests, conditions;
  uint64_t limit = 0;  // the first so many of those
};

struct RunOptions {
  Selection selection;
  Shard shard;                    // of the selected items
  std::filesystem::path lexicon;  // for clozes; empty: the suite's
  uint32_t min_words = 10;        // on each side of a cloze
  bool dry_run = false;           // only plan, and estimate the time
  bool quiet = false;             // no progress
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
  double seconds = 0, model_seconds = 0, store_seconds = 0;
  double estimated_seconds = 0;  // of a dry run
};

// A suite that can be read from its beginning as often as wanted.
struct SuiteSource {
  suite::Manifest manifest;
  std::function<std::unique_ptr<suite::ItemStream>()> open;
  std::string called;             // what the user called it; empty: its name
  std::filesystem::path lexicon;  // lexicon.tsv beside the items; empty: there is none
};

// Standard input is kept in a temporary file, since a run reads its suite twice.
SuiteSource suite_source(const suite::Suite& suite);

// `store` may be null for a dry run.
RunReport run_suite(store::Store* store, const SuiteSource& suite, query::Model& model,
                    const std::vector<const method::Method*>& methods, const RunOptions& options);

// A tiny computation whose result is known: probabilities over the vocabulary sum to one, and an
// answer does not depend on what else is in the batch. Throws when the build is broken.
void self_test(query::Model& model);

store::ModelRecord record_of(const query::Model& model);

// The command that makes the same run again, the program's version, and where a sentence starts and
// ends. Nothing of how or where it was computed: no threads, no output, no resuming, no shards.
store::Facts facts_of(const SuiteSource& suite, const query::Model& model,
                      const std::vector<const method::Method*>& methods, const RunOptions& options);

}  // namespace minpair::engine
