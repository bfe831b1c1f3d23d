#pragma once
// The command line: words in, a command called. Commands that the C, Python and R libraries have,
// too, are in the room `command`; the others live here, each in a file of its own that adds itself.

#include <memory>
#include <string>
#include <vector>

#include "command/command.h"

namespace minpair::cli {

using command::Command;
using command::Group;
using command::Option;

class Cli {
 public:
  Command& command(const std::string& name, Group group, const std::string& what,
                   const std::string& examples);
  void add(std::unique_ptr<Command> command) { commands_.push_back(std::move(command)); }

  // In each command's file: `const Cli::Entry generate{10, add_generate};`. Lower places come
  // first in the help.
  struct Entry {
    Entry(int place, void (*add)(Cli&));
  };

  // Every command that help lists, in its order.
  std::vector<const Command*> commands() const;
  const Command* find(const std::string& name) const;  // null: there is none

 private:
  friend int run(int argc, char** argv);
  std::vector<std::unique_ptr<Command>> commands_;
};

// Understands the words of a command line and does what they say; the program's exit status.
int run(int argc, char** argv);

// What `minpair --version` prints.
std::string about();

// What `minpair --help` and `minpair help COMMAND` print.
std::string overview(const Cli& cli);
std::string help(const Command& command);

}  // namespace minpair::cli
