#pragma once
// Human judgments of sentences, beside the scores of models in the same file. They belong to
// sentences, not to a suite: whatever run has the sentences can be compared with them.
//
//   replace_judgments("results.db", "mine", {{"mine", "Er lacht.", "Er lachen.", "Eva", 1}});
//   std::vector<Judgment> all = read_judgments("results.db");

#include <filesystem>
#include <string>
#include <vector>

namespace minpair::store {

struct Judgment {
  std::string source;    // whose data: "qfrblimp"
  std::string sentence;  // with its context, if it has one
  // The sentence beside it, where one of the two was to be chosen; empty: `sentence` was rated.
  std::string other;
  std::string person;
  double value = 0;  // a choice: 1 for `sentence`, 0 for `other`; else the rating
  bool operator==(const Judgment&) const = default;
};

// All of a source at once: what it had before is gone. The results file must be there.
void replace_judgments(const std::filesystem::path& results, const std::string& source,
                       const std::vector<Judgment>& judgments);
std::vector<Judgment> read_judgments(const std::filesystem::path& results);

}  // namespace minpair::store
