#include "introspect/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <numeric>
#include <set>
#include <span>
#include <thread>

#include "base/counts.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/team.h"
#include "introspect/intervals.h"
#include "introspect/summary.h"
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

using Erasers = std::vector<stats::Eraser>;  // of the folds, each fitted without its own

Erasers erasers_of(const Folds& folds, const std::vector<float>& states,
                   const std::vector<uint32_t>& labels, size_t classes) {
  Erasers erasers;
  for (uint32_t fold = 0; fold < count_of(folds); ++fold)
    erasers.push_back(
        stats::least_squares_eraser(rows_outside(fold, folds, states, labels, classes), true));
  return erasers;
}

// A row as the fold's probe sees it.
std::vector<double> row_of(const std::vector<float>& states, size_t i, size_t width,
                           const stats::Eraser* eraser) {
  std::vector<double> row(states.begin() + ptrdiff_t(i * width),
                          states.begin() + ptrdiff_t((i + 1) * width));
  if (eraser) eraser->erase(row.data());
  return row;
}

std::vector<float> shifts_of(const Erasers& erasers, const Folds& folds,
                             const std::vector<float>& states) {
  const size_t width = states.size() / folds.size();
  std::vector<float> shifts;
  for (size_t i = 0; i < folds.size(); ++i) {
    const std::vector<double> row = row_of(states, i, width, &erasers[folds[i]]);
    for (size_t d = 0; d < width; ++d)
      shifts.push_back(float(row[d] - double(states[i * width + d])));
  }
  return shifts;
}

std::vector<uint32_t> guesses_of(stats::Classifier kind, const Folds& folds,
                                 const std::vector<float>& states,
                                 const std::vector<uint32_t>& labels, size_t classes,
                                 const Erasers& erasers = {}) {
  std::vector<uint32_t> guesses(labels.size());
  for (uint32_t fold = 0; fold < count_of(folds); ++fold) {
    const stats::Eraser* eraser = erasers.empty() ? nullptr : &erasers[fold];
    stats::LabelledRows rows = rows_outside(fold, folds, states, labels, classes);
    for (size_t i = 0; eraser && i < rows.size(); ++i) eraser->erase(rows.row(i));
    const stats::LinearClassifier probe = stats::fit_classifier(kind, rows);
    for (size_t i = 0; i < labels.size(); ++i)
      if (folds[i] == fold)
        guesses[i] = probe.classify(row_of(states, i, rows.width, eraser).data());
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
  if (!o.erase) return layer;
  const Erasers erasers = erasers_of(role.folds, states, role.labels, classes);
  layer.erased = guesses_of(o.kind, role.folds, states, role.labels, classes, erasers);
  layer.shifts = shifts_of(erasers, role.folds, states);
  std::vector<uint32_t> shuffled = role.labels;
  Random(o.seed).shuffle(std::span(shuffled));
  layer.random_shifts =
      shifts_of(erasers_of(role.folds, states, shuffled, classes), role.folds, states);
  return layer;
}

stats::Estimate accuracy(const std::vector<uint32_t>& guesses, const std::vector<uint32_t>& labels,
                         const std::vector<uint64_t>& clusters) {
  std::vector<double> right;
  for (size_t i = 0; i < labels.size(); ++i) right.push_back(guesses[i] == labels[i]);
  return stats::clustered_share(stats::sum_by_cluster(right, clusters));
}

double mean_points(std::span<const double> margins) {
  std::vector<double> points;
  for (double margin : margins) points.push_back(points_of(margin));
  return stats::mean(points);
}

const std::string& about(Reason why, const ProbeStates::Role& role, const ProbeReadings& read) {
  return why == Reason::no_label ? read.options.label : role.name;
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
  if (read.options.erase) notes.push_back("erased: accuracy after LEACE, at this place and layer");
  if (!read.margins.empty())
    notes.push_back(
        "model: its own accuracy on these items; without: with the label erased here, and read on; "
        "random: with a shuffled label erased instead");
  for (size_t r = 0; r < read.roles.size(); ++r) {
    const ProbeStates::Role& role = read.states->roles[r];
    for (const auto& [why, count] : counted(role.missing))
      notes.push_back(fmt::format("{}: {} {}", role.name, count_text(count),
                                  text_of(why, about(why, role, read))));
    if (!role.items.empty() && read.roles[r].folds.empty())
      notes.push_back(role.name + ": all items share words, so that they cannot be split");
  }
  add_reasons(notes, read.states->excluded);
  return notes;
}

}  // namespace

