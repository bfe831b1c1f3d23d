#include "tidy/frame.h"

#include <cmath>
#include <stdexcept>

namespace minpair::tidy {
namespace {

void add_bit(std::vector<uint8_t>& bits, size_t row, bool value) {
  if (row % 8 == 0) bits.push_back(0);
  bits.back() = uint8_t(bits.back() | (unsigned(value) << (row % 8)));
}

}  // namespace

Frame::Frame(std::vector<Field> fields) : fields_(std::move(fields)) { clear(); }

void Frame::clear() {
  columns_.assign(fields_.size(), {});
  for (size_t i = 0; i < fields_.size(); ++i)
    if (fields_[i].type == Type::text) columns_[i].offsets.push_back(0);
  rows_ = at_ = 0;
}

Column& Frame::next(Type type, bool there) {
  if (fields_.at(at_).type != type)
    throw std::logic_error("the column '" + fields_[at_].name + "' has another type");
  Column& column = columns_[at_];
  add_bit(column.valid, rows_, there);
  column.missing += !there;
  if (++at_ == fields_.size()) {
    at_ = 0;
    ++rows_;
  }
  return column;
}

Frame& Frame::text(std::string_view value) {
  Column& c = next(Type::text, true);
  c.bytes += value;
  c.offsets.push_back(int32_t(c.bytes.size()));
  return *this;
}

Frame& Frame::integer(int64_t value) {
  next(Type::integer, true).integers.push_back(value);
  return *this;
}

Frame& Frame::number(double value) {
  next(Type::number, !std::isnan(value)).numbers.push_back(value);
  return *this;
}

Frame& Frame::truth(bool value) {
  size_t row = rows_;
  add_bit(next(Type::truth, true).truths, row, value);
  return *this;
}

Frame& Frame::vector(const float* values) {
  uint32_t width = fields_.at(at_).width;
  Column& c = next(Type::vector, true);
  c.values.insert(c.values.end(), values, values + width);
  return *this;
}

Frame& Frame::nothing() {
  const Field& field = fields_.at(at_);
  size_t row = rows_;
  Column& c = next(field.type, false);
  if (field.type == Type::text) c.offsets.push_back(int32_t(c.bytes.size()));
  if (field.type == Type::integer) c.integers.push_back(0);
  if (field.type == Type::number) c.numbers.push_back(std::nan(""));
  if (field.type == Type::truth) add_bit(c.truths, row, false);
  if (field.type == Type::vector) c.values.resize(c.values.size() + field.width);
  return *this;
}

bool FrameRows::next(Frame& frame) {
  if (given_) return false;
  given_ = true;
  frame = std::move(frame_);
  return frame.rows() > 0;
}

}  // namespace minpair::tidy
