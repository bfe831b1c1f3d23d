#pragma once
// A sentence and what its words do, as the page reads it (web/src/inside.ts).

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "suite/json_text.h"

namespace minpair::introspect {

void write_list(suite::JsonWriter& json, const std::vector<double>& all);

// What the words of an item do: names, where they stand, and effects, layer by layer.
struct Shown {
  std::vector<std::string> names;
  std::vector<Span> spans;
  std::vector<std::vector<double>> effects;
  double margin = 0;
};

void write_sentence(suite::JsonWriter& json, std::string_view id, std::string_view text,
                    const Shown& shown);

}  // namespace minpair::introspect
