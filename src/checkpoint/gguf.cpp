// GGUF, versions 2 and 3: counts, typed metadata, tensor descriptions, then the tensors.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/counts.h"
#include "checkpoint/parts.h"

namespace minpair::checkpoint {

namespace {

using Type = Metadata::Type;

// GGUF's numbers of the types that are known here.
constexpr std::pair<uint32_t, DType> tensor_types[] = {
    {0, DType::f32},     {1, DType::f16},      {2, DType::q4_0},    {3, DType::q4_1},
    {6, DType::q5_0},    {7, DType::q5_1},     {8, DType::q8_0},    {10, DType::q2_k},
    {11, DType::q3_k},   {12, DType::q4_k},    {13, DType::q5_k},   {14, DType::q6_k},
    {15, DType::q8_k},   {16, DType::iq2_xxs}, {17, DType::iq2_xs}, {18, DType::iq3_xxs},
    {19, DType::iq1_s},  {20, DType::iq4_nl},  {21, DType::iq3_s},  {22, DType::iq2_s},
    {23, DType::iq4_xs}, {24, DType::i8},      {25, DType::i16},    {26, DType::i32},
    {27, DType::i64},    {28, DType::f64},     {29, DType::iq1_m},  {30, DType::bf16},
    {34, DType::tq1_0},  {35, DType::tq2_0},   {39, DType::mxfp4},  {41, DType::q1_0},
    {42, DType::q2_0},
};

// Of a value of fixed size; 0 for text and arrays.
uint64_t size_of(Type type) {
  switch (type) {
    case Type::u8:
    case Type::i8:
    case Type::boolean:
      return 1;
    case Type::u16:
    case Type::i16:
      return 2;
    case Type::u32:
    case Type::i32:
    case Type::f32:
      return 4;
    case Type::u64:
    case Type::i64:
    case Type::f64:
      return 8;
    default:
      return 0;
  }
}

class Reader {
 public:
  explicit Reader(const MappedFile& file) : file_(file), bytes_(file.bytes()) {}

  Metadata read_metadata() {
    take(4);
    uint64_t version = number(4);
    if (version == 1)
      throw file_error(file_, 4, "GGUF version 1 is not known here")
          .hint("convert the model again with a llama.cpp of late 2023 or newer");
    if (version != 2 && version != 3)
      throw file_error(file_, 4, fmt::format("GGUF version {} is not known here", version));
    tensor_count_ = number(8);
    uint64_t count = number(8);
    std::vector<Metadata::Entry> entries;
    for (uint64_t i = 0; i < count; ++i) entries.push_back(entry());
    return Metadata(std::move(entries), file_.path().string());
  }

  std::vector<TensorView> read_tensors(const Metadata& metadata) {
    std::vector<TensorView> all;
    for (uint64_t i = 0; i < tensor_count_; ++i) all.push_back(description());
    uint64_t alignment = uint64_t(metadata.integer("general.alignment").value_or(32));
    if (!std::has_single_bit(alignment) || alignment > 1 << 20)
      throw file_error(file_, 0, fmt::format("tensors cannot be aligned to {} bytes", alignment));
    uint64_t data = (at_ + alignment - 1) / alignment * alignment;
    for (TensorView& t : all) place(t, data, alignment);
    check_overlap(all);
    return all;
  }

 private:
  std::string_view take(uint64_t n) {
    if (n > bytes_.size() - at_)
      throw file_error(file_, at_,
                       fmt::format("the file ends early: {} {} wanted, {} {} left", n,
                                   plural(n, "byte is", "bytes are"), bytes_.size() - at_,
                                   plural(bytes_.size() - at_, "is", "are")));
    std::string_view piece = bytes_.substr(at_, n);
    at_ += n;
    return piece;
  }

  uint64_t number(size_t width) {
    std::string_view b = take(width);
    uint64_t n = 0;
    std::memcpy(&n, b.data(), width);
    return n;
  }

  std::string_view text() { return take(number(8)); }

  Type type() {
    uint64_t at = at_, n = number(4);
    if (n > uint64_t(Type::f64))
      throw file_error(file_, at, fmt::format("metadata of type {} is not known here", n));
    return Type(n);
  }

