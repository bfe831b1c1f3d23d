#include "judge/runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/names.h"

namespace minpair::judge {
namespace {

using Field = std::string RunName::*;

void check_known(std::span<const RunName> runs, const std::vector<std::string>& names,
                 const char* what, Field field) {
  for (const std::string& name : names) {
    std::vector<std::string> known;
    bool found = false;
    for (const RunName& run : runs) {
      found |= run.*field == name || (field == &RunName::model && run.path == name);
      if (std::find(known.begin(), known.end(), run.*field) == known.end())
        known.push_back(run.*field);
    }
    if (found) continue;
    throw unknown_name(fmt::format("the results have no {} '{}'", what, name), name, known);
  }
}

}  // namespace

std::vector<size_t> select(std::span<const RunName> runs, const Wanted& wanted) {
  if (runs.empty()) throw bad_input("the results have no runs");
  check_known(runs, wanted.suites, "suite", &RunName::suite);
  check_known(runs, wanted.models, "model", &RunName::model);
  check_known(runs, wanted.methods, "method", &RunName::method);
  std::vector<size_t> chosen;
  for (size_t i = 0; i < runs.size(); ++i) {
    const RunName& r = runs[i];
    bool by_id = wanted.runs.empty() ||
                 std::find(wanted.runs.begin(), wanted.runs.end(), r.id) != wanted.runs.end();
    if (by_id && all_or_among(wanted.suites, r.suite) && all_or_among(wanted.methods, r.method) &&
        (all_or_among(wanted.models, r.model) || all_or_among(wanted.models, r.path)))
      chosen.push_back(i);
  }
  if (chosen.empty()) throw wrong_call("the results have no such suite, model and method");
  return chosen;
}

View view_in_paper(const suite::Manifest& manifest, const std::string& method, const View& own) {
  if (manifest.norm.empty() || (!manifest.method.empty() && manifest.method != method)) return own;
  View stated = find_view(manifest.norm);
  return same_family(stated, own) ? stated : own;
}

Ties ties_in_paper(const suite::Manifest& manifest, Ties own) {
  return manifest.ties.empty() ? own : find_ties(manifest.ties);
}

}  // namespace minpair::judge
