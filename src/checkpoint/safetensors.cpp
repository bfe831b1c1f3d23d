// safetensors: 8 bytes of header length, a JSON header, then the tensors without gaps.

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/counts.h"
#include "checkpoint/parts.h"

namespace minpair::checkpoint {

namespace {

constexpr uint64_t max_header = 32'000'000;  // the largest models have a few megabytes

std::string_view header_of(const MappedFile& file) {
  std::string_view bytes = file.bytes();
  if (bytes.size() < 8) throw file_error(file, 0, "the file is too short to be safetensors");
  uint64_t length;
  std::memcpy(&length, bytes.data(), 8);
  if (length > max_header)
    throw file_error(file, 0,
                     fmt::format("the header claims {} bytes; no real one has more than "
                                 "{}",
                                 length, max_header));
  if (length > bytes.size() - 8)
    throw file_error(file, 0,
                     fmt::format("the header claims {} bytes, the file has {} after it "
                                 "begins",
                                 length, bytes.size() - 8));
  return bytes.substr(8, length);
}

DType type_of(const TensorView& t, std::string_view name) {
  for (size_t i = 0; i <= size_t(DType::boolean); ++i)
    if (name_of(DType(i)) == name) return DType(i);
  throw tensor_error(t, fmt::format("numbers of type '{}' are not known here", shown(name)))
      .hint("convert the model to F32, F16 or BF16");
}

class Reader {
 public:
  explicit Reader(const MappedFile& file)
      : file_(file), header_(header_of(file)), data_(file.bytes().substr(8 + header_.size())) {}

  std::vector<TensorView> tensors() {
    simdjson::dom::parser parser;
    simdjson::dom::object root;
    auto wrong = parser.parse(header_.data(), header_.size()).get(root);
    if (wrong)
      throw file_error(
          file_, 8,
          fmt::format("the header is not a JSON object: {}", simdjson::error_message(wrong)));
    std::vector<TensorView> all;
    for (auto [name, info] : root)
      if (name != "__metadata__") all.push_back(tensor(name, info));
    check_tiling(all);
    return all;
  }

 private:
  TensorView tensor(std::string_view name, simdjson::dom::element info) const {
    TensorView t;
    t.name = name;
    t.file = file_.path().string();
    std::string_view type;
    simdjson::dom::array shape, offsets;
    if (info["dtype"].get(type) || info["shape"].get(shape) || info["data_offsets"].get(offsets))
      throw tensor_error(t, "the header lacks its dtype, shape or data_offsets");
    t.type = type_of(t, type);
    // number() takes a result, which only an rvalue becomes.
    // NOLINTNEXTLINE(performance-move-const-arg)
    for (simdjson::dom::element d : shape) t.shape.push_back(number(t, std::move(d)));
    if (offsets.size() != 2) throw tensor_error(t, "data_offsets are not two numbers");
    uint64_t begin = uint64_t(number(t, offsets.at(0))), end = uint64_t(number(t, offsets.at(1)));
    t.offset = 8 + header_.size() + begin;
    if (begin > end || end > data_.size())
      throw tensor_error(t, fmt::format("it lies at bytes {} to {} of {} bytes of data", begin, end,
                                        data_.size()));
    t.bytes = end - begin;
    t.data = reinterpret_cast<const std::byte*>(data_.data()) + begin;
    if (checked_bytes(t) != t.bytes)
      throw tensor_error(t, fmt::format("its shape needs {} bytes, its offsets give {}",
                                        checked_bytes(t), t.bytes));
    return t;
  }

  static int64_t number(const TensorView& t, simdjson::simdjson_result<simdjson::dom::element> e) {
    uint64_t n;
    if (e.get(n) || n > INT64_MAX)
      throw tensor_error(t, "a dimension or an offset is not a natural number");
    return int64_t(n);
  }

  // Every byte belongs to one tensor.
  void check_tiling(const std::vector<TensorView>& all) const {
    std::vector<const TensorView*> order;
    for (const TensorView& t : all) order.push_back(&t);
    std::sort(order.begin(), order.end(), [](const TensorView* a, const TensorView* b) {
      return std::pair(a->offset, a->bytes) < std::pair(b->offset, b->bytes);
    });
    uint64_t end = 8 + header_.size();
    for (const TensorView* t : order) {
      if (t->offset < end) throw tensor_error(*t, "it overlaps another tensor");
      if (t->offset > end)
        throw tensor_error(*t, fmt::format("{} {} to no tensor", t->offset - end,
                                           plural(t->offset - end, "byte before it belongs",
                                                  "bytes before it belong")));
      end += t->bytes;
    }
    if (end != file_.bytes().size())
      throw file_error(file_, end,
                       fmt::format("{} {} to no tensor", file_.bytes().size() - end,
                                   plural(file_.bytes().size() - end, "byte at the end belongs",
                                          "bytes at the end belong")));
  }

  const MappedFile& file_;
  std::string_view header_, data_;
};

}  // namespace

std::unique_ptr<MappedCheckpoint> read_safetensors(MappedFile file) {
  std::vector<TensorView> tensors = Reader(file).tensors();
  std::vector<MappedFile> files;
  files.push_back(std::move(file));
  return std::make_unique<MappedCheckpoint>("safetensors", std::move(files), std::move(tensors));
}

}  // namespace minpair::checkpoint
