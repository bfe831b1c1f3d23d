#include "stimuli/grammar/generate.h"
#include "base/counts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "cli/cli.h"
#include "stimuli/stimuli.h"

namespace minpair::cli {
namespace {

struct GenerateCall {
  std::vector<std::string> grammars;
  std::string output = "-", format, vocabulary;
  bool count = false, raw = false;
  stimuli::GrammarOptions grammar;
  stimuli::GenerateOptions generate;
};

void say_syncretic_forms(const std::vector<stimuli::Derivations>& tests) {
  std::set<std::string> forms;
  for (const stimuli::Derivations& t : tests)
    forms.insert(t.syncretic().begin(), t.syncretic().end());
  if (forms.empty()) return;
  fmt::print(stderr, "right and wrong at once, {} left out: {}\n", counted(forms.size(), "form"),
             fmt::join(forms, ", "));
}

void say_unknown_words(const std::vector<stimuli::Derivations>& tests) {
  std::set<std::string> unknown;
  for (const stimuli::Derivations& t : tests)
    unknown.insert(t.unknown_words().begin(), t.unknown_words().end());
  if (unknown.empty()) return;
  fmt::print(stderr, "not in the vocabulary, items with it are left out: {}\n",
             fmt::join(unknown, " "));
}

std::vector<stimuli::Derivations> load(GenerateCall& a) {
  if (a.grammar.roles && (a.format == "text" || a.format == "clams"))
    throw wrong_call("--roles has no effect with --format " + a.format);
  a.grammar.vocabulary = a.vocabulary;
  a.grammar.whole |= a.generate.sample.has_value();
  if (a.raw) {
    a.grammar.capitalize = a.grammar.capitalize.value_or(false);
    a.grammar.attach = false;
  }
  if (a.format == "text") a.generate.format = stimuli::GenerateOptions::Format::text;
  if (a.format == "clams") a.generate.format = stimuli::GenerateOptions::Format::clams;
  if (a.format == "jsonl") a.generate.format = stimuli::GenerateOptions::Format::jsonl;
  std::vector<stimuli::Derivations> tests;
  for (const std::string& g : a.grammars)
    for (stimuli::Derivations& t : stimuli::load_derivations(g, a.grammar))
      tests.push_back(std::move(t));
  say_syncretic_forms(tests);
  say_unknown_words(tests);
  if (stimuli::count_of(tests) == 0) {
    if (!a.grammar.tests.empty() || !a.grammar.conditions.empty())
      throw wrong_call("no item has that --test and --condition")
          .hint("'minpair generate ... --count' shows what there is");
    throw bad_input("no item has only words of the vocabulary").at(a.vocabulary);
  }
  return tests;
}

// Beside the items, so that tables have the suite's titles and published results, and judge designs
// by what the grammars say.
void write_manifest(const GenerateCall& a) {
  if (a.output == "-" || !a.output.ends_with(".jsonl") || a.grammars.size() != 1) return;
  const std::filesystem::path from = stimuli::manifest_of_grammars(a.grammars[0]);
  const bool criteria = !stimuli::criteria_of_grammars(a.grammars[0]).empty();
  if (from.empty() && !criteria) return;
  write_file(std::filesystem::path(a.output).replace_extension(".manifest.json"),
             criteria ? suite::manifest_json(stimuli::manifest_of(suite::find_suite(a.grammars[0])))
                      : read_file(from));
}

void run(GenerateCall& a) {
  std::vector<stimuli::Derivations> tests = load(a);
  if (a.count) {
    fmt::print("{}", stimuli::count_table(tests));
    return;
  }
  stimuli::generate(tests, a.output, a.generate);
  write_manifest(a);
  if (!a.generate.sample) fmt::print(stderr, "{}", stimuli::count_table(tests));
}

void add_generate(Cli& cli) {
  auto a = std::make_shared<GenerateCall>();
  Command& app = cli.command("generate", Group::suites, "Make a suite from grammars",
                             "  minpair generate de-agreement -o de.jsonl\n"
                             "  minpair generate my.cfg --count\n"
                             "  minpair generate my.cfg --sample 1000 --seed 7\n"
                             "  minpair generate de-agreement --test simple_sentence "
                             "--format text\n");
  app.add_option("GRAMMAR", a->grammars,
                 "a .cfg or .avg file, a folder of them, or a shipped suite")
      .required();
  Option& count =
      app.add_flag("--count", a->count, "only print how many items there are, without expanding");
  app.add_option("-o,--output", a->output, "where to write; standard output when absent")
      .excludes(count);
  Option& sample = app.add_option("--sample", a->generate.sample, "N different items of each test")
                       .whole_number(1)
                       .excludes(count);
  app.add_flag("--whole", a->grammar.whole, "all items, even where the grammars ask for a sample")
      .excludes(sample);
  app.add_option("--seed", a->generate.seed, "which sample (0)")
      .whole_number(0, INT64_MAX)
      .only_with(sample);
  app.add_option("--most", a->generate.most,
                 "refuse to write more items than this; '--count' says how many there are")
      .whole_number(1, INT64_MAX)
      .shows_default()
      .excludes(count)
      .excludes(sample);
  app.add_option(
         "--format", a->format,
         "jsonl; text: one sentence per line, wrong ones with *; clams: True or False first")
      .one_of({"jsonl", "text", "clams"})
      .excludes(count);
  app.add_option("--test", a->grammar.tests, "only these tests of a folder");
  app.add_option("--condition", a->grammar.conditions, "only these conditions");
  app.add_flag("--roles", a->grammar.roles,
               "with regions: the subject and its attractors, as the grammars name them")
      .excludes(count);
  app.add_option("--depth", a->grammar.depth, "how deep the trees of a recursive grammar may be");
  app.add_option("--language", a->grammar.language, "where the grammar does not say: de, en, ...");
  Option& capitalize = app.add_flag_callback(
                              "--capitalize", [a] { a->grammar.capitalize = true; },
                              "begin sentences with a capital")
                           .excludes(count);
  Option& plain = app.add_flag_callback(
                         "--no-capitalize", [a] { a->grammar.capitalize = false; }, "do not")
                      .excludes(count)
                      .excludes(capitalize);
  app.add_flag("--raw", a->raw, "words as they are, separated by spaces")
      .excludes(count)
      .excludes(plain);
  app.add_flag_callback(
         "--period", [a] { a->grammar.period = true; }, "add a full stop at the end")
      .excludes(count);
  app.add_flag_callback(
         "--eos", [a] { a->grammar.eos = true; }, "add <eos> at the end")
      .excludes(count);
  app.add_option("--check-vocab", a->vocabulary,
                 "leave out items with words that are not in this list, one per line");
  app.work = [a] { run(*a); };
}

const Cli::Entry generate_command{10, add_generate};

}  // namespace
}  // namespace minpair::cli
