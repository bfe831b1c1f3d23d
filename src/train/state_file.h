#pragma once
// The state that a training needs to resume with the same bits: tensors and a few numbers, in one
// file that is replaced atomically.

#include <torch/types.h>

#include <filesystem>
#include <map>
#include <string>

#include "base/random.h"

namespace minpair::train {

struct TrainingState {
  std::map<std::string, torch::Tensor> tensors;
  std::map<std::string, double> numbers;
};

void save_state(const std::filesystem::path& path, const TrainingState& state);
TrainingState load_state(const std::filesystem::path& path);

// Copies saved tensors over live ones of the same names; a missing or misshapen one is an error.
void restore_tensors(const TrainingState& state, const std::string& prefix,
                     const std::map<std::string, torch::Tensor>& live,
                     const std::filesystem::path& path);
void keep_tensors(TrainingState& state, const std::string& prefix,
                  const std::map<std::string, torch::Tensor>& live);

torch::Tensor random_tensor(const Random& random);
Random random_from(const torch::Tensor& tensor);

}  // namespace minpair::train
