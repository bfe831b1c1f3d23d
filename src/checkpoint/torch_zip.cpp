// What torch.save() writes since PyTorch 1.6: a zip archive with a pickle and one entry per
// storage.

#include <fmt/format.h>

#include "base/counts.h"
#include "checkpoint/torch.h"
#include "checkpoint/zip.h"

namespace minpair::checkpoint {

namespace {

class Archive {
 public:
  explicit Archive(const MappedFile& file) : file_(file), entries_(read_zip_directory(file)) {
    for (const auto& [name, entry] : entries_)
      if (name == "data.pkl" || name.ends_with("/data.pkl")) {
        prefix_ = name.substr(0, name.size() - 8);
        // Real weights hardly shrink; an archive that claims to unpack to much more is a trap.
        inflate_left_ = 4 * file.bytes().size() + (uint64_t{16} << 20);
        check_byte_order();
        return;
      }
    throw file_error(file, 0, "the zip archive has no data.pkl: torch.save() did not write it");
  }

  pickle::ValuePtr object() {
    const ZipEntry& entry = entries_.find(prefix_ + "data.pkl")->second;
    Storage content = contents(entry);
    std::string_view bytes(reinterpret_cast<const char*>(content.data), content.bytes);
    check_crc(file_, entry, bytes);
    return read_torch_pickle(bytes, file_.path().string() + ": data.pkl");
  }

  Storage storage(const StorageName& name, const TensorView& wanted_by) {
    auto found = entries_.find(prefix_ + "data/" + name.key);
    if (found == entries_.end())
      throw tensor_error(
          wanted_by, fmt::format("its storage '{}' is not in the zip archive", shown(name.key)));
    uint64_t wanted;
    if (__builtin_mul_overflow(uint64_t(name.elements), uint64_t(block_bytes(name.type)),
                               &wanted) ||
        wanted > found->second.bytes) {
      TensorView t = wanted_by;
      t.offset = found->second.offset;
      throw tensor_error(
          t,
          fmt::format("its storage '{}' should have {} {} of {} and has {} {}", shown(name.key),
                      name.elements, plural(uint64_t(name.elements), "element"), name_of(name.type),
                      found->second.bytes, plural(found->second.bytes, "byte")));
    }
    auto [known, fresh] = storages_.try_emplace(name.key);
    if (fresh) known->second = contents(found->second);
    return known->second;
  }

  std::vector<std::unique_ptr<std::byte[]>> take_inflated() { return std::move(inflated_); }

 private:
  Storage contents(const ZipEntry& entry) {
    if (!entry.deflated)
      return {reinterpret_cast<const std::byte*>(file_.bytes().data()) + entry.offset, entry.bytes,
              entry.offset};
    if (entry.bytes > inflate_left_)
      throw file_error(file_, entry.offset,
                       fmt::format("'{}' claims to unpack to {} bytes, far more than weights do",
                                   shown(entry.name), entry.bytes));
    inflate_left_ -= entry.bytes;
    inflated_.push_back(std::make_unique_for_overwrite<std::byte[]>(entry.bytes));
    inflate(file_, entry, inflated_.back().get());
    return {inflated_.back().get(), entry.bytes, entry.offset};
  }

  void check_byte_order() {
    auto found = entries_.find(prefix_ + "byteorder");
    if (found == entries_.end()) return;
    Storage content = contents(found->second);
    std::string_view order(reinterpret_cast<const char*>(content.data), content.bytes);
    if (order != "little")
      throw file_error(file_, found->second.offset, "the weights are stored big end first");
  }

  const MappedFile& file_;
  std::map<std::string, ZipEntry, std::less<>> entries_;
  std::string prefix_;
  uint64_t inflate_left_ = 0;
  std::map<std::string, Storage> storages_;
  std::vector<std::unique_ptr<std::byte[]>> inflated_;
};

}  // namespace

std::unique_ptr<MappedCheckpoint> read_torch_zip(MappedFile file) {
  Archive archive(file);
  TorchObject object = read_torch_object(
      *archive.object(), file.path().string(),
      [&](const StorageName& name, const TensorView& t) { return archive.storage(name, t); });
  std::vector<MappedFile> files;
  files.push_back(std::move(file));
  return std::make_unique<MappedCheckpoint>("PyTorch zip", std::move(files),
                                            std::move(object.tensors), std::move(object.attributes),
                                            archive.take_inflated());
}

}  // namespace minpair::checkpoint
