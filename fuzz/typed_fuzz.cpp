// The body of a request to score sentences, with two tiny models to score them.

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "json_mutation.h"
#include "model/model.h"
#include "serve/bench.h"
#include "serve/typed.h"

using namespace minpair;

static query::Model& tiny_model(size_t number) {
  static const auto load = [](const char* name) {
    return model::load_model(std::string(MINPAIR_GOLDEN_MODELS) + "/" + name, {.threads = 1});
  };
  static const std::unique_ptr<query::Model> both[] = {load("bert"), load("gpt2")};
  return *both[number];
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const serve::Typed asked =
        serve::parse_typed(std::string(reinterpret_cast<const char*>(data), size), 2);
    // bench_json answers whatever can be asked: an exception is a finding.
    for (size_t m : asked.models)
      if (!nlohmann::json::accept(
              serve::bench_json(tiny_model(m), asked.method, asked.texts, asked.top)))
        std::abort();
  } catch (const Error&) {
  } catch (const nlohmann::json::exception&) {
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return fuzzing::mutate(data, size, most, seed, fuzzing::mutate_json);
}
