#include "introspect/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/hash.h"
#include "base/progress.h"
#include "base/random.h"
#include "stats/stats.h"

namespace minpair::introspect {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
// More classes than that are names, which nothing general is learnt about.
constexpr size_t kMostClasses = 50;

using Folds = std::vector<uint32_t>;

// Whole clusters, in random order, each into the smallest fold so far. None when there is but one.
Folds folds_of(const std::vector<uint64_t>& clusters, uint32_t wanted, uint64_t seed) {
  std::map<uint64_t, std::vector<size_t>> members;
  for (size_t i = 0; i < clusters.size(); ++i) members[clusters[i]].push_back(i);
  std::vector<const std::vector<size_t>*> order;
  for (const auto& [cluster, items] : members) order.push_back(&items);
  if (order.size() < 2) return {};
  Random(seed).shuffle(std::span(order));
  std::vector<size_t> sizes(std::min<size_t>(wanted, order.size()), 0);
  Folds folds(clusters.size());
  for (const std::vector<size_t>* items : order) {
    auto fold = size_t(std::ranges::min_element(sizes) - sizes.begin());
    sizes[fold] += items->size();
    for (size_t i : *items) folds[i] = uint32_t(fold);
  }
  return folds;
}

uint32_t count_of(const Folds& folds) { return 1 + *std::ranges::max_element(folds); }

// What a probe learns from: the rows outside a fold.
stats::LabelledRows rows_outside(uint32_t fold, const Folds& folds,
                                 const std::vector<float>& states,
                                 const std::vector<uint32_t>& labels, size_t classes) {
  stats::LabelledRows rows{states.size() / labels.size(), uint32_t(classes), {}, {}};
  for (size_t i = 0; i < labels.size(); ++i) {
    if (folds[i] == fold) continue;
    auto row = states.begin() + ptrdiff_t(i * rows.width);
    rows.values.insert(rows.values.end(), row, row + ptrdiff_t(rows.width));
    rows.labels.push_back(labels[i]);
  }
  return rows;
}

std::vector<uint32_t> guesses_of(stats::Classifier kind, const Folds& folds,
                                 const std::vector<float>& states,
                                 const std::vector<uint32_t>& labels, size_t classes,
                                 bool erased = false) {
  std::vector<uint32_t> guesses(labels.size());
  for (uint32_t fold = 0; fold < count_of(folds); ++fold) {
    stats::LabelledRows rows = rows_outside(fold, folds, states, labels, classes);
    stats::Eraser eraser;
    if (erased) eraser = stats::least_squares_eraser(rows);
    for (size_t i = 0; erased && i < rows.size(); ++i) eraser.erase(rows.row(i));
    const stats::LinearClassifier probe = stats::fit_classifier(kind, rows);
    std::vector<double> row(rows.width);
    for (size_t i = 0; i < labels.size(); ++i) {
      if (folds[i] != fold) continue;
      std::copy_n(states.begin() + ptrdiff_t(i * rows.width), rows.width, row.begin());
      if (erased) eraser.erase(row.data());
      guesses[i] = probe.classify(row.data());
    }
  }
  return guesses;
}

// Hewitt and Liang (2019): each word has one label everywhere, drawn as often as labels occur.
std::vector<uint32_t> control_labels(const std::vector<std::string>& words,
                                     const std::vector<uint32_t>& labels, uint64_t seed) {
  std::vector<uint32_t> controls;
  for (const std::string& word : words) {
    Random random(hash128(fmt::format("{} {}", seed, word)).low);
    controls.push_back(labels[random.below(labels.size())]);
  }
  return controls;
}

std::vector<std::string> classes_of(const ProbeStates& states, const std::string& label) {
  std::set<std::string> found;
  for (const ProbeStates::Role& role : states.roles)
    for (uint32_t i : role.items) found.insert(states.labels[i]);
  std::string wrong;
  if (found.empty()) wrong = "no item has both the label and a place that was asked for";
  if (found.size() == 1)
    wrong = fmt::format("all items have the same label: {} {}", label, *found.begin());
  if (found.size() > kMostClasses)
    wrong = fmt::format("'{}' has {} values; a probe takes at most {}", label, found.size(),
                        kMostClasses);
  if (!wrong.empty()) throw wrong_call(wrong).hint("choose another --label, --at or --test");
  return {found.begin(), found.end()};
}

ProbeReadings::Role prepared(const ProbeStates& states, const ProbeStates::Role& role,
                             const ProbeReadings& read) {
  ProbeReadings::Role made;
  if (role.items.empty()) return made;
  made.folds = folds_of(role.clusters, read.options.folds, read.options.seed);
  if (made.folds.empty()) return made;
  for (uint32_t i : role.items)
    made.labels.push_back(
        uint32_t(std::ranges::lower_bound(read.classes, states.labels[i]) - read.classes.begin()));
  made.controls = control_labels(role.words, made.labels, read.options.seed);
  const uint32_t most = stats::majority_class(made.labels, uint32_t(read.classes.size()));
  made.majority = double(std::ranges::count(made.labels, most)) / double(made.labels.size());
  made.layers.resize(states.layers.size());
  return made;
}

ProbeLayer one_layer(const std::vector<float>& states, const ProbeReadings::Role& role,
                     const ProbeReadings& read) {
  const ProbeOptions& o = read.options;
  const size_t classes = read.classes.size();
  std::vector<uint64_t> alone(role.labels.size());
  std::iota(alone.begin(), alone.end(), uint64_t{0});
  const Folds by_item = folds_of(alone, o.folds, o.seed);
  ProbeLayer layer;
  layer.guesses = guesses_of(o.kind, role.folds, states, role.labels, classes);
  layer.seen = guesses_of(o.kind, by_item, states, role.labels, classes);
  layer.control = guesses_of(o.kind, by_item, states, role.controls, classes);
  if (o.erase) layer.erased = guesses_of(o.kind, role.folds, states, role.labels, classes, true);
  return layer;
}

stats::Estimate accuracy(const std::vector<uint32_t>& guesses, const std::vector<uint32_t>& labels,
                         const std::vector<uint64_t>& clusters) {
  std::vector<double> right;
  for (size_t i = 0; i < labels.size(); ++i) right.push_back(guesses[i] == labels[i]);
  return stats::clustered_share(stats::sum_by_cluster(right, clusters));
}

std::vector<std::string> notes_of(const ProbeReadings& read) {
  static constexpr std::string_view kinds[] = {"the nearest class mean", "logistic regression",
                                               "linear discriminants, shrunk"};
  std::vector<std::string> notes{
      fmt::format("label: {} ({}); probe: {}", read.options.label, join(read.classes, ", "),
                  kinds[size_t(read.options.kind)]),
      "accuracy: on items whose word (the subject; of an attractor or a region, its own) the probe "
      "never saw; 95 % intervals over such words",
      "majority: the share of the most frequent label; seen: accuracy where words recur; control: "
      "the same with a random label for each word; selectivity: seen minus control"};
  if (read.options.erase)
    notes.push_back("erased: accuracy after LEACE, at this place and layer alone");
  for (size_t r = 0; r < read.roles.size(); ++r) {
    const ProbeStates::Role& role = read.states->roles[r];
    for (const auto& [why, count] : role.left_out)
      notes.push_back(fmt::format("{}: {} {}", role.name, count_text(count), why));
    if (!role.items.empty() && read.roles[r].folds.empty())
      notes.push_back(role.name + ": all items share words, so that they cannot be split");
  }
  std::map<std::string, uint64_t> excluded;
  for (const std::string& why : read.states->excluded)
    if (!why.empty()) ++excluded[why];
  for (const auto& [why, count] : excluded)
    notes.push_back(fmt::format("excluded: {} {}", count_text(count), why));
  return notes;
}

}  // namespace

