#pragma once
// The command line. Each subcommand lives in a file of its own and adds itself here.

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace minpair::model {
struct LoadOptions;
}

namespace minpair::cli {

class Cli {
 public:
  explicit Cli(CLI::App& app) : app_(app) {}

  // A subcommand with its help and examples; `run` is called when it was chosen.
  CLI::App& command(const std::string& name, const std::string& what, const std::string& examples);
  void on_run(CLI::App& command, std::function<void()> run);

  // In each command's file: `const Cli::Command generate{10, add_generate};`. Lower places come
  // first in the help.
  struct Command {
    Command(int place, void (*add)(Cli&));
  };

 private:
  CLI::App& app_;
};

// What `minpair --version` prints.
std::string about();

// --start and --end, of all commands that load a model which reads from left to right.
void add_edge_options(CLI::App& command, model::LoadOptions& options);

}  // namespace minpair::cli
