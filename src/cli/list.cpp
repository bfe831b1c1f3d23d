#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/error.h"
#include "base/paths.h"
#include "cli/cli.h"
#include "method/method.h"
#include "suite/suite.h"

namespace minpair {
namespace {

void list_methods() {
  size_t width = 0;
  for (const Method* m : all_methods()) width = std::max(width, m->name().size());
  for (const Method* m : all_methods())
    fmt::print("{:<{}}  {}\n{:<{}}  {}\n", m->name(), width, m->explanation(), "", width,
               m->citation());
}

void list_suites() {
  for (const Suite& s : shipped_suites())
    fmt::print("{:<24}  {}\n", s.manifest.name, s.manifest.title);
}

void list_models() {
  for (const std::filesystem::path& folder : shipped_folders("models")) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.is_directory()) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) fmt::print("{}\n", name);
    if (!names.empty()) return;
  }
}

void add_list(Cli& cli) {
  CLI::App& app = cli.command("list", "What ships with minpair: suites, models, methods",
                              "  minpair list methods\n");
  static std::string what;
  app.add_option("WHAT", what, "suites, models or methods")
      ->required()
      ->check(CLI::IsMember({"suites", "models", "methods"}));
  cli.on_run(app, [] {
    if (what == "methods") list_methods();
    if (what == "suites") list_suites();
    if (what == "models") list_models();
  });
}

const Cli::Command list_command{120, add_list};

}  // namespace
}  // namespace minpair
