#include "papers/models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "engine/engine.h"
#include "papers/database.h"

namespace minpair::papers {
namespace {

namespace fs = std::filesystem;

// Numbers that one model answers with one run.
struct Task {
  std::string model, suite, method;
  auto operator<=>(const Task&) const = default;
};

// Where a model is; nothing where it has to be fetched first.
fs::path located(const std::string& model, const hub::Settings& hub) {
  std::error_code none;
  if (fs::exists(model, none)) return model;
  if (fs::path here = hub::locate(model, hub); !here.empty()) return here;
  for (const hub::Known& known : hub::shipped_models())
    if (known.name == model) return known.folder;
  return {};
}

// Of the items of a row: all of them, those that count, and the mean of these.
struct Count {
  double items = 0, counted = 0, mean = 0;
};
using Counts = std::map<std::string, Count>;  // by the key of the row

class Work {
 public:
  Work(const Paper& paper, const fs::path& folder, const WithModels& how)
      : paper_(paper), folder_(folder), how_(how) {
    for (const PaperTable& table : paper.tables)
      for (const Column& column : table.columns)
        if (column.run) take(*column.run);
    if (tasks_.empty())
      throw wrong_call(fmt::format("'{}' does not say how models answer such a table", paper.name))
          .hint("docs/papers.md shows how a paper says so");
  }

  std::vector<Planned> plan() {
    std::vector<Planned> all;
    for (const auto& [model, tasks] : by_model()) {
      const fs::path here = located(model, how_.hub);
      if (here.empty() && on_hub(model)) {
        plan_absent(model, tasks, all);
        continue;
      }
      std::unique_ptr<query::Model> loaded =
          model::load_model(here.empty() ? model : here.string(), how_.load);
      for (const Task& task : tasks) {
        if (!has(task.suite)) continue;
        engine::RunOptions options{.dry_run = true, .quiet = true};
        engine::RunReport r = run(nullptr, *loaded, task, options);
        all.push_back(
            {model, true, 0, task.suite, r.methods[0], r.counts.items, r.estimated_seconds});
      }
    }
    return all;
  }

  std::vector<Answered> answer() {
    for (const auto& [model, tasks] : by_model()) {
      if (how_.skip_absent && how_.hub.offline && on_hub(model) && located(model, how_.hub).empty())
        absent_.insert(model);
      else
        run_all(model, tasks);
    }
    if (runs_.empty() && absent_.empty())
      throw bad_input("none of the sentences that the tables are about are here")
          .at(folder_.string());
    store_.reset();  // written; now it is read
    std::vector<Answered> all;
    for (const PaperTable& table : paper_.tables)
      for (const Row& row : table.rows)
        for (size_t i = 0; i < table.columns.size(); ++i)
          if (table.columns[i].run && !row.values[i].text.empty())
            for (const std::string& model : models_of(*table.columns[i].run))
              all.push_back(number(table, row, i, model));
    return all;
  }

 private:
  const Paper& paper_;
  fs::path folder_;
  const WithModels& how_;
  std::vector<Task> tasks_;  // each once, in the order of the tables
  std::map<Task, int64_t> runs_;
  std::set<std::string> absent_;  // models
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<query::Model> stand_in_;  // for those that are not here
  std::map<std::tuple<int64_t, std::string, std::string, std::string>, Counts> counts_;

  std::vector<std::string> models_of(const ModelRun& run) const {
    if (!how_.models.empty()) return how_.models;
    return run.model.empty() ? std::vector<std::string>() : std::vector{run.model};
  }
  void take(const ModelRun& run) {
    for (const std::string& model : models_of(run)) {
      Task task{model, run.suite, run.method};
      if (std::find(tasks_.begin(), tasks_.end(), task) == tasks_.end()) tasks_.push_back(task);
    }
  }
  // A model is loaded once.
  std::vector<std::pair<std::string, std::vector<Task>>> by_model() const {
    std::vector<std::pair<std::string, std::vector<Task>>> all;
    for (const Task& task : tasks_) {
      auto at = std::find_if(all.begin(), all.end(),
                             [&](const auto& known) { return known.first == task.model; });
      if (at == all.end()) at = all.insert(at, {task.model, {}});
      at->second.push_back(task);
    }
    return all;
  }

  bool has(const std::string& suite) const { return fs::exists(folder_ / suite); }

  static Error not_here(const std::string& model) {
    return cannot(fmt::format("'{}' is not in the cache, and nothing is fetched offline", model))
        .hint(fmt::format("without --offline it is fetched; or: minpair pull {}", model));
  }

  static bool on_hub(const std::string& model) {
    return hub::is_model_name(model) && model.find('/') != model.npos;
  }
  fs::path fetched(const std::string& model) const {
    if (fs::path here = located(model, how_.hub); !here.empty()) return here;
    if (!on_hub(model)) return model;  // whoever loads it says what is wrong
    if (how_.hub.offline) throw not_here(model);
    return hub::pull(model, {.quiet = how_.quiet}, how_.hub).folder;
  }

  void run_all(const std::string& model, const std::vector<Task>& tasks) {
    std::unique_ptr<query::Model> loaded;
    for (const Task& task : tasks) {
      if (!has(task.suite)) continue;
      if (!loaded) loaded = model::load_model(fetched(model).string(), how_.load);
      // Only now: a wrong name should leave no file behind.
      if (!store_) store_ = std::make_unique<store::Store>(how_.results, store::Store::Mode::write);
      engine::RunOptions options{.quiet = how_.quiet, .load = how_.load};
      if (!fs::exists(model)) options.name = model;  // a folder is called as `run` calls it
      runs_[task] = run(store_.get(), *loaded, task, options).runs.at(0);
    }
  }

