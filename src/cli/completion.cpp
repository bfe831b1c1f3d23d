// Completion for three shells, from the program's own description of itself.
// What changes with the machine (suites, models, formats) is asked of the program when it is
// needed.

#include <fmt/format.h>

#include <map>
#include <set>

#include "cli/cli.h"

namespace minpair::cli {
namespace {

using Commands = std::vector<const Command*>;

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

std::string quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

// Prints the names that `minpair list` or `convert --help` know; in bash and zsh.
constexpr std::string_view kNames =
    "case $1 in\n"
    "    formats) minpair convert --help 2>/dev/null | awk '/^Formats:/ { on = 1; next } on && /^  "
    "[a-z]/ { print $1 }' ;;\n"
    "    *) minpair list \"$1\" 2>/dev/null | awk '/^[^ ]/ { print $1 }' ;;\n"
    "  esac";

// "introspect" with "lens", "patch" and others, where a command has two words.
std::map<std::string, std::string> second_words(const Commands& commands) {
  std::map<std::string, std::string> words;
  for (const Command* c : commands)
    if (size_t space = c->name.find(' '); space != std::string::npos)
      words[c->name.substr(0, space)] += c->name.substr(space);
  return words;
}

// As a pattern of `case`.
std::string two_words(const Commands& commands) {
  std::string pattern;
  for (const auto& [first, second] : second_words(commands))
    pattern += (pattern.empty() ? "" : " | ") + first;
  return pattern;
}

std::string first_words(const Commands& commands) {
  std::string names;
  std::set<std::string> known;
  for (const Command* c : commands) {
    const std::string name = c->name.substr(0, c->name.find(' '));
    if (known.insert(name).second) names += name + " ";
  }
  return names + "--help --version";
}

// The words that an option or an argument can be, as bash's text; empty: a file, or anything.
std::string bash_words(const Option& o) {
  if (!o.choices.empty()) return fmt::format("\"{}\"", fmt::join(o.choices, " "));
  if (!o.names().empty()) return fmt::format("$(_minpair_names {})", o.names());
  return "";
}

std::string bash(const Commands& commands) {
  std::string values, options, arguments;
  for (const auto& [first, second] : second_words(commands))
    arguments += fmt::format("      {}) words='{}' ;;\n", first, second);
  for (const Command* c : commands) {
    std::string names;
    for (const Option& o : c->options()) {
      if (!o.long_name.empty()) names += (names.empty() ? "" : " ") + o.long_name;
      if (o.flag()) continue;
      std::string words = bash_words(o);
      if (o.positional()) {
        if (!words.empty()) arguments += fmt::format("      '{}') words={} ;;\n", c->name, words);
        continue;
      }
      std::string pattern;
      for (const std::string& name : {o.short_name, o.long_name})
        if (!name.empty())
          pattern += fmt::format("{}'{} {}'", pattern.empty() ? "" : " | ", c->name, name);
      values += fmt::format("    {}) words={}; value=1 ;;\n", pattern, words);
    }
    options += fmt::format("      '{}') words='{}' ;;\n", c->name, names);
  }
  return fmt::format(R"bash(# Bash completion for minpair, made by `minpair completion bash`.
_minpair_names() {{
  {}
}}

_minpair() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]}} words= value=
  COMPREPLY=()
  case $command in
    {}) [ "$COMP_CWORD" -gt 2 ] && command+=" ${{COMP_WORDS[2]}}" ;;
  esac
  case "$command ${{COMP_WORDS[COMP_CWORD - 1]}}" in
{}  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='{}'
  elif [ -z "$value" ] && [[ $current == -* ]]; then
    case $command in
{}    esac
  elif [ -z "$value" ]; then
    case $command in
{}    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  # Files and folders, wherever the program does not name the choices itself.
  if [ "$COMP_CWORD" -gt 1 ] && [[ $current != -* ]] && [ ${{#COMPREPLY[@]}} -eq 0 ]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}}

complete -F _minpair minpair
)bash",
                     kNames, two_words(commands), values, first_words(commands), options,
                     arguments);
}

// What zsh does at an option's value or an argument.
std::string zsh_action(const Option& o) {
  if (!o.choices.empty()) return fmt::format("({})", fmt::join(o.choices, " "));
  return o.names().empty() ? "_files" : "_minpair_offer " + o.names();
}

