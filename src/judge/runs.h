#pragma once
// Which runs does the user mean? And what did the paper of their suite do?
//
//   for (size_t i : select(runs, {.models = {"de-mini"}})) ...

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "judge/method_info.h"
#include "suite/suite.h"

namespace minpair::judge {

struct RunName {
  int64_t id = 0;
  std::string suite, model, method;
  std::string path;  // of the model: users may also call it by this
};

// Empty: all.
struct Wanted {
  std::vector<int64_t> runs;
  std::vector<std::string> suites, models, methods;
};

// Places in `runs`. A name that no run has is an error that says which there are.
std::vector<size_t> select(std::span<const RunName> runs, const Wanted& wanted);

// The view and the worth of a tie that the suite's paper used; where its manifest says nothing,
// those of the method. A view belongs to the method that the manifest names with it, and to those
// alone that have it. Throws when there is no such view.
View view_in_paper(const suite::Manifest& manifest, const std::string& method, const View& own);
Ties ties_in_paper(const suite::Manifest& manifest, Ties own);

}  // namespace minpair::judge
