#pragma once
// What depends on what inside a model: values are changed on the way, and the margin is looked at.
// docs/interventions.md says what each figure is.
//
//   PatchReadings read = read_patches(model, suite_with_roles(suite), whole_suite(suite), {}, {});
//   report::Grid table = patch_table(read, By::test, 20);

#include <string>
#include <vector>

#include "introspect/introspect.h"

namespace minpair::introspect {

enum class Swap : uint8_t { subject, attractor };  // whose feature the counterpart changes
// What is put into a place. Direct: the model reads the counterpart, and the place keeps what the
// item has there (Vig et al.'s natural direct effect).
enum class How : uint8_t { interchange, mean, zero, direct };
// Whether the whole counterpart does the same, and more.
inline bool has_total(How how) { return how == How::interchange || how == How::direct; }

// All items, also where grammars ask for a sample of them: counterparts are looked for there.
engine::SuiteSource whole_suite(const suite::Suite& suite);

// "residual", "attention", "head", "mlp", "neuron", "unit", "forget-gate", ...; throws where the
// model lacks it.
query::Site find_site(const std::string& name, const query::Model& model);

// Heads, neurons or units are changed one by one, the other sites as a whole.
struct Component {
  uint16_t layer = 0;
  uint32_t index = 0;
  bool operator==(const Component&) const = default;
};
std::vector<Component> components_of(query::Model& model, query::Site site,
                                     const std::vector<uint32_t>& layers);  // empty: all
std::vector<Component> find_components(const std::string& list);            // "1:5,2:17"
std::string text_of(const Component& component);                            // "1:5"

struct PatchOptions {
  query::Site site = query::Site::residual;
  std::vector<std::string> roles = {"subject", "attractor", "locus"};
  std::vector<uint32_t> layers;  // empty: all
  Swap swap = Swap::subject;
  How how = How::interchange;
};

struct PatchItem {
  Reason excluded = Reason::none;  // why it was not asked
  std::string good, bad;           // the tokens that are compared
  std::string counterpart;
  double margin = 0, there = 0;  // of the same tokens, here and in the counterpart
  std::vector<double> changed;   // margins, role by role, component by component; NaN: no such role
  std::vector<Span> where;       // of the roles, bytes of the right sentence; empty: none there
  std::vector<Reason> missing;   // why it lacks a role; parallel to the roles
};

struct PatchReadings {
  std::string suite, model;
  PatchOptions options;
  std::vector<Component> components;
  report::SuiteItems items = report::SuiteItems();
  std::vector<PatchItem> readings;  // parallel to the items
};

PatchReadings read_patches(query::Model& model, const engine::SuiteSource& suite,
                           const engine::SuiteSource& whole, const engine::Selection& selection,
                           const PatchOptions& options, const engine::Tick& tick = {});
// Layer by layer and role by role; of single heads, neurons and units the `top` strongest.
report::Grid patch_table(const PatchReadings& read, By by, size_t top);

struct AblateOptions {
  query::Site site = query::Site::unit;
  std::vector<uint32_t> layers;     // empty: all
  std::vector<Component> together;  // these at once, instead of each alone
  How how = How::zero;              // or mean
};

struct AblateReadings {
  std::string suite, model;
  AblateOptions options;
  std::vector<Component> components;  // one alone after the other; empty: those of the options
  report::SuiteItems items = report::SuiteItems();
  struct Item {
    Reason excluded = Reason::none;
    std::string good, bad;
    double margin = 0;
    std::vector<double> without;  // margins, component by component
  };
  std::vector<Item> readings;
};

AblateReadings read_ablations(query::Model& model, const engine::SuiteSource& suite,
                              const engine::Selection& selection, const AblateOptions& options,
                              const engine::Tick& tick = {});
// Accuracy with and without; of the `top` components that matter most.
report::Grid ablate_table(const AblateReadings& read, By by, size_t top);

}  // namespace minpair::introspect