ProbeReadings fit_probes(const ProbeStates& states, const ProbeOptions& options,
                         const engine::Tick& tick) {
  ProbeReadings read{&states, options, classes_of(states, options.label), {}};
  std::vector<std::pair<size_t, size_t>> work;
  for (size_t r = 0; r < states.roles.size(); ++r) {
    read.roles.push_back(prepared(states, states.roles[r], read));
    for (size_t l = 0; l < read.roles.back().layers.size(); ++l) work.emplace_back(r, l);
  }
  std::atomic<size_t> next = 0, done = 0;
  std::mutex telling;
  auto labour = [&] {
    for (size_t i; (i = next++) < work.size();) {
      const auto [r, l] = work[i];
      read.roles[r].layers[l] = one_layer(states.roles[r].layers[l], read.roles[r], read);
      std::lock_guard lock(telling);
      if (++done; tick) tick(done, work.size());
    }
  };
  const unsigned threads = options.threads > 0 ? unsigned(options.threads)
                                               : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> team;
  for (unsigned t = 1; t < threads && t < work.size(); ++t) team.emplace_back(labour);
  labour();
  for (std::thread& t : team) t.join();
  return read;
}

report::Grid probe_table(const ProbeReadings& read) {
  using Kind = report::GridColumn::Kind;
  report::Grid grid{.key = "probe",
                    .title = fmt::format("{} × {}: {} in the hidden states", read.states->suite,
                                         read.states->model, read.options.label),
                    .columns = {{"at", "at", Kind::text},
                                {"layer", "layer", Kind::count},
                                {"items", "items", Kind::count},
                                {"words", "words", Kind::count},
                                {"majority", "majority", Kind::share},
                                {"accuracy", "accuracy", Kind::share},
                                {"accuracy_low", "from", Kind::share},
                                {"accuracy_high", "to", Kind::share},
                                {"seen", "seen", Kind::share},
                                {"control", "control", Kind::share},
                                {"selectivity", "selectivity", Kind::difference}}};
  if (read.options.erase) grid.columns.push_back({"erased", "erased", Kind::share});
  for (size_t r = 0; r < read.roles.size(); ++r) {
    const ProbeStates::Role& states = read.states->roles[r];
    const ProbeReadings::Role& role = read.roles[r];
    auto share = [&](const std::vector<uint32_t>& guesses, const std::vector<uint32_t>& labels) {
      return accuracy(guesses, labels, states.clusters);
    };
    for (size_t l = 0; l < role.layers.size(); ++l) {
      const ProbeLayer& layer = role.layers[l];
      const stats::Estimate found = share(layer.guesses, role.labels);
      const double seen = share(layer.seen, role.labels).value,
                   control = share(layer.control, role.controls).value;
      grid.rows.push_back({states.name, double(read.states->layers[l]), double(states.items.size()),
                           double(found.clusters), role.majority, found.value, found.interval.low,
                           found.interval.high, seen, control, seen - control});
      if (read.options.erase) grid.rows.back().push_back(share(layer.erased, role.labels).value);
    }
  }
  grid.notes = notes_of(read);
  return grid;
}

