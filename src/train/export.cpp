#include "train/export.h"

#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "checkpoint/checkpoint.h"
#include "train/run.h"

namespace minpair::train {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

void write_json(const fs::path& path, const Json& json) {
  write_file(path, json_text(json, 2) + "\n");
}

void write_vocab(const fs::path& path, const std::vector<std::string>& vocab) {
  std::string text;
  for (const std::string& word : vocab) text += word + "\n";
  write_file(path, text);
}

void write_card(const fs::path& path, const std::string& title, const CardRows& rows) {
  std::string text = "# " + title + "\n\n| | |\n|---|---|\n";
  for (const auto& [what, value] : rows) text += fmt::format("| {} | {} |\n", what, value);
  text += "\nThe learning curve is in `curve.jsonl`. Trained with `minpair train`.\n";
  write_file(path, text);
}

}  // namespace

void write_safetensors(const fs::path& path, const std::map<std::string, torch::Tensor>& tensors,
                       bool half) {
  static_assert(std::endian::native == std::endian::little);
  Json header;
  header["__metadata__"] = {{"format", "pt"}};
  std::vector<torch::Tensor> bodies;
  uint64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    bodies.push_back(tensor.detach().to(half ? torch::kHalf : torch::kFloat32).contiguous());
    const uint64_t end = offset + bodies.back().nbytes();
    header[name] = {{"dtype", half ? "F16" : "F32"},
                    {"shape", tensor.sizes().vec()},
                    {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = json_text(header);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const uint64_t length = text.size();
  AtomicFile file(path);
  file.write({reinterpret_cast<const char*>(&length), sizeof length});
  file.write(text);
  for (const torch::Tensor& body : bodies)
    file.write({static_cast<const char*>(body.data_ptr()), body.nbytes()});
  file.commit();
}

void write_bert_folder(const fs::path& folder, const Bert& net,
                       const std::vector<std::string>& vocab, bool half, const CardRows& card) {
  fs::create_directories(folder);
  const BertShape& s = net.shape();
  write_json(folder / "config.json", {{"architectures", {"BertForMaskedLM"}},
                                      {"model_type", "bert"},
                                      {"attention_probs_dropout_prob", 0.0},
                                      {"hidden_act", "gelu"},
                                      {"hidden_dropout_prob", 0.0},
                                      {"hidden_size", s.hidden},
                                      {"initializer_range", 0.02},
                                      {"intermediate_size", s.inner},
                                      {"layer_norm_eps", 1e-12},
                                      {"max_position_embeddings", s.positions},
                                      {"num_attention_heads", s.heads},
                                      {"num_hidden_layers", s.layers},
                                      {"pad_token_id", 0},
                                      {"position_embedding_type", "absolute"},
                                      {"tie_word_embeddings", true},
                                      {"torch_dtype", half ? "float16" : "float32"},
                                      {"type_vocab_size", 2},
                                      {"vocab_size", s.vocab}});
  write_json(folder / "tokenizer_config.json", {{"tokenizer_class", "BertTokenizer"},
                                                {"do_lower_case", false},
                                                {"strip_accents", false},
                                                {"model_max_length", s.positions},
                                                {"unk_token", "[UNK]"},
                                                {"cls_token", "[CLS]"},
                                                {"sep_token", "[SEP]"},
                                                {"pad_token", "[PAD]"},
                                                {"mask_token", "[MASK]"}});
  write_vocab(folder / "vocab.txt", vocab);
  write_safetensors(folder / "model.safetensors", net.export_tensors(), half);
  write_card(folder / "README.md", "A small BERT", card);
}

void read_bert_folder(const fs::path& folder, const Bert& net,
                      const std::vector<std::string>& vocab) {
  const auto unfit = [&](std::string what) {
    return bad_input(std::move(what))
        .at(folder.string())
        .hint("begin with a model of the same sizes, trained on a corpus with the same pieces");
  };
  if (read_vocabulary(folder / "vocab.txt") != vocab)
    throw unfit("the pieces of this model are not those of the corpus");
  const auto weights = checkpoint::open_checkpoint(folder);
  // The net's tensors under their names on disk share their memory with its parameters.
  for (const auto& [name, tensor] : net.export_tensors()) {
    const checkpoint::TensorView* stored = weights->find(name);
    if (stored == nullptr || tensor.sizes() != c10::IntArrayRef(stored->shape))
      throw unfit(fmt::format("this model has no '{}' of the size that is trained", name));
    checkpoint::to_float(*stored, tensor.data_ptr<float>());
  }
}

void write_lstm_folder(const fs::path& folder, const Lstm& net,
                       const std::vector<std::string>& vocab, const LstmText& text, bool half,
                       const CardRows& card) {
  fs::create_directories(folder);
  const LstmShape& s = net.shape();
  write_json(folder / "config.json", {{"model_type", "lstm"},
                                      {"vocab_size", s.vocab},
                                      {"ninp", s.embedding},
                                      {"nhid", s.hidden},
                                      {"nlayers", s.layers},
                                      {"tied", s.tied},
                                      {"plain_first_word", text.truecase},
                                      {"eos_token", "<eos>"},
                                      {"torch_dtype", half ? "float16" : "float32"}});
  write_vocab(folder / "vocab.txt", vocab);
  write_safetensors(folder / "model.safetensors", net.export_tensors(), half);
  if (text.pieces)
    write_json(folder / "tokenizer_config.json", {{"tokenizer_class", "BertTokenizer"},
                                                  {"do_lower_case", false},
                                                  {"strip_accents", false},
                                                  {"unk_token", "[UNK]"},
                                                  {"eos_token", "<eos>"}});
  write_card(folder / "README.md", "An LSTM language model", card);
}

}  // namespace minpair::train
