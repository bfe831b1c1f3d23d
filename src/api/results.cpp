// Runs into a results file, and what is in one.

#include <filesystem>
#include <utility>

#include "api/call.h"
#include "api/stream.h"
#include "engine/engine.h"
#include "report/grid.h"
#include "report/report.h"
#include "tidy/tidy.h"

namespace minpair::api {
namespace {

report::ReportOptions options_of(const minpair_filter* given) {
  minpair_filter filter = read_options(given);
  report::ReportOptions options;
  options.wanted.suites = lines_in(filter.suites);
  options.wanted.models = lines_in(filter.models);
  options.wanted.methods = lines_in(filter.methods);
  options.tests = lines_in(filter.tests);
  options.conditions = lines_in(filter.conditions);
  options.languages = lines_in(filter.languages);
  options.all_views = text_or(filter.norms) == "all";
  if (!options.all_views)
    for (const std::string& norm : lines_in(filter.norms))
      options.views.push_back(judge::find_view(norm));
  options.policy = {judge::find_ties(text_or(filter.ties, "half")),
                    judge::find_lengths(text_or(filter.lengths, "all")),
                    judge::find_oov(text_or(filter.oov, "excluded")), filter.pairwise != 0};
  return options;
}

// The store lives as long as the rows.
struct OpenRows {
  store::Store store;
  std::unique_ptr<tidy::Rows> rows;

  OpenRows(const std::string& path, const std::string& table, const report::ReportOptions& options)
      : store(path, store::Store::Mode::read), rows(tidy::stored_rows(store, table, options)) {}
};

Source source_of(const std::shared_ptr<OpenRows>& open) {
  return {open->rows->fields(), [open]() -> SharedFrame {
            auto frame = std::make_shared<tidy::Frame>();
            return open->rows->next(*frame) ? frame : nullptr;
          }};
}

void run(minpair_model* const* models, size_t count, const minpair_run_options* given) {
  minpair_run_options options = read_options(given);
  std::vector<std::string> names = lines_in(options.suites);
  if (names.empty()) throw wrong_call("no suite was named");
  if (count == 0 || !models) throw wrong_call("no model was given");
  store::Store store(&there(options.results, "the results file"), store::Store::Mode::write);
  engine::RunOptions run;
  run.selection = {lines_in(options.tests),
                   lines_in(options.conditions),
                   lines_in(options.languages),
                   options.limit,
                   options.sample,
                   options.seed > 0 ? options.seed : 1};
  run.quiet = true;
  run.tick = ticking(options.progress, options.user);
  std::vector<query::ModelInfo> infos;
  for (size_t i = 0; i < count; ++i) infos.push_back(there(models[i], "a model").model->info());
  const std::vector<method::FittingMethods> methods =
      method::fitting_methods(join(lines_in(options.methods), ","), infos);
  for (size_t i = 0; i < count; ++i) {
    minpair_model& model = there(models[i], "a model");
    std::lock_guard turn(model.turn);
    run.load = model.load;
    for (const std::string& name : names) {
      engine::SuiteSource suite = engine::suite_source(suite::find_suite(name));
      suite.called = name;
      engine::run_suite(&store, suite, *model.model,
                        method::methods_for(suite.manifest, methods[i].names,
                                            !suite.lexicon.empty(), model.model->info()),
                        run);
    }
  }
}

std::string rendered(const std::vector<report::Table>& tables, const std::string& format) {
  if (format == "json") return report::json_tables(tables);
  if (format == "csv") return report::csv_tables(tables);
  if (format == "markdown") return report::markdown_tables(tables);
  if (format == "latex") return report::latex_tables(tables);
  if (format == "table") return report::text_tables(tables, {report::window_width(), false});
  throw wrong_call("there is no format '" + format + "'").hint("table, markdown, latex, csv, json");
}

}  // namespace
}  // namespace minpair::api

using namespace minpair;
using namespace minpair::api;

extern "C" {

minpair_status minpair_run(minpair_model* const* models, size_t count,
                           const minpair_run_options* options) {
  return call([&] { run(models, count, options); });
}

minpair_status minpair_rows(const char* results, const char* table, const minpair_filter* filter,
                            struct ArrowArrayStream* out) {
  return call([&] {
    there(out, "the stream");
    auto open = [path = std::string(&there(results, "the results file")),
                 what = text_or(table, "items"), options = options_of(filter)] {
      return std::make_shared<OpenRows>(path, what, options);
    };
    // Opened now, so that what is wrong is said here; those who read again open it again.
    struct First {
      std::mutex turn;
      std::shared_ptr<OpenRows> rows;
    };
    auto first = std::make_shared<First>();
    first->rows = open();
    give_stream(
        [open, first] {
          std::lock_guard turn(first->turn);
          std::shared_ptr<OpenRows> rows = std::exchange(first->rows, nullptr);
          return source_of(rows ? rows : open());
        },
        out);
  });
}

minpair_status minpair_report(const char* results, const char* by, const char* format,
                              const minpair_filter* filter, struct ArrowArrayStream* out) {
  return call([&] {
    there(out, "the stream");
    store::Store store(&there(results, "the results file"), store::Store::Mode::read);
    report::ReportOptions options = options_of(filter);
    options.by_default = by == nullptr;
    if (by) options.by = lines_in(by);
    tidy::Frame frame({{"text", tidy::Type::text, "the tables"}});
    frame.text(rendered(report::make_tables(store, options), text_or(format, "table")));
    give_stream(std::move(frame), out);
  });
}

minpair_status minpair_again(const struct ArrowArrayStream* stream, struct ArrowArrayStream* out) {
  return call([&] { give_stream(opener_of(stream), &there(out, "the stream")); });
}

}  // extern "C"
