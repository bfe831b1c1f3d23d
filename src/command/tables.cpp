// `report` and `curve`: tables of accuracies, and of losses while a model was trained.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "command/all.h"
#include "command/shared.h"
#include "engine/job.h"
#include "report/views.h"

namespace minpair::command {
namespace {

struct ReportCall {
  std::string results, by, format = "table", average, columns, output = "-";
  WorthCall worth;
  report::ReportOptions options;
  report::LatexStyle latex;
  std::optional<unsigned> digits;
  std::optional<uint64_t> bins;
};

std::string rendered(const ReportCall& call, const std::vector<report::Table>& tables, bool color) {
  if (call.format == "json") return report::json_tables(tables);
  if (call.format == "csv") return report::csv_tables(tables);
  if (call.format == "markdown") return report::markdown_tables(tables);
  if (call.format == "latex") {
    report::LatexStyle style = call.latex;
    style.digits = call.digits.value_or(style.percent ? 1 : 4);
    return report::latex_tables(tables, style);
  }
  return report::text_tables(tables, {report::window_width(), color});
}

// A run that was interrupted left its answers beside the results.
void note_unfinished(const std::filesystem::path& results, const Host& host) {
  if (engine::has_journal(results))
    host.note("note: a run into these results is unfinished; the same command continues it");
}

void report_it(ReportCall& call, const Host& host) {
  if (std::filesystem::is_directory(call.results))
    throw wrong_call("this is a folder, not a results file")
        .at(call.results)
        .hint("the learning curve of a training: minpair curve " + call.results);
  store::Store store(call.results, store::Store::Mode::read);
  note_unfinished(call.results, host);
  report::ReportOptions options = call.options;
  call.worth.apply(options);
  options.by_default = call.by.empty();
  if (!call.by.empty()) options.by = names_in(call.by);
  if (options.by.empty())
    throw wrong_call("--by needs a name").hint("for example: --by test,condition");
  if (call.bins) options.bins = *call.bins;
  const std::set<std::string> fixed = {"suite", "test", "condition", "criterion", "language"};
  if (call.bins && std::all_of(options.by.begin(), options.by.end(),
                               [&](const std::string& by) { return fixed.contains(by); }))
    throw wrong_call("--bins has no effect without a feature in --by")
        .hint("for example: --by distance --bins 5");
  const bool rows = host.takes_rows(call.output);
  options.with_values = rows || call.latex.intervals || call.format == "csv" ||
                        call.format == "json" || !call.columns.empty();
  set_average(call.average, options);
  const bool other = options.cluster != "suite" || options.intervals.way != report::Intervals().way;
  const bool shown = rows || call.latex.intervals || call.format == "csv" || call.format == "json";
  if (other && !shown)
    throw wrong_call("--cluster, --student and --bootstrap have no effect without intervals")
        .hint("--format csv, json or latex --intervals has them; or 'minpair stats'");
  std::vector<report::Table> tables = report::make_tables(store, options);
  if (!call.columns.empty()) report::choose_columns(tables, names_in(call.columns));
  if (rows) return host.write("-", {report::cells_grid(tables)}, "csv");
  host.write(call.output, rendered(call, tables, call.output == "-" && host.colors()));
}

void add_latex(Command& app, ReportCall& call, Option& format) {
  app.add_option("--digits", call.digits, "digits after the point; default: 4, or 1 with --percent")
      .whole_number(0, 9)
      .only_with(format, {"latex"});
  app.add_flag("--percent", call.latex.percent, "94.2 instead of 0.9420")
      .only_with(format, {"latex"});
  app.add_flag("--wide", call.latex.wide, "over both columns of a two-column article (table*)")
      .only_with(format, {"latex"});
  app.add_flag("--intervals", call.latex.intervals,
               "95 % intervals over clusters in brackets, as in 'stats'")
      .only_with(format, {"latex"});
  app.add_option("--label", call.latex.label, "for \\ref, as tab:de").only_with(format, {"latex"});
}

}  // namespace

Made report_command(const Host& host) {
  auto call = std::make_shared<ReportCall>();
  Made made = std::make_unique<Command>(
      "report", Group::results, "Tables of accuracies from a results file",
      "  minpair report results.db\n"
      "  minpair report results.db --by condition --lengths equal\n"
      "  minpair report results.db --by distance --norm all\n"
      "  minpair report results.db --by suite,criterion\n"
      "  minpair report results.db --format latex -o table.tex\n"
      "  minpair report results.db --format latex --columns de-mini,de-lstm --percent "
      "--intervals --label tab:de\n");
  Command& app = *made;
  add_results(app, call->results);
  app.add_option("--by", call->by,
                 "rows: suite, test, condition or criterion (with its test), language, features of "
                 "the items, or distance_pieces; several comma-separated; default: test, and "
                 "language where there are several");
  add_norm(app, call->worth.norm, Norms::several);
  add_policy(app, call->worth, {"both", "equal", "all"});
  add_average(app, call->average);
  app.add_option("--bins", call->bins,
                 "how many groups a feature with many numbers is divided into; default: 10")
      .whole_number(1);
  add_runs(app, call->options.wanted);
  add_items(app, call->options);
  app.add_option("--columns", call->columns,
                 "only the columns of these models, in this order: NAME or NAME:METHOD, "
                 "comma-separated; published ones, too");
  Option& format = app.add_option("--format", call->format, "of the tables")
                       .one_of({"table", "json", "csv", "markdown", "latex"})
                       .shows_default();
  add_latex(app, *call, format);
  add_cluster(app, call->options.cluster);
  add_interval_kinds(app, call->options.intervals);
  add_output(app, call->output);
  app.moved = {{"--aggregate", "use: --average seeds"},
               {"--stats", "use: minpair stats RESULTS"},
               {"--margins", "use: minpair margins RESULTS"},
               {"--regions", "use: minpair regions RESULTS"},
               {"--unigrams", "use: minpair norms RESULTS slor --unigrams FILE"},
               {"--human", "use: minpair people RESULTS"},
               {"--accepted", "use: minpair people RESULTS --accepted NUMBER"},
               {"--against", "use: minpair correlate RESULTS NUMBERS"},
               {"--figure", "use: minpair figure RESULTS KIND -o FILE.svg"},
               {"--html", "use: minpair page RESULTS -o FILE.html"},
               {"--introspect", "use: minpair effects RESULTS"},
               {"--top", "use: minpair effects RESULTS --top N"},
               {"--overlap", "use: minpair overlap RESULTS PERCENT"},
               {"--items", "use: minpair export RESULTS -o items.csv"},
               {"--tidy", "use: minpair export RESULTS -o items.csv"}};
  app.work = [call, &host] { report_it(*call, host); };
  return made;
}

Made curve_command(const Host& host) {
  struct Call {
    std::string folder, format = "table", output = "-";
  };
  auto call = std::make_shared<Call>();
  Made made = std::make_unique<Command>("curve", Group::models,
                                        "How a training went: losses, as a table with bars",
                                        "  minpair curve lstm-de/\n"
                                        "  minpair figure lstm-de/ curve -o curve.pdf\n"
                                        "  minpair page lstm-de/ -o curve.html\n");
  made->add_option("FOLDER", call->folder, "a folder of 'minpair train'").required();
  add_format(*made, call->format);
  add_output(*made, call->output);
  made->work = [call, &host] {
    host.write(call->output, report::curve_grids(call->folder), call->format);
  };
  return made;
}

}  // namespace minpair::command
