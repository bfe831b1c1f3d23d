#pragma once
// Norms with a parameter or a table of word frequencies, beside the views that need neither
// (judge/view.h). All are computed from stored log-probabilities.
//
//   Norm norm = find_norm("power:0.8");
//   double score = value(norm, {.logprob = -20, .tokens = 8, .words = 7, .unigram = -50});

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace minpair::judge {

// log p is the sentence's log-probability, without special tokens; log u the sum of its words'.
enum class NormKind {
  power,       // log p / tokens^a; a = 0.5 (Liu et al. 2024: SLLN-LP)
  log_length,  // log p / ln(tokens + a); a = 1
  slor,        // (log p - log u) / words (Pauls and Klein 2012, Lau et al. 2017)
  morcela      // (log p - a log u + b) / words; a = 1, b = 0 (Tjuatja et al. 2024)
};
struct Norm {
  NormKind kind = NormKind::power;
  double a = 0.5, b = 0;
  std::string name;     // as it was asked for
  bool fitted = false;  // "morcela:fit": a and b are fitted to people's ratings
  bool needs_unigrams() const { return kind == NormKind::slor || kind == NormKind::morcela; }
};

bool is_norm(std::string_view name);    // "slor", "power:0.8", "morcela:0.9:2", "morcela:fit"
Norm find_norm(std::string_view name);  // throws

struct Measured {
  double logprob = 0, tokens = 0, words = 0, unigram = 0;
};
double value(const Norm& norm, const Measured& sentence);

// Words and how often they occur: a line "word TAB count" each. Words that are not there count as
// seen once.
class Unigrams {
 public:
  static Unigrams read(const std::filesystem::path& file);
  struct Sum {
    double logprob = 0;
    size_t words = 0, unknown = 0;
  };
  // Of the words of a text; punctuation at their ends is a word of its own.
  Sum of(std::string_view text) const;
  // Of one word without the punctuation at its ends; 0 where it is not there.
  double count(std::string_view word) const;

 private:
  std::map<std::string, double, std::less<>> counts_;
  double total_ = 0;
};

}  // namespace minpair::judge
