#include "suite/json_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace minpair::suite {
namespace {

// Texts of every length around the writer's buffer, with something to escape at every eighth place.
TEST(JsonWriter, TextsAreReadBackWhateverTheirLength) {
  for (const char special : {'"', '\\', '\n', '\x01', '\x1f', ' ', '\x7f'})
    for (size_t size = 0; size < 2100; size += size < 40 ? 1 : 61) {
      std::string text(size, 'a');
      for (size_t at = size % 8; at < size; at += 8) text[at] = special;
      text += "ü€";
      std::string json;
      JsonWriter(json).open('[').text(text).text("b").close(']');
      EXPECT_EQ(nlohmann::json::parse(json), nlohmann::json({text, "b"})) << size;
    }
}

TEST(JsonWriter, CommasAndColons) {
  for (const bool spaced : {false, true}) {
    std::string json = "x ";
    JsonWriter writer(json, spaced);
    writer.open('{').key("a").whole(7).key("b").open('[').boolean(true).integer(-3).close(']');
    writer.key("c").open('{').close('}').close('}');
    EXPECT_EQ(json, spaced ? R"(x {"a": 7, "b": [true, -3], "c": {}})"
                           : R"(x {"a":7,"b":[true,-3],"c":{}})");
  }
}

TEST(JsonWriter, NumbersAreTheShortestThatReadBack) {
  const double infinity = std::numeric_limits<double>::infinity();
  std::string json;
  JsonWriter writer(json);
  writer.open('[').number(0.0).number(-0.0).number(12.0).number(0.1).number(1e9).number(-2.0);
  writer.number(std::nan("")).number(infinity).number(-infinity).number(0.1F).number(1e300);
  writer.close(']');
  EXPECT_EQ(json, "[0,-0,12,0.1,1000000000,-2,null,1e999,-1e999,0.1,1e+300]");
}

// Thousands of short pieces between two brackets, across the edges of the buffer.
TEST(JsonWriter, PiecesOfAllSizes) {
  std::string json;
  JsonWriter writer(json);
  nlohmann::json expected = nlohmann::json::array();
  writer.open('[');
  for (size_t i = 0; i < 3000; ++i) {
    writer.open('{').key(std::string(i % 19, 'k')).text(std::string(i % 7, '"')).close('}');
    expected.push_back({{std::string(i % 19, 'k'), std::string(i % 7, '"')}});
  }
  writer.close(']');
  EXPECT_EQ(nlohmann::json::parse(json), expected);
}

}  // namespace
}  // namespace minpair::suite
