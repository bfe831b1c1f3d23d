// A config.json beside the weights of a tiny model of the architecture it names: it either fits or
// is refused.

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "file.h"
#include "json_mutation.h"
#include "model/model.h"

namespace {

namespace fs = std::filesystem;

// Folders with everything but the configuration, made once.
struct Folders {
  fs::path root;
  std::vector<fs::path> all;

  Folders() {
    std::string name = (fs::temp_directory_path() / "minpair-config-XXXXXX").string();
    root = mkdtemp(name.data());
    for (const auto& golden : fs::directory_iterator(MINPAIR_GOLDEN_MODELS)) {
      if (!golden.is_directory()) continue;
      fs::path folder = root / golden.path().filename();
      fs::create_directory(folder);
      for (const auto& file : fs::directory_iterator(golden.path()))
        if (file.path().filename() != "config.json")
          fs::create_symlink(file.path(), folder / file.path().filename());
      all.push_back(folder);
    }
  }
  ~Folders() { fs::remove_all(root); }

  // The longest name that occurs in the configuration.
  const fs::path& best(std::string_view config) const {
    const fs::path* found = &all.front();
    size_t length = 0;
    for (const fs::path& folder : all)
      if (std::string name = folder.filename();
          config.find('"' + name + '"') != config.npos && name.size() > length) {
        found = &folder;
        length = name.size();
      }
    return *found;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Folders folders;
  std::string_view config(reinterpret_cast<const char*>(data), size);
  const fs::path& folder = folders.best(config);
  minpair::fuzzing::put(folder / "config.json", config);
  try {
    auto model = minpair::model::load_model(folder.string(), {.threads = 1});
    minpair::query::Query query{{5, 6, 7}, {{1, minpair::query::Targets{{8}}}}, {}};
    model->answer({&query, 1});
  } catch (const minpair::Error&) {
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  return minpair::fuzzing::mutate(data, size, most, seed, minpair::fuzzing::mutate_json);
}
