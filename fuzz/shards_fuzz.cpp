// The index of weights in several files, beside two of them.

#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include "file.h"
#include "json_mutation.h"

using namespace minpair;

static std::string safetensors(const std::string& name) {
  const std::string header =
      R"({")" + name + R"(":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  std::string file;
  fuzzing::append_little(file, header.size(), 8);
  return file + header + std::string(8, '\1');
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto one = fuzzing::file(safetensors("a"), "one.safetensors"),
                    two = fuzzing::file(safetensors("b"), "two.safetensors");
  try {
    auto weights =
        checkpoint::open_checkpoint(fuzzing::file(data, size, "model.safetensors.index.json"));
    for (const checkpoint::TensorView& t : weights->tensors()) {
      float to[2];
      checkpoint::to_float(t, to);
    }
    weights->fingerprint();
  } catch (const Error&) {
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return fuzzing::mutate(data, size, most, seed, fuzzing::mutate_json);
}
