// What torch.save() wrote before PyTorch 1.6: five pickles (a magic number, a version, facts about
// the machine, the object, the keys of its storages), then the storages, each after its length.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/counts.h"
#include "checkpoint/torch.h"

namespace minpair::checkpoint {

namespace {

using Kind = pickle::Value::Kind;

// 0x1950a86a20f9469cfc6c, little end first.
constexpr std::string_view magic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";

class Stream {
 public:
  explicit Stream(const MappedFile& file) : file_(file) {}

  pickle::ValuePtr pickle() {
    // The pickles hold no weights: what is longer than this is something else.
    std::string_view rest = file_.bytes().substr(at_, uint64_t{64} << 20);
    uint64_t used = 0;
    std::string name = at_ == 0
                           ? file_.path().string()
                           : fmt::format("{}: the pickle at byte {}", file_.path().string(), at_);
    pickle::ValuePtr v = read_torch_pickle(rest, name, &used);
    at_ += used;
    return v;
  }

  void header() {
    pickle::ValuePtr number = pickle();
    if (number->kind != Kind::big_integer || number->text != magic)
      throw file_error(file_, 0, "the file does not begin as torch.save() begins it");
    pickle::ValuePtr version = pickle();
    if (version->kind != Kind::integer || version->integer != 1001)
      throw file_error(file_, at_, "the version of the format is not 1001, the only known one");
    pickle::ValuePtr machine = pickle();
    pickle::ValuePtr little = get(*machine, "little_endian");
    if (little && little->kind == Kind::boolean && !little->boolean)
      throw file_error(file_, at_, "the weights are stored big end first");
  }

  // The storages follow the list of their keys, in its order.
  std::map<std::string, Storage> storages(const std::map<std::string, StorageName>& named) {
    pickle::ValuePtr keys = pickle();
    std::map<std::string, Storage> all;
    for (const pickle::ValuePtr& key : keys->items) {
      std::string k = key->kind == Kind::integer ? std::to_string(key->integer) : key->text;
      auto name = named.find(k);
      if (name == named.end())
        throw file_error(file_, at_,
                         fmt::format("storage '{}' is in the file but no tensor is in "
                                     "it",
                                     shown(k)));
      if (!all.emplace(k, next(name->second)).second)
        throw file_error(file_, at_, fmt::format("storage '{}' is in the file twice", shown(k)));
    }
    return all;
  }

 private:
  Storage next(const StorageName& name) {
    std::string_view rest = file_.bytes().substr(at_);
    int64_t elements = 0;
    if (rest.size() < 8)
      throw file_error(file_, at_,
                       fmt::format("the file ends before storage '{}'", shown(name.key)));
    std::memcpy(&elements, rest.data(), 8);
    uint64_t bytes;
    if (elements != name.elements ||
        __builtin_mul_overflow(uint64_t(elements), uint64_t(block_bytes(name.type)), &bytes))
      throw file_error(
          file_, at_,
          fmt::format("storage '{}' should have {} {} and says it has {}", shown(name.key),
                      name.elements, plural(uint64_t(name.elements), "element"), elements));
    if (bytes > rest.size() - 8)
      throw file_error(file_, at_,
                       fmt::format("storage '{}' needs {} bytes and the file has only {} "
                                   "more",
                                   shown(name.key), bytes, rest.size() - 8));
    at_ += 8;
    Storage s{reinterpret_cast<const std::byte*>(file_.bytes().data()) + at_, bytes, at_};
    at_ += bytes;
    return s;
  }

  const MappedFile& file_;
  uint64_t at_ = 0;
};

}  // namespace

bool is_torch_legacy(std::string_view first_bytes) {
  // The magic number as protocols 2 and up write it, or in decimal digits.
  std::string_view head = first_bytes.substr(0, 64);
  return head.find(magic) != head.npos || head.find("119547037146038801333356") != head.npos;
}

std::unique_ptr<MappedCheckpoint> read_torch_legacy(MappedFile file) {
  Stream stream(file);
  stream.header();
  pickle::ValuePtr root = stream.pickle();
  std::string path = file.path().string();
  std::map<std::string, Storage> storages = stream.storages(storages_of(*root, path));
  TorchObject object =
      read_torch_object(*root, path, [&](const StorageName& name, const TensorView& t) {
        auto found = storages.find(name.key);
        if (found == storages.end())
          throw tensor_error(t,
                             fmt::format("its storage '{}' is not in the file", shown(name.key)));
        return found->second;
      });
  std::vector<MappedFile> files;
  files.push_back(std::move(file));
  return std::make_unique<MappedCheckpoint>(
      "PyTorch legacy", std::move(files), std::move(object.tensors), std::move(object.attributes));
}

}  // namespace minpair::checkpoint
