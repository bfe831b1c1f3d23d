#include "store/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "base/counts.h"
#include "base/error.h"
#include "store/judgments.h"
#include "store/pack.h"
#include "store/store.h"
#include "store/sweeps.h"

namespace minpair::store {
namespace {

// What one file has of a run or a sweep.
struct Part {
  size_t file;
  int64_t id;  // there
  std::vector<ShardRecord> shards;
};

// A run or a sweep, in all files that have some of it.
struct Whole {
  SuiteRecord suite;
  ModelRecord model;
  std::string how;  // the method, or what was changed inside the model
  int version = 1;
  std::string words, reads;  // of the method
  Facts facts;               // of the last part
  std::vector<Part> parts;

  // What makes two parts one: everything that the key of a score has, and the suite.
  bool same(const Whole& other) const {
    return together(other) && how == other.how && version == other.version &&
           words == other.words && reads == other.reads;
  }
  // Runs that one command makes in one transaction.
  bool together(const Whole& other) const {
    return suite.name == other.suite.name && suite.fingerprint == other.suite.fingerprint &&
           model.fingerprint == other.model.fingerprint &&
           model.tokenizer == other.model.tokenizer && model.precision == other.model.precision;
  }
  std::string name() const {
    return fmt::format("{} × {} ({}, {})", suite.name, model.name, how, model.precision);
  }
};
struct WholeRun : Whole {
  judge::MethodInfo method;
};
struct WholeSweep : Whole {
  SweepName sweep;
};

WholeRun whole_of(RunRecord r) {
  judge::MethodInfo method;
  method.name = r.method;
  method.version = r.version;
  method.words = r.words;
  method.reads = r.reads;
  method.view = r.view;
  method.ties = r.ties;
  return {{std::move(r.suite),
           std::move(r.model),
           r.method,
           r.version,
           r.words,
           judge::text_of(r.reads),
           std::move(r.facts),
           {}},
          std::move(method)};
}

WholeSweep whole_of(SweepRecord s) {
  return {{std::move(s.suite),
           std::move(s.model),
           s.name.what + " " + s.name.options,
           s.name.version,
           {},
           {},
           std::move(s.facts),
           {}},
          std::move(s.name)};
}

template <class Found>
void add_part(std::vector<Found>& all, Found found, Part part) {
  auto at = std::ranges::find_if(all, [&](const Found& known) { return known.same(found); });
  if (at == all.end())
    at = all.insert(all.end(), std::move(found));
  else
    at->facts = std::move(found.facts);
  at->parts.push_back(std::move(part));
}

std::vector<WholeRun> collect_runs(std::deque<Store>& stores) {
  std::vector<WholeRun> runs;
  for (size_t f = 0; f < stores.size(); ++f)
    for (RunRecord& r : stores[f].runs()) {
      Part part{f, r.id, stores[f].shards(r.id)};
      add_part(runs, whole_of(std::move(r)), std::move(part));
    }
  return runs;
}

std::vector<WholeSweep> collect_sweeps(std::deque<Store>& stores) {
  std::vector<WholeSweep> all;
  for (size_t f = 0; f < stores.size(); ++f)
    for (SweepRecord& s : sweeps(stores[f])) {
      Part part{f, s.id, sweep_shards(stores[f], s.id)};
      add_part(all, whole_of(std::move(s)), std::move(part));
    }
  return all;
}

std::string numbers_text(const std::set<uint32_t>& numbers) {
  std::vector<std::string> words;
  for (uint32_t n : numbers) words.push_back(std::to_string(n));
  return join(words, ", ");
}

// What sets two runs apart, in the order in which a user should look.
std::vector<std::string> differences(const Whole& a, const Whole& b) {
  std::vector<std::string> found;
  if (a.suite.name != b.suite.name) found.push_back(fmt::format("the suite '{}'", b.suite.name));
  if (a.suite.fingerprint != b.suite.fingerprint)
    found.push_back(found.empty() ? "other items under the same suite's name" : "other items");
  if (a.model.precision != b.model.precision)
    found.push_back(fmt::format("the precision {}", b.model.precision));
  if (a.model.fingerprint != b.model.fingerprint)
    found.push_back(fmt::format("another model ('{}')", b.model.name));
  if (a.model.tokenizer != b.model.tokenizer) found.push_back("another tokenizer");
  if (a.how != b.how)
    found.push_back(fmt::format("the method {}", b.how));
  else if (a.version != b.version)
    found.push_back("another version of the method");
  else if (a.words != b.words)
    found.push_back("other words for clozes");
  return found;
}

constexpr size_t kMostNamed = 20;  // of missing shards

class ShardCheck {
 public:
  template <class Found>
  ShardCheck(const std::vector<std::filesystem::path>& files, const std::vector<Found>& all)
      : files_(files), all_(all.begin(), all.end()) {}

  void check() const {
    for (const Whole& whole : all_) {
      std::map<ShardRecord, size_t> where;
      for (const Part& part : whole.parts)
        for (const ShardRecord& s : part.shards) {
          auto [at, fresh] = where.try_emplace(s, part.file);
          if (!fresh) throw twice(whole, s, at->second, part.file);
        }
      check_complete(whole, where);
    }
  }

