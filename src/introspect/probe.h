#pragma once
// Linear probes: what a classifier reads off the hidden states of one place in the sentence, layer
// by layer. docs/introspection.md says what each figure is.
//
//   ProbeOptions options{.label = "number"};
//   ProbeStates states = read_probe_states(model, suite, {.sample = 100}, options);
//   ProbeReadings read = fit_probes(states, options);
//   report::Grid table = probe_table(read);

#include <string>
#include <vector>

#include "engine/engine.h"
#include "introspect/reason.h"
#include "report/report.h"
#include "report/rows.h"
#include "stats/classify.h"
#include "tidy/tidy.h"

namespace minpair::introspect {

struct ProbeOptions {
  // "test", "condition", "language" or a feature of the items. "number" is also the feature
  // "subject.number"; and where a suite has neither, how its conditions begin, if with sg or pl.
  std::string label = "number";
  std::vector<std::string> roles = {"subject", "attractor", "locus", "last"};  // roles.h
  std::vector<uint32_t> layers;                                                // empty: all
  stats::Classifier kind = stats::Classifier::logistic;
  uint32_t folds = 5;
  uint64_t seed = 1;   // of folds and control labels
  bool erase = false;  // also probe after the label was erased, and keep by how much
  int threads = 0;     // 0: all; the result does not depend on it
};

// The states of one role in one layer, a row for every item that has it.
struct ProbeStates {
  std::string suite, model;
  report::SuiteItems items;
  std::vector<Reason> excluded;     // parallel to the items: why one cannot be asked
  std::vector<std::string> labels;  // parallel; empty: it has none
  struct Role {
    std::string name;
    std::vector<uint32_t> items;             // those that have it, ascending
    std::vector<std::string> words;          // parallel: what its control label hangs on
    std::vector<uint64_t> clusters;          // parallel: items that share words
    std::vector<std::vector<float>> layers;  // parallel to `layers`: items × width
    std::vector<Reason> missing = {};        // parallel to all items: why those asked have it not
  };
  std::vector<uint32_t> layers;
  std::vector<Role> roles;
};

ProbeStates read_probe_states(query::Model& model, const engine::SuiteSource& suite,
                              const engine::Selection& selection, const ProbeOptions& options,
                              const engine::Tick& tick = {});

// What became of one role in one layer. Guesses are parallel to the role's items, each by a probe
// that was fitted without the item's fold.
struct ProbeLayer {
  std::vector<uint32_t> guesses;  // no word is in two folds
  std::vector<uint32_t> erased;   // the same after erasure; empty: not asked for
  // By how much erasing moved each state; and erasing as many labels that were shuffled.
  std::vector<float> shifts, random_shifts;
  std::vector<double> margins, random_margins;  // the model's own, read on from there: run_on()
  // Where words are in several folds: the label, and a label that each word was given at random.
  std::vector<uint32_t> seen, control;
};

struct ProbeReadings {
  const ProbeStates* states = nullptr;
  ProbeOptions options;
  std::vector<std::string> classes;  // sorted
  struct Role {
    std::vector<uint32_t> labels, controls;  // classes, parallel to the role's items
    std::vector<uint32_t> folds;             // of `guesses`
    double majority = 0;                     // the share of the most frequent label
    std::vector<ProbeLayer> layers;
  };
  std::vector<Role> roles;      // parallel to the states'; empty where a role cannot be split
  std::vector<double> margins;  // of the items, nothing erased; NaN: excluded. From run_on()
};

// The states must outlive the readings.
ProbeReadings fit_probes(const ProbeStates& states, const ProbeOptions& options,
                         const engine::Tick& tick = {});

// What the model answers when the label is erased at one place and layer and it reads on from
// there: is what the probe found also used?
void run_on(query::Model& model, ProbeReadings& read, const engine::Tick& tick = {});

// A row for every role and layer: accuracy with its interval, beside majority and control labels.
report::Grid probe_table(const ProbeReadings& read);
// A row for every item, role and layer; one without a layer for what was left out.
tidy::Frame probe_rows(const ProbeReadings& read);

}  // namespace minpair::introspect
