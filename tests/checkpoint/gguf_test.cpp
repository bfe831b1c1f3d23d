#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "checkpoint/blocks.h"
#include "files.h"

namespace minpair::checkpoint {

namespace fs = std::filesystem;

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

fs::path golden() { return testing::source_dir() / "tests/golden/checkpoint"; }

constexpr const char* kFormats[] = {
    "q4_0",   "q4_1",  "q5_0",    "q5_1",   "q8_0",    "q2_k",  "q3_k",   "q4_k",  "q5_k",
    "q6_k",   "q8_k",  "iq2_xxs", "iq2_xs", "iq3_xxs", "iq1_s", "iq4_nl", "iq3_s", "iq2_s",
    "iq4_xs", "iq1_m", "tq1_0",   "tq2_0",  "mxfp4",   "q1_0",  "q2_0"};

// Code k of column i, from words of four or from pairs.
int8_t code_of(const std::vector<uint32_t>& codes, bool in_pairs, size_t k, size_t i) {
  if (in_pairs) {
    const auto number = int16_t(codes[(k / 4 * 2 + k % 2) * kCodeColumns + i] >> k % 4 / 2 * 16);
    EXPECT_EQ(number, int8_t(number));
    return int8_t(number);
  }
  return int8_t(codes[k / 4 * kCodeColumns + i] >> k % 4 * 8);
}

// What the codes of a matrix stand for: its rows again and again, sixteen side by side.
std::vector<float> from_codes(const BlockKernels& kernels, const TensorView& t, bool in_pairs) {
  const auto rows = size_t(t.shape[0]), columns = size_t(t.shape[1]);
  const CodeShape shape = kernels.shape(t.type);
  const uint8_t* sixteen[kCodeColumns];
  for (size_t i = 0; i < kCodeColumns; ++i)
    sixteen[i] = reinterpret_cast<const uint8_t*>(t.data) + i % rows * (t.bytes / rows);
  std::vector<uint32_t> codes(columns / (in_pairs ? 2 : 4) * kCodeColumns);
  std::vector<float> scales(columns / shape.group * kCodeColumns), offsets(scales.size());
  kernels.to_columns(t.type, sixteen, int64_t(columns / block_elements(t.type)),
                     {in_pairs ? nullptr : codes.data(), scales.data(), offsets.data(),
                      in_pairs ? codes.data() : nullptr});
  std::vector<float> values(kCodeColumns * columns);
  for (size_t i = 0; i < kCodeColumns; ++i)
    for (size_t k = 0; k < columns; ++k) {
      const size_t group = k / shape.group * kCodeColumns + i;
      float& value = values[i * columns + k];
      value = float(code_of(codes, in_pairs, k, i)) * scales[group];
      if (shape.offsets) value += offsets[group];
    }
  return values;
}

std::vector<float> golden_floats() {
  const std::string bytes = read_file(golden() / "blocks.f32");
  std::vector<float> all(bytes.size() / 4);
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

TEST(Gguf, EveryBlockFormatIsWhatGgmlMakesOfIt) {
  auto c = open_checkpoint(golden() / "blocks.gguf");
  EXPECT_EQ(c->format(), "GGUF");
  const std::vector<float> expected = golden_floats();
  size_t at = 0;
  for (const char* name : kFormats) {
    const TensorView* t = c->find(name);
    ASSERT_NE(t, nullptr) << name;
    EXPECT_EQ(fmt::format("{}", fmt::join(t->shape, " ")),
              fmt::format("3 {}", 2 * block_elements(t->type)));
    std::vector<float> all = floats(*t);
    for (size_t i = 0; i < all.size(); ++i)
      ASSERT_EQ(all[i], expected.at(at + i)) << name << " " << i;
    std::vector<float> row(all.size() / 3);
    rows_to_float(*t, 2, 3, row.data());
    EXPECT_TRUE(std::equal(row.begin(), row.end(), all.end() - ptrdiff_t(row.size()))) << name;
    at += all.size();
  }
  EXPECT_EQ(at, expected.size());
}

TEST(Gguf, BlocksAreTheSameOnEveryInstructionSet) {
  auto c = open_checkpoint(golden() / "blocks.gguf");
  const std::vector<float> expected = golden_floats();
  for (const BlockKernels* kernels : available_blocks()) {
    size_t at = 0;
    for (const char* name : kFormats) {
      const TensorView* t = c->find(name);
      const auto count = size_t(t->elements());
      std::vector<float> all(count);
      kernels->to_floats(t->type, reinterpret_cast<const uint8_t*>(t->data),
                         int64_t(count / block_elements(t->type)), all.data());
      for (size_t i = 0; i < count; ++i) ASSERT_EQ(all[i], expected.at(at + i)) << name << " " << i;
      for (bool in_pairs : {false, true}) {
        const std::vector<float> codes = from_codes(*kernels, *t, in_pairs);
        for (size_t i = 0; i < codes.size(); ++i)
          ASSERT_EQ(codes[i], all[i % count]) << name << " " << i << " " << in_pairs;
      }
      at += count;
    }
  }
}

TEST(Gguf, MetadataOfEveryType) {
  auto c = open_checkpoint(golden() / "blocks.gguf");
  const Metadata& m = c->metadata();
  EXPECT_EQ(m.text("general.architecture"), "test");
  EXPECT_EQ(m.integer("a.u8"), 200);
  EXPECT_EQ(m.integer("a.i8"), -100);
  EXPECT_EQ(m.integer("a.u16"), 60000);
  EXPECT_EQ(m.integer("a.i16"), -30000);
  EXPECT_EQ(m.integer("a.u32"), 4000000000);
  EXPECT_EQ(m.integer("a.i32"), -2000000000);
  EXPECT_EQ(m.integer("a.u64"), INT64_MAX);
  EXPECT_EQ(m.integer("a.i64"), INT64_MIN);
  EXPECT_EQ(m.real("a.f32"), double(0.1f));
  EXPECT_EQ(m.real("a.f64"), 0.1);
  EXPECT_EQ(m.real("a.u8"), 200);
  EXPECT_EQ(m.boolean("a.bool"), true);
  EXPECT_THAT(m.texts("b.texts"), ElementsAre("ein", "", "drei"));
  EXPECT_THAT(m.reals("b.reals"), ElementsAre(1, 0.5f, -2));
  EXPECT_THAT(m.integers("b.integers"), ElementsAre(-7, 7));
  EXPECT_THAT(m.integers("b.flags"), ElementsAre(1, 0));
  EXPECT_TRUE(m.texts("absent").empty());
  EXPECT_FALSE(m.has("absent"));
  EXPECT_EQ(m.keys().size(), 16u);
  EXPECT_THROW(m.integer("a.f32"), Error);
  EXPECT_THROW(m.text("b.texts"), Error);
  EXPECT_THROW(m.texts("general.architecture"), Error);
}

std::string text(const std::string& s) { return little_endian<uint64_t>(s.size()) + s; }

std::string header(uint64_t tensors, uint64_t entries, uint32_t version = 3) {
  return "GGUF" + little_endian(version) + little_endian(tensors) + little_endian(entries);
}

std::string description(const std::string& name, std::initializer_list<uint64_t> shape,
                        uint32_t type, uint64_t offset) {
  return text(name) + little_endian(uint32_t(shape.size())) + numbers(shape) + little_endian(type) +
         little_endian(offset);
}

std::string padded(std::string s) { return s + std::string((32 - s.size() % 32) % 32, '\0'); }

TEST(Gguf, DamagedFiles) {
  auto error = [](const std::string& bytes) { return error_of(bytes, "m.gguf"); };
  auto one = [&](std::initializer_list<uint64_t> shape, uint32_t type, uint64_t offset) {
    return error(padded(header(1, 0) + description("w", shape, type, offset)) +
                 std::string(64, '\0'));
  };
  EXPECT_EQ(one({16}, 0, 0), "no error");
  EXPECT_THAT(one({17}, 0, 0), AllOf(HasSubstr("tensor 'w': it has 68 bytes at 0 of the data"),
                                     HasSubstr("64 bytes"), HasSubstr("download it again")));
  EXPECT_THAT(one({1}, 0, 96), HasSubstr("at 96 of the data"));
  EXPECT_THAT(one({1}, 0, 31), HasSubstr("not a multiple of 32"));
  EXPECT_THAT(one({1}, 0, ~uint64_t{31}), HasSubstr("it has 4 bytes"));
  EXPECT_THAT(one({1'000'000'000'000}, 0, 0), HasSubstr("it has 4000000000000 bytes"));
  EXPECT_THAT(one({uint64_t{1} << 40, uint64_t{1} << 40}, 0, 0), HasSubstr("64 bits can count"));
  EXPECT_THAT(one({~uint64_t{0}}, 0, 0), HasSubstr("negative"));
  EXPECT_THAT(one({33}, 2, 0), HasSubstr("whole blocks of 32 elements, as Q4_0 requires"));
  EXPECT_THAT(one({}, 2, 0), HasSubstr("whole blocks"));
  EXPECT_THAT(one({64}, 40, 0), HasSubstr("GGUF type 40 is not known here"));
  EXPECT_THAT(
      error(padded(header(2, 0) + description("v", {9}, 0, 0) + description("w", {8}, 0, 32)) +
            std::string(64, '\0')),
      HasSubstr("tensor 'w': it overlaps tensor 'v'"));
  EXPECT_THAT(
      error(padded(header(2, 0) + description("w", {8}, 0, 0) + description("w", {8}, 0, 32)) +
            std::string(64, '\0')),
      HasSubstr("two tensors have this name"));
  EXPECT_THAT(error(header(~uint64_t{0}, 0)), HasSubstr("ends early"));
  EXPECT_THAT(error(header(0, ~uint64_t{0})), HasSubstr("ends early"));
  EXPECT_THAT(error(header(0, 0, 1)), HasSubstr("version 1"));
  EXPECT_THAT(error(header(0, 0, 0x03000000)), HasSubstr("version 50331648"));
  auto metadata = [&](const std::string& value) {
    return error(header(0, 1) + text("key") + value);
  };
  EXPECT_THAT(metadata(little_endian(13)), HasSubstr("type 13"));
  EXPECT_THAT(metadata(numbers({9, 9}) + little_endian(uint64_t{1})), HasSubstr("list of lists"));
  EXPECT_THAT(metadata(numbers({9, 10}) + little_endian(~uint64_t{0})),
              HasSubstr("claims 18446744073709551615 values"));
  EXPECT_THAT(metadata(numbers({9, 8}) + little_endian(~uint64_t{0})), HasSubstr("ends early"));
  EXPECT_THAT(metadata(little_endian(8) + little_endian(~uint64_t{0})), HasSubstr("ends early"));
  std::string flag = text("x") + little_endian(7) + "\1";
  EXPECT_THAT(error(header(0, 2) + flag + flag), HasSubstr("'x' twice"));
  std::string alignment = text("general.alignment") + little_endian(4) + little_endian(33);
  EXPECT_THAT(error(header(0, 1) + alignment), HasSubstr("aligned to 33 bytes"));
  std::string split = text("split.count") + numbers<uint16_t>({2, 0, 3});
  EXPECT_THAT(error(header(0, 1) + split), HasSubstr("one of 3 parts"));
}

TEST(Gguf, CutAnywhere) {
  std::string bytes = read_file(golden() / "blocks.gguf");
  for (size_t cut = 0; cut + 32 < bytes.size(); cut += 41)
    EXPECT_NE(error_of(bytes.substr(0, cut), "m.gguf"), "no error") << cut;
}

// The rows of the query and key matrices are in another order in the two files.
std::vector<float> interleaved(const std::vector<float>& rows, size_t heads, size_t width) {
  size_t head = rows.size() / width / heads;
  std::vector<float> to(rows.size());
  for (size_t h = 0; h < heads; ++h)
    for (size_t i = 0; i < head; ++i)
      std::copy_n(rows.begin() + ptrdiff_t((h * head + i / 2 + i % 2 * (head / 2)) * width), width,
                  to.begin() + ptrdiff_t((h * head + i) * width));
  return to;
}

TEST(Gguf, RealModelsEqualTheirSafetensors) {
  if (testing::models_dir().empty()) GTEST_SKIP() << testing::no_data();
  for (std::string name : {"stories260K", "stories15M"}) {
    fs::path folder = testing::models_dir() / name;
    auto gguf = open_checkpoint(folder / (name + ".gguf")), tensors = open_checkpoint(folder);
    EXPECT_EQ(gguf->metadata().text("general.architecture"), "llama");
    auto count = [&](const char* key) {
      return size_t(gguf->metadata().integer(std::string("llama.") + key).value());
    };
    size_t layers = count("block_count"), width = count("embedding_length");
    EXPECT_EQ(floats(*gguf, "token_embd.weight"), floats(*tensors, "model.embed_tokens.weight"));
    EXPECT_EQ(gguf->find("token_embd.weight")->shape,
              tensors->find("model.embed_tokens.weight")->shape);
    EXPECT_EQ(gguf->metadata().texts("tokenizer.ggml.tokens").size(),
              size_t(gguf->find("token_embd.weight")->shape[0]));
    for (size_t i = 0; i < layers; ++i) {
      auto ours = [&](const char* part) {
        return floats(*gguf, fmt::format("blk.{}.{}.weight", i, part));
      };
      auto theirs = [&](const char* part) {
        return floats(*tensors, fmt::format("model.layers.{}.{}.weight", i, part));
      };
      EXPECT_EQ(ours("attn_v"), theirs("self_attn.v_proj"));
      EXPECT_EQ(ours("ffn_down"), theirs("mlp.down_proj"));
      EXPECT_EQ(ours("attn_norm"), theirs("input_layernorm"));
      EXPECT_EQ(ours("attn_q"),
                interleaved(theirs("self_attn.q_proj"), count("attention.head_count"), width));
      EXPECT_EQ(ours("attn_k"),
                interleaved(theirs("self_attn.k_proj"), count("attention.head_count_kv"), width));
    }
  }
}

}  // namespace
}  // namespace minpair::checkpoint
