#include "report/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/folder.h"
#include "cli/choice.h"
#include "cli/cli.h"
#include "cli/policy.h"
#include "introspect/overlap.h"
#include "introspect/page.h"
#include "report/against.h"
#include "report/babylm.h"
#include "report/curve.h"
#include "report/designs.h"
#include "report/figure.h"
#include "report/html.h"
#include "report/norms.h"
#include "report/people.h"
#include "report/picture.h"
#include "report/statistics.h"

namespace minpair::cli {
namespace {

struct ReportCall {
  std::string unigrams;
  std::string results, by, norm, format = "table", aggregate, against, output = "-", html,
                                 cluster = "suite", figure, columns;
  PolicyCall policy;
  report::LatexStyle latex{.digits = SIZE_MAX};
  bool stats = false, bootstrap = false, student = false;
  bool margins = false, regions = false, human = false;
  bool inside = false;
  size_t top = 20;
  std::optional<double> accepted, overlap;
  size_t bins = 10;
  judge::Wanted wanted;
  std::vector<std::string> tests, conditions, languages;
};

// Norms that are no views over the tokens alone stand in a table of their own.
bool norms_in(const ReportCall& call) {
  std::vector<std::string> names = names_in(call.norm);
  return std::any_of(names.begin(), names.end(), judge::is_norm);
}

std::vector<report::Grid> norm_tables(store::Store& store, const report::ReportOptions& options,
                                      const ReportCall& call) {
  std::vector<judge::Norm> norms;
  std::optional<judge::Unigrams> unigrams;
  for (const std::string& name : names_in(call.norm)) {
    if (!judge::is_norm(name))
      throw wrong_call(fmt::format("'{}' is not for the table of these norms", name))
          .hint("each run's own norm is its first column; say --norm " + name + " for the others");
    norms.push_back(judge::find_norm(name));
    if (norms.back().needs_unigrams() && call.unigrams.empty())
      throw wrong_call(fmt::format("{} needs word frequencies", name))
          .hint("--unigrams FILE: a word, a tab and its count on every line");
  }
  if (!call.unigrams.empty()) unigrams = judge::Unigrams::read(call.unigrams);
  return report::norm_grids(store, options, norms, unigrams ? &*unigrams : nullptr);
}

report::ReportOptions options_of(const ReportCall& call) {
  report::ReportOptions o;
  if (!call.by.empty()) o.by = names_in(call.by);
  if (o.by.empty()) throw wrong_call("--by needs a name").hint("for example: --by test,condition");
  if (!norms_in(call)) set_views(o, call.norm);
  // Tables have one column for a run; the page lets its reader choose.
  PolicyCall policy = call.policy;
  if (policy.lengths.empty()) policy.lengths = call.html.empty() ? "all" : "both";
  o.policy = policy.policy();
  o.bins = call.bins;
  o.cluster = call.cluster;
  o.clustered = call.latex.intervals;
  if (call.bootstrap) o.intervals.way = report::Intervals::Way::bootstrap;
  if (call.student) o.intervals.way = report::Intervals::Way::student;
  o.aggregate_seeds = call.aggregate == "seeds";
  o.wanted = call.wanted;
  o.tests = call.tests;
  o.conditions = call.conditions;
  o.languages = call.languages;
  o.by_default = call.by.empty();
  return o;
}

std::string rendered(const ReportCall& call, std::vector<report::Table> tables) {
  if (!call.columns.empty()) report::choose_columns(tables, names_in(call.columns));
  if (call.format == "json") return report::json_tables(tables);
  if (call.format == "csv") return report::csv_tables(tables);
  if (call.format == "markdown") return report::markdown_tables(tables);
  if (call.format == "latex") {
    report::LatexStyle style = call.latex;
    if (style.digits == SIZE_MAX) style.digits = style.percent ? 1 : 4;
    return report::latex_tables(tables, style);
  }
  bool terminal = call.output == "-" && ::isatty(1) && !std::getenv("NO_COLOR");
  return report::text_tables(tables, {report::window_width(), terminal});
}

// A run that was interrupted left its answers beside the results.
void note_unfinished(const std::filesystem::path& results) {
  std::filesystem::path folder = results.has_parent_path() ? results.parent_path() : ".";
  for (const std::filesystem::path& entry : entries_if_any(folder)) {
    std::string name = entry.filename().string();
    if (name.starts_with(results.filename().string() + "-") && name.ends_with(".answers"))
      fmt::print(stderr,
                 "note: a run into these results is unfinished; the same command continues it\n");
  }
}

// What was asked for and would have no effect.
void check_options(const ReportCall& call) {
  const bool other = call.stats || call.margins || call.regions || !call.against.empty() ||
                     !call.html.empty() || !call.figure.empty();
  if (call.inside && !call.by.empty() && call.by != "all" && call.by != "test" &&
      call.by != "condition")
    throw wrong_call("effects have rows by all, test or condition").at("--by " + call.by);
  if (call.student && !call.stats) throw wrong_call("--student belongs to --stats");
  if (call.overlap && !call.inside) throw wrong_call("--overlap belongs to --introspect");
  if (call.overlap && !(*call.overlap > 0 && *call.overlap <= 50))
    throw wrong_call("--overlap is a share in percent, above 0 and at most 50").hint("usual is 5");
  if (call.inside && (other || call.human || call.format == "lm-eval" || call.format == "babylm"))
    throw wrong_call("--introspect is a view of its own");
  const bool style = call.latex.digits != SIZE_MAX || call.latex.percent || call.latex.intervals ||
                     !call.latex.label.empty();
  if (style && (call.format != "latex" || other))
    throw wrong_call(
        "--digits, --percent, --intervals and --label are for tables with --format latex");
  if (!call.columns.empty() && (other && call.figure.empty()))
    throw wrong_call("--columns is for tables and figures of accuracies")
        .hint("-m and --method choose runs everywhere");
  if (call.format == "lm-eval" && (other || !call.columns.empty()))
    throw wrong_call("--format lm-eval is all of the results, and takes no other view");
  if (norms_in(call) && (other || call.human || !call.columns.empty()))
    throw wrong_call(fmt::format("--norm {} has a table of its own, test by test", call.norm))
        .hint(
            "sum, mean, word, char and byte, which ask for no parameters, are views everywhere; on "
            "the page each is a choice");
  if (!call.figure.empty()) report::check_picture(call.output);
}

void report(const ReportCall& call) {
  check_options(call);
  const bool training = std::filesystem::is_directory(call.results);
  if (training && !call.html.empty())
    return write_file(call.html, report::curve_html(call.results));
  if (training && !call.figure.empty() && call.figure != "curve")
    throw wrong_call("a training has no results to draw")
        .hint("its learning curve: --figure curve");
  if (training && !call.figure.empty())
    return report::write_picture(call.output, report::curve_figure(call.results));
  if (training)
    return write_file(call.output,
                      report::render_grids(report::curve_grids(call.results), call.format));
  store::Store store(call.results, store::Store::Mode::read);
  note_unfinished(call.results);
  report::ReportOptions options = options_of(call);
  if (!call.html.empty()) {
    std::vector<report::PageBlock> inside;
    if (std::string json = introspect::effects_json(store, effect_view(options)); !json.empty())
      inside.push_back({"effects", report::deflated(json)});
    return report::write_html(store, options, call.html, inside);
  }
  if (!call.figure.empty())
    return report::write_picture(
        call.output, report::figure(store, options, call.figure, names_in(call.columns)));
  if (!call.against.empty() && call.format != "lm-eval")
    return write_file(
        call.output,
        report::render_grids(
            report::against_grids(store, options, report::read_language_numbers(call.against)),
            call.format));
  if ((call.margins || call.regions) && call.format != "lm-eval")
    return write_file(call.output,
                      report::render_grids(call.margins ? report::margin_grids(store, options)
                                                        : report::region_grids(store, options),
                                           call.format));
  if (call.format == "babylm")
    return write_file(call.output, report::babylm_predictions(store, options));
  if (norms_in(call))
    return write_file(call.output,
                      report::render_grids(norm_tables(store, options, call), call.format));
  if (call.inside) {
    introspect::EffectView view = effect_view(options);
    view.by = call.by, view.top = call.top;
    return write_file(
        call.output, report::render_grids(
                         call.overlap ? introspect::overlap_tables(store, view, *call.overlap / 100)
                                      : effect_tables(store, view),
                         call.format));
  }
  if (call.accepted && !call.human) throw wrong_call("--accepted belongs to --human");
  if (call.human)
    return write_file(
        call.output,
        report::render_grids(report::people_grids(store, options, call.accepted), call.format));
  if (call.stats && call.format != "lm-eval")
    return write_file(call.output,
                      report::render_grids(report::statistics_grids(store, options), call.format));
  if (call.format == "lm-eval") {
    if (call.output == "-")
      throw wrong_call("lm-eval's format is several files").hint("name a folder with -o");
    for (const std::filesystem::path& file : report::write_lm_eval(store, options, call.output))
      fmt::print("{}\n", file.string());
    return;
  }
  write_file(call.output, rendered(call, report::make_tables(store, options)));
}

void add_report(Cli& cli) {
  Arguments& app =
      cli.command("report", "Tables from a results file",
                  "  minpair report results.db\n"
                  "  minpair report results.db --by condition --lengths equal\n"
                  "  minpair report results.db --by distance --norm all\n"
                  "  minpair report results.db --by suite,criterion\n"
                  "  minpair report results.db --regions --format csv\n"
                  "  minpair report results.db --against complexity\n"
                  "  minpair report results.db --norm slor,power --unigrams counts.tsv\n"
                  "  minpair report results.db --introspect --by condition\n"
                  "  minpair report results.db --introspect --overlap 5\n"
                  "  minpair report results.db --html report.html\n"
                  "  minpair report results.db --format latex -o table.tex\n"
                  "  minpair report results.db --format latex --columns de-mini,de-lstm "
                  "--percent --intervals --label tab:de\n"
                  "  minpair report results.db --figure tests -o figure.svg\n"
                  "  minpair report results.db --figure curve -o figure.pdf   over checkpoints\n"
                  "  minpair report lstm-de/                  learning curve\n");
  static ReportCall call;
  app.add_option(
         "RESULTS", call.results,
         "a results file of 'minpair run'; or a folder of 'minpair train': its learning curve")
      .required();
  app.add_option(
      "--by", call.by,
      "rows: suite, test, condition or criterion (with its test), language, features of "
      "the items, or distance_pieces; several comma-separated; default: test, and language "
      "where there are several");
  add_norm_option(app, call.norm);
  app.add_option("--lengths", call.policy.lengths,
                 "equal: only items whose sentences have the same number of tokens; all; both, "
                 "where they differ; default: all, and both for --html")
      .one_of({"both", "equal", "all"});
  add_policy_options(app, call.policy);
  app.add_option("--aggregate", call.aggregate, "seeds: mean and deviation over NAME/seed1, ...")
      .one_of({"seeds"});
  app.add_option("--bins", call.bins, "how many groups a feature with many numbers is divided into")
      .shows_default();
  add_choice_options(app, call.wanted, call.tests, call.conditions, call.languages);
  app.add_option("--format", call.format, "table, json, csv, markdown, latex, lm-eval or babylm")
      .one_of({"table", "json", "csv", "markdown", "latex", "lm-eval", "babylm"})
      .shows_default();
  app.add_option(
      "--columns", call.columns,
      "only the columns of these models, in this order: NAME or NAME:METHOD, comma-separated; "
      "published ones, too");
  app.add_option("--digits", call.latex.digits,
                 "with --format latex: digits after the point; default: 4, or 1 with --percent")
      .whole_number(0, 9);
  app.add_flag("--percent", call.latex.percent, "with --format latex: 94.2 instead of 0.9420");
  app.add_flag("--intervals", call.latex.intervals,
               "with --format latex: 95 % intervals over clusters in brackets, as with --stats");
  app.add_option("--label", call.latex.label, "with --format latex: for \\ref, as tab:de");
  Option stats =
      app.add_flag("--stats", call.stats,
                   "instead: clustered intervals, effects of conditions, agreement of methods");
  Option bootstrap = app.add_flag(
      "--bootstrap", call.bootstrap,
      "with --stats: intervals from resampled clusters (BCa) instead of calibrated ones");
  app.add_flag("--student", call.student,
               "with --stats: intervals by Student's t over clusters, as in R's survey package")
      .excludes(bootstrap);
  Option margins = app.add_flag(
      "--margins", call.margins,
      "instead: by how much items are right: means, intervals and medians, by criterion");
  margins.excludes(stats);
  Option regions = app.add_flag("--regions", call.regions,
                                "instead: mean surprisal of the regions of designs, with intervals")
                       .excludes(margins)
                       .excludes(stats);
  Option figure =
      app.add_option("--figure", call.figure,
                     "instead: a picture (-o .svg, .pdf or .png) of accuracies by tests, "
                     "conditions, distance or distractors; of margins; curve: over the checkpoints "
                     "of a model (NAME@step1000, ...), or the losses of a training")
          .one_of(report::figure_kinds())
          .excludes(margins)
          .excludes(stats)
          .excludes(regions);
  Option against = app.add_option(
      "--against", call.against,
      "instead: correlation of the accuracy with a number per language: a file (language, "
      "tab, number), or 'complexity'");
  app.add_option("--unigrams", call.unigrams,
                 "a word, a tab and its count on every line: for --norm slor and morcela:A:B (or "
                 ":fit), which have a table of their own, as do power:A and log-length:A");
  app.add_flag("--human", call.human,
               "instead: people's judgments in the file: how well people agree with each other, "
               "and models with people");
  app.add_flag("--introspect", call.inside,
               "instead: what 'minpair introspect' found inside the models; --by all, test or "
               "condition");
  app.add_option("--top", call.top, "with --introspect: how many heads, neurons or units")
      .whole_number(1)
      .shows_default();
  app.add_option(
      "--overlap", call.overlap,
      "with --introspect, instead: whether the strongest PERCENT of the heads, neurons or "
      "units are the same in all tests, languages and models");
  app.add_option("--accepted", call.accepted,
                 "with --human: only items whose good sentence people choose, or rate, above this");
  app.add_option("--cluster", call.cluster,
                 "with --stats, --intervals and --html: what items that are not independent share: "
                 "suite (what it states), template, lexical, item (nothing), or a feature")
      .shows_default();
  against.excludes(margins).excludes(stats).excludes(regions).excludes(figure);
  app.add_option("--html", call.html, "write one page with everything, to open in a browser")
      .excludes(margins)
      .excludes(stats)
      .excludes(regions)
      .excludes(figure)
      .excludes(against);
  app.add_option("-o,--output", call.output, "a file, or for lm-eval a folder").shows_default();
  cli.on_run(app, [] { report(call); });
}

const Cli::Command report_command{60, add_report};

}  // namespace
}  // namespace minpair::cli
