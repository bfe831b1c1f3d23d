#include "papers/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "engine/engine.h"
#include "papers/formula.h"
#include "tidy/tidy.h"

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

// Rows of results as rows of texts, as formulas read them.
void append_texts(Frame& to, const tidy::Frame& from) {
  for (size_t row = 0; row < from.rows(); ++row) {
    std::vector<std::string> cells;
    for (size_t i = 0; i < from.columns().size(); ++i) {
      const tidy::Column& c = from.columns()[i];
      std::string& cell = cells.emplace_back();
      if (!c.has(row)) continue;
      switch (from.fields()[i].type) {
        case tidy::Type::text:
          cell = c.text(row);
          break;
        case tidy::Type::integer:
          cell = std::to_string(c.integers[row]);
          break;
        case tidy::Type::number:
          cell = fmt::format("{}", c.numbers[row]);
          break;
        default:
          cell = c.truth(row) ? "true" : "false";
      }
    }
    to.add_row(cells);
  }
}

class Work {
 public:
  Work(const Paper& paper, const fs::path& folder, const WithModels& how)
      : paper_(paper), folder_(folder), how_(how) {
    for (const PaperTable& table : paper.tables)
      for (const Column& column : table.columns)
        if (column.asked) take(*column.asked);
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
    if (!runs_.empty())
      kept_ = std::make_unique<store::Store>(how_.results, store::Store::Mode::read);
    for (const PaperTable& table : paper_.tables)
      for (const Row& row : table.rows)
        for (size_t i = 0; i < table.columns.size(); ++i)
          if (table.columns[i].asked && !row.values[i].empty())
            for (const std::string& model : models_of(*table.columns[i].asked))
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
  std::unique_ptr<store::Store> store_, kept_;
  std::unique_ptr<query::Model> stand_in_;  // for those that are not here
  std::map<std::tuple<int64_t, std::string, std::string>, Frame> frames_;

  std::vector<std::string> models_of(const Asked& asked) const {
    if (!how_.models.empty()) return how_.models;
    return asked.model.empty() ? std::vector<std::string>() : std::vector{asked.model};
  }
  void take(const Asked& asked) {
    for (const std::string& model : models_of(asked)) {
      Task task{model, asked.suite, asked.method};
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

  // The items of a run under a policy, as a table of texts for formulas.
  const Frame& items(store::Store& store, int64_t run, const Asked& asked) {
    auto [at, fresh] = frames_.try_emplace({run, asked.lengths, asked.ties});
    if (!fresh) return at->second;
    report::ReportOptions options;
    options.wanted.runs = {run};
    options.policy.lengths = judge::find_lengths(asked.lengths);
    options.policy.ties = judge::find_ties(asked.ties);
    std::unique_ptr<tidy::Rows> rows = tidy::stored_rows(store, "items", options);
    for (const tidy::Field& field : rows->fields()) at->second.add_column(field.name);
    for (tidy::Frame batch(rows->fields()); rows->next(batch); batch.clear())
      append_texts(at->second, batch);
    return at->second;
  }

  Answered number(const PaperTable& table, const Row& row, size_t i, const std::string& model) {
    const Asked& asked = *table.columns[i].asked;
    Answered a{table.title, row.title, table.columns[i].title, row.values[i], model, std::nan("")};
    a.owns = how_.models.empty() || model == asked.model;
    auto run = runs_.find({model, asked.suite, asked.method});
    if (run == runs_.end()) {
      a.why = absent_.contains(model)
                  ? fmt::format("{} is not in the cache, and nothing is fetched offline", model)
                  : fmt::format("{} is not among the files", asked.suite);
      return a;
    }
    const Frame& frame = items(*kept_, run->second, asked);
    const std::string row_is = with_row(asked.where, row.key);
    const std::string where = fmt::format("excluded = \"\" and ({})", row_is);
    a.items = uint64_t(Formula::parse("count(" + where + ")").value(frame));
    if (a.items == 0) {
      const double all = Formula::parse("count(" + row_is + ")").value(frame);
      a.why = all == 0   ? "no such sentences among the files"
              : all == 1 ? "its only item does not count for this model"
                         : fmt::format("none of its {} items count for this model", all);
      return a;
    }
    a.ours = Formula::parse("mean(correct where " + where + ")").value(frame);
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
      if (column.asked && !column.asked->model.empty() &&
          std::find(all.begin(), all.end(), column.asked->model) == all.end())
        all.push_back(column.asked->model);
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
