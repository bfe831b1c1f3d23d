#pragma once
// How the words of a language are cut into stem and ending: language data, read from a file.
//
//   ending     en  agrees         may be cut off; "agrees": it tells singular from plural
//   forms      t   en             a stem is what the text shows with both of these endings ...
//   forms      t   n   after er   ... and, here, what ends like this (not-after: what does not)
//   no-stem    war                is none, whatever the text shows
//   lower-case                    words with a capital are never cut
//
// Fields are separated by tabs, '#' begins a comment.

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace minpair::corpus {

using WordCounts = std::map<std::string, uint64_t, std::less<>>;

// For a word that is cut, the byte where its ending begins.
using StemCuts = std::unordered_map<std::string, size_t>;

struct Endings {
  struct Forms {
    std::string one, other;
    std::vector<std::string> after;  // empty: any stem
    bool negated = false;            // not after these
  };
  std::vector<std::string> all;
  std::set<std::string> agreeing;
  std::vector<Forms> forms;
  std::set<std::string> no_stems;
  bool lower_case = false;
};

// A file, or the name of a language that ships: "de".
std::filesystem::path find_endings(const std::string& name);
Endings read_endings(const std::filesystem::path& file);

// The words to cut, among those that were counted. Both forms must have been seen `min_count`
// times, since rare words are mostly misspelt ones.
StemCuts cut_endings(const WordCounts& counts, const Endings& endings, uint64_t min_count = 3);

}  // namespace minpair::corpus
