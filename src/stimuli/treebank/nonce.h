#pragma once
// Words for nonce sentences (Gulordava et al. 2018): instead of a content word another of the same
// features that fits the same place.

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/random.h"
#include "stimuli/treebank/inflections.h"
#include "stimuli/treebank/treebank.h"

namespace minpair::stimuli {

class NonceWords {
 public:
  void add(const Tree& tree);
  void finish();  // after the last add

  // A word for the place of word `i`, or "" where the word had better stay. `suits` may refuse one.
  std::string instead(const Tree& tree, uint32_t i, const Inflections& inflections, Random& random,
                      const std::function<bool(const std::string& form)>& suits) const;

 private:
  std::string place(const Tree& tree, uint32_t i) const;
  bool unlike_others(std::string_view form) const;
  bool usual_ending(std::string_view feats, const std::string& form) const;

  std::unordered_map<std::string, std::vector<std::string>> words_;  // by place
  std::unordered_set<std::string> particles_, verbs_;                // ab, auf; lemmas
  std::unordered_set<std::string> auxiliaries_;                      // forms
  std::unordered_set<std::string> like_adjectives_;  // forms: a noun like one has its endings
  std::unordered_map<std::string, std::string> adjectives_;  // by "lemma TAB features": a form
  std::unordered_map<std::string, uint64_t> last_letters_;   // of nouns: "features letter"
  uint64_t adjectives_alike_ = 0, adjectives_unlike_ = 0;
  bool joined_particles_ = false;     // German abziehen: "zieht ... ab"
  bool several_declensions_ = false;  // German strong and weak adjectives
};

}  // namespace minpair::stimuli
