#pragma once
// What happens inside a model on the way to its answer. docs/introspection.md says what each figure
// is.
//
//   LensReadings read = read_lens(model, suite, {.sample = 100});
//   report::Grid table = lens_table(read, By::test);
//
// Other doors: attribute.h, which words and parts make the difference; patch.h, what becomes of the
// answer when something inside is changed; probe.h, what a linear classifier finds in the states;
// states_file.h, hidden states out.

#include <string>
#include <vector>

#include "engine/engine.h"
#include "introspect/reason.h"
#include "report/report.h"
#include "report/rows.h"
#include "tidy/tidy.h"

namespace minpair::introspect {

// Grammars know subjects and attractors: here their items have regions of these names.
engine::SuiteSource suite_with_roles(const suite::Suite& suite);

// One item as every layer would answer it if it were the last (the "logit lens", nostalgebraist
// 2020).
struct LensItem {
  Reason excluded = Reason::none;  // why it cannot be asked
  std::string good, bad;           // the tokens that are compared
  std::vector<double> margins;     // logit of the good one minus that of the bad one; NaN: the head
                                   // reads another width. The first is the embeddings'.
};

struct LensReadings {
  std::string suite, model;
  report::SuiteItems items = report::SuiteItems();
  std::vector<LensItem> readings;  // parallel to the items
};

LensReadings read_lens(query::Model& model, const engine::SuiteSource& suite,
                       const engine::Selection& selection, const engine::Tick& tick = {});

// The first layer from which on the margin keeps the sign that it has in the end.
uint32_t settling_layer(const std::vector<double>& margins);

enum class By : uint8_t { all, test, condition };  // rows of a table
// Accuracy, margin and settled items of every layer, with intervals over clusters.
report::Grid lens_table(const LensReadings& read, By by);

}  // namespace minpair::introspect
