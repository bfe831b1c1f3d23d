#pragma once
// Are the words of a suite words? Looked up in paradigms that were written for it, and by hunspell.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "suite/item.h"

namespace minpair::cli {

class WordsOfSuite {
 public:
  void add(const suite::Item& item);

  // Those that are no form in the table (lemma, form, features), each with the item that has it.
  // At the beginning of a sentence a form may have a capital.
  std::map<std::string, std::string> unknown_in(const std::filesystem::path& paradigms) const;
  // Those of right sentences that hunspell does not know. Throws when it, or its dictionary, is not
  // there.
  std::map<std::string, std::string> unknown_to_hunspell(const std::string& dictionary) const;

 private:
  struct Word {
    std::string item;     // the first that has it
    bool inside = false;  // not at the beginning of a sentence only
    bool right = false;   // in a right sentence
  };
  std::map<std::string, Word> words_;
};

}  // namespace minpair::cli
