#include <fmt/format.h>
#include <gmock/gmock.h>

#include "files.h"

namespace minpair::checkpoint {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of_safetensors(const std::string& header, const std::string& data = "") {
  return error_of(safetensors(header, data), "model.safetensors");
}

TEST(Safetensors, EveryPlainType) {
  std::string data = numbers<double>({1.5, -2}) + numbers<float>({0.25f, 3}) +
                     numbers<uint16_t>({0x3c00, 0xc000}) + numbers<uint16_t>({0x3f80, 0xc000}) +
                     numbers<int64_t>({-5, 7}) + numbers<int32_t>({-6, 8}) +
                     numbers<int16_t>({-7, 9}) + numbers<int8_t>({-8, 10}) +
                     numbers<uint8_t>({200, 11}) + numbers<uint8_t>({0, 1});
  std::string header = "{\"__metadata__\":{\"format\":\"pt\"}";
  uint64_t at = 0;
  const std::pair<const char*, int> types[] = {{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2},
                                               {"I64", 8}, {"I32", 4}, {"I16", 2}, {"I8", 1},
                                               {"U8", 1},  {"BOOL", 1}};
  for (auto [type, bytes] : types) {
    header +=
        fmt::format(",\"{0}\":{{\"dtype\":\"{0}\",\"shape\":[1,2],\"data_offsets\":[{1},{2}]}}",
                    type, at, at + 2 * uint64_t(bytes));
    at += 2 * uint64_t(bytes);
  }
  testing::TemporaryFolder folder;
  // Headers of every length modulo 8: data is not always aligned.
  for (int padding = 0; padding < 8; ++padding) {
    write_file(folder / "model.safetensors",
               safetensors(header + std::string(size_t(padding), ' ') + "}", data));
    auto c = open_checkpoint(folder.path());
    EXPECT_EQ(c->format(), "safetensors");
    EXPECT_EQ(c->tensors().size(), 10u);
    EXPECT_THAT(floats(*c, "F64"), ElementsAre(1.5f, -2));
    EXPECT_THAT(floats(*c, "F32"), ElementsAre(0.25f, 3));
    EXPECT_THAT(floats(*c, "F16"), ElementsAre(1, -2));
    EXPECT_THAT(floats(*c, "BF16"), ElementsAre(1, -2));
    EXPECT_THAT(floats(*c, "I64"), ElementsAre(-5, 7));
    EXPECT_THAT(floats(*c, "I32"), ElementsAre(-6, 8));
    EXPECT_THAT(floats(*c, "I16"), ElementsAre(-7, 9));
    EXPECT_THAT(floats(*c, "I8"), ElementsAre(-8, 10));
    EXPECT_THAT(floats(*c, "U8"), ElementsAre(200, 11));
    EXPECT_THAT(floats(*c, "BOOL"), ElementsAre(0, 1));
    EXPECT_THAT(c->find("I64")->shape, ElementsAre(1, 2));
    EXPECT_EQ(c->find("absent"), nullptr);
  }
}

std::string entry(const std::string& name, const std::string& shape, uint64_t begin, uint64_t end) {
  return fmt::format("\"{}\":{{\"dtype\":\"F32\",\"shape\":{},\"data_offsets\":[{},{}]}}", name,
                     shape, begin, end);
}

TEST(Safetensors, ScalarsAndEmptyTensors) {
  testing::TemporaryFolder folder;
  write_file(folder / "x.safetensors",
             safetensors("{" + entry("empty", "[3,0]", 0, 0) + "," + entry("one", "[]", 0, 4) + "}",
                         numbers<float>({7})));
  auto c = open_checkpoint(folder / "x.safetensors");
  EXPECT_THAT(floats(*c, "one"), ElementsAre(7));
  EXPECT_THAT(floats(*c, "empty"), ElementsAre());
}

TEST(Safetensors, Rows) {
  testing::TemporaryFolder folder;
  write_file(folder / "x.safetensors", safetensors("{" + entry("m", "[3,2]", 0, 24) + "}",
                                                   numbers<float>({1, 2, 3, 4, 5, 6})));
  auto c = open_checkpoint(folder / "x.safetensors");
  std::vector<float> rows(4);
  rows_to_float(*c->find("m"), 1, 3, rows.data());
  EXPECT_THAT(rows, ElementsAre(3, 4, 5, 6));
}

TEST(Safetensors, FingerprintFollowsEveryByte) {
  testing::TemporaryFolder folder;
  auto fingerprint = [&](float last) {
    write_file(folder / "x.safetensors",
               safetensors("{" + entry("m", "[2]", 0, 8) + "}", numbers<float>({1, last})));
    return open_checkpoint(folder / "x.safetensors")->fingerprint();
  };
  EXPECT_EQ(fingerprint(2), fingerprint(2));
  EXPECT_NE(fingerprint(2), fingerprint(3));
  EXPECT_EQ(fingerprint(2).size(), 32u);
}

TEST(Safetensors, MemoryCanBeReleased) {
  testing::TemporaryFolder folder;
  std::string data(40000, '\0');
  for (int i = 0; i < 10000; ++i) {
    float x = float(i);
    std::memcpy(data.data() + 4 * i, &x, 4);
  }
  write_file(folder / "x.safetensors",
             safetensors("{" + entry("m", "[10000]", 0, 40000) + "}", data));
  auto c = open_checkpoint(folder / "x.safetensors");
  EXPECT_EQ(floats(*c, "m").at(9999), 9999);
  c->release_memory();
  EXPECT_EQ(floats(*c, "m").at(9999), 9999);
}

TEST(Safetensors, DamagedFiles) {
  std::string two(8, '\0');
  EXPECT_THAT(error_of("", "a.safetensors"), HasSubstr("too short"));
  EXPECT_THAT(error_of(std::string(8, '\xff') + "{}", "a.safetensors"),
              HasSubstr("the header claims 18446744073709551615 bytes"));
  EXPECT_THAT(error_of(little_endian<uint64_t>(50) + "{}", "a.safetensors"),
              HasSubstr("the header claims 50 bytes, the file has 2"));
  EXPECT_THAT(error_of_safetensors("{"), HasSubstr("not a JSON object"));
  EXPECT_THAT(error_of_safetensors("{\"a\":1}"), HasSubstr("tensor 'a': the header lacks"));
  EXPECT_THAT(
      error_of_safetensors("{\"a\":{\"dtype\":\"F4\",\"shape\":[],\"data_offsets\":[0,0]}}"),
      HasSubstr("numbers of type 'F4'"));
  // Truncated: the tensor, where it lies, what to do.
  EXPECT_THAT(error_of_safetensors("{" + entry("a", "[4]", 0, 16) + "}", two),
              AllOf(HasSubstr("tensor 'a': it lies at bytes 0 to 16 of 8 bytes"),
                    HasSubstr("byte 63"), HasSubstr("download it again")));
  EXPECT_THAT(error_of_safetensors("{" + entry("a", "[3]", 0, 8) + "}", two),
              HasSubstr("its shape needs 12 bytes, its offsets give 8"));
  EXPECT_THAT(error_of_safetensors("{" + entry("a", "[1]", 8, 4) + "}", two),
              HasSubstr("bytes 8 to 4"));
  EXPECT_THAT(error_of_safetensors(
                  "{" + entry("a", "[1]", 0, 4) + "," + entry("b", "[2]", 0, 8) + "}", two),
              HasSubstr("tensor 'b': it overlaps"));
  EXPECT_THAT(error_of_safetensors("{" + entry("a", "[1]", 4, 8) + "}", two),
              HasSubstr("4 bytes before it belong to no tensor"));
  EXPECT_THAT(error_of_safetensors("{" + entry("a", "[1]", 0, 4) + "}", two),
              HasSubstr("4 bytes at the end"));
  EXPECT_THAT(error_of_safetensors(
                  "{" + entry("a", "[1]", 0, 4) + "," + entry("a", "[1]", 4, 8) + "}", two),
              HasSubstr("two tensors have this name"));
  EXPECT_THAT(error_of_safetensors("{" + entry("a", "[1000000000000]", 0, 8) + "}", two),
              HasSubstr("its shape needs 4000000000000 bytes"));
  EXPECT_THAT(error_of_safetensors("{" + entry("a", "[4294967296,4294967296]", 0, 8) + "}", two),
              HasSubstr("more elements than 64 bits"));
  EXPECT_THAT(error_of_safetensors("{" + entry("a", "[4611686018427387904]", 0, 8) + "}", two),
              HasSubstr("more bytes than 64 bits"));
  EXPECT_THAT(error_of_safetensors("{" + entry("a", "[-1]", 0, 8) + "}", two),
              HasSubstr("not a natural number"));
  EXPECT_THAT(error_of_safetensors("{" + entry("a", "[1.5]", 0, 8) + "}", two),
              HasSubstr("not a natural number"));
  std::string deep = "{\"a\":" + std::string(100000, '[') + std::string(100000, ']') + "}";
  EXPECT_THAT(error_of_safetensors(deep), HasSubstr("not a JSON object"));
}

TEST(Safetensors, Shards) {
  testing::TemporaryFolder folder;
  auto shard = [&](const std::string& file, const std::string& tensor, float value) {
    write_file(folder / file,
               safetensors("{" + entry(tensor, "[1]", 0, 4) + "}", numbers<float>({value})));
  };
  shard("model-1.safetensors", "b", 1);
  shard("model-2.safetensors", "a", 2);
  auto index = [&](const std::string& map) {
    write_file(folder / "model.safetensors.index.json", "{\"weight_map\":{" + map + "}}");
    try {
      open_checkpoint(folder.path());
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  std::string good = R"("b":"model-1.safetensors","a":"model-2.safetensors")";
  ASSERT_EQ(index(good), "no error");
  auto c = open_checkpoint(folder.path());
  EXPECT_EQ(c->tensors().at(0).name, "a");
  EXPECT_THAT(floats(*c, "a"), ElementsAre(2));
  EXPECT_THAT(floats(*c, "b"), ElementsAre(1));
  std::string before = c->fingerprint();
  shard("model-2.safetensors", "a", 3);
  EXPECT_NE(open_checkpoint(folder.path())->fingerprint(), before);

  EXPECT_THAT(index(R"("c":"model-1.safetensors")"),
              HasSubstr("tensor 'c' should be in this file"));
  EXPECT_THAT(index(R"("a":"model-3.safetensors")"), HasSubstr("not there"));
  EXPECT_THAT(index(R"("a":"../model-2.safetensors")"), HasSubstr("not the name of a file"));
  EXPECT_THAT(index(R"("a":5)"), HasSubstr("not the name of a file"));
  EXPECT_THAT(index(good + R"(,"a":"model-2.safetensors")"), HasSubstr("two tensors"));
  EXPECT_THAT(index(""), HasSubstr("names no tensors"));
  write_file(folder / "model.safetensors.index.json", "[]");
  EXPECT_THROW(open_checkpoint(folder.path()), Error);
}

TEST(Open, Folders) {
  testing::TemporaryFolder folder;
  auto message = [&] {
    try {
      open_checkpoint(folder.path());
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message(), HasSubstr("no weights in this folder"));
  write_file(folder / "tf_model.h5", "x");
  EXPECT_THAT(message(), HasSubstr("convert the model to safetensors"));
  write_file(folder / "training_args.bin", "x");
  std::string one = safetensors("{" + entry("a", "[1]", 0, 4) + "}", numbers<float>({1}));
  write_file(folder / "other.safetensors", one);
  EXPECT_EQ(message(), "no error");
  write_file(folder / "second.safetensors", one);
  EXPECT_THAT(message(), HasSubstr("several files of weights in this folder: other.safetensors, "
                                   "second.safetensors"));
  write_file(folder / "model.safetensors", "version https://git-lfs.github.com/spec/v1\n");
  EXPECT_THAT(message(), HasSubstr("git lfs pull"));
  write_file(folder / "model.safetensors", "<html>");
  EXPECT_THAT(message(), HasSubstr("too short"));
}

TEST(Safetensors, MiniLmHasOddOffsets) {
  if (testing::models_dir().empty()) GTEST_SKIP() << testing::no_data();
  auto c = open_checkpoint(testing::models_dir() / "minilm-l6");
  const TensorView* ids = c->find("embeddings.position_ids");
  ASSERT_NE(ids, nullptr);
  EXPECT_EQ(ids->type, DType::i64);
  std::vector<float> positions = floats(*ids);
  for (size_t i = 0; i < positions.size(); ++i) EXPECT_EQ(positions[i], float(i));
  const TensorView* words = c->find("embeddings.word_embeddings.weight");
  ASSERT_NE(words, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(words->data) % 2, 1u);
  std::vector<float> all = floats(*words), some(384 * 2);
  rows_to_float(*words, 1000, 1002, some.data());
  EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin() + 384 * 1000));
}

}  // namespace
}  // namespace minpair::checkpoint
