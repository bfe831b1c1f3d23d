#include "store/check.h"
#include "base/counts.h"

#include <fmt/format.h>

#include "base/error.h"
#include "cli/cli.h"

namespace minpair::cli {
namespace {

void check(const std::vector<std::filesystem::path>& files) {
  size_t broken = 0;
  for (const std::filesystem::path& file : files) {
    store::Checked checked = store::check_results(file);
    for (const std::string& finding : checked.findings)
      fmt::print("{}: {}\n", file.string(), finding);
    broken += !checked.findings.empty();
    std::string inside;
    if (checked.sweeps > 0)
      inside = fmt::format(", {} with {}", counted(checked.sweeps, "sweep"),
                           counted(checked.effects, "item"));
    if (checked.findings.empty())
      fmt::print("{}: {} with {}{} {} whole\n", file.string(), counted(checked.runs, "run"),
                 counted(checked.scores, "score"), inside,
                 checked.runs == 1 && checked.sweeps == 0 ? "is" : "are");
  }
  if (broken > 0)
    throw bad_input(fmt::format("{} of {} {} damaged", broken, counted(files.size(), "file"),
                                plural(broken, "is", "are")))
        .hint("take a copy of the file, or move it away and run again");
}

void add_check(Cli& cli) {
  Command& app = cli.command("check", Group::results,
                             "Check that a results file is intact: checksums, verdicts and counts",
                             "  minpair check results.db\n");
  static std::vector<std::filesystem::path> files;
  app.add_option("RESULTS", files, "results files").required();
  app.work = [] { check(files); };
}

const Cli::Entry check_command{53, add_check};

}  // namespace
}  // namespace minpair::cli