ProbeReadings fit_probes(const ProbeStates& states, const ProbeOptions& options,
                         const engine::Tick& tick) {
  ProbeReadings read{&states, options, classes_of(states, options.label), {}, {}};
  std::vector<std::pair<size_t, size_t>> work;
  for (size_t r = 0; r < states.roles.size(); ++r) {
    read.roles.push_back(prepared(states, states.roles[r], read));
    for (size_t l = 0; l < read.roles.back().layers.size(); ++l) work.emplace_back(r, l);
  }
  size_t done = 0;
  std::mutex telling;
  const unsigned threads = options.threads > 0 ? unsigned(options.threads)
                                               : std::max(1u, std::thread::hardware_concurrency());
  share(work.size(), threads, [&](size_t i) {
    const auto [r, l] = work[i];
    read.roles[r].layers[l] = one_layer(states.roles[r].layers[l], read.roles[r], read);
    std::lock_guard lock(telling);
    if (++done; tick) tick(done, work.size());
  });
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
  if (!read.margins.empty())
    for (const char* title : {"model", "without", "random"})
      grid.columns.push_back({title, title, Kind::share});
  grid.columns.push_back(excluded_column());
  const ItemGroup all{{}, counted(read.states->excluded)};
  for (size_t r = 0; r < read.roles.size(); ++r) {
    const ProbeStates::Role& states = read.states->roles[r];
    const ProbeReadings::Role& role = read.roles[r];
    if (role.layers.empty()) {
      std::vector<report::GridValue>& row = grid.rows.emplace_back(grid.columns.size());
      Reasons why = counted(states.missing);
      why[Reason::words_not_split] = states.items.size();
      row[0] = states.name, row[2] = 0.0, row.back() = excluded_text(all, why);
    }
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
      if (!read.margins.empty()) {
        std::vector<double> unchanged;
        for (uint32_t item : states.items) unchanged.push_back(read.margins[item]);
        for (const std::vector<double>& own : {unchanged, layer.margins, layer.random_margins})
          grid.rows.back().emplace_back(mean_points(own));
      }
      grid.rows.back().emplace_back(excluded_text(all, counted(states.missing)));
    }
  }
  grid.notes = notes_of(read);
  explain_dashes(grid);
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
                     {"excluded", Type::text},
                     {"fold", Type::integer},
                     {"layer", Type::integer},
                     {"label", Type::text},
                     {"guess", Type::text},
                     {"guess_erased", Type::text},
                     {"margin", Type::number},
                     {"margin_erased", Type::number},
                     {"margin_random", Type::number}});
  auto left_out = [&](size_t i, std::string_view at, const std::string& why) {
    const suite::Item& item = read.states->items.items[i];
    frame.text(read.states->suite).text(read.states->model).text(item.test);
    frame.text_or_nothing(item.condition).text(item.id).text_or_nothing(at).nothing().nothing();
    frame.text(why);
    for (size_t f = 9; f < frame.fields().size(); ++f) frame.nothing();
  };
  for (size_t i = 0; i < read.states->excluded.size(); ++i)
    if (const Reason why = read.states->excluded[i]; why != Reason::none)
      left_out(i, {}, text_of(why));
  for (size_t r = 0; r < read.roles.size(); ++r) {
    const ProbeStates::Role& states = read.states->roles[r];
    const ProbeReadings::Role& role = read.roles[r];
    for (size_t i = 0; i < states.missing.size(); ++i)
      if (const Reason why = states.missing[i]; why != Reason::none)
        left_out(i, states.name, text_of(why, about(why, states, read)));
    for (size_t i = 0; i < states.items.size() && role.layers.empty(); ++i)
      left_out(states.items[i], states.name, text_of(Reason::words_not_split));
    for (size_t i = 0; i < role.labels.size(); ++i) {
      const suite::Item& item = read.states->items.items[states.items[i]];
      for (size_t l = 0; l < role.layers.size(); ++l) {
        const ProbeLayer& layer = role.layers[l];
        frame.text(read.states->suite)
            .text(read.states->model)
            .text(item.test)
            .text_or_nothing(item.condition)
            .text(item.id)
            .text(states.name)
            .text_or_nothing(states.words[i])
            .integer(int64_t(states.clusters[i]))
            .nothing()
            .integer(int64_t{role.folds[i]})
            .integer(int64_t{read.states->layers[l]})
            .text(read.classes[role.labels[i]])
            .text(read.classes[layer.guesses[i]])
            .text_or_nothing(layer.erased.empty() ? "" : read.classes[layer.erased[i]])
            .number(read.margins.empty() ? kNone : read.margins[states.items[i]])
            .number(read.margins.empty() ? kNone : layer.margins[i])
            .number(read.margins.empty() ? kNone : layer.random_margins[i]);
      }
    }
  }
  return frame;
}

}  // namespace minpair::introspect