  Metadata::Entry entry() {
    Metadata::Entry e;
    e.key = text();
    e.type = type();
    if (e.type == Type::array) {
      e.array = true;
      e.type = type();
      e.count = number(8);
      if (e.type == Type::array)
        throw file_error(file_, at_, fmt::format("metadata '{}' is a list of lists", shown(e.key)));
    }
    uint64_t begin = at_;
    if (e.type == Type::text)
      for (uint64_t i = 0; i < e.count; ++i) text();
    else if (e.count > bytes_.size() / size_of(e.type))
      throw file_error(file_, at_,
                       fmt::format("metadata '{}' claims {} values", shown(e.key), e.count));
    else
      take(e.count * size_of(e.type));
    e.bytes = bytes_.substr(begin, at_ - begin);
    return e;
  }

  // The offset is counted from where the data begins, which is known only at the end.
  TensorView description() {
    TensorView t;
    t.file = file_.path().string();
    t.offset = at_;
    t.name = text();
    uint64_t dimensions = number(4);
    if (dimensions > 8) throw tensor_error(t, fmt::format("it has {} dimensions", dimensions));
    for (uint64_t i = 0; i < dimensions; ++i) t.shape.push_back(int64_t(number(8)));
    std::reverse(t.shape.begin(), t.shape.end());
    uint64_t type = number(4);
    auto known = std::find_if(std::begin(tensor_types), std::end(tensor_types),
                              [&](const auto& k) { return k.first == type; });
    if (known == std::end(tensor_types))
      throw tensor_error(t, fmt::format("GGUF type {} is not known here", type))
          .hint(
              "get the model in F16, BF16, Q8_0, Q4_0 to Q5_1, Q2_K to Q6_K, MXFP4 or an IQ "
              "format");
    t.type = known->second;
    t.offset = number(8);
    return t;
  }

  void place(TensorView& t, uint64_t data, uint64_t alignment) const {
    uint64_t from_data = t.offset, size = bytes_.size();
    t.offset = std::min(data, size);
    t.bytes = checked_bytes(t);
    if (from_data % alignment != 0)
      throw tensor_error(
          t, fmt::format("its offset {} is not a multiple of {}", from_data, alignment));
    if (data > size || from_data > size - data || t.bytes > size - data - from_data)
      throw tensor_error(t,
                         fmt::format("it has {} bytes at {} of the data, and the file has {} bytes "
                                     "of data",
                                     t.bytes, from_data, size - std::min(data, size)));
    t.offset = data + from_data;
    t.data = reinterpret_cast<const std::byte*>(bytes_.data()) + t.offset;
  }

  void check_overlap(const std::vector<TensorView>& all) const {
    std::vector<const TensorView*> order;
    for (const TensorView& t : all) order.push_back(&t);
    std::sort(order.begin(), order.end(), [](const TensorView* a, const TensorView* b) {
      return std::pair(a->offset, a->bytes) < std::pair(b->offset, b->bytes);
    });
    for (size_t i = 1; i < order.size(); ++i)
      if (order[i - 1]->offset + order[i - 1]->bytes > order[i]->offset)
        throw tensor_error(*order[i],
                           fmt::format("it overlaps tensor '{}'", shown(order[i - 1]->name)));
  }

  const MappedFile& file_;
  std::string_view bytes_;
  uint64_t at_ = 0, tensor_count_ = 0;
};

}  // namespace

std::unique_ptr<MappedCheckpoint> read_gguf(MappedFile file) {
  Reader reader(file);
  Metadata metadata = reader.read_metadata();
  if (int64_t parts = metadata.integer("split.count").value_or(1); parts > 1)
    throw bad_input(fmt::format("this is one of {} parts of a model", parts))
        .at(file.path().string())
        .hint("join them with 'llama-gguf-split --merge'");
  std::vector<TensorView> tensors = reader.read_tensors(metadata);
  std::vector<MappedFile> files;
  files.push_back(std::move(file));
  return std::make_unique<MappedCheckpoint>("GGUF", std::move(files), std::move(tensors),
                                            std::move(metadata));
}

}  // namespace minpair::checkpoint
