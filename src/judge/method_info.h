#pragma once
// What is known about a scoring method without running it.

#include <string>

#include "base/hash.h"
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
  std::string words;   // names the words that a cloze was judged over; part of the key as well
  // The key of stored scores. Without words it is the version.
  int key() const {
    return words.empty() ? version : int(fingerprint128(words, uint64_t(version)).low >> 33);
  }
};

}  // namespace minpair::judge
