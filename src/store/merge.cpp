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

// One run in one file.
struct Part {
  size_t file;
  RunRecord run;
  std::vector<ShardRecord> shards;
};

// What makes two runs one: everything that the key of a score has, and the suite.
std::string key_of(const RunRecord& r) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", r.suite.name, r.suite.fingerprint,
                     r.model.fingerprint, r.model.tokenizer, r.model.precision, r.method,
                     r.version, r.words, judge::text_of(r.reads));
}

// Runs that one command makes in one transaction.
bool together(const RunRecord& a, const RunRecord& b) {
  return a.suite.name == b.suite.name && a.suite.fingerprint == b.suite.fingerprint &&
         a.model.fingerprint == b.model.fingerprint && a.model.tokenizer == b.model.tokenizer &&
         a.model.precision == b.model.precision;
}

std::string name_of(const RunRecord& r) {
  return fmt::format("{} × {} ({}, {})", r.suite.name, r.model.name, r.method, r.model.precision);
}

// One run, in all files that have some of it.
struct WholeRun {
  std::vector<Part> parts;
  const RunRecord& run() const { return parts.front().run; }
};

std::vector<WholeRun> collect(std::deque<Store>& stores) {
  std::vector<WholeRun> runs;
  std::map<std::string, size_t> known;
  for (size_t f = 0; f < stores.size(); ++f)
    for (RunRecord& r : stores[f].runs()) {
      auto [at, fresh] = known.try_emplace(key_of(r), runs.size());
      if (fresh) runs.emplace_back();
      std::vector<ShardRecord> shards = stores[f].shards(r.id);
      runs[at->second].parts.push_back({f, std::move(r), std::move(shards)});
    }
  return runs;
}

// A sweep is told apart as a run is: by what was looked for, and how.
std::vector<WholeRun> collect_sweeps(std::deque<Store>& stores) {
  std::vector<WholeRun> all;
  std::map<std::string, size_t> known;
  for (size_t f = 0; f < stores.size(); ++f)
    for (SweepRecord& s : sweeps(stores[f])) {
      RunRecord r;
      r.id = s.id, r.suite = std::move(s.suite), r.model = std::move(s.model);
      r.method = s.name.what + " " + s.name.options, r.version = s.name.version;
      r.facts = std::move(s.facts);
      auto [at, fresh] = known.try_emplace(key_of(r), all.size());
      if (fresh) all.emplace_back();
      std::vector<ShardRecord> shards = sweep_shards(stores[f], r.id);
      all[at->second].parts.push_back({f, std::move(r), std::move(shards)});
    }
  return all;
}

SweepName name_of_sweep(const RunRecord& r) {
  const size_t space = r.method.find(' ');
  return {r.method.substr(0, space), r.version, r.method.substr(space + 1)};
}

std::string numbers_text(const std::set<uint32_t>& numbers) {
  std::vector<std::string> words;
  for (uint32_t n : numbers) words.push_back(std::to_string(n));
  return join(words, ", ");
}

// What sets two runs apart, in the order in which a user should look.
std::vector<std::string> differences(const RunRecord& a, const RunRecord& b) {
  std::vector<std::string> found;
  if (a.suite.name != b.suite.name) found.push_back(fmt::format("the suite '{}'", b.suite.name));
  if (a.suite.fingerprint != b.suite.fingerprint)
    found.push_back(found.empty() ? "other items under the same suite's name" : "other items");
  if (a.model.precision != b.model.precision)
    found.push_back(fmt::format("the precision {}", b.model.precision));
  if (a.model.fingerprint != b.model.fingerprint)
    found.push_back(fmt::format("another model ('{}')", b.model.name));
  if (a.model.tokenizer != b.model.tokenizer) found.push_back("another tokenizer");
  if (a.method != b.method)
    found.push_back(fmt::format("the method {}", b.method));
  else if (a.version != b.version)
    found.push_back("another version of the method");
  else if (a.words != b.words)
    found.push_back("other words for clozes");
  return found;
}

constexpr size_t kMostNamed = 20;  // of missing shards

class ShardCheck {
 public:
  ShardCheck(const std::vector<std::filesystem::path>& files, const std::vector<WholeRun>& runs)
      : files_(files), runs_(runs) {}

