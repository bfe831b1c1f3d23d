#pragma once
// The command line as data: what man pages and shell completions are made of. It is read from the
// same objects that print --help, so that none of them can say something else.

#include <string>
#include <vector>

namespace minpair::cli {

struct OptionText {
  std::string short_name, long_name;  // "-s", "--suite"; both empty: a positional argument
  std::string argument;               // "SUITE", "TEXT"; empty: a flag
  std::string what;
  std::vector<std::string> choices;  // of an argument that is one of a few
  std::string preset;                // what it is when it is absent, where that is told
  bool required = false, repeatable = false;

  bool positional() const { return short_name.empty() && long_name.empty(); }
  // What a shell can offer beside the choices: "suites", "models" or "methods" (`minpair list`),
  // "formats" (`minpair convert --help`), else "".
  std::string names() const;
};

struct CommandText {
  std::string name, what, footer;
  std::vector<OptionText> options;
};

// "minpair run -s SUITE -m MODEL [OPTIONS]"
std::string synopsis(const CommandText& command);

}  // namespace minpair::cli
