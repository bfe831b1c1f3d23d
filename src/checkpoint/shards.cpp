// Weights in several files: an index says which tensor is in which.

#include <fmt/format.h>
#include <simdjson.h>

#include <map>

#include "checkpoint/parts.h"

namespace minpair::checkpoint {

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
