// Completion: shells ask the program itself what may come next.

#include <fmt/format.h>

#include <set>

#include "base/text.h"
#include "cli/cli.h"
#include "hub/hub.h"
#include "method/method.h"
#include "suite/formats/format.h"
#include "suite/suite.h"

namespace minpair::cli {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kBash =
    R"(# Bash completion for minpair, made by `minpair completion bash`.
_minpair() {
  mapfile -t COMPREPLY < <(minpair complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _minpair minpair
)";

constexpr std::string_view kZsh = R"zsh(#compdef minpair
# Zsh completion for minpair, made by `minpair completion zsh`.
_minpair() {
  local -a known
  known=(${(f)" $(minpair complete-- "${(@)words[2,CURRENT]}" 2 > / dev / null) "})
                                      (($ #known)) &&
                                      compadd - a known ||
                                  _files
}
_minpair "$@"
)zsh";

constexpr std::string_view kFish = R"(# Fish completion for minpair, made by `minpair completion fish`.
complete -c minpair -a '(minpair complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
)";

Words names_called(const std::string& kind) {
  Words names;
  if (kind == "suites")
    for (const suite::Suite& s : suite::shipped_suites()) names.push_back(s.manifest.name);
  if (kind == "methods")
    for (const method::Method* m : method::all_methods()) names.push_back(m->name());
  if (kind == "formats")
    for (const suite::Format& f : suite::all_formats()) names.emplace_back(f.name);
  if (kind == "models")
    for (const auto& known : {hub::shipped_models(), hub::cached_models()})
      for (const hub::Known& model : known) names.push_back(model.name);
  return names;
}

Words values_of(const Option& option) {
  return option.choices.empty() ? names_called(option.names()) : option.choices;
}

// Of `minpair introspect`, the second words; of `minpair`, the first.
Words command_names(const Cli& cli, const std::string& before) {
  std::set<std::string> names;
  for (const Command* c : cli.commands())
    if (c->name.starts_with(before))
      names.insert(c->name.substr(before.size(), c->name.find(' ', before.size()) - before.size()));
  if (before.empty()) names.insert({"--help", "--version"});
  return {names.begin(), names.end()};
}

// What could stand for the last of the words.
Words candidates(const Cli& cli, const Words& words) {
  if (words.size() < 2) return command_names(cli, "");
  const Command* command = cli.find(words[0]);
  if (!command && words.size() == 2) return command_names(cli, words[0] + " ");
  if (!command) command = cli.find(words[0] + " " + words[1]);
  if (!command) return {};
  const std::string& before = words[words.size() - 2];
  Words names, values;
  for (const Option& o : command->options()) {
    if (!o.positional() && !o.flag() && o.called(before)) return values_of(o);
    if (!o.positional()) names.push_back(o.long_name);
    if (o.positional() && values.empty()) values = values_of(o);
  }
  return words.back().starts_with("-") ? names : values;
}

void add_completion(Cli& cli) {
  Command& app = cli.command(
      "completion", Group::program, "Print what a shell needs to complete minpair's commands",
      "  . <(minpair completion bash)\n"
      "  minpair completion zsh > ~/.zfunc/_minpair\n"
      "  minpair completion fish > ~/.config/fish/completions/minpair.fish\n");
  static std::string shell;
  app.add_option("SHELL", shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
  app.work = [] { fmt::print("{}", shell == "bash" ? kBash : shell == "zsh" ? kZsh : kFish); };
  Command& complete = cli.command("complete", Group::program, "What could come next", "");
  complete.hidden = true;
  complete.passes_on = [&cli](Words words) {
    if (!words.empty() && words[0] == "--") words.erase(words.begin());
    const std::string typed = words.empty() ? "" : words.back();
    for (const std::string& candidate : candidates(cli, words))
      if (candidate.starts_with(typed)) fmt::print("{}\n", candidate);
  };
}

const Cli::Entry completion_command{980, add_completion};

}  // namespace
}  // namespace minpair::cli
