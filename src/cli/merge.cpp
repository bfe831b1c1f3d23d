#include "store/merge.h"
#include "base/counts.h"

#include <fmt/format.h>

#include "cli/cli.h"

namespace minpair::cli {
namespace {

struct MergeCall {
  std::vector<std::filesystem::path> files;
  std::filesystem::path output;
  bool quiet = false;
};

void add_merge(Cli& cli) {
  Command& app = cli.command(
      "merge", Group::results,
      "Merge results files: the shards of a run, or runs of several models",
      "  minpair run -s million.jsonl -m DIR --shard 3/8 -o part3.db    on each of eight machines\n"
      "  minpair merge part*.db -o results.db                           the file of a single run\n"
      "  minpair merge bert.db gpt2.db -o both.db\n");
  static MergeCall call;
  app.add_option("results", call.files, "results files").required();
  app.add_option("-o,--output", call.output, "the merged file, new or one to add to").required();
  app.add_flag("-q,--quiet", call.quiet, "nothing on standard error");
  app.work = [] {
    store::Merged merged = store::merge_results(call.files, call.output);
    if (!call.quiet)
      fmt::print(stderr, "{}: {} with {}{}, from {}\n", call.output.string(),
                 counted(merged.runs, "run"), counted(merged.scores, "score"),
                 merged.sweeps ? ", " + counted(merged.sweeps, "sweep") : "",
                 counted(call.files.size(), "file"));
  };
}

const Cli::Entry merge_command{52, add_merge};

}  // namespace
}  // namespace minpair::cli
