#include "cli/model_options.h"

#include <fmt/format.h>

#include "checkpoint/checkpoint.h"
#include "tokenizer/make.h"

namespace minpair::cli {

std::unique_ptr<tokenizer::Tokenizer> open_tokenizer(const std::string& name,
                                                     std::vector<std::string>& notes) {
  std::filesystem::path path = name;
  if (!std::filesystem::exists(path)) path = model::locate_model(name);
  if (std::filesystem::is_directory(path)) return tokenizer::load_tokenizer(path, &notes);
  return tokenizer::make_gguf_tokenizer(checkpoint::open_checkpoint(path)->metadata(), &notes);
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
