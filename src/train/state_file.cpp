#include "train/state_file.h"

#include <fmt/format.h>
#include <torch/serialize/archive.h>

#include <sstream>

#include "base/error.h"
#include "base/file.h"

namespace minpair::train {

namespace {

// A dot would start a submodule in torch's archives.
std::string archived(std::string name) {
  for (char& c : name)
    if (c == '.') c = '/';
  return name;
}

std::string live_name(std::string name) {
  for (char& c : name)
    if (c == '/') c = '.';
  return name;
}

}  // namespace

void save_state(const std::filesystem::path& path, const TrainingState& state) {
  torch::serialize::OutputArchive archive;
  for (const auto& [name, tensor] : state.tensors)
    archive.write("t/" + archived(name), tensor.detach(), true);
  for (const auto& [name, number] : state.numbers)
    archive.write("n/" + archived(name), torch::tensor({number}, torch::kFloat64), true);
  std::ostringstream bytes;
  archive.save_to(bytes);
  write_file(path, bytes.str());
}

TrainingState load_state(const std::filesystem::path& path) {
  TrainingState state;
  try {
    torch::serialize::InputArchive archive;
    archive.load_from(path.string());
    for (const std::string& key : archive.keys()) {
      torch::Tensor tensor;
      archive.read(key, tensor, true);
      if (key.starts_with("n/"))
        state.numbers[live_name(key.substr(2))] = tensor.item<double>();
      else
        state.tensors[live_name(key.substr(2))] = tensor;
    }
  } catch (const c10::Error&) {
    throw bad_input("this is not a checkpoint of a training")
        .at(path.string())
        .hint("remove it to start from the beginning");
  }
  return state;
}

void restore_tensors(const TrainingState& state, const std::string& prefix,
                     const std::map<std::string, torch::Tensor>& live,
                     const std::filesystem::path& path) {
  torch::NoGradGuard no_grad;
  for (const auto& [name, tensor] : live) {
    const auto saved = state.tensors.find(prefix + name);
    if (saved == state.tensors.end() || saved->second.sizes() != tensor.sizes())
      throw bad_input(fmt::format("the checkpoint does not fit this model at '{}'", name))
          .at(path.string())
          .hint("resume with the same options, or train into another folder");
    torch::Tensor(tensor).copy_(saved->second);
  }
}

void keep_tensors(TrainingState& state, const std::string& prefix,
                  const std::map<std::string, torch::Tensor>& live) {
  for (const auto& [name, tensor] : live) state.tensors[prefix + name] = tensor.detach();
}

torch::Tensor random_tensor(const Random& random) {
  auto tensor = torch::empty({4}, torch::kInt64);
  for (int i = 0; i < 4; ++i)
    tensor.data_ptr<int64_t>()[i] = static_cast<int64_t>(random.state().s[i]);
  return tensor;
}

Random random_from(const torch::Tensor& tensor) {
  Random random;
  Random::State state;
  for (int i = 0; i < 4; ++i) state.s[i] = static_cast<uint64_t>(tensor.data_ptr<int64_t>()[i]);
  random.restore(state);
  return random;
}

}  // namespace minpair::train
