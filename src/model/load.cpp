#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/paths.h"
#include "base/text.h"
#include "hub/hub.h"
#include "model/causal.h"
#include "model/masked.h"
#include "model/source.h"

namespace minpair::model {

namespace fs = std::filesystem;

namespace {

template <MakeEncoder make>
std::unique_ptr<query::Model> masked(const Source& source) {
  return std::make_unique<MaskedModel>(source, make);
}

template <MakeDecoder make>
std::unique_ptr<query::Model> causal(const Source& source) {
  return std::make_unique<CausalModel>(source, make);
}

}  // namespace

// A new architecture is one new file and one line here.
const std::vector<Architecture>& architectures() {
  static const std::vector<Architecture> all{
      {"bert", masked<make_bert>},
      {"distilbert", masked<make_distilbert>},
      {"roberta", masked<make_roberta>},
      {"xlm-roberta", masked<make_roberta>},
      {"camembert", masked<make_roberta>},
      {"electra", masked<make_electra>},
      {"albert", masked<make_albert>},
      {"modernbert", masked<make_modernbert>},
      {"gpt2", causal<make_gpt2>},
      {"gpt_neox", causal<make_gpt_neox>},
      {"llama", causal<make_llama>},
      {"mistral", causal<make_llama>},
      {"qwen2", causal<make_llama>},
      {"qwen3", causal<make_llama>},
      {"gemma", causal<make_llama>},
      {"gemma2", causal<make_llama>},
      {"gemma3_text", causal<make_llama>},
      {"lstm", load_recurrent},
      {"gru", load_recurrent},
      {"rnn", load_recurrent},
  };
  return all;
}

namespace {

std::string known_types() {
  std::vector<std::string> names;
  for (const Architecture& a : architectures()) names.push_back(a.model_type);
  return "known are " + join(names, ", ");
}

// Configurations of 2019 have no model_type: the class that saved the weights, or their names,
// tell.
std::string guess_type(const Config& config, const fs::path& directory) {
  std::string type = config.text("model_type", "");
  if (!type.empty()) return type;
  std::vector<std::string> classes = config.texts("architectures");
  std::string first = classes.empty() ? "" : lower(classes.front());
  std::unique_ptr<checkpoint::Checkpoint> checkpoint = checkpoint::open_checkpoint(directory);
  for (const Architecture& a : architectures()) {
    std::string plain = a.model_type;
    std::erase(plain, '-');
    if (first.starts_with(plain)) return a.model_type;
    for (const checkpoint::TensorView& tensor : checkpoint->tensors())
      if (tensor.name.starts_with(plain + ".")) return a.model_type;
  }
  throw bad_input("config.json does not say which architecture this is")
      .at(config.file().string())
      .hint("add \"model_type\"; " + known_types());
}

std::unique_ptr<query::Model> load_directory(const fs::path& directory, const std::string& name,
                                             const LoadOptions& options) {
  if (!fs::exists(directory / "config.json"))
    throw bad_input("there is no config.json here")
        .at(directory.string())
        .hint("-m takes a Hugging Face model directory, with config.json, weights and tokenizer");
  Config config(directory / "config.json");
  std::string type = guess_type(config, directory);
  for (const Architecture& a : architectures())
    if (type == a.model_type) return a.make({directory, name, type, options});
  throw bad_input(fmt::format("the architecture '{}' is not supported", type))
      .at(config.file().string())
      .hint(known_types());
}

}  // namespace

nn::Runtime runtime_for(const LoadOptions& options, query::ModelInfo& info) {
  nn::Arithmetic arithmetic = nn::choose_arithmetic(options.precision);
  info.precision = arithmetic.precision;
  info.matrix_unit = arithmetic.note;
  return nn::Runtime(options.threads, std::nullopt, std::move(arithmetic));
}

fs::path locate_model(const std::string& name_or_path) {
  if (fs::exists(name_or_path)) return name_or_path;
  fs::path shipped = find_shipped("models", name_or_path);
  if (!shipped.empty()) return shipped;
  fs::path cached = hub::locate(name_or_path);
  if (!cached.empty()) return cached;
  std::vector<std::string> names;
  for (const fs::path& folder : shipped_folders("models"))
    if (fs::is_directory(folder))
      for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
  std::string guess = closest(name_or_path, names);
  throw bad_input(fmt::format("there is no model '{}'", name_or_path))
      .hint(guess.empty() ? "-m takes a directory, a Hugging Face id that was pulled, or the name "
                            "of a shipped model; 'minpair list models' shows them"
                          : fmt::format("did you mean '{}'?", guess));
}

namespace {

std::unique_ptr<query::Model> load(const fs::path& path, const std::string& name,
                                   const LoadOptions& options) {
  if (path.extension() == ".gguf") return load_gguf({path, name, "", options});
  if (path.extension() == ".arpa") return load_ngram({path, name, "", options});
  if (!fs::is_directory(path)) return load_recurrent({path, name, "", options});
  return load_directory(path, name, options);
}

}  // namespace

std::unique_ptr<query::Model> load_model(const std::string& name_or_path,
                                         const LoadOptions& options) {
  std::unique_ptr<query::Model> model = load(locate_model(name_or_path), name_or_path, options);
  if (model->info().kind == query::ModelInfo::Kind::masked &&
      (options.start != "auto" || options.end != "auto"))
    throw wrong_call("--start and --end are for models that read from left to right")
        .hint("a masked model puts its own tokens around a sentence");
  return model;
}

}  // namespace minpair::model
