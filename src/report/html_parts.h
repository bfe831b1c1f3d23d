#pragma once
// The pieces of the page: what is in the program, and the data as text.

#include <string>
#include <string_view>

#include "report/rows.h"

namespace minpair::report {

// Empty when the program was built without the page.
std::string_view page();

// One suite's items, column by column.
std::string items_json(const SuiteItems& suite);
// What a run says of each item, in the order of `suite`. Margins are whole numbers of 1 / `scale`.
std::string outcomes_json(const std::vector<Judged>& judged, const SuiteItems& suite, int scale);

// The tokens of a run, column by column.
class TokenColumns {
 public:
  void add(uint32_t item, const std::vector<judge::SentenceScore>& sentences);
  // Everything but the numbers is the same for all models with one tokenizer.
  bool same_shape(const TokenColumns& other) const;
  // As text; spans count UTF-16 units, as browsers do.
  std::string shape(const SuiteItems& suite) const;
  // Hundredths below +100, in 16 bits, 0 where the sentence before has the same at this place: all
  // low bytes, then all high bytes, which deflate better.
  std::string logprobs() const { return low_ + high_; }

 private:
  std::vector<uint32_t> items_, counts_;  // counts: sentences of an item, then tokens of each
  std::vector<Span> spans_;
  std::string flags_;  // 1 special, 2 in the locus
  std::string low_, high_;
  std::vector<uint16_t> before_;  // of the last sentence
};

double rounded(double x);  // to four digits after the point
size_t utf16_of_byte(std::string_view text, size_t byte);

}  // namespace minpair::report
