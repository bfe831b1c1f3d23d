#pragma once
// Words for nonce sentences (Gulordava et al. 2018): instead of a content word another of the same
// features that fits the same place.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
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
  struct Candidate {
    std::string form, lemma;
    auto operator<=>(const Candidate&) const = default;
  };
  // What a verb was seen with.
  struct Uses {
    uint32_t all = 0, objects = 0, obliques = 0, others = 0;
    bool regular(bool transitive) const;
  };
  std::string place(const Tree& tree, uint32_t i) const;
  void count_uses(const Tree& tree, uint32_t i);
  bool fits(const Candidate& candidate, const Tree& tree, uint32_t i,
            const Inflections& inflections) const;
  bool ambiguous(const std::string& form) const;
  bool goes_with_preposition(std::string_view lemma) const;
  bool unlike_others(std::string_view form) const;
  bool regular(std::string_view lemma, const std::string& place) const;
  bool usual_ending(std::string_view feats, const std::string& form) const;

  std::unordered_map<std::string, std::vector<Candidate>> words_;  // by place
  std::unordered_map<std::string, Uses> uses_;                     // of verbs, by lemma
  std::unordered_map<std::string, std::set<std::string, std::less<>>> parts_of_speech_;  // by form
  // Nouns, by lemma: how often they were seen, and after which preposition ("im September").
  std::unordered_map<std::string, std::map<std::string, uint32_t>> prepositions_;
  std::unordered_map<std::string, std::pair<uint32_t, uint32_t>>
      sides_;  // of adjectives, by lemma: before their nouns, after them
  std::unordered_set<std::string> particles_, verbs_;  // ab, auf; lemmas
  std::unordered_set<std::string> auxiliaries_;        // forms
  std::unordered_set<std::string> like_adjectives_;    // forms: a noun like one has its endings
  std::unordered_map<std::string, std::string> adjectives_;  // by "lemma TAB features": a form
  std::unordered_map<std::string, uint64_t> last_letters_;   // of nouns: "features letter"
  uint64_t adjectives_alike_ = 0, adjectives_unlike_ = 0;
  bool joined_particles_ = false;     // German abziehen: "zieht ... ab"
  bool several_declensions_ = false;  // German strong and weak adjectives
};

}  // namespace minpair::stimuli
