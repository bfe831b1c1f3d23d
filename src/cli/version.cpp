#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/paths.h"
#include "cli/cli.h"

namespace minpair::cli {

static void add_version(Cli& cli) {
  CLI::App& app = cli.command("version", "Print the version and how this program was built", "");
  cli.on_run(app, [] {
    fmt::print("minpair {}\n{}, C++{}\n", version(), __VERSION__, __cplusplus / 100 % 100);
  });
}

static const Cli::Command version_command{990, add_version};

}  // namespace minpair::cli
