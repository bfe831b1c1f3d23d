
#include "papers/papers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "hub/sources.h"
#include "papers/models.h"
#include "report/grid.h"

namespace minpair::cli {
namespace {

using Kind = report::GridColumn::Kind;

// Where published files are kept: $MINPAIR_DATA, else where 'minpair pull' puts them.
std::filesystem::path data_folder(const papers::Paper& paper) {
  const char* data = std::getenv("MINPAIR_DATA");
  return data ? std::filesystem::path(data) / paper.folder : hub::locate_source(paper.folder);
}

void list_papers(const std::string& format) {
  report::Grid g{
      "papers",
      "Published numbers that released files give",
      {{"paper", "paper", Kind::text},
       {"numbers", "numbers", Kind::count},
       {"recomputed", "from files", Kind::count},
       {"here", "files", Kind::text},
       {"title", "what", Kind::text}},
      {},
      false,
      {"'minpair reproduce PAPER FOLDER' computes them; without FOLDER the files are sought "
       "below $MINPAIR_DATA"}};
  for (const papers::Paper& p : papers::all_papers()) {
    std::filesystem::path folder = data_folder(p);
    bool here = !folder.empty() && std::filesystem::is_directory(folder);
    g.rows.push_back(
        {p.name, double(p.numbers()), double(p.recomputed()), here ? "here" : p.source, p.title});
  }
  write_file("-", report::render_grids({g}, format));
}

struct ReproduceCall {
  std::string paper, folder, format = "table", output = "-", table, results;
  papers::WithModels with;
  bool released = false, run = false, offline = false, dry_run = false;
};

report::GridValue ours_of(const papers::Checked& c) {
  return std::isnan(c.ours) ? report::GridValue()
                            : report::GridValue(fmt::format("{:.6g}", c.ours));
}

// Where `folder` has all papers' files; without it below $MINPAIR_DATA.
std::vector<papers::CheckedPaper> all_checked(const ReproduceCall& call) {
  std::vector<papers::CheckedPaper> all;
  for (papers::Paper& paper : papers::all_papers()) {
    std::filesystem::path folder = call.folder.empty()
                                       ? data_folder(paper)
                                       : std::filesystem::path(call.folder) / paper.folder;
    if (paper.recomputed() > 0 && (folder.empty() || !std::filesystem::is_directory(folder))) {
      fmt::print(stderr, "note: the files of '{}' are not here\n", paper.name);
      continue;
    }
    all.push_back({paper, papers::check(paper, folder)});
  }
  if (all.empty())
    throw bad_input("no paper's files are here").hint("'minpair papers' says where they are");
  return all;
}

void reproduce_all(const ReproduceCall& call) {
  using papers::Verdict;
  std::vector<papers::CheckedPaper> all = all_checked(call);
  report::Grid g{"papers",
                 "Printed numbers and released files",
                 {{"paper", "paper", Kind::text},
                  {"numbers", "numbers", Kind::count},
                  {"same", "same", Kind::count},
                  {"known", "known to differ", Kind::count},
                  {"differs", "differ", Kind::count},
                  {"needs", "need more than files", Kind::count}},
                 {},
                 true,
                 {}};
  std::map<Verdict, double> total;
  auto row = [&](const std::string& name, std::map<Verdict, double> n) {
    g.rows.push_back(
        {name, n[Verdict::same] + n[Verdict::known] + n[Verdict::differs] + n[Verdict::needs],
         n[Verdict::same], n[Verdict::known], n[Verdict::differs], n[Verdict::needs]});
  };
  for (const papers::CheckedPaper& p : all) {
    std::map<Verdict, double> own;
    for (const papers::Checked& c : p.numbers) ++own[c.verdict], ++total[c.verdict];
    row(p.paper.name, own);
  }
  row("all", total);
  write_file(call.output, call.format == "page" ? papers::fidelity_page(all)
                                                : report::render_grids({g}, call.format));
  if (total[Verdict::differs] > 0)
    throw cannot(fmt::format("{} numbers differ that should agree", total[Verdict::differs]));
}

report::GridValue number_or_nothing(double value) {
  return std::isnan(value) ? report::GridValue() : report::GridValue(value);
}

constexpr const char* kBySize =
    "of models that are not here the time is that of de-mini on this machine, times how much "
    "larger they are";

void say_plan(const std::vector<papers::Planned>& plan) {
  report::Grid g{"plan",
                 "What would be done",
                 {{"model", "model", Kind::text},
                  {"fetch_mb", "MB to fetch", Kind::number},
                  {"suite", "suite", Kind::text},
                  {"method", "method", Kind::text},
                  {"items", "items", Kind::count},
                  {"time", "about", Kind::text}},
                 {},
                 false,
                 {}};
  for (const papers::Planned& p : plan) {
    std::string time = p.seconds > 0 ? duration_text(p.seconds) : "known once it is here";
    if (!p.here && p.seconds > 0) g.notes = {kBySize};
    if (!p.here && !p.bytes) time = "not in the cache";
    g.rows.push_back({p.model,
                      p.bytes ? report::GridValue(double(*p.bytes) / 1e6) : report::GridValue(),
                      p.suite, p.method,
                      p.items ? report::GridValue(double(p.items)) : report::GridValue(), time});
  }
  write_file("-", report::render_grids({g}, "table"));
}

void reproduce_with_models(const ReproduceCall& call, const papers::Paper& paper,
                           const std::filesystem::path& folder) {
  papers::WithModels how = call.with;
  how.hub.offline |= call.offline;
  how.results = call.results.empty() ? paper.name + ".db" : call.results;
  if (call.dry_run) return say_plan(papers::plan(paper, folder, how));
  std::vector<report::Grid> grids;
  size_t differ = 0;
  for (const papers::Answered& a : papers::answer(paper, folder, how)) {
    const std::string title = paper.title + ": " + a.table;
    if (grids.empty() || grids.back().title != title)
      grids.push_back({"numbers",
                       title,
                       {{"row", "", Kind::text},
                        {"column", "", Kind::text},
                        {"printed", "printed", Kind::text},
                        {"model", "model", Kind::text},
                        {"here", "here", Kind::share},
                        {"ci_low", "from", Kind::share},
                        {"ci_high", "to", Kind::share},
                        {"items", "items", Kind::count},
                        {"difference", "difference", Kind::difference},
                        {"verdict", "", Kind::text},
                        {"why", "", Kind::text}},
                       {},
                       false,
                       {}});
    const bool known = !std::isnan(a.ours);
    grids.back().rows.push_back({a.row, a.column, a.printed, a.model, number_or_nothing(a.ours),
                                 number_or_nothing(known ? a.interval.low : a.ours),
                                 number_or_nothing(known ? a.interval.high : a.ours),
                                 double(a.items), number_or_nothing(a.ours - std::stod(a.printed)),
                                 std::string(text_of(a.verdict)), a.why});
    differ += a.verdict == papers::Answered::Verdict::differs;
  }
  if (!grids.empty())
    grids.back().notes = {"from, to: 95 % (Wilson); within: the printed number lies between them",
                          fmt::format("every item: minpair report {}", how.results.string())};
  write_file(call.output, report::render_grids(grids, call.format));
  if (differ > 0)
    throw cannot(fmt::format("{} numbers of the paper's own models lie outside", differ));
}

// "2" is Table 2; anything else is part of a title.
bool is_asked(const std::string& title, const std::string& asked) {
  if (asked.find_first_not_of("0123456789") != asked.npos) return title.find(asked) != title.npos;
  const size_t at = title.find("Table " + asked), end = at + 6 + asked.size();
  return at != title.npos && (end >= title.size() || !std::isdigit(title[end]));
}

void reproduce(const ReproduceCall& call) {
  const bool models = call.run || !call.with.models.empty();
  if (models && call.released) throw wrong_call("--released runs no models");
  if (!models && (call.dry_run || call.offline || !call.results.empty()))
    throw wrong_call("this is for models").hint("-m MODEL, or --run for the paper's own");
  if (call.paper == "all") {
    if (models) throw wrong_call("models are run for one paper at a time");
    return reproduce_all(call);
  }
  if (call.format == "page")
    throw wrong_call("a page is over all papers").hint("say: reproduce all");
  papers::Paper paper = papers::find_paper(call.paper);
  if (!call.table.empty())
    std::erase_if(paper.tables,
                  [&](const papers::PaperTable& t) { return !is_asked(t.title, call.table); });
  if (paper.tables.empty()) throw wrong_call("no table has that in its title");
  std::filesystem::path folder =
      call.folder.empty() ? data_folder(paper) : std::filesystem::path(call.folder);
  if ((models || paper.recomputed() > 0) &&
      (folder.empty() || !std::filesystem::is_directory(folder)))
    throw bad_input(fmt::format("the files of '{}' are not here", paper.name))
        .hint(fmt::format("get {} and name the folder: minpair reproduce {} FOLDER", paper.source,
                          paper.name));
  if (models) return reproduce_with_models(call, paper, folder);
  std::vector<report::Grid> grids;
  std::map<papers::Verdict, size_t> counts;
  std::string title;
  for (const papers::Checked& c : papers::check(paper, folder)) {
    if (grids.empty() || c.table != title) {
      title = c.table;
      grids.push_back({"numbers",
                       paper.title + ": " + title,
                       {{"row", "", Kind::text},
                        {"column", "", Kind::text},
                        {"printed", "printed", Kind::text},
                        {"here", "here", Kind::text},
                        {"verdict", "", Kind::text},
                        {"why", "", Kind::text}},
                       {},
                       false,
                       {}});
    }
    grids.back().rows.push_back(
        {c.row, c.column, c.printed, ours_of(c), std::string(text_of(c.verdict)), c.why});
    ++counts[c.verdict];
  }
  using papers::Verdict;
  grids.back().notes = {
      fmt::format("{} numbers: {} the same to the printed digit, {} known to differ, {} differ, {} "
                  "cannot be had from files",
                  count_text(paper.numbers()), counts[Verdict::same], counts[Verdict::known],
                  counts[Verdict::differs], counts[Verdict::needs])};
  if (!call.released && papers::has_models(paper))
    grids.back().notes.push_back(
        fmt::format("from released files; with the models themselves: minpair reproduce {} --run "
                    "(--dry-run says how much that fetches and how long it takes)",
                    paper.name));
  write_file(call.output, report::render_grids(grids, call.format));
  if (counts[Verdict::differs] > 0)
    throw cannot(fmt::format("{} numbers differ that should agree", counts[Verdict::differs]));
}

void add_papers(Cli& cli) {
  Arguments& app = cli.command("papers", "Papers whose published numbers can be computed again",
                               "  minpair papers\n  minpair papers --format markdown\n");
  static std::string format = "table";
  app.add_option("--format", format, "table, json, csv, markdown or latex")
      .one_of({"table", "json", "csv", "markdown", "latex"})
      .shows_default();
  cli.on_run(app, [] { list_papers(format); });
}

void add_reproduce(Cli& cli) {
  Arguments& app = cli.command(
      "reproduce", "A paper's printed numbers beside those of its files",
      "  minpair reproduce zorro Zorro/\n"
      "  minpair reproduce task-demands DIR --format csv -o numbers.csv\n"
      "  minpair reproduce clams --table 2 -m de-mini   a model beside the printed numbers\n"
      "  minpair reproduce gevalm --run --dry-run       the paper's own models\n"
      "  minpair reproduce all                        every paper whose files are here\n"
      "  minpair reproduce all --format page -o fidelity.md\n");
  static ReproduceCall call;
  app.add_option("PAPER", call.paper, "a name from 'minpair papers', or 'all'").required();
  app.add_option("FOLDER", call.folder, "the authors' files; default: below $MINPAIR_DATA");
  app.add_flag("--released", call.released, "from released files alone, as without -m and --run");
  app.add_flag("--run", call.run, "with the paper's own models, fetched where they are not here");
  app.add_option("-m,--model", call.with.models,
                 "with this model beside the printed numbers (repeatable)");
  app.add_option("--table", call.table, "only this: a number, or part of a title");
  app.add_option(
      "--results", call.results,
      "with -m and --run: the results file, PAPER.db by default; a run continues where it stopped");
  app.add_flag("--offline", call.offline, "fetch nothing");
  app.add_flag("--dry-run", call.dry_run, "say how much would be fetched and how long it takes");
  app.add_option("--threads", call.with.load.threads, "threads for the model; 0: all")
      .whole_number(0, 1024);
  app.add_flag("-q,--quiet", call.with.quiet, "no progress");
  app.add_option("--format", call.format, "table, json, csv, markdown, latex; of all: page")
      .one_of({"table", "json", "csv", "markdown", "latex", "page"})
      .shows_default();
  app.add_option("-o,--output", call.output, "a file").shows_default();
  cli.on_run(app, [] { reproduce(call); });
}

const Cli::Command papers_command{95, add_papers};
const Cli::Command reproduce_command{96, add_reproduce};

}  // namespace
}  // namespace minpair::cli
