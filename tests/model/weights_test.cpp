// Quantised weights, as layers multiply with them, are the numbers of their file.

#include "model/weights.h"

#include <gmock/gmock.h>

#include <cstring>

#include "base/error.h"
#include "support.h"

namespace minpair::model {
namespace {

using checkpoint::Checkpoint;
using checkpoint::TensorView;
using ::testing::HasSubstr;

constexpr size_t kTimes = 16, kRows = 3 * kTimes;  // of every tensor

// Tensors of a file of every block format under other names, with bytes of their own, several
// times.
class Renamed : public Checkpoint {
 public:
  explicit Renamed(const std::vector<std::string>& formats)
      : file_(checkpoint::open_checkpoint(testing::source_dir() /
                                          "tests/golden/checkpoint/blocks.gguf")) {
    for (size_t i = 0; i < formats.size(); ++i) {
      TensorView tensor = *file_->find(formats[i]);
      std::vector<std::byte>& bytes = bytes_.emplace_back();
      for (size_t times = 0; times < kTimes; ++times)
        bytes.insert(bytes.end(), tensor.data, tensor.data + tensor.bytes);
      tensor.bytes *= kTimes;
      tensor.shape[0] *= kTimes;
      tensor.data = bytes_.back().data();
      tensor.name = std::string(1, char('a' + i)) + ".weight";
      tensors_.push_back(tensor);
    }
  }
  std::byte* bytes(size_t tensor) { return bytes_[tensor].data(); }

  const std::vector<TensorView>& tensors() const override { return tensors_; }
  const std::string& fingerprint() const override { return file_->fingerprint(); }
  std::string format() const override { return file_->format(); }
  uint64_t file_bytes() const override { return file_->file_bytes(); }
  const checkpoint::Metadata& metadata() const override { return file_->metadata(); }
  void release_memory() const override {}

 private:
  std::unique_ptr<Checkpoint> file_;
  std::vector<std::vector<std::byte>> bytes_;
  std::vector<TensorView> tensors_;
};

void expect_weights_of(const Renamed& file, const nn::Runtime& runtime, const nn::Linear& layer,
                       size_t inputs) {
  // Each row of the unit matrix picks one column of the weights.
  nn::Matrix unit(inputs, inputs), picked;
  for (size_t i = 0; i < inputs; ++i)
    for (size_t j = 0; j < inputs; ++j) unit.row(i)[j] = i == j;
  nn::linear(runtime, unit, layer, picked);
  std::vector<float> stored(kRows * inputs);
  for (size_t part = 0; part < file.tensors().size(); ++part) {
    checkpoint::to_float(file.tensors()[part], stored.data());
    for (size_t row = 0; row < kRows; ++row)
      for (size_t k = 0; k < inputs; ++k)
        ASSERT_EQ(picked.row(k)[part * kRows + row], stored[row * inputs + k])
            << file.tensors()[part].name << " " << row << " " << k;
  }
}

TEST(StoredWeights, EveryFormat) {
  for (const char* format :
       {"q4_0",   "q4_1",  "q5_0",    "q5_1",   "q8_0",    "q2_k",  "q3_k",   "q4_k",  "q5_k",
        "q6_k",   "q8_k",  "iq2_xxs", "iq2_xs", "iq3_xxs", "iq1_s", "iq4_nl", "iq3_s", "iq2_s",
        "iq4_xs", "iq1_m", "tq1_0",   "tq2_0",  "mxfp4",   "q1_0",  "q2_0"}) {
    SCOPED_TRACE(format);
    const Renamed file({format});
    const auto inputs = size_t(file.tensors()[0].shape[1]);
    for (nn::Isa isa : nn::available_isas()) {
      const nn::Runtime runtime(2, isa);
      WeightLoader loader(runtime, file, {});
      expect_weights_of(file, runtime, loader.linear("a", kRows, inputs, false), inputs);
    }
  }
}

TEST(StoredWeights, StackedOfOneFormatAndOfSeveral) {
  for (const std::vector<std::string>& formats :
       {std::vector<std::string>{"q4_k", "q4_k", "q4_k"}, {"q4_k", "q6_k", "q5_k"}}) {
    const Renamed file(formats);
    const nn::Runtime runtime(2);
    WeightLoader loader(runtime, file, {});
    expect_weights_of(file, runtime, loader.stacked({"a", "b", "c"}, kRows, 512, false), 512);
  }
}

TEST(StoredWeights, DamageIsNamedWhenItIsMet) {
  Renamed file({"q4_k", "q4_k"});
  const nn::Runtime runtime(1);
  WeightLoader loader(runtime, file, {});
  const nn::Linear layer = loader.stacked({"a", "b"}, kRows, 512, false);
  nn::Matrix in(1, 512), out;
  for (size_t k = 0; k < 512; ++k) in.row(0)[k] = 1;
  nn::linear(runtime, in, layer, out);
  const uint16_t infinite = 0x7c00;
  std::memcpy(file.bytes(1) + 3 * 144, &infinite, sizeof infinite);  // row 1, its second block
  try {
    nn::linear(runtime, in, layer, out);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("the weights are damaged: b.weight has"));
    EXPECT_THAT(e.what(), HasSubstr("in row 1, column 256"));
  }
}

}  // namespace
}  // namespace minpair::model
