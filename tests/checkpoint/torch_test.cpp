#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "files.h"

namespace minpair::checkpoint {

namespace fs = std::filesystem;

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

fs::path golden() { return testing::source_dir() / "tests/golden/checkpoint"; }

const nlohmann::json& expected() {
  static const auto all = nlohmann::json::parse(read_file(golden() / "expected.json"));
  return all;
}

std::string torch_name(DType type) {
  const std::pair<DType, const char*> names[] = {{DType::f64, "float64"}, {DType::f32, "float32"},
                                                 {DType::f16, "float16"}, {DType::bf16, "bfloat16"},
                                                 {DType::i64, "int64"},   {DType::i32, "int32"},
                                                 {DType::i16, "int16"},   {DType::i8, "int8"},
                                                 {DType::u8, "uint8"},    {DType::boolean, "bool"}};
  for (auto [t, n] : names)
    if (t == type) return n;
  return "?";
}

class Torch : public ::testing::TestWithParam<std::string> {};

TEST_P(Torch, WhatTorchSaved) {
  auto c = open_checkpoint(golden() / GetParam());
  const nlohmann::json& tensors = expected().at(GetParam());
  EXPECT_EQ(c->tensors().size(), tensors.size());
  for (const auto& [name, t] : tensors.items()) {
    const TensorView* found = c->find(name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(torch_name(found->type), t.at("type").get<std::string>()) << name;
    EXPECT_EQ(found->shape, t.at("shape").get<std::vector<int64_t>>()) << name;
    EXPECT_EQ(floats(*found), t.at("values").get<std::vector<float>>()) << name;
    int64_t rows = found->shape.empty() ? 0 : found->shape[0];
    int64_t width = rows == 0 ? 0 : found->elements() / rows;
    for (int64_t i = 0; i < rows; ++i) {
      std::vector<float> row(static_cast<size_t>(width)), all = floats(*found);
      rows_to_float(*found, i, i + 1, row.data());
      EXPECT_TRUE(std::equal(row.begin(), row.end(), all.begin() + i * width)) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Torch,
                         ::testing::Values("types.zip.pt", "types.legacy.pt", "types.deflated.pt",
                                           "views.zip.pt", "views.legacy.pt", "training.zip.pt",
                                           "training.legacy.pt", "module.zip.pt",
                                           "module.legacy.pt", "protocol1.legacy.pt",
                                           "protocol4.legacy.pt", "protocol5.legacy.pt"));

TEST(TorchFiles, Formats) {
  EXPECT_EQ(open_checkpoint(golden() / "types.zip.pt")->format(), "PyTorch zip");
  EXPECT_EQ(open_checkpoint(golden() / "types.legacy.pt")->format(), "PyTorch legacy");
}

TEST(TorchFiles, ViewsShareTheirStorage) {
  for (const char* name : {"views.zip.pt", "views.legacy.pt"}) {
    auto c = open_checkpoint(golden() / name);
    EXPECT_EQ(c->find("tied_one")->data, c->find("tied_two")->data);
    EXPECT_EQ(c->find("matrix")->data, c->find("transposed")->data);
    EXPECT_TRUE(c->find("row")->contiguous());
    EXPECT_FALSE(c->find("transposed")->contiguous());
    EXPECT_EQ(c->find("row")->data - c->find("whole")->data, 12 * 4);
  }
}

TEST(TorchFiles, ModulesTellTheirAttributes) {
  for (const char* name : {"module.zip.pt", "module.legacy.pt"}) {
    auto c = open_checkpoint(golden() / name);
    const Metadata& m = c->metadata();
    EXPECT_EQ(m.text("class"), "__main__.RNNModel") << name;
    EXPECT_EQ(m.text("rnn.class"), "torch.nn.modules.rnn.LSTM");
    EXPECT_EQ(m.text("rnn.mode"), "LSTM");
    EXPECT_EQ(m.integer("rnn.num_layers"), 2);
    EXPECT_EQ(m.real("rnn.dropout"), 0.2);
    EXPECT_EQ(m.boolean("rnn.bidirectional"), false);
    EXPECT_EQ(m.integer("nhid"), 4);
    EXPECT_EQ(m.integer("absent"), std::nullopt);
    EXPECT_THROW(m.integer("rnn.mode"), Error);
  }
}

TEST(TorchFiles, FilesCutAnywhere) {
  for (const char* name : {"views.zip.pt", "views.legacy.pt", "types.deflated.pt"}) {
    std::string bytes = read_file(golden() / name);
    for (size_t cut = 0; cut < bytes.size(); cut += 7)
      EXPECT_NE(error_of(bytes.substr(0, cut), "model.bin"), "no error") << name << " at " << cut;
  }
}

TEST(TorchFiles, CutStorageIsNamed) {
  std::string bytes = read_file(golden() / "views.legacy.pt");
  EXPECT_THAT(error_of(bytes.substr(0, bytes.size() - 1), "model.bin"),
              AllOf(HasSubstr("storage '"), HasSubstr("byte "), HasSubstr("download it again")));
}

std::string replaced(std::string s, const std::string& from, const std::string& to) {
  size_t at = s.find(from);
  EXPECT_NE(at, s.npos);
  return s.replace(at, from.size(), to);
}

// A stream file around an object's pickle; one storage of `elements` floats under the key "0".
std::string legacy(const std::string& object, int64_t elements = 4) {
  std::string magic("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
  std::string s = magic + "\x80\x02M\xe9\x03." + "\x80\x02}." + object +
                  "](U\1"
                  "0e.";
  return s + little_endian(elements) + std::string(16, '\0');
}

// {"w": _rebuild_tensor(storage "0" of 4 floats, offset, size, stride)} with text integers.
std::string tensor_dict(const std::string& offset, const std::string& size,
                        const std::string& stride) {
  return "}U\1w"
         "ctorch._utils\n_rebuild_tensor\n((U\7storagectorch\nFloatStorage\nU\1"
         "0U\3"
         "cpuI4\nNtQI" +
         offset + "\n(" + size + "t(" + stride + "ttRs.";
}

TEST(TorchFiles, ShapesAreChecked) {
  EXPECT_EQ(error_of(legacy(tensor_dict("0", "I2\nI2\n", "I2\nI1\n")), "m.bin"), "no error");
  EXPECT_THAT(error_of(legacy(tensor_dict("0", "I2\nI2\n", "I-2\nI1\n")), "m.bin"),
              HasSubstr("tensor 'w': stride -2 is negative"));
  EXPECT_THAT(error_of(legacy(tensor_dict("0", "I-2\nI2\n", "I2\nI1\n")), "m.bin"),
              HasSubstr("dimension -2 is negative"));
  EXPECT_THAT(error_of(legacy(tensor_dict("1", "I2\nI2\n", "I2\nI1\n")), "m.bin"),
              HasSubstr("tensor 'w': it reaches element 3 of a storage that has 3"));
  EXPECT_THAT(error_of(legacy(tensor_dict("5", "I1\n", "I1\n")), "m.bin"),
              HasSubstr("past the end of its storage"));
  EXPECT_THAT(error_of(legacy(tensor_dict("-1", "I1\n", "I1\n")), "m.bin"), HasSubstr("negative"));
  EXPECT_THAT(error_of(legacy(tensor_dict("0", "I1000000000000\n", "I0\n")), "m.bin"),
              HasSubstr("its shape has 1000000000000 elements, its storage 4"));
  EXPECT_THAT(error_of(legacy(tensor_dict("0", "I4294967296\nI4294967296\n", "I0\nI0\n")), "m.bin"),
              HasSubstr("more elements than 64 bits"));
  EXPECT_THAT(error_of(legacy(tensor_dict("0", "I2\n", "I9223372036854775807\n")), "m.bin"),
              HasSubstr("reaches element"));
  EXPECT_THAT(error_of(legacy(tensor_dict("0", "I3\nI3\n", "I9223372036854775807\nI1\n")), "m.bin"),
              HasSubstr("reach further than 64 bits"));
  EXPECT_THAT(error_of(legacy(tensor_dict("0", "I2\n", "")), "m.bin"),
              HasSubstr("1 dimension and 0 strides"));
  EXPECT_THAT(error_of(legacy(tensor_dict("0", "I4\n", "I1\n"), 5), "m.bin"),
              HasSubstr("should have 4 elements and says it has 5"));
  EXPECT_THAT(
      error_of(replaced(legacy(tensor_dict("0", "I4\n", "I1\n")), "FloatStorage", "QuietStorage"),
               "m.bin"),
      HasSubstr("QuietStorage"));
  EXPECT_THAT(error_of(legacy("}."), "m.bin"), HasSubstr("no tensor is in it"));
  EXPECT_THAT(error_of(legacy("N."), "m.bin"), HasSubstr("no tensor is in it"));
}

// As PyTorch 0.2 and 0.3 pickled parameters: a call of the class with the tensor.
TEST(TorchFiles, OldParameters) {
  std::string tensor = tensor_dict("0", "I4\n", "I1\n");
  std::string call = tensor.substr(4, tensor.size() - 6);  // without the dict around it
  for (const char* type : {"torch.nn.parameter\nParameter", "torch.autograd.variable\nVariable"}) {
    std::string wrapped = std::string("}U\1w") + "c" + type + "\n(" + call + "tR(I01\nI00\nNtbs.";
    testing::TemporaryFolder folder;
    write_file(folder / "m.pt", legacy(wrapped));
    EXPECT_EQ(floats(*open_checkpoint(folder / "m.pt"), "w").size(), 4u) << type;
  }
}

TEST(TorchFiles, HostileArchives) {
  std::string bytes = read_file(golden() / "views.zip.pt");
  EXPECT_THAT(error_of("PK\3\4 and nothing", "m.bin"), HasSubstr("no end"));
  std::string pickled = replaced(bytes, "_rebuild_tensor_v2", "_rebuild_tensor_v9");
  EXPECT_THAT(error_of(pickled, "m.bin"), HasSubstr("check sum"));
  std::string unnamed = bytes;
  unnamed.replace(unnamed.rfind("/data.pkl"), 9, "/dxta.pkl");
  EXPECT_THAT(error_of(unnamed, "m.bin"), HasSubstr("has no data.pkl"));
  // The directory says that a deflated entry unpacks to 4 GB.
  std::string bomb = read_file(golden() / "types.deflated.pt");
  size_t directory = bomb.rfind("PK\1\2");
  for (size_t at = bomb.find("PK\1\2"); at <= directory; at = bomb.find("PK\1\2", at + 1))
    bomb.replace(at + 24, 4, "\xfe\xff\xff\xff");
  EXPECT_THAT(error_of(bomb, "m.bin"), HasSubstr("claims to unpack to 4294967294 bytes"));
}

TEST(TorchFiles, OldTarFormatIsNamed) {
  std::string tar(512, '\0');
  tar.replace(257, 5, "ustar");
  EXPECT_THAT(error_of(tar, "m.pt"), HasSubstr("before 2017"));
  EXPECT_THAT(error_of("hello", "m.pt"), HasSubstr("no format of weights"));
}

}  // namespace
}  // namespace minpair::checkpoint