tidy::Frame probe_rows(const ProbeReadings& read) {
  using tidy::Type;
  tidy::Frame frame({{"suite", Type::text},
                     {"model", Type::text},
                     {"test", Type::text},
                     {"condition", Type::text},
                     {"item", Type::text},
                     {"at", Type::text},
                     {"word", Type::text},
                     {"cluster", Type::integer},
                     {"fold", Type::integer},
                     {"layer", Type::integer},
                     {"label", Type::text},
                     {"guess", Type::text},
                     {"guess_erased", Type::text}});
  for (size_t r = 0; r < read.roles.size(); ++r) {
    const ProbeStates::Role& states = read.states->roles[r];
    const ProbeReadings::Role& role = read.roles[r];
    for (size_t i = 0; i < role.labels.size(); ++i) {
      const suite::Item& item = read.states->items.items[states.items[i]];
      for (size_t l = 0; l < role.layers.size(); ++l)
        frame.text(read.states->suite)
            .text(read.states->model)
            .text(item.test)
            .text_or_nothing(item.condition)
            .text(item.id)
            .text(states.name)
            .text_or_nothing(states.words[i])
            .integer(int64_t(states.clusters[i]))
            .integer(int64_t{role.folds[i]})
            .integer(int64_t{read.states->layers[l]})
            .text(read.classes[role.labels[i]])
            .text(read.classes[role.layers[l].guesses[i]])
            .text_or_nothing(
                role.layers[l].erased.empty() ? "" : read.classes[role.layers[l].erased[i]]);
    }
  }
  return frame;
}

}  // namespace minpair::introspect
