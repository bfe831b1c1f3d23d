#include "papers/papers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "report/grid.h"

namespace minpair::cli {
namespace {

using Kind = report::GridColumn::Kind;

// Where published files are kept: $MINPAIR_DATA.
std::filesystem::path data_folder(const papers::Paper& paper) {
  const char* data = std::getenv("MINPAIR_DATA");
  return data ? std::filesystem::path(data) / paper.folder : std::filesystem::path();
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
  std::string paper, folder, format = "table", output = "-", table;
  bool released = false;
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

void reproduce(const ReproduceCall& call) {
  if (call.paper == "all") return reproduce_all(call);
  if (call.format == "page")
    throw wrong_call("a page is over all papers").hint("say: reproduce all");
  papers::Paper paper = papers::find_paper(call.paper);
  if (!call.table.empty())
    std::erase_if(paper.tables, [&](const papers::PaperTable& t) {
      return t.title.find(call.table) == std::string::npos;
    });
  if (paper.tables.empty()) throw wrong_call("no table has that in its title");
  std::filesystem::path folder =
      call.folder.empty() ? data_folder(paper) : std::filesystem::path(call.folder);
  if (paper.recomputed() > 0 && (folder.empty() || !std::filesystem::is_directory(folder)))
    throw bad_input(fmt::format("the files of '{}' are not here", paper.name))
        .hint(fmt::format("get {} and name the folder: minpair reproduce {} FOLDER", paper.source,
                          paper.name));
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
      "  minpair reproduce all                        every paper whose files are here\n"
      "  minpair reproduce all --format page -o fidelity.md\n");
  static ReproduceCall call;
  app.add_option("PAPER", call.paper, "a name from 'minpair papers', or 'all'").required();
  app.add_option("FOLDER", call.folder, "the authors' files; absent: below $MINPAIR_DATA");
  app.add_flag("--released", call.released, "from released files; there is no other way yet");
  app.add_option("--table", call.table, "only tables with this in their title");
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
