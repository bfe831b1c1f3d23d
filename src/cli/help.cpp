// What the program says of itself: an overview, and the help of each command.

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/names.h"
#include "base/text.h"
#include "cli/cli.h"
#include "report/report.h"

namespace minpair::cli {
namespace {

constexpr std::pair<Group, std::string_view> kGroups[] = {
    {Group::suites, "Suites: the sentences"},
    {Group::scoring, "Scoring: what models say"},
    {Group::results, "Results: what came out"},
    {Group::inside, "Inside: where in the model"},
    {Group::studies, "Studies: papers and reading times"},
    {Group::models, "Models"},
    {Group::program, "minpair itself"}};

std::string entry(std::string left, const std::string& right, size_t column) {
  const size_t width = std::max<size_t>(report::window_width(), 40);
  if (width < 80) column = 8;
  if (left.size() + 2 > column)
    return left + "\n" + report::wrapped(std::string(column, ' '), right, width, column);
  left.append(column - left.size(), ' ');
  return report::wrapped(left, right, width, column);
}

std::string option_entry(const Option& o) {
  std::string left = "  " + o.short_name;
  if (!o.long_name.empty()) left += (o.short_name.empty() ? "" : ",") + o.long_name;
  if (o.positional())
    left += o.argument;
  else if (!o.flag())
    left += " " + (o.choices.empty() ? o.argument : "{" + join(o.choices, ",") + "}");
  if (o.repeatable) left += " ...";
  if (!o.preset.empty()) left += " [" + o.preset + "]";
  return entry(left, o.what, 34);
}

std::string overview_below(const Cli& cli, const std::string& name) {
  std::string text;
  for (const Command* c : cli.commands())
    if (c->name.starts_with(name + " ")) text += entry("  " + c->name, c->what, 24);
  return text;
}

void print_help(const Cli& cli, const std::vector<std::string>& words) {
  const std::string name = join(words, " ");
  std::vector<std::string> known;
  for (const Command* c : cli.commands()) known.push_back(c->name);
  if (words.empty()) {
    fmt::print("{}", overview(cli));
  } else if (const Command* found = cli.find(name)) {
    fmt::print("{}", help(*found));
  } else if (std::string below = overview_below(cli, name); !below.empty()) {
    fmt::print("{}\n'minpair help {} ...' explains one of them.\n", below, name);
  } else {
    throw unknown_name(fmt::format("there is no command '{}'", name), name, known);
  }
}

void add_help(Cli& cli) {
  Command& app = cli.command("help", Group::program, "Explain a command",
                             "  minpair help\n  minpair help report\n");
  static std::vector<std::string> words;
  app.add_option("COMMAND", words, "which; without one, all are listed");
  app.work = [&cli] { print_help(cli, words); };
}

const Cli::Entry help_command{970, add_help};

}  // namespace

std::string overview(const Cli& cli) {
  std::string text =
      "minpair finds out what grammar a language model knows. To begin with:\n\n"
      "  minpair score -m de-mini \"Der Autor lacht.\" \"Der Autor lachen.\"\n"
      "  minpair run -s de-agreement -m de-mini -o results.db\n"
      "  minpair report results.db\n";
  for (const auto& [group, title] : kGroups) {
    text += fmt::format("\n{}\n", title);
    for (const Command* c : cli.commands())
      if (c->group == group) text += entry("  " + c->name, c->what, 24);
  }
  return text + "\n'minpair help COMMAND' explains one; 'minpair --version' says which this is.\n";
}

std::string help(const Command& command) {
  std::string text = fmt::format("{}\nUsage: {}\n", command.what, synopsis(command));
  for (bool positional : {true, false}) {
    bool first = true;
    for (const Option& o : command.options()) {
      if (o.positional() != positional) continue;
      if (first) text += positional ? "\nArguments:\n" : "\nOptions:\n";
      first = false;
      text += option_entry(o);
    }
  }
  return command.examples.empty() ? text : text + "\nExamples:\n" + command.examples;
}

}  // namespace minpair::cli
