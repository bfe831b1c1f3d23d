// BibTeX for the program, and for the suites, models and methods of a results file.

#include <fmt/format.h>

#include <set>

#include "base/paths.h"
#include "cli/cli.h"
#include "method/method.h"
#include "store/store.h"

namespace minpair::cli {
namespace {

// What TeX would take for a command is written as itself.
std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '\\')
      out += "{\\textbackslash}";
    else if (c == '~' || c == '^')
      out += fmt::format("\\{}{{}}", c);
    else if (std::string_view("{}%&#_$").find(c) != std::string_view::npos)
      out += fmt::format("\\{}", c);
    else
      out += c;
  }
  return out;
}

std::string key_of(const std::string& kind, std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '-';
  return kind + "-" + name;
}

void print_entry(const std::string& key, const std::string& title, const std::string& note) {
  fmt::print("\n@misc{{{},\n  title = {{{}}},\n  note = {{{}}}\n}}\n", key, escaped(title),
             escaped(note));
}

void cite_method(const std::string& name) {
  const std::string stem = name.substr(0, name.find(':'));
  for (const method::Method* m : method::all_methods())
    if (m->name() == stem)
      print_entry(key_of("method", name), name + ": " + m->explanation(), m->citation());
}

void cite_results(const std::string& path) {
  store::Store store(path, store::Store::Mode::read);
  std::set<std::string> suites, models, methods;
  for (const store::RunRecord& run : store.runs()) {
    const suite::Manifest& manifest = run.suite.manifest;
    if (suites.insert(run.suite.fingerprint).second)
      print_entry(key_of("suite", run.suite.name),
                  manifest.title.empty() ? run.suite.name : manifest.title,
                  fmt::format("{}Test suite, fingerprint {}",
                              manifest.citation.empty() ? "" : manifest.citation + " ",
                              run.suite.fingerprint));
    if (models.insert(run.model.fingerprint).second)
      print_entry(key_of("model", run.model.name), run.model.name,
                  "Language model, fingerprint of its weights " + run.model.fingerprint);
    if (methods.insert(run.method).second) cite_method(run.method);
  }
}

void add_cite(Cli& cli) {
  Command& app = cli.command(
      "cite", Group::program,
      "What to cite, as BibTeX: minpair, and the suites, models and methods of a results file",
      "  minpair cite\n  minpair cite results.db > minpair.bib\n");
  static std::string results;
  app.add_option("RESULTS", results, "a results file").existing_file();
  app.work = [] {
    fmt::print(
        "@software{{minpair,\n  author = {{{{The minpair contributors}}}},\n"
        "  title = {{minpair: minimal pairs, scored with language models}},\n"
        "  version = {{{}}},\n  year = {{2026}}\n}}\n",
        version());
    if (!results.empty()) cite_results(results);
  };
}

const Cli::Entry cite_command{125, add_cite};

}  // namespace
}  // namespace minpair::cli
