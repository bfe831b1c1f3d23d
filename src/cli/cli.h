#pragma once
// The command line. Each subcommand lives in a file of its own and adds itself here. CLI11 stands
// behind this header, in cli.cpp alone: it costs seconds in every file that reads it.

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace minpair::cli {

// What else holds for an option: `app.add_option(...).required().one_of({"csv", "tsv"})`.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required();
  Option shows_default();  // in --help
  Option one_of(std::vector<std::string> names);
  Option between(int64_t least, int64_t most);
  // CLI11 alone takes -1 for a very large number.
  Option whole_number(uint64_t least, uint64_t most = INT32_MAX);
  Option existing_file();
  Option existing_path();
  Option excludes(Option other);

 private:
  CLI::Option* option_;
};

// The options and arguments of one command. `names` are "-o,--output", or "OUTPUT" for an argument.
class Arguments {
 public:
  explicit Arguments(CLI::App& app) : app_(app) {}

  // cli.cpp lists the types that there are.
  template <class Value>
  Option add_option(const std::string& names, Value& value, const std::string& what);
  Option add_flag(const std::string& names, bool& value, const std::string& what);
  Option add_flag_callback(const std::string& names, std::function<void()> then,
                           const std::string& what);

  void hide();  // not in --help: for the build
  // Another program understands all that follows, --help included.
  void pass_on(std::function<void(const std::vector<std::string>&)> run);

 private:
  friend class Cli;
  CLI::App& app_;
};

struct CommandText;

class Cli {
 public:
  explicit Cli(CLI::App& app) : app_(app) {}

  // A subcommand with its help and examples; `run` is called when it was chosen.
  Arguments& command(const std::string& name, const std::string& what, const std::string& examples);
  void on_run(Arguments& command, std::function<void()> run);

  // In each command's file: `const Cli::Command generate{10, add_generate};`. Lower places come
  // first in the help.
  struct Command {
    Command(int place, void (*add)(Cli&));
  };

  // Every command that --help lists.
  std::vector<CommandText> describe() const;

 private:
  CLI::App& app_;
  std::deque<Arguments> arguments_;
};

// Understands the words of a command line and does what they say; the program's exit status.
int run(int argc, char** argv);

// What `minpair --version` prints.
std::string about();

}  // namespace minpair::cli
