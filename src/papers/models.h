#pragma once
// A paper's tables with models run again: the paper's own from the hub, or any others beside the
// printed numbers.
//
//   WithModels how{.models = {"de-mini"}, .results = "gevalm.db"};
//   for (const Answered& a : answer(find_paper("gevalm"), "data/gevalm", how))
//     fmt::print("{} {}", a.row, a.ours);

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hub/hub.h"
#include "model/model.h"
#include "papers/papers.h"
#include "stats/stats.h"

namespace minpair::papers {

struct WithModels {
  std::vector<std::string> models;  // empty: the paper's own
  std::filesystem::path results;    // kept: what is there is not computed again
  bool skip_absent = false;         // offline, what is not in the cache is told row by row
  bool quiet = false;
  model::LoadOptions load;
  hub::Settings hub = hub::settings();
};

// One printed number and what a model gives for it.
struct Answered {
  std::string table, row, column, printed, model;
  double ours = 0;           // NaN where it cannot be had; `why` says what is missing
  stats::Interval interval;  // Wilson's
  uint64_t items = 0;
  bool owns = false;  // it is the model that the paper tested
  enum class Verdict { none, same, within, differs } verdict = Verdict::none;
  std::string why;
};
std::string_view text_of(Answered::Verdict verdict);

// The paper's own models on the hub, each once, that answer its tables.
std::vector<std::string> models_of(const Paper& paper);
// Can a model be loaded without fetching anything?
bool is_here(const std::string& model, const WithModels& how);

std::vector<Answered> answer(const Paper& paper, const std::filesystem::path& folder,
                             const WithModels& how);

// What `answer` would have to do: of each model where it is or how much must be fetched, and how
// long each suite takes; of those that are not here by their size.
struct Planned {
  std::string model;
  bool here = false;
  std::optional<uint64_t> bytes;  // to be fetched; unknown where nobody may ask
  std::string suite, method;
  uint64_t items = 0;
  double seconds = 0;  // 0: nobody knows
};
std::vector<Planned> plan(const Paper& paper, const std::filesystem::path& folder,
                          const WithModels& how);

}  // namespace minpair::papers
