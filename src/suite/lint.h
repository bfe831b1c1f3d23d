#pragma once
// What is wrong with a suite, found in one pass that keeps hashes instead of items.
//
//   Linter linter;
//   for (Item item; items->next(item);) linter.add(item);
//   LintReport report = linter.finish();

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "suite/suite.h"

namespace minpair::suite {

// Errors are what check_item() refuses, and an id that is there twice: no run is possible with them.
enum class Severity { error, warning, note };

// One kind of problem in one place, with a count and an example.
struct Finding {
  std::string check;    // "duplicate_item", for machines
  std::string message;  // "the same item again", for people
  Severity severity = Severity::error;
  std::string test, condition;
  std::string file;    // where the data came from, when the items say so
  std::string other;   // the other test, for what is shared
  uint64_t items = 0;  // how many have it
  uint64_t of = 0;     // of how many there
  std::string example_id, example;
};

// How many minimal sets of a test in a language a model can be asked about when the focus words
// must be single pieces of its vocabulary (CLAMS's Table 7).
struct SinglePieceSets {
  std::string test, language;
  uint64_t sets = 0, single = 0;
};

struct LintReport {
  uint64_t items = 0, tests = 0;
  uint64_t items_with_errors = 0;
  std::vector<Finding> findings;  // errors first
  std::vector<SinglePieceSets> single_piece;
  bool states_clusters = true;  // some item does
  // Tests with so few clusters that no test of a difference can give p below 0.05.
  struct FewClusters {
    std::string test;
    uint64_t clusters = 0;
    double smallest_p() const { return 2 / double(uint64_t{1} << clusters); }
  };
  std::vector<FewClusters> few_clusters;
};

// What a tokenizer makes of a text.
struct LintPiece {
  Span span;
  bool unknown = false;
};
using Segmenter = std::function<void(std::string_view text, std::vector<LintPiece>& pieces)>;

// Words between spaces, unknown when not in the list (one word per line).
Segmenter vocabulary_segmenter(const std::filesystem::path& file);

class Linter {
 public:
  // `criteria`: those of the suite's manifest.
  explicit Linter(Segmenter segmenter = {}, const std::vector<Criterion>& criteria = {});
  ~Linter();
  // False when the same item was there before in the same test.
  bool add(const Item& item);
  LintReport finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Corrects what has one right answer: normalises to NFC, removes stray spaces, aligns loci that
// leave differences outside, corrects a stated mask index. Returns what was done, by name.
std::vector<std::string> fix_item(Item& item);

std::string lint_text(const LintReport& report, const std::string& name);
std::string lint_json(const LintReport& report, const std::string& name);

// The words that the sentences of an item differ in: what tables take as the cluster of an item
// that states none.
std::string words_at_locus(const Item& item);

}  // namespace minpair::suite
