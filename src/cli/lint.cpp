#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/counts.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "cli/known_words.h"
#include "cli/model_options.h"
#include "command/shared.h"
#include "method/method.h"
#include "stimuli/stimuli.h"
#include "suite/filter.h"
#include "suite/lint.h"
#include "tokenizer/tokenizer.h"

namespace minpair::cli {
namespace {

struct LintCall {
  std::string suite, format = "text", fix, tokenizer, vocabulary, columns, where;
  std::string paradigms, hunspell;
};

suite::Segmenter tokenizer_segmenter(const std::string& model) {
  std::vector<std::string> notes;
  std::shared_ptr<tokenizer::Tokenizer> tokenizer = open_tokenizer(model, notes);
  return [tokenizer](std::string_view text, std::vector<suite::LintPiece>& pieces) {
    for (const tokenizer::Token& token : tokenizer->encode(text, false).tokens)
      if (!token.special || token.id == tokenizer->special().unk)
        pieces.push_back({token.span, token.id == tokenizer->special().unk});
  };
}

suite::Segmenter chosen_segmenter(const LintCall& call) {
  if (!call.tokenizer.empty() && !call.vocabulary.empty())
    throw wrong_call("give --tokenizer or --vocab, not both");
  if (!call.tokenizer.empty()) return tokenizer_segmenter(call.tokenizer);
  if (!call.vocabulary.empty()) return suite::vocabulary_segmenter(call.vocabulary);
  return {};
}

void print_fixes(const std::map<std::string, uint64_t>& fixes, const suite::SuiteWriter& out,
                 const std::string& path) {
  for (const auto& [what, n] : fixes) fmt::print(stderr, "{}: {}\n", what, count_text(n));
  fmt::print(stderr, "{} written to {}\n", counted(out.count(), "item"), path);
}

// True when there are some.
bool print_unknown(const std::map<std::string, std::string>& unknown, const std::string& where) {
  if (unknown.empty()) return false;
  fmt::print("\nerror: {} not in {}\n", counted(unknown.size(), "word is", "words are"), where);
  for (const auto& [word, item] : unknown)
    fmt::print("    {}{}\n", word, item.empty() ? "" : ": " + item);
  return true;
}

void lint(const LintCall& call) {
  suite::Suite suite = suite::find_suite(call.suite, call.columns);
  suite.manifest = stimuli::manifest_of(suite);
  method::check_manifest(suite.manifest, suite.manifest_file.string());
  auto items = stimuli::open_items(suite);
  command::say_read_as(suite, *items);
  suite::Linter linter(chosen_segmenter(call), suite.manifest.criteria);
  std::optional<suite::SuiteWriter> out;
  if (!call.fix.empty()) out.emplace(call.fix);
  std::map<std::string, uint64_t> fixes;
  Progress progress("linting", 0);
  uint64_t seen = 0;
  WordsOfSuite words;
  suite::Filter filter(call.where);
  for (suite::Item item; items->next(item);) {
    if (++seen % 1024 == 0) progress.set(seen);
    if (!filter.holds(item)) continue;
    if (!call.paradigms.empty() || !call.hunspell.empty()) words.add(item);
    bool first_time = linter.add(item);
    if (!out) continue;
    if (!first_time) {
      ++fixes["duplicates left out"];
      continue;
    }
    for (const std::string& what : suite::fix_item(item)) ++fixes[what];
    out->write(item);
  }
  if (seen > 0) filter.check();
  suite::LintReport report = linter.finish();
  fmt::print("{}", call.format == "json" ? suite::lint_json(report, call.suite)
                                         : suite::lint_text(report, call.suite));
  bool unknown =
      !call.paradigms.empty() && print_unknown(words.unknown_in(call.paradigms), call.paradigms);
  if (!call.hunspell.empty())
    unknown |= print_unknown(words.unknown_to_hunspell(call.hunspell),
                             "hunspell's dictionary " + call.hunspell);
  std::fflush(stdout);
  if (out) {
    out->commit();
    print_fixes(fixes, *out, call.fix);
  }
  if (report.items_with_errors > 0)
    throw bad_input(fmt::format("{} of {} {} errors", count_text(report.items_with_errors),
                                counted(report.items, "item"),
                                plural(report.items_with_errors, "has", "have")));
  if (unknown) throw bad_input("there are unknown words");
}

void add_lint(Cli& cli) {
  Command& app = cli.command(
      "lint", Group::suites, "Find duplicates, broken loci, label clashes and more in a suite",
      "  minpair lint gevalm.jsonl\n"
      "  minpair lint de_evalset --format json\n"
      "  minpair lint suite.jsonl --fix mended.jsonl\n"
      "  minpair lint suite.jsonl --tokenizer bert-base-multilingual-cased\n"
      "\nExit status: 1 if there are errors, else 0, whatever the warnings and notes.\n");
  static LintCall call;
  app.add_option("SUITE", call.suite, "a suite, a file or folder in any format, or a shipped suite")
      .required();
  command::add_columns(app, call.columns);
  command::add_where(app, call.where);
  app.add_option("--format", call.format, "text or json").one_of({"text", "json"});
  app.add_option("--fix", call.fix,
                 "write a corrected copy; only what has one right answer is corrected");
  app.add_option("--tokenizer", call.tokenizer,
                 "a model, or a tokenizer's folder: report loci that are not single tokens");
  app.add_option("--vocab", call.vocabulary, "the same for a list of words, one per line");
  app.add_option("--paradigms", call.paradigms,
                 "a table of lemma, form and features: report words that are no form in it")
      .existing_file();
  app.add_option(
      "--hunspell", call.hunspell,
      "a dictionary that hunspell has, such as nl_NL: report words that it does not know");
  app.work = [] { lint(call); };
}

const Cli::Entry lint_command{40, add_lint};

}  // namespace
}  // namespace minpair::cli
