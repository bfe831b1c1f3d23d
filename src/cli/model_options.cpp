#include "cli/model_options.h"

#include <fmt/format.h>

namespace minpair::cli {

void add_load_options(Arguments& app, model::LoadOptions& load) {
  app.add_option("--vocab", load.vocabulary,
                 "the vocabulary of a recurrent model in a file, one word per line");
  app.add_option("--start", load.start,
                 "causal and recurrent models: the token before the first one; 'none': the first "
                 "is not scored; 'auto': the model's own");
  app.add_option("--end", load.end,
                 "the token that is scored after the last one, 'none', or 'auto'");
  app.add_option("--as", load.as,
                 "a checkpoint that was trained as both (GPT-BERT): read as a 'masked' or as a "
                 "'causal' model, or 'auto', as its files say");
  app.add_option("--threads", load.threads, "threads for the model; 0: all").whole_number(0, 1024);
  app.add_option("--precision", load.precision,
                 "arithmetic of matrix products: fp32, fast (fp32 in two bf16 parts; quantised "
                 "weights: times 16-bit integers), bf16, or auto: fast for quantised weights and "
                 "where the processor has a matrix unit, else fp32. Only fp32, and fast for "
                 "quantised weights, give the same bytes on every machine")
      .shows_default();
}

void say_notes(const query::Model& model, const std::string& before) {
  if (!model.info().matrix_unit.empty()) fmt::print(stderr, "{}\n", model.info().matrix_unit);
  for (const std::string& note : model.info().notes) fmt::print(stderr, "{}: {}\n", before, note);
}

std::unique_ptr<query::Model> load_and_say(const std::string& name, const model::LoadOptions& load,
                                           bool quiet) {
  std::unique_ptr<query::Model> model = model::load_model(name, load);
  if (!quiet) say_notes(*model);
  return model;
}

}  // namespace minpair::cli