 private:
  std::string file(size_t f) const { return files_[f].string(); }

  Error twice(const Whole& whole, const ShardRecord& s, size_t a, size_t b) const {
    return bad_input(fmt::format("{}: shard {} of {} is in {} and in {}", whole.name(), s.number,
                                 s.of, file(a), file(b)))
        .hint("give each shard once");
  }

  void check_complete(const Whole& whole, const std::map<ShardRecord, size_t>& where) const {
    if (where.empty()) return;
    const ShardRecord& first = where.begin()->first;
    std::set<uint32_t> there, missing;
    for (const auto& [s, f] : where) {
      if (s.plan != first.plan || s.of != first.of)
        throw bad_input(fmt::format("{}: {} and {} are not shards of the same whole: {}",
                                    whole.name(), file(where.begin()->second), file(f),
                                    s.of != first.of ? fmt::format("{} and {}", first.of, s.of)
                                                     : "other items or other methods"))
            .hint("make all shards with the same command, only --shard and -o may differ");
      if (s.number >= 1 && s.number <= s.of) there.insert(s.number);
    }
    // (A file may speak of billions: the first are enough.)
    for (uint64_t n = 1; n <= first.of && missing.size() < kMostNamed; ++n)
      if (!there.contains(uint32_t(n))) missing.insert(uint32_t(n));
    if (missing.empty()) return;
    const uint64_t more = first.of - there.size() - missing.size();
    throw bad_input(fmt::format("{}: of {} shards there {} no {}{}", whole.name(), first.of,
                                missing.size() == 1 ? "is" : "are", numbers_text(missing),
                                more > 0 ? fmt::format(" and {} more", count_text(more)) : ""))
        .hint(reason(whole, missing));
  }

  // Often the shard is there, but of another run: the most similar one is named.
  std::string reason(const Whole& whole, const std::set<uint32_t>& missing) const {
    std::string text = fmt::format("make it with --shard {}/{} and merge again", *missing.begin(),
                                   whole.parts.front().shards.front().of);
    size_t fewest = SIZE_MAX;
    for (const Whole& other : all_) {
      std::vector<std::string> differ = differences(whole, other);
      if (&other == &whole || differ.size() >= fewest) continue;
      for (const Part& part : other.parts)
        for (const ShardRecord& s : part.shards)
          if (missing.contains(s.number)) {
            fewest = differ.size();
            text = fmt::format("{} has shard {} with {}: all shards need the same command",
                               file(part.file), s.number, join(differ, ", "));
          }
    }
    return text;
  }

  const std::vector<std::filesystem::path>& files_;
  std::vector<Whole> all_;
};

// The items of one run from several files, in the order of the suite.
class JoinedItems {
 public:
  using Open = std::function<std::unique_ptr<StoredItems>(const Part&)>;
  JoinedItems(const std::vector<std::filesystem::path>& files, const Whole& whole, const Open& open)
      : files_(files) {
    for (const Part& part : whole.parts) {
      sources_.push_back({part.file, open(part), {}});
      advance(sources_.size() - 1);
    }
  }

  uint64_t ordinal() const {
    uint64_t lowest = UINT64_MAX;
    for (const Source& s : sources_)
      if (s.rows) lowest = std::min(lowest, s.item.ordinal);
    return lowest;  // UINT64_MAX: the end
  }

  // False when the run does not have the item. Files that have it must agree.
  bool take(uint64_t ordinal, StoredItem& item) {
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < sources_.size(); ++i) {
      if (!sources_[i].rows || sources_[i].item.ordinal != ordinal) continue;
      if (found == SIZE_MAX)
        item = sources_[i].item;
      else if (sources_[i].item.tokens != item.tokens || sources_[i].item.excluded != item.excluded)
        throw bad_input(fmt::format("the same run has other scores in {}, from item {} on",
                                    files_[sources_[found].file].string(), ordinal + 1))
            .at(files_[sources_[i].file].string())
            .hint("were both computed on machines that give the same bits? keep one of them");
      if (found == SIZE_MAX) found = i;
      advance(i);
    }
    return found != SIZE_MAX;
  }

 private:
  struct Source {
    size_t file;
    std::unique_ptr<StoredItems> rows;  // null: at the end
    StoredItem item;
  };

  void advance(size_t i) {
    if (!sources_[i].rows->next(sources_[i].item)) sources_[i].rows.reset();
  }

  const std::vector<std::filesystem::path>& files_;
  std::vector<Source> sources_;
};

class Merge {
 public:
  Merge(const std::vector<std::filesystem::path>& files, std::deque<Store>& stores, Store& output)
      : files_(files), stores_(stores), output_(output) {}

