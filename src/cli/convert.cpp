#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/counts.h"
#include "base/error.h"
#include "base/file.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "command/shared.h"
#include "engine/released.h"
#include "papers/papers.h"
#include "stimuli/stimuli.h"
#include "suite/convert.h"

namespace minpair::cli {
namespace {

struct ConvertCall {
  std::string in, out, from, to, language, model, columns;
  suite::Preparation preparation;
  bool quiet = false;
};

// A suite is what a name without a format means: a .jsonl file or standard output.
const suite::Format& target_format(const ConvertCall& call) {
  if (!call.to.empty()) return suite::find_format(call.to);
  if (call.out == "-" || std::filesystem::path(call.out).extension() == ".jsonl")
    return suite::find_format("suite");
  throw wrong_call(fmt::format("in which format should '{}' be written?", call.out))
      .hint("name it with --to, or let the name end in .jsonl for a suite, .db for results");
}

void print_account(const suite::Converted& done, const suite::Format& to) {
  size_t width = 4;
  for (const auto& cell : done.cells) width = std::max(width, cell.test.size());
  for (const auto& cell : done.cells)
    fmt::print(stderr, "{:<{}}  {:<12}  {:>9}\n", cell.test, width, cell.condition,
               count_text(cell.items));
  fmt::print(stderr, "{} written\n", counted(done.written, "item"));
  for (const auto& [reason, n] : done.left_out)
    fmt::print(stderr, "{} left out, '{}' cannot hold {}: {}\n", counted(n, "item"), to.name,
               plural(n, "it", "them"), reason);
  for (const auto& [reason, n] : done.no_items)
    fmt::print(stderr, "{}: {}\n", counted(n, "line is not an item", "lines are not items"),
               reason);
  if (to.holds != "everything" && done.written > 0)
    fmt::print(stderr, "note: '{}' holds {}\n", to.name, to.holds);
}

engine::Released store_scores(const ConvertCall& call, const suite::Format& from) {
  auto items = from.read(call.in, {call.language});
  store::Store store(call.out, store::Store::Mode::write);
  return engine::store_released(store, *items, from.name, engine::published_manifest(from.name),
                                call.model);
}

// Released scores into a results file. Where there were none, no new file stays behind.
void convert_scores(const ConvertCall& call, const suite::Format& from) {
  const bool is_new = !std::filesystem::exists(call.out);
  engine::Released done;
  try {
    done = store_scores(call, from);
  } catch (...) {
    std::error_code ignored;
    if (is_new) std::filesystem::remove(call.out, ignored);
    throw;
  }
  if (call.quiet) return;
  for (const auto& [model, n] : done.items)
    fmt::print(stderr, "{} of {}\n", counted(n, "scored item"), model);
  for (const auto& [reason, n] : done.no_items)
    fmt::print(stderr, "{}: {}\n", counted(n, "line is not an item", "lines are not items"),
               reason);
}

// A paper of 'minpair papers' whose files have scores or judgments; nothing when it is none.
std::optional<papers::Paper> paper_with_scores(const std::string& name) {
  for (papers::Paper& paper : papers::all_papers()) {
    if (paper.name != name) continue;
    if (!paper.released.empty()) return std::move(paper);
    if (std::ranges::find(suite::all_formats(), name, &suite::Format::name) ==
        suite::all_formats().end())
      throw wrong_call(fmt::format("the files of '{}' have no scores of single items{}{}", name,
                                   paper.no_items.empty() ? "" : ": ", paper.no_items))
          .hint(fmt::format("minpair reproduce {} computes its numbers from them", name));
  }
  return std::nullopt;
}

void convert_paper(const ConvertCall& call, const papers::Paper& paper) {
  if (!std::filesystem::is_directory(call.in))
    throw bad_input(fmt::format("the files of '{}' are a folder", paper.name))
        .at(call.in)
        .hint(fmt::format("get {}", paper.source));
  papers::Stored done = papers::store_released(call.out, paper, call.in);
  if (call.quiet) return;
  for (const auto& [model, n] : done.items)
    fmt::print(stderr, "{} of {}\n", counted(n, "scored item"), model);
  if (done.judgments > 0) fmt::print(stderr, "{} of people\n", counted(done.judgments, "judgment"));
  if (done.left_out > 0)
    fmt::print(stderr, "{} not stored\n",
               counted(done.left_out, "item is not a minimal set and is",
                       "items are not minimal sets and are"));
  for (const std::string& note : done.notes) fmt::print(stderr, "note: {}\n", note);
}

// `format` gets the name of what is read; "" for grammars. `manifest` what is said of the items.
std::unique_ptr<suite::ItemStream> open_source(const ConvertCall& call, std::string& format,
                                               suite::Manifest& manifest) {
  if (!call.from.empty()) {
    format = call.from;
    const suite::Format& from = suite::find_format(call.from);
    if (from.manifest) manifest = from.manifest(call.in);
    return from.read(call.in, {call.language, call.columns});
  }
  suite::Suite suite = suite::find_suite(call.in, call.columns);
  manifest = stimuli::manifest_of(suite);
  if (!stimuli::from_grammars(suite))
    format = call.columns.empty() ? suite::recognise_format(suite.path).name : "pairs";
  stimuli::GrammarOptions options;
  options.language = call.language;
  auto items = stimuli::open_items(suite, options);
  if (!call.quiet) command::say_read_as(suite, *items);
  return items;
}

// What the paper printed goes along with its items, so that reports can show it; and criteria,
// without which nobody could judge them.
void write_manifest_beside(const ConvertCall& call, const std::string& from,
                           const suite::Manifest& own, const suite::Format& to) {
  std::filesystem::path out = call.out, manifest = out;
  manifest.replace_extension(".manifest.json");
  suite::Manifest published = engine::published_manifest(from);
  bool criteria = !own.criteria.empty();
  if (to.name != "suite" || out.extension() != ".jsonl" ||
      (published.results.empty() && !criteria) || std::filesystem::exists(manifest))
    return;
  write_file(manifest, suite::manifest_json(criteria ? own : published));
  if (!call.quiet)
    fmt::print(stderr, "the {} in {}\n", criteria ? "criteria are" : "published results are",
               manifest.string());
}

void convert(ConvertCall& call) {
  if (!call.columns.empty() && !call.from.empty() && call.from != "pairs")
    throw wrong_call(
        fmt::format("--columns is for lists, and '{}' has columns of its own", call.from));
  const bool results = std::filesystem::path(call.out).extension() == ".db";
  if (!results && !call.model.empty())
    throw wrong_call("--model has no effect without an OUT that ends in .db");
  if (results && !call.from.empty())
    if (auto paper = paper_with_scores(call.from)) return convert_paper(call, *paper);
  if (results)
    return convert_scores(
        call, call.from.empty() ? suite::recognise_format(call.in) : suite::find_format(call.from));
  const suite::Format& to = target_format(call);
  if (!to.write) throw wrong_call(fmt::format("minpair reads '{}' but does not write it", to.name));
  std::string from;
  suite::Manifest manifest;
  auto items = open_source(call, from, manifest);
  auto writer = to.write(call.out);
  writer->describe(manifest);
  Progress progress("converting", 0, call.quiet);
  suite::Converted done = suite::convert_items(
      *items, *writer, [&](uint64_t n) { progress.set(n); }, call.preparation);
  if (done.written == 0 && !done.left_out.empty()) {
    if (!call.quiet) print_account(done, to);
    throw bad_input(fmt::format("'{}' can hold none of these items; nothing was written", to.name));
  }
  writer->commit();
  write_manifest_beside(call, from, manifest, to);
  if (call.quiet) return;
  print_account(done, to);
  const suite::Preparation& p = call.preparation;
  if ((p.capitalize || p.lower_first || p.period) && done.prepared == 0)
    fmt::print(stderr, "note: that changed no sentence: they are like this already\n");
}

std::string format_list() {
  std::string text = "\nFormats:\n";
  for (const suite::Format& f : suite::all_formats())
    text += fmt::format("  {:<20} {}{}\n", f.name, f.description, f.write ? "" : " (only read)");
  return text;
}

void add_convert(Cli& cli) {
  Command& app =
      cli.command("convert", Group::suites, "Convert minimal pairs from any format to any other",
                  "  minpair convert gevalm/input gevalm.jsonl\n"
                  "  minpair convert --from clams de_evalset clams-de.jsonl\n"
                  "  minpair convert clams-de.jsonl capitals.jsonl --capitalize\n"
                  "  minpair convert list.xlsx list.jsonl\n"
                  "  minpair convert list.csv list.jsonl --columns good=Satz,bad=Falsch\n"
                  "  minpair convert gevalm.jsonl --to blimp out/\n"
                  "  minpair convert number_prep.json number_prep.jsonl\n"
                  "  minpair convert number_prep.jsonl --to syntaxgym back.json\n"
                  "  minpair convert gevalm/output published.db\n" +
                      format_list());
  static ConvertCall call;
  app.add_option("IN", call.in, "a file or a folder; '-' is a suite on standard input").required();
  app.add_option("OUT", call.out, "a file or a folder; '-' is standard output").required();
  app.add_option("--from", call.from,
                 "format of IN, or for .db a paper of 'minpair papers'; recognised when absent");
  app.add_option("--to", call.to, "format of OUT; a suite when it ends in .jsonl");
  command::add_columns(app, call.columns);
  app.add_option("--language", call.language, "language of all items, as in BCP 47: de, pt-BR");
  app.add_option("--model", call.model, "for .db: whose released scores these are");
  Option& capitalize =
      app.add_flag("--capitalize", call.preparation.capitalize, "begin sentences with a capital");
  app.add_flag("--lower-first", call.preparation.lower_first, "begin them without one")
      .excludes(capitalize);
  app.add_flag("--period", call.preparation.period, "end them with a full stop");
  app.add_flag("--quiet", call.quiet, "no summary on standard error");
  app.work = [] { convert(call); };
}

const Cli::Entry convert_command{30, add_convert};

}  // namespace
}  // namespace minpair::cli