  void check() const {
    for (const WholeRun& whole : runs_) {
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

  Error twice(const WholeRun& whole, const ShardRecord& s, size_t a, size_t b) const {
    return bad_input(fmt::format("{}: shard {} of {} is in {} and in {}", name_of(whole.run()),
                                 s.number, s.of, file(a), file(b)))
        .hint("give each shard once");
  }

  void check_complete(const WholeRun& whole, const std::map<ShardRecord, size_t>& where) const {
    if (where.empty()) return;
    const ShardRecord& first = where.begin()->first;
    std::set<uint32_t> there, missing;
    for (const auto& [s, f] : where) {
      if (s.plan != first.plan || s.of != first.of)
        throw bad_input(fmt::format("{}: {} and {} are not shards of the same whole: {}",
                                    name_of(whole.run()), file(where.begin()->second), file(f),
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
    throw bad_input(fmt::format("{}: of {} shards there {} no {}{}", name_of(whole.run()), first.of,
                                missing.size() == 1 ? "is" : "are", numbers_text(missing),
                                more > 0 ? fmt::format(" and {} more", count_text(more)) : ""))
        .hint(reason(whole, missing));
  }

  // Often the shard is there, but of another run: the most similar one is named.
  std::string reason(const WholeRun& whole, const std::set<uint32_t>& missing) const {
    std::string text = fmt::format("make it with --shard {}/{} and merge again", *missing.begin(),
                                   whole.parts.front().shards.front().of);
    size_t fewest = SIZE_MAX;
    for (const WholeRun& other : runs_) {
      std::vector<std::string> differ = differences(whole.run(), other.run());
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
  const std::vector<WholeRun>& runs_;
};

// The items of one run from several files, in the order of the suite.
class JoinedItems {
 public:
  using Open = std::function<std::unique_ptr<StoredItems>(const Part&)>;
  JoinedItems(const std::vector<std::filesystem::path>& files, const WholeRun& whole,
              const Open& open)
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

judge::MethodInfo method_of(const RunRecord& r) {
  judge::MethodInfo method;
  method.name = r.method;
  method.version = r.version;
  method.words = r.words;
  method.reads = r.reads;
  method.view = r.view;
  method.ties = r.ties;
  return method;
}

class Merge {
 public:
  Merge(const std::vector<std::filesystem::path>& files, std::deque<Store>& stores, Store& output)
      : files_(files), stores_(stores), output_(output) {}

  // Item by item and method by method, as a run stores them.
  void write(std::span<const WholeRun> runs) {
    Store::Transaction transaction(output_);
    SuiteRecord suite = runs.front().run().suite;
    int64_t suite_id = output_.add_suite(suite);
    int64_t model_id = output_.add_model(runs.front().run().model);
    std::vector<int64_t> ids;
    std::vector<JoinedItems> joined;
    for (const WholeRun& whole : runs) {
      ids.push_back(output_.add_run(suite_id, model_id, method_of(whole.run()),
                                    whole.parts.back().run.facts));
      joined.emplace_back(files_, whole, [&](const Part& part) {
        return stores_[part.file].items(part.run.id, true);
      });
    }
    for (uint64_t ordinal; (ordinal = lowest(joined)) != UINT64_MAX;) copy(ordinal, ids, joined);
    for (int64_t run : ids) output_.finish_run(run);
    transaction.commit();
    merged.runs += runs.size();
  }

  void write_sweep(const WholeRun& whole) {
    Store::Transaction transaction(output_);
    const int64_t suite = output_.add_suite(whole.run().suite);
    const int64_t model = output_.add_model(whole.run().model);
    const int64_t sweep =
        add_sweep(output_, suite, model, name_of_sweep(whole.run()), whole.parts.back().run.facts);
    JoinedItems joined(files_, whole, [&](const Part& part) {
      return effect_items(stores_[part.file], part.run.id);
    });
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
  std::vector<WholeRun> runs = collect(stores);
  const std::vector<WholeRun> inside = collect_sweeps(stores);
  if (runs.empty() && inside.empty()) throw bad_input("there are no runs in these files");
  ShardCheck(files, runs).check();
  ShardCheck(files, inside).check();
  Merged done;
  {
    Store merged(output, Store::Mode::write);
    Merge merge(files, stores, merged);
    for (size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
      while (end < runs.size() && together(runs[begin].run(), runs[end].run())) ++end;
      merge.write({runs.data() + begin, end - begin});
    }
    for (const WholeRun& whole : inside) merge.write_sweep(whole);
    done = merge.merged;
  }
  merge_judgments(files, output);
  return done;
}

}  // namespace minpair::store
