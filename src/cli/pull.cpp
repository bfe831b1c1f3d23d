#include <fmt/format.h>

#include "cli/cli.h"
#include "hub/hub.h"

namespace minpair::cli {
namespace {

void add_pull(Cli& cli) {
  Arguments& app = cli.command(
      "pull", "Fetch a model from the Hugging Face hub into its usual cache",
      "  minpair pull dbmdz/bert-base-german-cased\n"
      "  minpair pull ORG/NAME --dry-run\n"
      "  minpair pull ORG/NAME --revision v1.0\n"
      "  minpair pull ORG/NAME-GGUF --file name.Q8_0.gguf\n"
      "  HF_ENDPOINT, HF_HOME, HF_HUB_CACHE and HF_TOKEN mean what they mean to other programs.\n");
  static std::string model;
  static hub::PullOptions options;
  app.add_option("MODEL", model, "ORG/NAME, as on the hub").required();
  app.add_option("--revision", options.revision, "a branch, a tag or a commit (main)");
  app.add_option("--file", options.files, "fetch exactly this file (repeatable)");
  app.add_flag("--dry-run", options.dry_run, "fetch nothing; print the files and their sizes");
  app.add_flag("-q,--quiet", options.quiet, "no progress, no summary");
  cli.on_run(app, [] {
    hub::Pulled p = hub::pull(model, options);
    if (options.dry_run) {
      for (size_t i = 0; i < p.files.size(); ++i)
        fmt::print("{:>10.1f} MB  {}\n", double(p.sizes[i]) / 1e6, p.files[i]);
      fmt::print("{:>10.1f} MB  {} {}\n", double(p.bytes) / 1e6, model, p.commit.substr(0, 12));
      return;
    }
    if (!options.quiet)
      fmt::print(stderr, "{} {}: {} files, {:.1f} MB, {:.1f} MB of them fetched now\n", model,
                 p.commit.substr(0, 12), p.files.size(), double(p.bytes) / 1e6,
                 double(p.fetched) / 1e6);
    fmt::print("{}\n", p.folder.string());
  });
}

const Cli::Command pull_command{110, add_pull};

}  // namespace
}  // namespace minpair::cli
