// What lm-evaluation-harness writes with --log_samples, so that notebooks made for it read our
// runs: results_*.json with "acc,none" per task, samples_TASK_*.jsonl with a line per item.

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/paths.h"
#include "report/report.h"

namespace minpair::report {
namespace {

using Json = nlohmann::ordered_json;

std::string file_name(std::string text) {
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.' && c != '_') c = '_';
  return text;
}

// The files of one run.
class Export {
 public:
  Export(const NamedRun& named, const ReportOptions& options, const std::filesystem::path& folder)
      : run_(named.run), look_(look_at(run_, options)), model_(named.label) {
    folder_ = folder / (file_name(model_) + "__" + run_.method);
    std::filesystem::create_directories(folder_);
  }

  std::vector<std::filesystem::path> write(RowReader rows) {
    while (rows.next())
      if (Judged judged = rows.judged(0, look_); judged.counts()) add(rows, judged.points);
    write_results();
    for (auto& [task, file] : samples_) file->commit();
    return files_;
  }

 private:
  struct Task {
    std::string alias;
    uint64_t items = 0;
    double points = 0;
  };

  void add(const RowReader& rows, double points) {
    const suite::Item& item = rows.item();
    std::string task = file_name(run_.suite.name + "_" + item.test);
    Task& t = tasks_[task];
    t.alias = item.test;
    ++t.items;
    t.points += points;
    std::unique_ptr<AtomicFile>& file = samples_[task];
    if (!file) {
      files_.push_back(folder_ / ("samples_" + task + "_minpair.jsonl"));
      file = std::make_unique<AtomicFile>(files_.back());
    }
    file->write(json_text(sample(rows, points)) + "\n");
  }

  Json sample(const RowReader& rows, double acc) const {
    const suite::Item& item = rows.item();
    const std::vector<judge::SentenceScore>& scores = rows.scores(0);
    Json arguments = Json::object(), resps = Json::array(), filtered = Json::array();
    size_t target = 0;
    for (size_t i = 0; i < scores.size() && i < item.sentences.size(); ++i) {
      if (item.sentences[i].grammatical) target = i;
      arguments[fmt::format("gen_args_{}", i)] = {{"arg_0", ""}, {"arg_1", item.sentences[i].text}};
      Json answer = {fmt::format("{}", scores[i].value(look_.view).value_or(0)), "False"};
      resps.push_back(Json::array({answer}));
      filtered.push_back(answer);
    }
    Json doc = Json::parse(rows.line());
    return {{"doc_id", rows.ordinal()},
            {"doc", doc},
            {"target", std::to_string(target)},
            {"arguments", arguments},
            {"resps", resps},
            {"filtered_resps", filtered},
            {"filter", "none"},
            {"metrics", Json::array({"acc"})},
            {"doc_hash", sha256_hex(rows.line())},
            {"prompt_hash", sha256_hex("")},
            {"target_hash", sha256_hex(std::to_string(target))},
            {"acc", acc}};
  }

  void write_results() {
    Json results = Json::object(), configs = Json::object(), versions = Json::object(),
         shots = Json::object(), samples = Json::object(), better = Json::object();
    for (const auto& [name, t] : tasks_) {
      double acc = t.points / double(t.items);
      double error = t.items > 1 ? std::sqrt(acc * (1 - acc) / double(t.items - 1)) : 0;
      results[name] = {{"alias", t.alias}, {"acc,none", acc}, {"acc_stderr,none", error}};
      configs[name] = {
          {"task", name},
          {"dataset_name", run_.suite.name},
          {"output_type", "multiple_choice"},
          {"num_fewshot", 0},
          {"metadata",
           {{"version", 1.0}, {"method", run_.method}, {"norm", judge::name_of(look_.view)}}}};
      versions[name] = 1.0;
      shots[name] = 0;
      samples[name] = {{"original", t.items}, {"effective", t.items}};
      better[name] = {{"acc", true}};
    }
    Json all = {
        {"results", results},
        {"group_subtasks", Json::object()},
        {"configs", configs},
        {"versions", versions},
        {"n-shot", shots},
        {"higher_is_better", better},
        {"n-samples", samples},
        {"config", {{"model", "minpair"}, {"model_args", run_.model.name}, {"limit", nullptr}}},
        {"model_source", "minpair"},
        {"model_name", model_},
        {"model_name_sanitized", file_name(model_)},
        {"lm_eval_version", "minpair " + version()}};
    files_.push_back(folder_ / "results_minpair.json");
    write_file(files_.back(), json_text(all, 2) + "\n");
  }

  const store::RunRecord& run_;
  Look look_;
  std::string model_;
  std::filesystem::path folder_;
  std::map<std::string, Task> tasks_;
  std::map<std::string, std::unique_ptr<AtomicFile>> samples_;
  std::vector<std::filesystem::path> files_;
};

}  // namespace

std::vector<std::filesystem::path> write_lm_eval(store::Store& store, const ReportOptions& options,
                                                 const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const NamedRun& named : selected_runs(store, options))
    for (std::filesystem::path& file :
         Export(named, options, folder).write({store, {&named}, options}))
      files.push_back(std::move(file));
  return files;
}

}  // namespace minpair::report
