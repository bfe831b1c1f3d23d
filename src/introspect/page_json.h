#pragma once
// A sentence and what its words do, as the page reads it (web/src/inside.ts).

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace minpair::introspect {

std::string json_of(std::string_view text);
std::string json_of(double x);  // null where there is none

template <class All, class Each>
std::string json_list(const All& all, Each each) {
  std::string out;
  for (const auto& one : all) out += (out.empty() ? "" : ",") + std::string(each(one));
  return "[" + out + "]";
}
std::string json_of(const std::vector<double>& all);

// What the words of an item do: names, where they stand, and effects, layer by layer.
struct Shown {
  std::vector<std::string> names;
  std::vector<Span> spans;
  std::vector<std::vector<double>> effects;
  double margin = 0;
};

std::string sentence_json(std::string_view id, std::string_view text, const Shown& shown);

}  // namespace minpair::introspect
