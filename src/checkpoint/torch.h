#pragma once
// Private to the room: the objects that torch.save() pickles, read as tensors.

#include <functional>
#include <map>
#include <memory>

#include "checkpoint/parts.h"
#include "checkpoint/pickle/pickle.h"

namespace minpair::checkpoint {

// How torch.save() names a storage in the pickle.
struct StorageName {
  std::string key;
  DType type = DType::u8;
  int64_t elements = 0;
  int64_t offset = 0;  // elements to skip in the storage, when this is a view of it (old files)
};

struct Storage {
  const std::byte* data = nullptr;
  uint64_t bytes = 0;
  uint64_t offset = 0;  // in the file
};

// Where a storage is; throws by `tensor_error` of the tensor that wants it.
using FindStorage = std::function<Storage(const StorageName&, const TensorView& wanted_by)>;

struct TorchObject {
  std::vector<TensorView> tensors;
  Metadata attributes;
};

// A dict of tensors (also one inside a dict of other things), or a whole module.
TorchObject read_torch_object(const pickle::Value& root, const std::string& file,
                              const FindStorage& find_storage);

// Every storage that the pickle names, by key.
std::map<std::string, StorageName> storages_of(const pickle::Value& root, const std::string& file);

pickle::ValuePtr read_torch_pickle(std::string_view bytes, const std::string& name,
                                   uint64_t* used = nullptr);

}  // namespace minpair::checkpoint
