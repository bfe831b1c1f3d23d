#include "checkpoint/pickle/pickle.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "support.h"

namespace minpair::checkpoint::pickle {
namespace {

using Kind = Value::Kind;
using ::testing::HasSubstr;

std::string show(const Value& v);

std::string join(const std::vector<ValuePtr>& items) {
  std::string s;
  for (const ValuePtr& i : items) s += (s.empty() ? "" : " ") + show(*i);
  return s;
}

std::string entries(const Value& v) {
  std::string s;
  for (const auto& [k, x] : v.entries) s += (s.empty() ? "" : " ") + show(*k) + "=" + show(*x);
  return s;
}

std::string hex(const std::string& bytes) {
  std::string s;
  for (char c : bytes) s += fmt::format("{:02x}", uint8_t(c));
  return s;
}

std::string show(const Value& v) {
  switch (v.kind) {
    case Kind::none:
      return "None";
    case Kind::boolean:
      return v.boolean ? "True" : "False";
    case Kind::integer:
      return std::to_string(v.integer);
    case Kind::big_integer:
      return "big:" + hex(v.text);
    case Kind::real:
      return fmt::format("{:e}", v.real);
    case Kind::string:
      return v.text.size() > 50 ? fmt::format("<{} bytes>", v.text.size()) : v.text;
    case Kind::bytes:
      return "b:" + hex(v.text);
    case Kind::list:
      return "[" + join(v.items) + "]";
    case Kind::tuple:
      return "(" + join(v.items) + ")";
    case Kind::set:
      return "set(" + join(v.items) + ")";
    case Kind::dict:
      return "{" + entries(v) + "}";
    case Kind::global:
      return "<" + v.text + ">";
    case Kind::persistent:
      return "persistent(" + show(*v.callable) + ")";
    case Kind::object:
      return fmt::format("{}({}){{{}}}{}", show(*v.callable), join(v.items), entries(v),
                         v.state ? ":" + show(*v.state) : "");
  }
  return "?";
}

std::string read_show(std::string_view bytes) { return show(*read(bytes, "test.pickle")); }

std::string error_of(std::string_view bytes, const Limits& limits = {}) {
  try {
    read(bytes, "test.pickle", nullptr, limits);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

class Protocol : public ::testing::TestWithParam<int> {};

TEST_P(Protocol, SameObjectFromEveryProtocol) {
  std::string bytes = read_file(testing::source_dir() / "tests/golden/pickle" /
                                fmt::format("protocol-{}.pickle", GetParam()));
  uint64_t used = 0;
  ValuePtr v = read(bytes + "more", "test.pickle", &used);
  EXPECT_EQ(used, bytes.size());
  auto of = [&](const char* key) { return show(*get(*v, key)); };
  EXPECT_EQ(of("none"), "None");
  EXPECT_EQ(of("flags"), "[True False]");
  EXPECT_EQ(of("integers"),
            "[0 1 -1 255 256 65535 65536 -2147483648 2147483648 9223372036854775807 "
            "-9223372036854775808]");
  EXPECT_EQ(of("big"), "[big:000000000000008000 big:ffffffffffffff7fff big:6cfc9c46f9206aa85019]");
  EXPECT_EQ(of("reals"), "[0.000000e+00 -1.500000e+00 1.000000e+300 inf -inf]");
  EXPECT_EQ(of("text"), "[plain Grüße, 你好 \U0001f600 quote ' and \" and \\ and \n <300 bytes>]");
  EXPECT_EQ(of("bytes"), "[b: b:00ff b:6261]");
  EXPECT_EQ(of("tuples"), "[() (1) (1 2) (1 2 3) (1 2 3 4)]");
  EXPECT_EQ(of("sets"), "[set(7) set(8)]");
  EXPECT_EQ(of("ordered"), "{b=1 a=2}");
  EXPECT_EQ(of("default"), "{x=[1]}");
  EXPECT_EQ(of("deque"), "[1 2]");
  ValuePtr shared = get(*v, "shared");
  EXPECT_EQ(shared->items.at(0), shared->items.at(1));
  EXPECT_THAT(of("dog"), HasSubstr("__main__.Dog"));
  EXPECT_EQ(show(*get(*v, "dog")->state), "{name=Rex legs=4}");
  EXPECT_THAT(of("pack"), HasSubstr("a b"));
  EXPECT_THAT(of("kennel"), HasSubstr("k=1"));
  EXPECT_EQ(of("class"), "<__main__.Dog>");
}

INSTANTIATE_TEST_SUITE_P(All, Protocol, ::testing::Range(0, 6));

TEST(Pickle, NothingIsExecuted) {
  EXPECT_EQ(read_show("cos\nsystem\n(S'echo pwned'\ntR."), "<os.system>(echo pwned){}");
  EXPECT_EQ(read_show("(cos\nsystem\nS'x'\no."), "<os.system>(x){}");
  EXPECT_EQ(read_show("(S'x'\nios\nsystem\n."), "<os.system>(x){}");
}

TEST(Pickle, OldTextForms) {
  EXPECT_EQ(read_show("I-12\n."), "-12");
  EXPECT_EQ(read_show("I01\n."), "True");
  EXPECT_EQ(read_show("L12345678901234567890L\n."), "big:d20a1feb8ca954ab00");
  EXPECT_EQ(read_show("S'a\\x41\\101\\'\\n\\q'\n."), "aAA'\n\\q");
  EXPECT_EQ(read_show("V\\u00e9\\ud83d\\ude00\xe9\n."), "é\U0001f600é");
  EXPECT_EQ(read_show("(dp0\nS'a'\np1\nI1\ns."), "{a=1}");
  EXPECT_EQ(read_show("(lp0\nI1\nag0\n0."), "[1]");
  EXPECT_EQ(read_show("Pid\n."), "persistent(id)");
  EXPECT_EQ(read_show("(I1\nI2\n0t."), "(1)");
  EXPECT_EQ(read_show("(0I3\n."), "3");
  EXPECT_EQ(read_show("I3\n(I1\nI2\n1."), "3");
  EXPECT_EQ(read_show("I3\n2\x86."), "(3 3)");
}

TEST(Pickle, LastOfRepeatedKeysCounts) {
  ValuePtr v = read("}(U\1aK\1U\1aK\2u.", "test.pickle");
  EXPECT_EQ(get(*v, "a")->integer, 2);
  EXPECT_EQ(get(*v, "b"), nullptr);
}

TEST(Pickle, CyclesAreRefused) {
  using std::string_view_literals::operator""sv;
  EXPECT_THAT(error_of("]q\1h\1a."sv), HasSubstr("contains itself"));
  EXPECT_THAT(error_of("}q\1U\1xh\1s."sv), HasSubstr("contains itself"));
  EXPECT_THAT(error_of("cm\nC\n)\x81q\1h\1b."sv), HasSubstr("contains itself"));
  // Also where only the memo still holds it.
  EXPECT_THAT(error_of("]q\1h\1a0N."sv), HasSubstr("contains itself"));
  EXPECT_THAT(error_of("]q\1h\1\x86."sv), HasSubstr("no error"));
}

TEST(Pickle, DeepNestingIsRefused) {
  for (size_t depth : {1'001, 300'000}) {
    std::string deep(depth, ']');
    deep += std::string(depth - 1, 'a') + ".";
    EXPECT_THAT(error_of(deep), HasSubstr("nested more than 1000 deep"));
    EXPECT_THAT(error_of("N" + std::string(depth, '\x85') + "."),
                HasSubstr("nested more than 1000 deep"));
  }
  EXPECT_THAT(error_of(std::string(1'500'000, ']') + "."), HasSubstr("more than 1000000 values"));
  std::string fine = std::string(999, ']') + std::string(998, 'a') + ".";
  EXPECT_EQ(error_of(fine), "no error");
}

TEST(Pickle, MemoBombsAreRefused) {
  std::string laughs = "]q\1";
  for (int i = 0; i < 60; ++i) laughs += "](h\1h\1eq\1";
  EXPECT_THAT(error_of(laughs + "."), HasSubstr("walk over them all"));
  // A long argument list, used over and over.
  std::string calls = "cm\nf\nq\1(" + std::string(500'000, 'N') + "tq\2";
  for (int i = 0; i < 100'000; ++i) calls += "h\1h\2R";
  EXPECT_THAT(error_of(calls + "."), HasSubstr("copies far more than it contains"));
  std::string names = "X\x40\x42\x0f";
  names += std::string(1, '\0') + std::string(1'000'000, 'x') + "q\1";
  for (int i = 0; i < 100'000; ++i) names += "h\1h\1\x93";
  EXPECT_THAT(error_of(names + "."), HasSubstr("copies far more than it contains"));
  Limits few;
  few.max_values = 10;
  EXPECT_THAT(error_of("(" + std::string(11, '}') + "l.", few), HasSubstr("more than 10 values"));
}

TEST(Pickle, LengthsAreChecked) {
  EXPECT_THAT(error_of("X\xff\xff\xff\xff"), HasSubstr("4294967295 bytes are wanted, 0 are left"));
  EXPECT_THAT(error_of("\x8e\xff\xff\xff\xff\xff\xff\xff\xff"), HasSubstr("ends early"));
  EXPECT_THAT(error_of("\x95\xff\xff\xff\xff\xff\xff\xff\xff."), HasSubstr("frame"));
  EXPECT_THAT(error_of("\x8b\xff\xff\xff\x7f."), HasSubstr("ends early"));
  EXPECT_THAT(error_of(""), HasSubstr("ends early"));
  EXPECT_THAT(error_of("N"), HasSubstr("ends early"));
}

TEST(Pickle, ErrorsSayWhere) {
  EXPECT_THAT(error_of("NN\xfe."), HasSubstr("test.pickle, byte 2"));
  EXPECT_THAT(error_of("NN\xfe."), HasSubstr("0xfe"));
}

TEST(Pickle, WrongUseOfTheStack) {
  for (const char* bytes : {".",
                            "a.",
                            "0.",
                            "t.",
                            "(.",
                            "N(a.",
                            "e.",
                            "]e.",
                            "Nb.",
                            "NNs.",
                            "}(Nu.",
                            "R.",
                            "NNR.",
                            "cx\ny\nNR.",
                            "NN\x93.",
                            "(o.",
                            "\x94.",
                            "q\1.",
                            "h\1.",
                            "\x80\6.",
                            "\x82\1.",
                            "\x97.",
                            "Ix\n.",
                            "I\n.",
                            "F1x\n.",
                            "Sx\n.",
                            "S'\n.",
                            "V\\u12\n.",
                            "V\\U00110000\n.",
                            "cx\n",
                            "p-1\n.",
                            "N\x85\x85(\x86."})
    EXPECT_THAT(error_of(bytes), HasSubstr("test.pickle, byte")) << bytes;
}

TEST(Pickle, PublishedTemplates) {
  if (testing::data_dir().empty()) GTEST_SKIP() << testing::no_data();
  for (const char* name : {"simple_agrmt", "simple_npi_anim", "vp_coord"}) {
    std::string bytes =
        read_file(testing::data_dir() / "syneval" / (std::string(name) + ".pickle"));
    ValuePtr v = read(bytes, name);
    ASSERT_EQ(v->kind, Kind::dict);
    for (const auto& [condition, pairs] : v->entries) {
      EXPECT_EQ(condition->kind, Kind::string);
      ASSERT_EQ(pairs->kind, Kind::list);
      EXPECT_FALSE(pairs->items.empty());
    }
  }
}

}  // namespace
}  // namespace minpair::checkpoint::pickle