  // Item by item and method by method, as a run stores them.
  void write(std::span<const WholeRun> runs) {
    Store::Transaction transaction(output_);
    int64_t suite_id = output_.add_suite(runs.front().suite);
    int64_t model_id = output_.add_model(runs.front().model);
    std::vector<int64_t> ids;
    std::vector<JoinedItems> joined;
    for (const WholeRun& whole : runs) {
      ids.push_back(output_.add_run(suite_id, model_id, whole.method, whole.facts));
      joined.emplace_back(
          files_, whole, [&](const Part& part) { return stores_[part.file].items(part.id, true); });
    }
    for (uint64_t ordinal; (ordinal = lowest(joined)) != UINT64_MAX;) copy(ordinal, ids, joined);
    for (int64_t run : ids) output_.finish_run(run);
    transaction.commit();
    merged.runs += runs.size();
  }

  void write_sweep(const WholeSweep& whole) {
    Store::Transaction transaction(output_);
    const int64_t suite = output_.add_suite(whole.suite);
    const int64_t model = output_.add_model(whole.model);
    const int64_t sweep = add_sweep(output_, suite, model, whole.sweep, whole.facts);
    JoinedItems joined(files_, whole,
                       [&](const Part& part) { return effect_items(stores_[part.file], part.id); });
    StoredItem stored;
    for (uint64_t ordinal; (ordinal = joined.ordinal()) != UINT64_MAX;) {
      joined.take(ordinal, stored);
      parser_.parse(stored.item, {}, item_);
      output_.add_item(suite, ordinal, item_);
      add_effects(output_, sweep, ordinal, unpack_effects(stored.tokens));
    }
    transaction.commit();
    ++merged.sweeps;
  }

  Merged merged;

 private:
  static uint64_t lowest(const std::vector<JoinedItems>& joined) {
    uint64_t ordinal = UINT64_MAX;
    for (const JoinedItems& j : joined) ordinal = std::min(ordinal, j.ordinal());
    return ordinal;
  }

  void copy(uint64_t ordinal, const std::vector<int64_t>& ids, std::vector<JoinedItems>& joined) {
    bool parsed = false;
    for (size_t m = 0; m < joined.size(); ++m) {
      StoredItem stored;
      if (!joined[m].take(ordinal, stored)) continue;
      if (!parsed) parser_.parse(stored.item, {}, item_);
      parsed = true;
      std::vector<judge::SentenceScore> scores;
      if (stored.excluded == judge::Reason::none) scores = unpack_scores(stored.tokens);
      output_.add_score(ids[m], ordinal, item_, stored.excluded, scores,
                        unpack_distance(stored.tokens));
      ++merged.scores;
    }
  }

  const std::vector<std::filesystem::path>& files_;
  std::deque<Store>& stores_;
  Store& output_;
  suite::ItemParser parser_;
  suite::Item item_;
};

void check_files(const std::vector<std::filesystem::path>& files,
                 const std::filesystem::path& output) {
  std::error_code ignored;
  for (size_t i = 0; i < files.size(); ++i) {
    if (std::filesystem::equivalent(files[i], output, ignored))
      throw wrong_call(fmt::format("{} is read and written", files[i].string()))
          .hint("give the merged file another name with -o, or leave it out of the list");
    for (size_t j = 0; j < i; ++j)
      if (std::filesystem::equivalent(files[i], files[j], ignored))
        throw wrong_call(fmt::format("{} is given twice", files[i].string()));
  }
}

// What people said goes along; a source that several files have must say the same in each.
void merge_judgments(const std::vector<std::filesystem::path>& files,
                     const std::filesystem::path& output) {
  std::map<std::string, std::pair<std::filesystem::path, std::vector<Judgment>>> sources;
  for (const std::filesystem::path& file : files) {
    std::map<std::string, std::vector<Judgment>> own;
    for (Judgment& j : read_judgments(file)) own[j.source].push_back(std::move(j));
    for (auto& [source, judgments] : own) {
      auto [known, fresh] = sources.try_emplace(source, file, judgments);
      if (!fresh && known->second.second != judgments)
        throw bad_input(fmt::format("{} and {} have other judgments of '{}'",
                                    known->second.first.string(), file.string(), source));
    }
  }
  for (const auto& [source, found] : sources) replace_judgments(output, source, found.second);
}

}  // namespace

Merged merge_results(const std::vector<std::filesystem::path>& files,
                     const std::filesystem::path& output) {
  check_files(files, output);
  std::deque<Store> stores;
  for (const std::filesystem::path& file : files) stores.emplace_back(file, Store::Mode::read);
  const std::vector<WholeRun> runs = collect_runs(stores);
  const std::vector<WholeSweep> inside = collect_sweeps(stores);
  if (runs.empty() && inside.empty()) throw bad_input("there are no runs in these files");
  ShardCheck(files, runs).check();
  ShardCheck(files, inside).check();
  Merged done;
  {
    Store merged(output, Store::Mode::write);
    Merge merge(files, stores, merged);
    for (size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
      while (end < runs.size() && runs[begin].together(runs[end])) ++end;
      merge.write({runs.data() + begin, end - begin});
    }
    for (const WholeSweep& whole : inside) merge.write_sweep(whole);
    done = merge.merged;
  }
  merge_judgments(files, output);
  return done;
}

}  // namespace minpair::store
