// Which file, and which format.

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace minpair::checkpoint
