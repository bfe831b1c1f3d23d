#pragma once
// Options that several commands have, each said once.

#include <string>
#include <vector>

#include "command/command.h"
#include "engine/engine.h"
#include "introspect/sweep_cache.h"
#include "model/model.h"
#include "report/report.h"

namespace minpair::command {

constexpr const char* kModelHelp =
    "a folder, a Hugging Face id, a .gguf or .arpa file, or a shipped model";

std::vector<std::string> names_in(const std::string& list);  // "a, b"

Option& add_results(Command& app, std::string& results);
Option& add_output(Command& app, std::string& output);  // -o, standard output by default
void add_format(Command& app, std::string& format);     // of grids
// -s, -m, --method.
std::vector<Option*> add_runs(Command& app, judge::Wanted& wanted);
// --test, --condition, --language, --where, as far as `options` has them.
std::vector<Option*> add_items(Command& app, report::ReportOptions& options);
Option& add_where(Command& app, std::string& where);
// The same of items that a model is asked about, and --limit, --sample, --seed.
void add_selection(Command& app, engine::Selection& selection, bool seed_is_for_more = false);
void add_cluster(Command& app, std::string& cluster);
// --average items, tests, languages or seeds: what counts the same in a mean.
void add_average(Command& app, std::string& average);
void set_average(const std::string& average, report::ReportOptions& options);
// Of means, whose intervals are Student's otherwise; and of accuracies, by profile likelihood.
Option& add_bootstrap(Command& app, report::Intervals& intervals);
void add_interval_kinds(Command& app, report::Intervals& intervals);
void add_columns(Command& app, std::string& columns);  // of typed lists
// On standard error, where it could be taken for something else.
void say_read_as(const suite::Suite& suite, suite::ItemStream& items);
// --vocab, --start, --end, --as, --threads, --precision.
void add_load_options(Command& app, model::LoadOptions& load);

// What an item is worth: --norm, --lengths, --ties, --oov, --pairwise.
struct WorthCall {
  std::string norm, ties = "half", lengths = "all", oov = "excluded";
  bool pairwise = false;

  judge::Policy policy() const;
  void apply(report::ReportOptions& options) const;
};
enum class Norms { one, several };
Option& add_norm(Command& app, std::string& norm, Norms norms);
std::vector<Option*> add_policy(Command& app, WorthCall& call,
                                const std::vector<std::string>& lengths = {"equal", "all"});

// The effects of the runs and items that are wanted.
introspect::EffectView effects_in(const report::ReportOptions& options);

}  // namespace minpair::command
