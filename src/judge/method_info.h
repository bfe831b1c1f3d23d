#pragma once
// What is known of a scoring method without running it.

#include <string>

#include "judge/policy.h"

namespace minpair::judge {

struct MethodInfo {
  std::string name;
  std::string explanation;  // one line
  std::string citation;
  View view;               // what the paper that introduced the method reports
  Ties ties = Ties::half;  // how that paper counts a tie
  using Scope = judge::Scope;
  Scope scope = Scope::sentence;
  bool cloze = false;  // judges clozes, and nothing else
  int version = 1;     // part of the key of stored scores: raise it when a score changes
};

}  // namespace minpair::judge
