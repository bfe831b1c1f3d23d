#pragma once
// Regular expressions as tokenizer files write them (Oniguruma's dialect), run by ICU.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace minpair::tokenizer {

class Regex {
 public:
  explicit Regex(std::string_view pattern);  // throws when ICU cannot read it
  ~Regex();

  // The byte spans of all matches that are not empty, from left to right.
  std::vector<Span> matches(std::string_view text) const;
  // The same with the groups of each match: [0] is the whole, an absent group is empty.
  std::vector<std::vector<Span>> groups(std::string_view text) const;
  const std::string& pattern() const { return pattern_; }

 private:
  struct Compiled;
  std::string pattern_;
  std::unique_ptr<Compiled> compiled_;
};

// `\s`, `\w` mean other characters in ICU than in Oniguruma; this spells them out.
std::string oniguruma_to_icu(std::string_view pattern);

}  // namespace minpair::tokenizer
