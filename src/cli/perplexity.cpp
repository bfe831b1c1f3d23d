#include <fmt/format.h>

#include "base/counts.h"
#include "base/error.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "cli/model_options.h"
#include "engine/perplexity.h"

namespace minpair::cli {
namespace {

struct Options {
  std::string model, file;
  model::LoadOptions load;
  engine::PerplexityOptions perplexity;
  bool as_json = false, quiet = false;
};

void run(const Options& o) {
  std::unique_ptr<query::Model> model = load_and_say(o.model, o.load, o.quiet);
  Progress progress("tokens", 0, o.quiet);
  engine::Perplexity p = engine::perplexity(*model, o.file, o.perplexity,
                                            [&](uint64_t tokens) { progress.set(tokens); });
  if (p.scored == 0) throw bad_input("there is nothing to score").at(o.file);
  if (o.as_json) {
    fmt::print(
        "{{\"lines\":{},\"words\":{},\"tokens\":{},\"unknown\":{},\"log_probability\":{},"
        "\"perplexity_token\":{},\"perplexity_word\":{},\"precision\":\"{}\"}}\n",
        p.lines, p.words, p.scored, p.unknown, p.log_probability, p.per_token(), p.per_word(),
        model->info().precision);
    return;
  }
  fmt::print("per token  {:>12.3f}   {}\n", p.per_token(), counted(p.scored, "token"));
  fmt::print("per word   {:>12.3f}   {} (ends of sentences included where the model scores them)\n",
             p.per_word(), counted(p.words, "word"));
  fmt::print("unknown    {:>12}   {}\n", count_text(p.unknown), counted(p.lines, "line"));
}

void add_perplexity(Cli& cli) {
  auto o = std::make_shared<Options>();
  Command& app = cli.command(
      "perplexity", Group::scoring, "How well a causal, recurrent or n-gram model predicts a text",
      "  minpair perplexity -m model.gguf corpus.txt\n"
      "  minpair perplexity -m lstm.pt --vocab vocab.txt corpus.txt --by-line\n");
  app.add_option("file", o->file, "plain text, one sentence per line; '-' is standard input")
      .required();
  app.add_option("-m,--model", o->model, kModelHelp).required();
  app.add_option("--overlap", o->perplexity.overlap,
                 "tokens of context a window keeps (default: half a window)");
  app.add_flag("--by-line", o->perplexity.by_line, "every line is a text of its own");
  add_load_options(app, o->load);
  app.add_flag("--json", o->as_json, "print JSON");
  app.add_flag("-q,--quiet", o->quiet, "no notes, no progress");
  app.work = [o] { run(*o); };
}

const Cli::Entry perplexity_command{75, add_perplexity};

}  // namespace
}  // namespace minpair::cli
