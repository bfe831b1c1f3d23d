#include "papers/papers.h"
#include "base/counts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <tuple>

#include "base/error.h"
#include "base/file.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "hub/sources.h"
#include "papers/models.h"
#include "report/report.h"

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
       {"models", "models", Kind::count},
       {"here", "files", Kind::text},
       {"title", "what", Kind::text}},
      {},
      false,
      {"from files: computed from released files; models: the paper's own that can be run again",
       "'minpair reproduce PAPER FOLDER' computes them; without FOLDER it looks for the files "
       "below $MINPAIR_DATA, then where 'minpair pull' puts them"}};
  for (const papers::Paper& p : papers::all_papers()) {
    std::filesystem::path folder = data_folder(p);
    bool here = !folder.empty() && std::filesystem::is_directory(folder);
    g.rows.push_back({p.name, double(p.numbers()), double(p.recomputed()),
                      double(papers::models_of(p).size()), here ? "here" : p.source, p.title});
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

Error disagreement(size_t numbers) {
  return cannot(
      fmt::format("{} that should agree", counted(numbers, "number differs", "numbers differ")));
}

void reproduce_all(const ReproduceCall& call) {
  const std::vector<papers::CheckedPaper> all = all_checked(call);
  const report::Grid g = papers::summary_grid(all, false);
  write_file(call.output, call.format == "page" ? papers::fidelity_page(all)
                                                : report::render_grids({g}, call.format));
  size_t differ = 0;
  for (const papers::CheckedPaper& p : all)
    differ +=
        size_t(std::ranges::count(p.numbers, papers::Verdict::differs, &papers::Checked::verdict));
  if (differ > 0) throw disagreement(differ);
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

// One table of one paper, with models' answers beside the printed numbers or without.
report::Grid numbers_grid(const std::string& title, bool with_models) {
  report::Grid g{"numbers", title, {}, {}, false, {}};
  g.columns = {
      {"row", "", Kind::text}, {"column", "", Kind::text}, {"printed", "printed", Kind::text}};
  if (with_models)
    g.columns.insert(g.columns.end(), {{"released", "released", Kind::text},
                                       {"model", "model", Kind::text},
                                       {"here", "here", Kind::share},
                                       {"ci_low", "from", Kind::share},
                                       {"ci_high", "to", Kind::share},
                                       {"items", "items", Kind::count},
                                       {"difference", "difference", Kind::difference}});
  else
    g.columns.push_back({"here", "here", Kind::text});
  g.columns.insert(g.columns.end(), {{"verdict", "", Kind::text}, {"why", "", Kind::text}});
  return g;
}

// What is said of all numbers together.
struct Account {
  std::map<papers::Verdict, size_t> files;
  std::map<papers::Answered::Verdict, size_t> models;
  size_t answered = 0;
  size_t differ() {
    return files[papers::Verdict::differs] + models[papers::Answered::Verdict::differs];
  }
};

class Reproduction {
 public:
  Reproduction(const ReproduceCall& call, const papers::Paper& paper,
               const std::filesystem::path& folder)
      : call_(call), paper_(paper), folder_(folder), how_(call.with) {
    how_.hub.offline |= call.offline;
    how_.results = call.results.empty() ? paper.name + ".db" : call.results;
    how_.skip_absent = !call.run && how_.models.empty();
    can_run_ = !papers::models_of(paper_).empty();
    // Released scores where there are some, models otherwise.
    for (papers::PaperTable& table : paper_.tables)
      for (papers::Column& column : table.columns)
        if (call.released || (how_.skip_absent && !table.query.text.empty())) column.run.reset();
    runs_ = !how_.models.empty() || call.run || !papers::models_of(paper_).empty();
  }

  void operator()() {
    if (!runs_) {
      refuse_options_for_models();
      if (call_.dry_run)
        return write_file("-",
                          "the released files are enough: nothing is fetched, no model runs\n");
    } else {
      if (call_.dry_run) return say_plan(papers::plan(paper_, folder_, how_));
      announce();
      answered_ = answers();
    }
    std::vector<report::Grid> grids;
    for (const papers::PaperTable& table : paper_.tables) add_table(table, grids);
    if (grids.empty()) throw wrong_call("no table has that in its title");
    add_notes(grids.back());
    write_file(call_.output, report::render_grids(grids, call_.format));
    if (size_t n = account_.differ(); n > 0) throw disagreement(n);
  }

 private:
  const ReproduceCall& call_;
  papers::Paper paper_;
  std::filesystem::path folder_;
  papers::WithModels how_;
  bool runs_ = false, can_run_ = false;
  std::vector<papers::Answered> answered_;
  Account account_;

  void refuse_options_for_models() const {
    if (call_.offline || !call_.results.empty())
      fmt::print(stderr, "note: no model runs, so --offline and --results change nothing\n");
  }

  // How much is fetched, and how long it takes, before the first byte.
  void announce() const {
    if (call_.with.quiet || how_.hub.offline) return;
    uint64_t bytes = 0;
    double seconds = 0;
    std::vector<std::string> absent;
    for (const std::string& model : how_.models.empty() ? papers::models_of(paper_) : how_.models)
      if (!papers::is_here(model, how_)) absent.push_back(model);
    if (absent.empty()) return;
    for (const papers::Planned& p : papers::plan(paper_, folder_, how_))
      bytes += p.bytes.value_or(0), seconds += p.seconds;
    fmt::print(stderr,
               "{:.0f} MB are fetched: {}\nscoring takes about {}; if stopped, the same command "
               "continues where it was\n",
               double(bytes) / 1e6, fmt::join(absent, ", "), duration_text(seconds));
  }

  std::vector<papers::Answered> answers() const {
    try {
      return papers::answer(paper_, folder_, how_);
    } catch (const Error&) {
      if (how_.models.empty())
        fmt::print(stderr, "note: minpair reproduce {} --released needs no model\n", paper_.name);
      throw;
    }
  }

  void add_table(const papers::PaperTable& table, std::vector<report::Grid>& grids) {
    const bool asked = std::any_of(table.columns.begin(), table.columns.end(),
                                   [](const papers::Column& c) { return c.run.has_value(); });
    // Models of one's own answer only what can be asked.
    if (!asked && !how_.models.empty()) return;
    report::Grid g = numbers_grid(paper_.title + ": " + table.title, asked && runs_);
    std::vector<papers::Checked> checked;
    try {
      checked = papers::check(paper_, folder_, table.title);
    } catch (const Error& e) {
      if (!asked || !runs_) throw;
      g.notes.push_back(fmt::format("released scores are not here: {}", e.what()));
      checked = unreleased(table);
    }
    for (const papers::Checked& c : checked)
      asked&& runs_ ? add_answers(c, g) : add_checked(c, false, g);
    if (!g.rows.empty()) grids.push_back(std::move(g));
  }

  // The printed numbers alone.
  static std::vector<papers::Checked> unreleased(const papers::PaperTable& table) {
    std::vector<papers::Checked> all;
    for (const papers::Row& row : table.rows)
      for (size_t i = 0; i < row.values.size(); ++i)
        if (!row.values[i].text.empty())
          all.push_back({table.title, row.title, table.columns[i].title, row.values[i].text,
                         std::nan(""), papers::Verdict::needs, ""});
    return all;
  }

  // Of the number in files; a model's answer has columns of its own.
  void add_checked(const papers::Checked& c, bool with_models, report::Grid& g) {
    std::vector<report::GridValue> row = {c.row, c.column, c.printed, ours_of(c)};
    if (with_models) row.resize(g.columns.size() - 2);
    row.insert(row.end(), {std::string(text_of(c.verdict)), c.why});
    g.rows.push_back(row);
    ++account_.files[c.verdict];
  }

  void add_answers(const papers::Checked& c, report::Grid& g) {
    bool any = false;
    for (const papers::Answered& a : answered_) {
      if (std::tie(a.table, a.row, a.column) != std::tie(c.table, c.row, c.column)) continue;
      any = true;
      const bool known = !std::isnan(a.ours);
      g.rows.push_back({a.row, a.column, a.printed, ours_of(c), a.model, number_or_nothing(a.ours),
                        number_or_nothing(known ? a.interval.low : a.ours),
                        number_or_nothing(known ? a.interval.high : a.ours), double(a.items),
                        number_or_nothing(a.ours - std::stod(a.printed)),
                        std::string(text_of(a.verdict)), a.why});
      ++account_.models[a.verdict];
      account_.answered += known;
    }
    if (how_.models.empty() && (!any || c.verdict == papers::Verdict::differs))
      add_checked(c, true, g);
  }

  void add_notes(report::Grid& last) {
    using papers::Verdict;
    std::map<Verdict, size_t>& n = account_.files;
    if (how_.models.empty())
      last.notes.push_back(
          fmt::format("{} from files: {} the same to the printed digit, {} known to differ, {} "
                      "differ; {} cannot be had from files",
                      counted(n[Verdict::same] + n[Verdict::known] + n[Verdict::differs], "number"),
                      n[Verdict::same], n[Verdict::known], n[Verdict::differs], n[Verdict::needs]));
    if (runs_) {
      last.notes.push_back("from, to: 95 % (Wilson); within: the printed number lies between them");
      if (account_.answered > 0)
        last.notes.push_back(fmt::format("every item: minpair report {}", how_.results.string()));
    } else if (can_run_) {
      last.notes.push_back(
          fmt::format("with the models themselves: minpair reproduce {} --run (--dry-run says how "
                      "much that fetches and how long it takes)",
                      paper_.name));
    }
  }
};

// "2" is Table 2; anything else is part of a title.
bool is_asked(const std::string& title, const std::string& asked) {
  if (asked.find_first_not_of("0123456789") != asked.npos) return title.find(asked) != title.npos;
  const size_t at = title.find("Table " + asked), end = at + 6 + asked.size();
  return at != title.npos && (end >= title.size() || !std::isdigit(title[end]));
}

void reproduce(const ReproduceCall& call) {
  const bool models = call.run || !call.with.models.empty();
  if (models && call.released) throw wrong_call("--released runs no models");
  if (call.released && call.dry_run)
    throw wrong_call("--dry-run is for models, and --released runs none");
  if (call.paper == "all") {
    if (models) throw wrong_call("models are run for one paper at a time");
    if (call.dry_run)
      throw wrong_call("--dry-run is for one paper; of all, only released files are read");
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
  Reproduction(call, paper, folder)();
}

void add_papers(Cli& cli) {
  Command& app =
      cli.command("papers", Group::studies, "Papers whose published numbers can be recomputed",
                  "  minpair papers\n  minpair papers --format markdown\n");
  static std::string format = "table";
  app.add_option("--format", format, "table, json, csv, markdown or latex")
      .one_of({"table", "json", "csv", "markdown", "latex"})
      .shows_default();
  app.work = [] { list_papers(format); };
}

void add_reproduce(Cli& cli) {
  Command& app = cli.command(
      "reproduce", Group::studies, "A paper's printed numbers beside those of its files and models",
      "  minpair reproduce gevalm --released            from released files alone\n"
      "  minpair reproduce gevalm --dry-run             what would be fetched, how long it takes\n"
      "  minpair reproduce gevalm                       models where scores were not released\n"
      "  minpair reproduce gevalm --run                 models for every number they can answer\n"
      "  minpair reproduce clams --table 2 -m de-mini   a model beside the printed numbers\n"
      "  minpair reproduce task-demands DIR --format csv -o numbers.csv\n"
      "  minpair reproduce all --format page -o fidelity.md\n");
  static ReproduceCall call;
  app.add_option("PAPER", call.paper,
                 "a name from 'minpair papers', a file of your own (.sql), or 'all'")
      .required();
  app.add_option("FOLDER", call.folder, "the authors' files; default: below $MINPAIR_DATA");
  app.add_flag("--released", call.released, "from released files alone: no model, no network");
  app.add_flag("--run", call.run,
               "with the paper's own models, even where their scores were released");
  app.add_option("-m,--model", call.with.models,
                 "with this model beside the printed numbers (repeatable)");
  app.add_option("--table", call.table, "only this: a number, or part of a title");
  app.add_option(
      "--results", call.results,
      "with models: the results file, PAPER.db by default; a run continues where it stopped");
  app.add_flag("--offline", call.offline, "fetch nothing");
  app.add_flag("--dry-run", call.dry_run, "say how much would be fetched and how long it takes");
  app.add_option("--threads", call.with.load.threads, "threads for the model; 0: all")
      .whole_number(0, 1024);
  app.add_flag("-q,--quiet", call.with.quiet, "no progress");
  app.add_option("--format", call.format, "table, json, csv, markdown, latex; of all: page")
      .one_of({"table", "json", "csv", "markdown", "latex", "page"})
      .shows_default();
  app.add_option("-o,--output", call.output, "a file").shows_default();
  app.work = [] { reproduce(call); };
}

const Cli::Entry papers_command{95, add_papers};
const Cli::Entry reproduce_command{96, add_reproduce};

}  // namespace
}  // namespace minpair::cli
