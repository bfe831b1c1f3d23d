// Every option of every command, a line each after that of the command: for tests that try them
// all.

#include <fmt/format.h>

#include "base/text.h"
#include "cli/cli.h"

namespace minpair::cli {
namespace {

void print_options(const Cli& cli) {
  for (const Command* c : cli.commands()) {
    fmt::print("{}\n", c->name);
    for (const Option& o : c->options())
      fmt::print("{}\t{}\t{}\t{}\t{}\n", c->name, o.shown(),
                 o.positional() ? "argument"
                 : o.flag()     ? "flag"
                                : "option",
                 join(o.choices, "|"), o.preset);
  }
}

void add_describe(Cli& cli) {
  Command& app = cli.command("describe", Group::program, "Print every option of every command", "");
  app.hidden = true;
  app.work = [&cli] { print_options(cli); };
}

const Cli::Entry describe_command{992, add_describe};

}  // namespace
}  // namespace minpair::cli
