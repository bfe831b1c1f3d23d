#include <fmt/format.h>

#include "base/counts.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "cli/model_options.h"
#include "introspect/states_file.h"

namespace minpair::cli {
namespace {

struct Options {
  std::string model, texts, layers = "all", output;
  model::LoadOptions load;
  bool quiet = false;
};

void write(const Options& o) {
  std::unique_ptr<query::Model> model = load_and_say(o.model, o.load, o.quiet);
  Progress progress("texts", 0, o.quiet);
  introspect::StatesDone done =
      introspect::write_states(*model, o.texts, introspect::find_layers(o.layers, model->info()),
                               o.output, [&](uint64_t texts, uint64_t) { progress.set(texts); });
  if (!o.quiet)
    fmt::print(stderr, "{}, {}\n", counted(done.texts, "text"), counted(done.tokens, "token"));
}

void add_states(Cli& cli) {
  auto o = std::make_shared<Options>();
  Command& app = cli.command(
      "states", Group::inside,
      "The output of a model's layers for every token of texts, as a safetensors file",
      "  minpair states -m DIR texts.txt -o states.safetensors\n"
      "  minpair states -m DIR texts.txt --layers 0,2,4 -o states.safetensors\n"
      "\nA text is a line. Tensor \"text.3.layer.2\" is the output of layer 2 for line 3, tokens "
      "by\n"
      "width; layer 0 is the embeddings. The metadata name the model, and \"text.3\" has the\n"
      "text, its token ids and pieces as JSON.\n");
  app.add_option("TEXTS", o->texts, "a file, one text per line; '-' is standard input").required();
  app.add_option("-m,--model", o->model, kModelHelp).required();
  app.add_option("-o,--output", o->output, "the safetensors file").required();
  app.add_option("--layers", o->layers, "which ones, comma-separated; 0 is the embeddings; or all")
      .shows_default();
  add_load_options(app, o->load);
  app.add_flag("-q,--quiet", o->quiet, "no notes, no progress");
  app.work = [o] { write(*o); };
}

const Cli::Entry states_command{76, add_states};

}  // namespace
}  // namespace minpair::cli
