#pragma once
// A suite: items, one JSON object per line, with a small manifest. See docs/suite-format.md.
//
//   Suite suite = find_suite("de.jsonl");            // or a folder, or the name of a shipped suite
//   auto items = read_items(suite.files);
//   for (Item item; items->next(item);) ...
//
//   SuiteWriter out("de.jsonl");
//   out.write(item);
//   out.commit();                                     // without it, nothing stays behind
//
// Nothing here holds a whole suite in memory. stimuli/stimuli.h opens folders with grammars like
// any other.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "suite/item.h"

namespace minpair::suite {

// Scores that stand beside an item in published data.
struct PublishedScores {
  std::vector<double> sentences;  // parallel to the item's sentences
  bool higher_is_better = true;
  std::string what;                              // "mean cross-entropy", "logit", ...
  std::vector<std::vector<std::string>> tokens;  // per sentence, where the data has them
};

// Items, one after the other. Every source of items (a file, a grammar, a treebank, a foreign
// format) offers them like this.
class ItemStream {
 public:
  virtual ~ItemStream() = default;
  // False at the end. `item` is overwritten whole; its memory is reused.
  virtual bool next(Item& item) = 0;
  // Where the last item came from, for messages.
  virtual Where where() const { return {}; }
  // What was in the source but is not an item, counted by reason.
  virtual const std::map<std::string, uint64_t>& skipped() const;
  // Of a table: what its columns were read as, for people; "" of anything else.
  virtual std::string columns() { return {}; }
  // The scores that the source gives for the last item, if it has any.
  virtual const PublishedScores* published() const { return nullptr; }
};

// --- items on disk ---

// One line of a suite. `text` need not be padded. Throws with `where` and the reason.
class ItemParser {
 public:
  ItemParser();
  ~ItemParser();
  void parse(std::string_view line, const Where& where, Item& item);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Appends the item as one JSON line, with the end of line.
void append_json_line(std::string& to, const Item& item);

// The items of files, in the order of the files; "-" is standard input. Files and folders in any
// format of format.h are recognised and read like suites.
// `language`: of all items, if given.
std::unique_ptr<ItemStream> read_items(std::vector<std::filesystem::path> files,
                                       const std::string& language = {});
std::unique_ptr<ItemStream> read_items(const std::filesystem::path& file);

class SuiteWriter {
 public:
  explicit SuiteWriter(const std::filesystem::path& path);  // "-" is standard output
  void write(const Item& item);
  void commit();
  uint64_t count() const { return count_; }

 private:
  AtomicFile file_;
  std::string buffer_;
  uint64_t count_ = 0;
};

// Throws when the item could not be read back: no sentences, no grammatical one, a
// locus outside its sentence or inside a character, text that is not UTF-8, ...
void check_item(const Item& item, const Where& where = {});

// --- manifest ---

// How one test of a suite is shown. The order in the manifest is the order in tables.
struct TestInfo {
  std::string name;   // as in Item::test
  std::string title;  // "Across an object relative clause"; empty: the name
  std::string group;  // "Subject-verb agreement"; may be empty
  std::string meta;   // what its source says about it, kept as it is: a JSON object, or empty
  bool operator==(const TestInfo&) const = default;
};

// A published number to compare with.
struct PublishedResult {
  std::string model;      // "GBERT large", "humans"
  std::string test;       // empty: the whole suite
  std::string condition;  // empty: all conditions
  std::string language;   // empty: all languages
  double accuracy = 0;    // 0 to 1
  std::optional<uint64_t> pairs;
  std::string source;               // "Zaczynska et al. 2020, Table 1"
  std::optional<double> deviation;  // standard deviation of the accuracy over several runs
  bool operator==(const PublishedResult&) const = default;
};

// When an item is right: a formula (suite/formula.h) over the surprisals of its regions.
struct Criterion {
  std::string name;     // "garden path"
  std::string test;     // whose items it judges; empty: all tests
  std::string formula;  // as it was written
  std::string metric;   // of a region's tokens: "mean", ...; empty: their sum
  bool operator==(const Criterion&) const = default;
};

struct Manifest {
  std::string name;  // of the folder or file, when the manifest states none
  std::string title;
  std::string description;
  std::string citation;
  std::string licence;
  std::string url;
  std::vector<std::string> languages;
  std::vector<TestInfo> tests;
  std::vector<PublishedResult> results;
  std::string method;   // the paper's scoring method; empty: the user's choice
  std::string norm;     // of that method: "sum", "mean", ...; empty: the method's own
  std::string ties;     // how the paper counts ties: "half", "wrong", "right"; empty: not stated
  std::string context;  // of every sentence that has none of its own
  // An item is right if all criteria of its test hold. Where there are none, every grammatical
  // sentence must beat every other.
  std::vector<Criterion> criteria;

  // The test's information, or nullptr.
  const TestInfo* find(std::string_view test) const;
  bool operator==(const Manifest&) const = default;
};

Manifest read_manifest(const std::filesystem::path& file);
Manifest parse_manifest(std::string_view json, const std::string& file_for_messages);
std::string manifest_json(const Manifest& manifest);  // indented, with a final newline

// --- finding suites ---

struct Suite {
  std::filesystem::path path;  // the file or the folder
  // The file itself, or the folder's .jsonl files, sorted. stimuli/stimuli.h opens a suite, with or
  // without them.
  std::vector<std::filesystem::path> files;
  Manifest manifest;                    // at least the name
  std::filesystem::path manifest_file;  // empty: there is none
  std::string columns = {};             // of a typed list, as the user says: "good=Satz,bad=Stern"

  bool is_folder() const { return std::filesystem::is_directory(path); }
};

// A file, a folder (manifest.json, *.jsonl; or of a foreign format), or the name of a shipped
// suite, in this order.
// Throws with did-you-mean. A file NAME.jsonl may have its manifest beside it: NAME.manifest.json.
Suite find_suite(const std::string& name_or_path, const std::string& columns = {});

// All shipped suites, by name.
std::vector<Suite> shipped_suites();

}  // namespace minpair::suite