std::string zsh_spec(const Option& o) {
  std::string what = replaced(replaced(replaced(o.what, "[", "("), "]", ")"), ":", "\\:");
  if (o.positional())
    return quoted(fmt::format("{}:{}:{}", o.repeatable ? "*" : "", o.argument, zsh_action(o)));
  std::string value = o.flag() ? "" : fmt::format(":{}:{}", o.argument, zsh_action(o));
  std::string star = o.repeatable ? "*" : "";
  std::string spec;
  for (const std::string& name : {o.short_name, o.long_name})
    if (!name.empty())
      spec +=
          (spec.empty() ? "" : " ") + quoted(fmt::format("{}{}[{}]{}", star, name, what, value));
  return spec;
}

std::string zsh(const Commands& commands) {
  std::string names, cases;
  for (const auto& [first, second] : second_words(commands)) {
    names += fmt::format("    {}\n", quoted(first + ":" + second.substr(1)));
    cases += fmt::format("    {}) compadd{} ;;\n", first, second);
  }
  for (const Command* c : commands) {
    if (c->name.find(' ') == std::string::npos)
      names += fmt::format("    {}\n", quoted(c->name + ":" + replaced(c->what, ":", "\\:")));
    cases += fmt::format("    '{}')\n      _arguments", c->name);
    for (const Option& o : c->options()) cases += " \\\n        " + zsh_spec(o);
    cases += " ;;\n";
  }
  return fmt::format(R"zsh(#compdef minpair
# Zsh completion for minpair, made by `minpair completion zsh`.
_minpair_names() {{
  {}
}}

# Names that the program knows, or a file.
_minpair_offer() {{
  local -a known
  known=(${{(f)"$(_minpair_names $1)"}})
  _alternative 'known:'$1':compadd -a known' 'files:file:_files'
}}

_minpair() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
    {})
      if (( CURRENT > 2 )); then
        command+=" $words[2]"
        shift words
        (( CURRENT-- ))
      fi ;;
  esac
  case $command in
{}    *) _files ;;
  esac
}}

_minpair "$@"
)zsh",
                     kNames, names, two_words(commands), cases);
}

std::string fish_values(const Option& o) {
  if (!o.choices.empty()) return " -x -a " + quoted(fmt::format("{}", fmt::join(o.choices, " ")));
  std::string names = o.names().empty() ? "" : fmt::format(" -a '(__minpair_names {})'", o.names());
  return " -r" + names;
}

std::string fish(const Commands& commands) {
  std::string lines;
  for (const auto& [first, second] : second_words(commands))
    lines += fmt::format(
        "complete -c minpair -n __fish_use_subcommand -x -a {0}\n"
        "complete -c minpair -n '__fish_seen_subcommand_from {0}; and not "
        "__fish_seen_subcommand_from{1}' -x -a '{1}'\n",
        first, second);
  for (const Command* c : commands)
    if (c->name.find(' ') == std::string::npos)
      lines += fmt::format("complete -c minpair -n __fish_use_subcommand -x -a {} -d {}\n", c->name,
                           quoted(replaced(c->what, "'", "")));
  for (const Command* c : commands)
    for (const Option& o : c->options()) {
      lines += fmt::format("complete -c minpair -n '__fish_seen_subcommand_from {}'",
                           replaced(c->name, " ", "; and __fish_seen_subcommand_from "));
      if (o.positional()) {
        lines += replaced(fish_values(o), " -r", " -F") + "\n";
        continue;
      }
      if (!o.short_name.empty()) lines += " -s " + o.short_name.substr(1);
      if (!o.long_name.empty()) lines += " -l " + o.long_name.substr(2);
      if (!o.flag()) lines += fish_values(o);
      lines += " -d " + quoted(replaced(o.what, "'", "")) + "\n";
    }
  return R"fish(# Fish completion for minpair, made by `minpair completion fish`.
function __minpair_names
    if test $argv[1] = formats
        minpair convert --help 2>/dev/null | awk '/^Formats:/ { on = 1; next } on && /^  [a-z]/ { print $1 }'
    else
        minpair list $argv[1] 2>/dev/null | awk '/^[^ ]/ { print $1 }'
    end
end

)fish" + lines;
}

void add_completion(Cli& cli) {
  Command& app = cli.command(
      "completion", Group::program, "Print what a shell needs to complete minpair's commands",
      "  . <(minpair completion bash)\n"
      "  minpair completion zsh > ~/.zfunc/_minpair\n"
      "  minpair completion fish > ~/.config/fish/completions/minpair.fish\n");
  static std::string shell;
  app.add_option("SHELL", shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
  app.work = [&cli] {
    const Commands commands = cli.commands();
    fmt::print("{}", shell == "bash"  ? bash(commands)
                     : shell == "zsh" ? zsh(commands)
                                      : fish(commands));
  };
}

const Cli::Entry completion_command{980, add_completion};

}  // namespace
}  // namespace minpair::cli
