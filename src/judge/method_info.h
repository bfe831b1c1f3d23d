#pragma once
// What is known about a scoring method without running it.

#include <string>
#include <vector>

#include "base/hash.h"
#include "judge/policy.h"
#include "suite/item.h"

namespace minpair::judge {

// What a method reads of an item. Every method reads the texts, contexts and loci of its sentences,
// and whether it is a cloze.
struct Reads {
  bool grammatical = false;  // which of the sentences are
  bool language = false;
  std::vector<std::string> features;  // by name
  bool operator==(const Reads&) const = default;
};

// As results files have it: "grammatical language feature:pos".
std::string text_of(const Reads& reads);
Reads parse_reads(std::string_view text);

// Names exactly what is read of the item: equal for two items that the method cannot tell apart.
Hash128 content_of(const suite::Item& item, const Reads& reads);

struct MethodInfo {
  std::string name;
  std::string explanation;  // one line
  std::string citation;
  View view;               // what the paper that introduced the method reports
  Ties ties = Ties::half;  // how that paper counts a tie
  using Scope = judge::Scope;
  Scope scope = Scope::sentence;
  bool cloze = false;  // judges clozes, and nothing else
  // The key of a stored score: these, the name, and the content that is read.
  Reads reads = {};
  int version = 1;         // raise it when a score changes
  std::string words = {};  // fingerprint of the words that a cloze was judged over
};

}  // namespace minpair::judge
