#pragma once
// Results: one SQLite file for many models, suites and methods. docs/results-format.md has the
// tables.
//
// A score is found by its content: weights, tokenizer, precision, method, and what the method reads
// of the item (judge::Reads). A changed model or item never picks up old scores or exclusions; what
// is unchanged is never computed again.
//
//   Store store("results.db", Store::Mode::write);
//   Store::Transaction t(store);            // rolled back unless committed
//   int64_t run = store.add_run(suite, model, method);
//   store.add_score(run, ordinal, item, judge::Reason::none, sentences);
//   t.commit();
//
// Other doors: effects.h, what was found inside models; judgments.h, human judgments; merge.h;
// check.h.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/hash.h"
#include "judge/method_info.h"
#include "store/facts.h"
#include "suite/suite.h"

namespace minpair::store {

class Database;

struct SuiteRecord {
  int64_t id = 0;
  std::string name, fingerprint;
  uint64_t items = 0;  // in the whole suite, scored or not
  suite::Manifest manifest;
};

struct ModelRecord {
  int64_t id = 0;
  std::string name, fingerprint, tokenizer, precision, kind, architecture;
  uint64_t parameters = 0;
  std::vector<std::string> notes;
};

struct RunRecord {
  int64_t id = 0;
  SuiteRecord suite;
  ModelRecord model;
  std::string method;
  int version = 1;
  std::string words;                     // fingerprint of a cloze's words, or empty
  judge::Reads reads;                    // of an item
  judge::View view;                      // the method's own
  judge::Ties ties = judge::Ties::half;  // as the method's paper counts them
  bool special = false;                  // special tokens are among the scored ones
  Facts facts;                           // of the call that last added scores
};

// A run over one part of the items that a command selects, to be merged with the others.
struct ShardRecord {
  uint32_t number = 1, of = 1;
  std::string plan;  // names what was split: the items, the methods, the model
  auto operator<=>(const ShardRecord&) const = default;
};

// One line of a run's summary: items that share test, condition, language, reason and lengths.
struct SummaryRow {
  std::string test, condition, language;
  judge::Reason excluded = judge::Reason::none;
  bool equal_lengths = true;
  judge::View view;
  uint64_t first_ordinal = 0;
  judge::Counts counts;  // of excluded items only how many
};

// One item of a run.
struct StoredItem {
  uint64_t ordinal = 0;
  judge::Reason excluded = judge::Reason::none;
  bool equal_lengths = true;
  uint32_t outcomes = 0;  // for unpack_outcome
  std::string tokens;     // for unpack_scores
  std::string item;       // a line of a suite; empty when not asked for
};

// The items of a run in the order of the suite, one at a time.
class StoredItems {
 public:
  virtual ~StoredItems() = default;
  virtual bool next(StoredItem& item) = 0;
};

class Store {
 public:
  enum class Mode { read, write };
  Store(const std::filesystem::path& path, Mode mode);
  ~Store();

  class Transaction {
   public:
    explicit Transaction(Store& store);
    ~Transaction();
    void commit();

   private:
    Store& store_;
    int changes_ = 0;
    bool open_ = true;
  };

  // --- writing ---
  int64_t add_suite(const SuiteRecord& suite);  // gives the one that is there already
  int64_t add_model(const ModelRecord& model);  // the same
  // Facts of a run that is there already change only when it gets new scores.
  int64_t add_run(int64_t suite, int64_t model, const judge::MethodInfo& method,
                  const Facts& facts = {});
  // Does nothing when the run has the item already.
  void add_score(int64_t run, uint64_t ordinal, const suite::Item& item, judge::Reason excluded,
                 const std::vector<judge::SentenceScore>& sentences,
                 std::optional<uint32_t> distance = {});
  // Takes the scores that the model has for the same content, from any suite.
  void copy_score(int64_t run, uint64_t ordinal, const suite::Item& item,
                  std::optional<uint32_t> distance = {});
  // Once per run and transaction, after the last score. A run without new scores stays as it is.
  void finish_run(int64_t run);
  void add_shard(int64_t run, const ShardRecord& shard);
  // One that is there already stays as it is.
  void add_item(int64_t suite, uint64_t ordinal, const suite::Item& item);

  // --- looking ---
  int64_t find_model(const ModelRecord& model);  // 0: none
  bool has_scores(int64_t model, const judge::MethodInfo& method);
  bool has_score(int64_t model, const judge::MethodInfo& method, const suite::Item& item);

  std::vector<RunRecord> runs();
  std::vector<SummaryRow> summary(int64_t run);
  std::vector<ShardRecord> shards(int64_t run);  // empty: the run was not split
  std::unique_ptr<StoredItems> items(int64_t run, bool with_text);
  // The items that any run of the suite has, without scores.
  std::unique_ptr<StoredItems> suite_items(int64_t suite);
  // In the order of the suite.
  void each_item(int64_t run, bool with_text, const std::function<void(const StoredItem&)>& each);

  const std::filesystem::path& path() const;
  Database& database();  // for the other files of this room

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace minpair::store
