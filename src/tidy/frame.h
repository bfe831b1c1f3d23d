#pragma once
// Tables as typed columns, a batch of rows at a time, in Arrow's layout, so that they can be
// handed over without copying.
//
//   Frame frame({{"id", Type::text, "of the item"}, {"margin", Type::number, "in nats"}});
//   frame.text("1").number(0.5);

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace minpair::tidy {

enum class Type : uint8_t { text, integer, number, truth, vector };

struct Field {
  std::string name;
  Type type = Type::text;
  std::string about;   // for documentation
  uint32_t width = 1;  // of a vector
};

struct Column {
  std::vector<uint8_t> valid;    // one bit per row
  std::vector<int32_t> offsets;  // of texts: one more than rows
  std::string bytes;             // of texts
  std::vector<int64_t> integers;
  std::vector<double> numbers;
  std::vector<float> values;    // of vectors, `width` per row
  std::vector<uint8_t> truths;  // one bit per row
  uint64_t missing = 0;

  bool has(size_t row) const { return valid[row / 8] >> (row % 8) & 1; }
  bool truth(size_t row) const { return truths[row / 8] >> (row % 8) & 1; }
  std::string_view text(size_t row) const {
    return std::string_view(bytes).substr(size_t(offsets[row]),
                                          size_t(offsets[row + 1] - offsets[row]));
  }
};

class Frame {
 public:
  explicit Frame(std::vector<Field> fields = {});

  const std::vector<Field>& fields() const { return fields_; }
  size_t rows() const { return rows_; }
  std::vector<Column>& columns() { return columns_; }
  const std::vector<Column>& columns() const { return columns_; }
  void clear();

  // The next cell, from left to right; after the last one a new row begins.
  Frame& text(std::string_view value);
  Frame& text_or_nothing(std::string_view value) { return value.empty() ? nothing() : text(value); }
  Frame& integer(int64_t value);
  Frame& integer(std::optional<uint32_t> value) {
    return value ? integer(int64_t{*value}) : nothing();
  }
  Frame& number(double value);  // what is not a number is nothing
  Frame& number(std::optional<double> value) { return value ? number(*value) : nothing(); }
  Frame& truth(bool value);
  Frame& vector(const float* values);
  Frame& nothing();

 private:
  Column& next(Type type, bool there);

  std::vector<Field> fields_;
  std::vector<Column> columns_;
  size_t rows_ = 0, at_ = 0;
};

// Rows that come in batches.
class Rows {
 public:
  virtual ~Rows() = default;
  virtual const std::vector<Field>& fields() const = 0;
  virtual bool next(Frame& frame) = 0;                           // false: there are no more
  virtual std::vector<std::string> notes() const { return {}; }  // for readers
};

// Rows that are in memory already.
class FrameRows : public Rows {
 public:
  explicit FrameRows(Frame frame, std::vector<std::string> notes = {})
      : frame_(std::move(frame)), fields_(frame_.fields()), notes_(std::move(notes)) {}
  const std::vector<Field>& fields() const override { return fields_; }
  bool next(Frame& frame) override;
  std::vector<std::string> notes() const override { return notes_; }

 private:
  Frame frame_;
  std::vector<Field> fields_;
  std::vector<std::string> notes_;
  bool given_ = false;
};

}  // namespace minpair::tidy
