#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/folder.h"
#include "base/inputs.h"
#include "base/paths.h"
#include "base/text.h"
#include "hub/hub.h"
#include "model/architectures.h"
#include "model/causal.h"
#include "model/masked.h"
#include "model/weights.h"

namespace minpair::model {

namespace fs = std::filesystem;

// A new architecture is one new file, which defines NAME_family(), and its name here.
#define MINPAIR_ARCHITECTURES(X) \
  X(bert)                        \
  X(xlm)                         \
  X(deberta)                     \
  X(ltg_bert)                    \
  X(gpt_bert)                    \
  X(gpt_bert_causal)             \
  X(modernbert)                  \
  X(eurobert)                    \
  X(t5)                          \
  X(bart)                        \
  X(gpt)                         \
  X(llama) X(modernbert_decoder) X(mamba) X(rwkv) X(rwkv7) X(xlstm) X(recurrent)

#define MINPAIR_DECLARE(name) Family name##_family();
#define MINPAIR_CALL(name) name##_family(),
MINPAIR_ARCHITECTURES(MINPAIR_DECLARE)

const std::vector<Family>& families() {
  static const std::vector<Family> all{MINPAIR_ARCHITECTURES(MINPAIR_CALL)};
  return all;
}

bool reads_directories(const Family& family, const ModelType& type) {
  return std::ranges::none_of(
      family.gguf, [&](const Gguf& gguf) { return gguf.only && gguf.model_type == type.type; });
}

namespace {

using Kind = query::ModelInfo::Kind;

Kind kind_of(const Family& family) {
  if (std::holds_alternative<MakeEncoder>(family.make)) return Kind::masked;
  return std::holds_alternative<MakeDecoder>(family.make) ? Kind::causal : Kind::recurrent;
}

}  // namespace

query::ModelInfo known_of(const Family& family, const std::string& name, const std::string& type) {
  return {.name = name,
          .architecture = kind_of(family) == Kind::recurrent ? "" : type,
          .kind = kind_of(family),
          .answers_before = family.answers_before,
          .fills_gaps = family.fills_gaps};
}

std::vector<Architecture> architectures() {
  std::vector<Architecture> all;
  for (const Family& family : families())
    for (const ModelType& known : family.model_types) {
      Architecture& a = all.emplace_back(Architecture{known.type, "", known.covers, ""});
      a.kind = query::key_of(kind_of(family));
      a.sites = family.sites ? family.sites(known.type) : kSitesOfTransformers;
      for (const Gguf& gguf : family.gguf)
        if (gguf.model_type == known.type) a.gguf = gguf.architecture;
    }
  return all;
}

namespace {

std::vector<std::string> known_types() {
  std::vector<std::string> names;
  for (const Family& family : families())
    for (const ModelType& known : family.model_types)
      if (reads_directories(family, known)) names.push_back(known.type);
  return names;
}

std::string first_class(const Config& config) {
  std::vector<std::string> classes = config.texts("architectures");
  return classes.empty() ? "" : lower(classes.front());
}

// Configurations of 2019 have no model_type: the class that saved the weights, or their names,
// tell.
std::string guess_type(const Config& config, const fs::path& directory) {
  std::string type = config.text("model_type", "");
  if (!type.empty() && type != "ltgbert" && type != "gpt-bert") return type;
  const std::string first = first_class(config);
  std::unique_ptr<checkpoint::Checkpoint> checkpoint = checkpoint::open_checkpoint(directory);
  // GPT-BERT calls itself LTG-BERT, or nothing, or writes itself otherwise.
  for (const checkpoint::TensorView& tensor : checkpoint->tensors())
    if (tensor.name.ends_with("attention_layers.0.in_proj_vg.weight")) return "gpt_bert";
  if (!type.empty()) return type;
  for (const std::string& known : known_types()) {
    std::string plain = known;
    std::erase(plain, '-');
    if (known == "gemma3" && !config.has("text_config")) continue;  // its text alone: gemma3_text
    // A number behind it is another one's name: Cohere2 is no Cohere.
    const size_t n = plain.size();
    if (first.starts_with(plain) && (first.size() == n || !std::isdigit(uint8_t(first[n]))))
      return known;
    for (const checkpoint::TensorView& tensor : checkpoint->tensors())
      if (tensor.name.starts_with(plain + ".")) return known;
  }
  throw bad_input("config.json does not say which architecture this is")
      .at(config.file().string())
      .hint("add \"model_type\"; known are " + join(known_types(), ", "));
}

std::unique_ptr<query::Model> make_model(const Family& family, Source source) {
  if (auto make = std::get_if<MakeModel>(&family.make)) return (*make)(source);
  Parts parts{std::make_unique<Config>(
                  Config(source.path / "config.json").inside("text_config", source.text_config)),
              checkpoint::open_checkpoint(source.path),
              tokenizer::load_tokenizer(source.path, &source.known.notes)};
  if (auto make = std::get_if<MakeEncoder>(&family.make))
    return std::make_unique<MaskedModel>(source, *make, std::move(parts));
  return std::make_unique<CausalModel>(source, std::get<MakeDecoder>(family.make),
                                       std::move(parts));
}

// What is not read, and what is that resembles it most.
const Names kRelatives = renames(
    "afmoe=qwen3_moe arcee=llama bitnet=llama cwm=llama flex_olmo=olmoe "
    "hunyuan=llama jetmoe=mixtral jina_bert=bert minimax=mixtral qwen3_next=qwen3_5 "
    "nanochat=llama openelm=llama persimmon=stablelm phimoe=mixtral roc_bert=bert seed_oss=qwen2 "
    "vaultgemma=gemma2 visual_bert=bert gemma3n=gemma3_text gemma4=gemma3_text llama4=llama "
    "gpt_oss=qwen3_moe deepseek=mixtral falcon_mamba=mamba jamba=mamba zamba=mamba "
    "rwkv_hybrid=rwkv7 rwkv6=rwkv6 rwkv=rwkv7 recurrent_gemma=mamba plbart=mbart pegasus=bart "
    "blenderbot=bart marian=bart m2m_100=mbart canine=t5 longt5=t5 switch_transformers=t5 "
    "xlnet=bert longformer=roberta big_bird=roberta luke=roberta gptbert=gpt_bert "
    "norbert4=gpt_bert convbert=bert funnel=bert mobilebert=bert squeezebert=bert rembert=bert "
    "fnet=bert nystromformer=bert perceiver=t5 ibert=roberta xmod=xlm-roberta bigbird_pegasus=bart "
    "led=bart prophetnet=bart transfo-xl=gpt2 reformer=gpt2 ctrl=gpt2 biogpt=opt bamba=mamba2 "
    "chatglm=llama glm=llama ernie4=llama esm=bert exaone=llama nemotron=llama internlm=llama "
    "baichuan=llama gpt_neox_japanese=gpt_neox");

// Why some that are in use are not read.
constexpr std::pair<std::string_view, std::string_view> kReasons[] = {
    {"canine", "its published checkpoints have no head that predicts words"},
    {"gemma3n", "its streams side by side and its embeddings for each layer are not computed here"},
    {"xlnet",
     "it predicts words in shuffled orders, with a second stream, which is not computed here"},
    {"longformer", "its attention to windows and to chosen tokens is not computed here"},
    {"big_bird", "its attention to blocks is not computed here"},
    {"reformer", "its attention by hashing is not computed here"},
    {"funnel", "it pools tokens on the way, which is not computed here"},
    {"rwkv", "of RWKV, versions 4 to 7 are read, and what Qwens were given of them as GGUF"}};

std::string nearest_relative(const std::string& type) {
  for (const auto& [theirs, ours] : kRelatives)
    if (type.starts_with(theirs)) return ours;
  // Versions and sizes come after the name of the family.
  std::string best;
  for (const std::string& known : known_types())
    if (type.starts_with(known) && known.size() > best.size()) best = known;
  // Short names resemble anything.
  constexpr size_t kTelling = 6;
  return best.empty() && type.size() >= kTelling ? closest(type, known_types()) : best;
}

// Whose GGUF files llama.cpp's converter gives the name of one that is read.
const Names kReadAsGguf =
    renames("internlm3=llama kormo=qwen2 rwkv6qwen2=rwkv6qwen2 rwkv_hybrid=arwkv7");

std::string about_gguf(const std::string& type) {
  for (const auto& [theirs, name] : kReadAsGguf)
    if (type == theirs) return fmt::format("a GGUF of it would be read, as '{}'; ", name);
  return "a GGUF of it would not be read either; ";
}

Error unknown_architecture(const std::string& type, const Config& config) {
  std::string hint;
  for (const auto& [prefix, why] : kReasons)
    if (type.starts_with(prefix)) hint = fmt::format("{}; ", why);
  if (config.has("auto_map"))
    hint += "it brings code of its own from the hub (auto_map), which is never run; ";
  if (std::string relative = nearest_relative(type); !relative.empty()) {
    hint += fmt::format("of what is read, '{}' resembles it most", relative);
    for (const Architecture& a : architectures())
      if (a.type == relative) {
        hint += a.covers.empty() ? "" : fmt::format(" ({})", a.covers);
        hint += a.gguf.empty() ? "" : ", also as GGUF";
        break;
      }
    hint += "; ";
  }
  hint += about_gguf(type);
  return bad_input(fmt::format("the architecture '{}' is not supported", type))
      .at(config.file().string())
      .hint(hint + "'minpair list architectures' shows them all");
}

}  // namespace

void check_readable(const std::string& json, const std::string& file) {
  const Config config(file, json);
  const std::string type = config.text("model_type", "");
  // Without a type, and of GPT-BERT, the names of the tensors tell.
  if (type.empty() || type == "gpt-bert") return;
  if (!std::ranges::count(known_types(), type)) throw unknown_architecture(type, config);
  refuse_quantised(config);
}

namespace {

// How to read what can be read in more than one way: as the class does that it was saved from.
std::string wanted_kind(const Config& config, const LoadOptions& options) {
  if (options.as == "auto")
    return config.flag("is_decoder", false) || first_class(config).ends_with("forcausallm")
               ? "causal"
               : "masked";
  if (options.as != "causal" && options.as != "masked")
    throw wrong_call(fmt::format("--as {}: there is no such kind", options.as))
        .hint("'masked', 'causal' or 'auto'");
  return options.as;
}

struct Found {
  const Family* family;
  const ModelType* type;
};

Found find_family(const fs::path& directory, const LoadOptions& options) {
  if (!fs::exists(directory / "config.json"))
    throw bad_input("there is no config.json here")
        .at(directory.string())
        .hint("-m takes a Hugging Face model directory, with config.json, weights and tokenizer");
  Config config(directory / "config.json");
  if (fs::exists(directory / "adapter_config.json"))
    throw bad_input("this is an adapter (LoRA or its like), which changes another model's weights")
        .at(directory.string())
        .hint(
            "put the two together with merge_and_unload() of the library 'peft', save the result "
            "with save_pretrained, and use that folder");
  std::string type = guess_type(config, directory);
  std::vector<Found> found;
  for (const Family& family : families())
    for (const ModelType& known : family.model_types)
      if (type == known.type && reads_directories(family, known))
        found.push_back({&family, &known});
  if (found.empty()) throw unknown_architecture(type, config);
  const std::string as = wanted_kind(config, options);
  for (const Found& one : found)
    if (query::key_of(kind_of(*one.family)) == as || (found.size() == 1 && options.as == "auto"))
      return one;
  throw wrong_call(fmt::format("--as {}: '{}' is a {} model and nothing else", as, type,
                               query::key_of(kind_of(*found.front().family))))
      .hint("only what was trained as both can be read as either: gpt_bert");
}

}  // namespace

nn::Runtime runtime_for(const LoadOptions& options, query::ModelInfo& info,
                        const checkpoint::Checkpoint* weights) {
  const bool stored = weights && any_quantised(*weights);
  nn::Arithmetic arithmetic = nn::choose_arithmetic(options.precision, stored);
  info.precision = arithmetic.precision;
  info.matrix_unit = arithmetic.note;
  return nn::Runtime(options.threads, std::nullopt, std::move(arithmetic));
}

namespace {

// ORG/NAME or ORG/NAME@REVISION can be pulled; anything else is no name of the hub's.
std::string pull_command(const std::string& name) {
  const size_t at = name.find('@');
  const std::string model = name.substr(0, at);
  const bool hub = std::count(model.begin(), model.end(), '/') == 1 && model.front() != '/' &&
                   model.front() != '.' && model.back() != '/' &&
                   model.find(' ') == std::string::npos;
  if (!hub) return "";
  return "minpair pull " + model + (at == name.npos ? "" : " --revision " + name.substr(at + 1));
}

}  // namespace

fs::path locate_model(const std::string& name_or_path) {
  const fs::path given = name_or_path;
  if (fs::is_regular_file(given) && given.extension() != ".gguf" &&
      fs::exists(given.parent_path() / "config.json"))
    throw bad_input("this is one file of a model")
        .at(name_or_path)
        .hint(fmt::format("give its folder: -m {}",
                          given.has_parent_path() ? given.parent_path().string() : "."));
  if (fs::exists(given)) return name_or_path;
  fs::path shipped = find_shipped("models", name_or_path);
  if (!shipped.empty()) return shipped;
  fs::path cached = hub::locate(name_or_path);
  if (!cached.empty()) return cached;
  std::vector<std::string> names;
  for (const fs::path& folder : shipped_folders("models"))
    if (fs::is_directory(folder))
      for (const fs::path& entry : entries_of(folder)) names.push_back(entry.filename().string());
  std::string guess = closest(name_or_path, names);
  if (std::string pull = pull_command(name_or_path); guess.empty() && !pull.empty())
    throw bad_input(fmt::format("the model '{}' is not on this machine", name_or_path))
        .hint(fmt::format("to get it from the hub: {}", pull));
  throw bad_input(fmt::format("there is no model '{}'", name_or_path))
      .hint(guess.empty() ? "-m takes a directory, a Hugging Face id that was pulled, or the name "
                            "of a shipped model; 'minpair list models' shows them"
                          : fmt::format("did you mean '{}'?", guess));
}

namespace {

void check_as(const fs::path& path, const LoadOptions& options) {
  if (options.as != "auto" && !fs::is_directory(path))
    throw wrong_call("--as is for directories with a config.json").at(path.string());
}

std::unique_ptr<query::Model> load(const fs::path& path, const std::string& name,
                                   const LoadOptions& options) {
  check_as(path, options);
  if (path.extension() == ".gguf") return load_gguf({path, options, {.name = name}});
  if (path.extension() == ".arpa")
    return load_ngram({path, options, {.name = name, .kind = Kind::ngram}});
  if (!fs::is_directory(path))
    return load_recurrent({path, options, {.name = name, .kind = Kind::recurrent}});
  const auto [family, type] = find_family(path, options);
  return make_model(*family,
                    {path, options, known_of(*family, name, type->type), type->text_config});
}

}  // namespace

query::ModelInfo describe_model(const std::string& name_or_path, const LoadOptions& options) {
  const fs::path path = locate_model(name_or_path);
  check_as(path, options);
  if (path.extension() == ".gguf") return known_of_gguf(path, name_or_path);
  if (path.extension() == ".arpa") return {.name = name_or_path, .kind = Kind::ngram};
  if (!fs::is_directory(path)) return {.name = name_or_path, .kind = Kind::recurrent};
  const auto [family, type] = find_family(path, options);
  return known_of(*family, name_or_path, type->type);
}

std::unique_ptr<query::Model> load_model(const std::string& name_or_path,
                                         const LoadOptions& options) {
  const RecordedInputs recorded;
  std::unique_ptr<query::Model> model = load(locate_model(name_or_path), name_or_path, options);
  check_unchanged(recorded.files());
  model->files = recorded.files();
  if (model->info().kind == query::ModelInfo::Kind::masked &&
      (options.start != "auto" || options.end != "auto"))
    throw wrong_call("--start and --end are for models that read from left to right")
        .hint("a masked model puts its own tokens around a sentence");
  if (!options.vocabulary.empty() && model->info().kind != query::ModelInfo::Kind::recurrent)
    throw wrong_call("--vocab is for recurrent models in a file")
        .hint("this model brings its own vocabulary");
  return model;
}

namespace {

class OneByOne : public query::Model {
 public:
  explicit OneByOne(std::shared_ptr<query::Model> model) : model_(std::move(model)) {
    files = model_->files;
  }
  const query::ModelInfo& info() const override { return model_->info(); }
  const tokenizer::Tokenizer& tokenizer() const override { return model_->tokenizer(); }

  query::AskSet asks() const override { return model_->asks(); }
  query::SiteSet sites() const override { return model_->sites(); }

  std::vector<query::Answer> answer(std::span<const query::Query> queries) override {
    std::vector<query::Answer> answers;
    for (const query::Query& query : queries)
      answers.push_back(std::move(model_->answer({&query, 1}).at(0)));
    return answers;
  }

 private:
  std::shared_ptr<query::Model> model_;
};

}  // namespace

std::unique_ptr<query::Model> one_by_one(std::shared_ptr<query::Model> model) {
  return std::make_unique<OneByOne>(std::move(model));
}

}  // namespace minpair::model
