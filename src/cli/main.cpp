#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <map>
#include <new>

#include "base/error.h"
#include "base/paths.h"
#include "base/streams.h"
#include "base/text.h"
#include "cli/cli.h"

namespace minpair::cli {

namespace {

// Filled by each command's file before main() runs.
std::multimap<int, void (*)(Cli&)>& commands() {
  static std::multimap<int, void (*)(Cli&)> all;
  return all;
}

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* o : app.get_options())
    for (const std::string& n : o->get_lnames()) names.push_back("--" + n);
  return names;
}

// The subcommand that the words name, or the program itself.
const CLI::App& chosen(const CLI::App& app, int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (argv[i][0] != '-') {
      for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
        if (sub->get_name() == argv[i]) return *sub;
      return app;
    }
  return app;
}

int wrong_usage(const CLI::App& app, const CLI::ParseError& e, int argc, char** argv) {
  const CLI::App& sub = chosen(app, argc, argv);
  std::string full = &sub == &app ? "minpair" : "minpair " + sub.get_name();
  std::string guess, message = e.what();
  if (&sub == &app && argc > 1 && argv[1][0] != '-') {
    message = fmt::format("there is no command '{}'", argv[1]);
    guess = closest(argv[1], names_of(app));
  } else {
    for (int i = 1; i < argc; ++i) {
      std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
      std::vector<std::string> known = options_of(sub);
      if (word.starts_with("--") && std::find(known.begin(), known.end(), word) == known.end()) {
        message = fmt::format("there is no option '{}'", word);
        guess = closest(word, known);
        break;
      }
    }
  }
  fmt::print(stderr, "{}: {}\n", full, message);
  if (!guess.empty()) fmt::print(stderr, "  did you mean '{}'?\n", guess);
  fmt::print(stderr, "  '{} --help' shows what there is\n", full);
  return 2;
}

int run(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_DFL);
  CLI::App app("minpair tells what grammar a language model knows.", "minpair");
  app.set_version_flag("--version", about);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  Cli cli(app);
  for (const auto& [place, add] : commands()) add(cli);
  if (argc == 1) {
    fmt::print("{}", app.help());
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return wrong_usage(app, e, argc, argv);
  }
  return 0;
}

}  // namespace

Cli::Command::Command(int place, void (*add)(Cli&)) { commands().emplace(place, add); }

CLI::App& Cli::command(const std::string& name, const std::string& what,
                       const std::string& examples) {
  CLI::App* sub = app_.add_subcommand(name, what);
  sub->footer(examples.empty() ? "" : "\nExamples:\n" + examples);
  return *sub;
}

void Cli::on_run(CLI::App& command, std::function<void()> run) { command.callback(std::move(run)); }

}  // namespace minpair::cli

int main(int argc, char** argv) {
  minpair::guard_standard_streams();
  try {
    int status = minpair::cli::run(argc, argv);
    minpair::finish_standard_output();
    return status;
  } catch (const minpair::Error& e) {
    fmt::print(stderr, "minpair: {}\n", e.what());
    return e.exit_status();
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "minpair: out of memory\n");
    return 1;
  } catch (const std::exception& e) {
    // fmt does not say which file it could not write.
    fmt::print(stderr, "minpair: {}{}\n", std::ferror(stdout) ? "standard output: " : "", e.what());
    return 1;
  }
}
