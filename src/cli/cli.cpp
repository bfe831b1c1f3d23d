#include "cli/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "command/commands.h"

namespace minpair::cli {
namespace {

// Filled by each command's file before main() runs.
std::multimap<int, void (*)(Cli&)>& entries() {
  static std::multimap<int, void (*)(Cli&)> all;
  return all;
}

// "introspect" is no command, but "introspect lens" is one.
std::vector<std::string> commands_below(const Cli& cli, const std::string& name) {
  std::vector<std::string> all;
  for (const Command* c : cli.commands())
    if (c->name.starts_with(name + " ")) all.push_back(c->name);
  return all;
}

int say(const std::string& who, const std::string& message, const std::string& hint) {
  fmt::print(stderr, "{}: {}\n", who, message);
  if (!hint.empty()) fmt::print(stderr, "  {}\n", hint);
  fmt::print(stderr, "  '{} --help' shows what there is\n", who);
  return 2;
}

int no_command(const Cli& cli, const std::vector<std::string>& words) {
  std::vector<std::string> known = commands_below(cli, words[0]);
  const bool below = !known.empty();
  if (!below)
    for (const Command* c : cli.commands()) known.push_back(c->name);
  if (below && words.size() == 1)
    return say("minpair", fmt::format("'{}' needs to know what", words[0]),
               "one of: " + join(known, ", "));
  const std::string typed = below ? words[0] + " " + words[1] : words[0];
  const std::string guess = closest(typed, known);
  return say("minpair", fmt::format("there is no command '{}'", typed),
             !guess.empty() ? fmt::format("did you mean '{}'?", guess)
             : below        ? "one of: " + join(known, ", ")
                            : "");
}

// CLI11 cuts the words into options and their values; what these mean is the command's own
// business.
void set_options(Command& command, std::vector<std::string> words, bool& help_is_wanted) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  app.add_flag("-h,--help", help_is_wanted);
  for (const Option& option : command.options()) {
    std::string names = option.positional() ? option.argument : option.long_name;
    if (!option.short_name.empty()) names += "," + option.short_name;
    const std::string name = option.shown();
    if (option.flag())
      app.add_flag_callback(names, [&command, name] { command.set(name, {"true"}); });
    else if (option.repeatable)
      app.add_option_function<std::vector<std::string>>(
          names, [&command, name](const auto& values) { command.set(name, values); });
    else
      app.add_option_function<std::string>(
          names, [&command, name](const std::string& value) { command.set(name, {value}); });
  }
  std::reverse(words.begin(), words.end());
  app.parse(std::move(words));
  for (const std::string& word : app.remaining()) {
    if (word.starts_with("-")) command.set(word.substr(0, word.find('=')), {""});
    throw wrong_call(fmt::format("'{}' is one argument too many", word));
  }
}

int do_command(Command& command, const std::vector<std::string>& words) {
  const std::string who = "minpair " + command.name;
  bool help_is_wanted = false;
  try {
    if (command.passes_on) return command.passes_on(words), 0;
    set_options(command, words, help_is_wanted);
    if (!help_is_wanted) command.check();
  } catch (const CLI::ParseError& e) {
    if (!help_is_wanted) return say(who, e.what(), "");
  } catch (const Error& e) {
    if (e.kind() != Error::Kind::usage) throw;
    if (!help_is_wanted) return say(who, e.message(), e.next());
  }
  if (help_is_wanted)
    fmt::print("{}", help(command));
  else
    command.work();
  return 0;
}

const command::Host& terminal() {
  static const command::Host host;
  return host;
}

}  // namespace

Cli::Entry::Entry(int place, void (*add)(Cli&)) { entries().emplace(place, add); }

Command& Cli::command(const std::string& name, Group group, const std::string& what,
                      const std::string& examples) {
  commands_.push_back(std::make_unique<Command>(name, group, what, examples));
  return *commands_.back();
}

std::vector<const Command*> Cli::commands() const {
  std::vector<const Command*> all;
  for (const std::unique_ptr<Command>& c : commands_)
    if (!c->hidden) all.push_back(c.get());
  return all;
}

const Command* Cli::find(const std::string& name) const {
  for (const std::unique_ptr<Command>& c : commands_)
    if (c->name == name) return c.get();
  return nullptr;
}

int run(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_DFL);
  Cli cli;
  for (std::unique_ptr<Command>& shared : command::make_commands(terminal()))
    cli.add(std::move(shared));
  for (const auto& [place, add] : entries()) add(cli);
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words[0] == "--help" || words[0] == "-h") {
    fmt::print("{}", overview(cli));
    return words.empty() ? 2 : 0;
  }
  if (words[0] == "--version") {
    fmt::print("{}\n", about());
    return 0;
  }
  for (size_t n : {size_t{2}, size_t{1}}) {
    if (words.size() < n) continue;
    const std::string name = n == 2 ? words[0] + " " + words[1] : words[0];
    if (const Command* found = cli.find(name))
      return do_command(const_cast<Command&>(*found), {words.begin() + int(n), words.end()});
  }
  if (words.size() > 1 && (words[1] == "--help" || words[1] == "-h") &&
      !commands_below(cli, words[0]).empty())
    return do_command(const_cast<Command&>(*cli.find("help")), {words[0]});
  return no_command(cli, words);
}

}  // namespace minpair::cli
