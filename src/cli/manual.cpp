// Man pages, written at build time: `minpair manual FOLDER`.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/cli.h"

namespace minpair::cli {
namespace {

// A dot or an apostrophe at the start of a line would be a request, and every "-" a hyphen.
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string heading(std::string_view name, std::string_view what) {
  std::string title(name);
  for (char& c : title) c = char(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(".TH {} 1 \"\" \"minpair {}\" \"minpair\"\n.SH NAME\n{} \\- {}\n",
                     escaped(title), version(), escaped(name), escaped(what));
}

std::string option_entry(const Option& option) {
  std::string head;
  for (const std::string& name : {option.short_name, option.long_name})
    if (!name.empty()) head += (head.empty() ? "\\fB" : ", \\fB") + escaped(name) + "\\fR";
  if (!option.argument.empty()) {
    std::string value = option.argument;
    if (!option.choices.empty()) value = fmt::format("{}", fmt::join(option.choices, "|"));
    head += (head.empty() ? "\\fI" : " \\fI") + escaped(value) + "\\fR";
  }
  std::string what = escaped(option.what);
  if (!option.preset.empty()) what += fmt::format(" (default: {})", escaped(option.preset));
  return fmt::format(".TP\n{}\n{}\n", head, what);
}

// Lines at the margin that end in a colon begin sections; what is indented stays as it is.
std::string sections(const std::string& text) {
  std::string out;
  for (std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    if (line[0] != ' ' && line.ends_with(':')) {
      std::string title(line.substr(0, line.size() - 1));
      for (char& c : title) c = char(std::toupper(static_cast<unsigned char>(c)));
      out += ".fi\n.SH " + title + "\n.nf\n";
    } else {
      out += escaped(line.starts_with("  ") ? line.substr(2) : line) + "\n";
    }
  }
  return out;
}

// The words of `minpair introspect lens`, in one.
std::string page_name(const Command& command) {
  std::string name = "minpair-" + command.name;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string command_page(const Command& command) {
  std::string page = heading(page_name(command), command.what);
  page += fmt::format(".SH SYNOPSIS\n.B {}\n.SH DESCRIPTION\n{}.\n", escaped(synopsis(command)),
                      escaped(command.what));
  if (!command.options().empty()) page += ".SH OPTIONS\n";
  for (const Option& option : command.options()) page += option_entry(option);
  if (!command.examples.empty())
    page += ".SH EXAMPLES\n.nf\n" + sections(command.examples) + ".fi\n";
  return page + ".SH SEE ALSO\n.BR minpair (1)\n";
}

std::string program_page(const std::vector<const Command*>& commands) {
  std::string page = heading("minpair", "what grammar does a language model know?");
  page +=
      ".SH SYNOPSIS\n.B minpair\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n"
      "Builds suites of minimal pairs, scores them with language models on an ordinary CPU, and "
      "prints the tables that a paper would print.\n.SH COMMANDS\n";
  for (const Command* c : commands)
    page += fmt::format(".TP\n.BR {} (1)\n{}\n", escaped(page_name(*c)), escaped(c->what));
  page += ".SH ENVIRONMENT\n";
  for (auto [name, what] :
       {std::pair{"MINPAIR_HOME", "a folder with suites, models and published results of your own"},
        std::pair{"MINPAIR_THREADS", "how many threads; all cores by default"},
        std::pair{"MINPAIR_PRECISION", "what --precision auto means: fp32, fast or bf16"}})
    page += fmt::format(".TP\n.B {}\n{}\n", name, escaped(what));
  page +=
      ".SH EXIT STATUS\n0: done. 1: something went wrong on the way. 2: the call or a file was "
      "not understood.\n.SH EXAMPLES\n.nf\n";
  page += escaped(
      "minpair score -m de-mini \"Der Autor lacht.\" \"Der Autor lachen.\"\n"
      "minpair run -s de-agreement -m de-mini -o results.db\n"
      "minpair report results.db\n");
  return page + ".fi\n";
}

void write_manual(const Cli& program, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const std::vector<const Command*> commands = program.commands();
  write_file(folder / "minpair.1", program_page(commands));
  for (const Command* c : commands) write_file(folder / (page_name(*c) + ".1"), command_page(*c));
}

void add_manual(Cli& cli) {
  Command& app = cli.command("manual", Group::program, "Write the man pages", "");
  app.hidden = true;
  static std::string folder;
  app.add_option("FOLDER", folder, "where to").required();
  app.work = [&cli] { write_manual(cli, folder); };
}

const Cli::Entry manual_command{991, add_manual};

}  // namespace
}  // namespace minpair::cli
