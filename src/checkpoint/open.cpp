// Which file, and which format.

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <map>

#include "base/folder.h"
#include "checkpoint/parts.h"

namespace minpair::checkpoint {
namespace {

bool has_extension(const fs::path& path, std::initializer_list<std::string_view> known) {
  std::string e = path.extension().string();
  return std::find(known.begin(), known.end(), e) != known.end();
}

// Only names that cannot be anything but a model's weights.
std::vector<fs::path> weight_files(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const fs::path& entry : entries_of(folder)) {
    std::string name = entry.filename().string();
    bool training = name.starts_with("training_args") || name.starts_with("optimizer") ||
                    name.starts_with("scheduler") || name.starts_with("rng_state");
    if (!training && has_extension(entry, {".safetensors", ".bin", ".pt", ".pth", ".gguf"}))
      found.push_back(entry);
  }
  return found;
}

std::string others(const fs::path& folder) {
  for (const char* name :
       {"tf_model.h5", "flax_model.msgpack", "model.onnx", "bert_model.ckpt.index"})
    if (fs::exists(folder / name))
      return fmt::format(
          "{} is there, which minpair does not read; convert the model to safetensors", name);
  return "'minpair pull ORG/NAME' fetches a model that has what is needed";
}

fs::path weights_in(const fs::path& folder) {
  for (const char* name : {"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                           "pytorch_model.bin.index.json"})
    if (fs::exists(folder / name)) return folder / name;
  std::vector<fs::path> found = weight_files(folder);
  if (found.size() == 1) return found[0];
  if (found.empty())
    throw bad_input("no weights in this folder: no model.safetensors, pytorch_model.bin or .gguf")
        .at(folder.string())
        .hint(others(folder));
  std::string names;
  for (const fs::path& f : found) names += (names.empty() ? "" : ", ") + f.filename().string();
  throw wrong_call(fmt::format("several files of weights in this folder: {}", names))
      .at(folder.string())
      .hint("name the one to use");
}

}  // namespace

std::unique_ptr<MappedCheckpoint> read_weights_file(const fs::path& path) {
  MappedFile file(path);
  std::string_view b = file.bytes();
  if (b.starts_with("version https://git-lfs"))
    throw bad_input("this is a Git LFS pointer, not the weights")
        .at(path.string())
        .hint("run 'git lfs pull' in that folder");
  if (b.starts_with("GGUF")) return read_gguf(std::move(file));
  if (b.starts_with("PK\3\4")) return read_torch_zip(std::move(file));
  if (is_torch_legacy(b)) return read_torch_legacy(std::move(file));
  if (b.size() > 8 && b[8] == '{') return read_safetensors(std::move(file));
  if (b.size() > 262 && b.substr(257, 5) == "ustar")
    throw bad_input("this is PyTorch's format from before 2017, which minpair does not read")
        .at(path.string())
        .hint("load it with an old PyTorch and save it again");
  if (has_extension(path, {".safetensors"})) return read_safetensors(std::move(file));
  throw file_error(file, 0, "the file is in no format of weights that is known here");
}

std::unique_ptr<Checkpoint> open_checkpoint(const fs::path& path) {
  fs::path chosen = fs::is_directory(path) ? weights_in(path) : path;
  if (chosen.string().ends_with(".index.json")) return read_shards(chosen);
  return read_weights_file(chosen);
}

// Weights in several files: an index says which tensor is in which.

namespace {

// Which tensors each file holds.
std::map<std::string, std::vector<std::string>> read_index(const fs::path& path) {
  MappedFile file(path);
  if (file.bytes().size() > 32'000'000)
    throw file_error(file, 0,
                     fmt::format("{} bytes are too many for an index", file.bytes().size()));
  simdjson::dom::parser parser;
  simdjson::dom::object weights;
  // Nothing is a text as well: simdjson copies from where it is.
  const std::string_view text = file.bytes().empty() ? "" : file.bytes();
  if (auto wrong = parser.parse(text.data(), text.size())["weight_map"].get(weights))
    throw file_error(
        file, 0,
        fmt::format("the index has no object 'weight_map': {}", simdjson::error_message(wrong)));
  std::map<std::string, std::vector<std::string>> shards;
  for (auto [tensor, shard] : weights) {
    std::string_view name;
    if (shard.get(name) || name.empty() || name.find('/') != name.npos || name.starts_with('.'))
      throw file_error(file, 0,
                       fmt::format("tensor '{}' is said to be in '{}', which is not the "
                                   "name of a file beside the index",
                                   shown(tensor), shown(name)));
    shards[std::string(name)].emplace_back(tensor);
  }
  if (shards.empty()) throw file_error(file, 0, "the index names no tensors");
  return shards;
}

}  // namespace

std::unique_ptr<MappedCheckpoint> read_shards(const fs::path& index) {
  std::vector<MappedFile> files;
  std::vector<TensorView> tensors;
  std::vector<std::unique_ptr<std::byte[]>> inflated;
  std::string format;
  for (const auto& [name, wanted] : read_index(index)) {
    fs::path path = index.parent_path() / name;
    if (!fs::exists(path))
      throw bad_input(fmt::format("the index {} names this file, and it is not there",
                                  index.filename().string()))
          .at(path.string())
          .hint("download the rest of the model");
    std::unique_ptr<MappedCheckpoint> shard = read_weights_file(path);
    for (const std::string& tensor : wanted) {
      const TensorView* found = shard->find(tensor);
      if (!found)
        throw bad_input(
            fmt::format("tensor '{}' should be in this file by the index {}, and is not",
                        shown(tensor), index.filename().string()))
            .at(path.string())
            .hint("the file belongs to another model, or is damaged; download it again");
      tensors.push_back(*found);
    }
    format = shard->format();
    for (MappedFile& f : shard->take_files()) files.push_back(std::move(f));
    for (auto& i : shard->take_inflated()) inflated.push_back(std::move(i));
  }
  return std::make_unique<MappedCheckpoint>(format, std::move(files), std::move(tensors),
                                            Metadata{}, std::move(inflated));
}

}  // namespace minpair::checkpoint
