#include "engine/surprisal.h"
#include "base/counts.h"

#include <fmt/format.h>

#include "base/progress.h"
#include "cli/cli.h"
#include "cli/model_options.h"

namespace minpair::cli {
namespace {

struct Options {
  std::string model, file, output = "-", unit = "bits";
  model::LoadOptions load;
  engine::SurprisalFile how;
  bool quiet = false;
};

void run(Options& o) {
  std::unique_ptr<query::Model> model = load_and_say(o.model, o.load, o.quiet);
  o.how.bits = o.unit == "bits";
  Progress progress("words", 0, o.quiet);
  engine::SurprisalDone done = engine::surprisal_of_file(
      *model, o.file, o.output, o.how, [&](uint64_t words) { progress.set(words); });
  if (o.quiet) return;
  std::string line =
      fmt::format("{} of {}", counted(done.words, "word"), counted(done.texts, "text"));
  if (done.resumed > 0)
    line += fmt::format("; {} answered before the interruption",
                        counted(done.resumed, "query was", "queries were"));
  if (done.unknown > 0)
    line += fmt::format("; {} unknown to the vocabulary", count_text(done.unknown));
  if (done.unscored > 0) line += fmt::format("; {} without a score", count_text(done.unscored));
  fmt::print(stderr, "{}\n", line);
}

void add_surprisal(Cli& cli) {
  auto o = std::make_shared<Options>();
  Command& app = cli.command(
      "surprisal", Group::scoring, "How surprising every word of a text is, one row per word",
      "  minpair surprisal -m model.gguf story.txt -o words.csv\n"
      "  minpair surprisal -m DIR items.csv --column sentence -o words.csv\n"
      "  minpair surprisal -m DIR story.txt --entropy --rank --unit nats --format jsonl\n"
      "\nColumns: text (line or row, from 1), position (of the word in it), word, pieces,\n"
      "surprisal (sum of its pieces), corrected (of the whole word, with another one after it),\n"
      "entropy and rank (where asked for), length (characters), unknown (1: not in the\n"
      "vocabulary). Other columns of a table come first. A cell is empty where nothing is known.\n"
      "An interrupted call with -o resumes where it stopped.\n");
  app.add_option("FILE", o->file,
                 "plain text, or a table (.csv, .tsv, .jsonl); '-' is standard input")
      .required();
  app.add_option("-m,--model", o->model, kModelHelp).required();
  app.add_option("-o,--output", o->output, "the words, as its name ends: .csv, .tsv or .jsonl")
      .shows_default();
  app.add_option("--column", o->how.column, "in a table: the column (or key) with the texts");
  app.add_option("--format", o->how.format, "csv, tsv or jsonl, whatever the name")
      .one_of({"csv", "tsv", "jsonl"});
  app.add_option("--unit", o->unit, "bits or nats").one_of({"bits", "nats"}).shows_default();
  app.add_flag("--entropy", o->how.options.entropy,
               "entropy of the next token, before the word is read");
  app.add_flag("--rank", o->how.options.rank, "the rank of its first piece among all, from 1");
  app.add_flag("--by-line", o->how.options.by_line,
               "every line is a text of its own, as the rows of a table always are");
  app.add_option("--overlap", o->how.options.overlap,
                 "tokens of context a window keeps (default: half a window)");
  app.add_option("--method", o->how.options.method,
                 "for masked models: pll, pll-word-l2r (default) or pll-whole-word");
  add_load_options(app, o->load);
  app.add_flag("-q,--quiet", o->quiet, "no notes, no progress");
  app.work = [o] { run(*o); };
}

const Cli::Entry surprisal_command{74, add_surprisal};

}  // namespace
}  // namespace minpair::cli