  // A small model that is always here.
  query::Model* stand_in() {
    for (const hub::Known& known : hub::shipped_models())
      if (known.name == "de-mini" && !stand_in_)
        stand_in_ = model::load_model(known.folder.string(), how_.load);
    return stand_in_.get();
  }

  // What is not here takes what a small model takes, times how much larger it is: almost all time
  // goes into products with its weights.
  void plan_absent(const std::string& model, const std::vector<Task>& tasks,
                   std::vector<Planned>& all) {
    constexpr double kBytesEach = 4;  // of a weight, as models are stored on the hub
    Planned p{model};
    if (!how_.hub.offline)
      p.bytes = hub::pull(model, {.dry_run = true, .quiet = true}, how_.hub).bytes;
    const double weights = double(p.bytes.value_or(0)) / kBytesEach;
    const size_t before = all.size();
    for (const Task& task : tasks) {
      if (!has(task.suite) || !stand_in()) continue;
      engine::RunReport r =
          run(nullptr, *stand_in_, task, engine::RunOptions{.dry_run = true, .quiet = true});
      p.suite = task.suite, p.method = r.methods[0], p.items = r.counts.items;
      p.seconds = r.estimated_seconds * weights / double(stand_in_->info().parameters);
      all.push_back(p);
      if (p.bytes) p.bytes = 0;  // fetched once
    }
    if (all.size() == before) all.push_back(p);
  }

  // Models that the paper's method is not for answer with their own default.
  engine::RunReport run(store::Store* store, query::Model& model, const Task& task,
                        const engine::RunOptions& options) const {
    engine::SuiteSource suite =
        engine::suite_source(suite::find_suite((folder_ / task.suite).string()));
    const method::Method* method = &method::find_method(task.method);
    if (!method->supports(model.info())) method = &method::default_method(model.info());
    return engine::run_suite(store, suite, model, {method}, options);
  }

  // The rows of a table that the items of a run belong to, under the paper's policy.
  const Counts& counts(int64_t id, const ModelRun& run) {
    auto [at, fresh] = counts_.try_emplace(
        {id, run.lengths, run.ties, fmt::format("{}", fmt::join(run.rows, "\n"))});
    if (!fresh) return at->second;
    Database database(fs::absolute(how_.results).parent_path(), paper_.file.string());
    std::string sql = fmt::format(
        "create virtual table items using results('{}', items, run={}, lengths={}, ties={});",
        fmt::join(split(how_.results.filename().string(), '\''), "''"), id, run.lengths, run.ties);
    std::string_view begin =
        "select key, count(*), sum(excluded is null), mean(correct) "
        "filter (where excluded is null) from (";
    for (const std::string& row : run.rows) {
      sql += fmt::format("{}select {} as key, excluded, correct from items", begin, row);
      begin = " union all ";
    }
    for (const std::vector<Value>& row : database.query({sql + ") group by key", 0}).rows)
      at->second[text_of(row[0])] = {number_of(row[1]), number_of(row[2]), number_of(row[3])};
    return at->second;
  }

  Answered number(const PaperTable& table, const Row& row, size_t i, const std::string& model) {
    const ModelRun& run = *table.columns[i].run;
    Answered a{table.title,        row.title, table.columns[i].title,
               row.values[i].text, model,     std::nan("")};
    a.owns = how_.models.empty() || model == run.model;
    const auto id = runs_.find({model, run.suite, run.method});
    if (id == runs_.end()) {
      a.why = absent_.contains(model)
                  ? fmt::format("{} is not in the cache, and nothing is fetched offline", model)
                  : fmt::format("{} is not among the files", run.suite);
      return a;
    }
    const Counts& all = counts(id->second, run);
    const auto found = all.find(row.key);
    const Count count = found == all.end() ? Count() : found->second;
    a.items = uint64_t(count.counted);
    if (a.items == 0) {
      a.why = count.items == 0 ? "no such sentences among the files"
              : count.items == 1
                  ? "its only item does not count for this model"
                  : fmt::format("none of its {} items count for this model", count.items);
      return a;
    }
    a.ours = count.mean;
    a.interval = stats::wilson(a.ours * double(a.items), double(a.items));
    judge(a);
    return a;
  }

  static void judge(Answered& a) {
    if (!a.owns) return;
    const double printed = std::stod(a.printed);
    a.verdict = rounds_to(a.ours, a.printed) ? Answered::Verdict::same
                : printed >= a.interval.low && printed <= a.interval.high
                    ? Answered::Verdict::within
                    : Answered::Verdict::differs;
  }
};

}  // namespace

std::string_view text_of(Answered::Verdict verdict) {
  constexpr std::string_view kTexts[] = {"", "same", "within", "DIFFERS"};
  return kTexts[size_t(verdict)];
}

std::vector<std::string> models_of(const Paper& paper) {
  std::vector<std::string> all;
  for (const PaperTable& table : paper.tables)
    for (const Column& column : table.columns)
      if (column.run && !column.run->model.empty() &&
          std::find(all.begin(), all.end(), column.run->model) == all.end())
        all.push_back(column.run->model);
  return all;
}

bool is_here(const std::string& model, const WithModels& how) {
  return !located(model, how.hub).empty();
}

std::vector<Answered> answer(const Paper& paper, const fs::path& folder, const WithModels& how) {
  return Work(paper, folder, how).answer();
}

std::vector<Planned> plan(const Paper& paper, const fs::path& folder, const WithModels& how) {
  return Work(paper, folder, how).plan();
}

}  // namespace minpair::papers
