#pragma once
// What the formats share. Private to this folder.

#include <functional>
#include <map>
#include <set>

#include "base/rows.h"
#include "suite/formats/format.h"

namespace minpair::suite {

namespace fs = std::filesystem;

// --- reading ---

using OpenFile = std::function<std::unique_ptr<ItemStream>(const fs::path& file)>;

// The file itself, or all files in the folder and its folders with one of the extensions, sorted.
std::vector<fs::path> files_under(const fs::path& path, const std::vector<std::string>& extensions);

// The items of several files, one after the other, with one language over all of them.
std::unique_ptr<ItemStream> read_files(std::vector<fs::path> files, const ReadOptions& options,
                                       OpenFile open);

// A stream over one file that counts what it leaves out.
class FileItemStream : public ItemStream {
 public:
  const std::map<std::string, uint64_t>& skipped() const override { return skipped_; }

 protected:
  void skip(const std::string& reason) { ++skipped_[reason]; }

 private:
  std::map<std::string, uint64_t> skipped_;
};

// A stream over the rows of a table.
class RowItemStream : public FileItemStream {
 public:
  Where where() const override { return {rows_.name(), rows_.line(), 0, {}}; }

 protected:
  RowItemStream(const fs::path& file, char separator, bool quotes)
      : rows_(file, separator, quotes) {}
  // False at the end. Throws when there are other columns than the first line has.
  bool next_row(std::vector<std::string>& fields, size_t columns);
  double number(const std::string& text) const;  // throws when it is none

  RowReader rows_;
  std::vector<std::string> fields_;
};

void clear_item(Item& item);
// Two or more sentences of which the first is grammatical, with aligned loci.
void set_sentences(Item& item, const std::vector<std::string_view>& good_then_bad);
// The word at `index` (0 is the first) replaced by `good` and `bad`. False when there is no such
// word.
bool set_word_pair(Item& item, std::string_view text, size_t index, std::string_view good,
                   std::string_view bad);
// A number when it is written as we would write it, otherwise the text.
FeatureValue feature_value(std::string_view text);
void add_feature(Item& item, std::string name, std::string_view text);
// "de" from ".../de_evalset/x.txt", else "".
std::string language_of_path(const fs::path& file);
std::string number_id(std::string_view test, uint64_t number);

// --- writing ---

// A folder or a file being written: everything appears at commit(), or nothing.
class FileSet {
 public:
  ~FileSet();
  AtomicFile& open(const fs::path& file);  // makes its folders; the same file every time
  void commit();

 private:
  std::map<fs::path, std::unique_ptr<AtomicFile>> files_;
  std::vector<fs::path> made_;  // folders, outer first
  bool committed_ = false;
};

// One file per test. `path` with the extension is one file; anything else is a folder.
class TestFiles {
 public:
  // `holds_tests`: lines say their test, so one file may hold several.
  TestFiles(const fs::path& path, std::string extension, bool holds_tests);
  // True for a test's first item: time for a header.
  bool begins(const Item& item);
  AtomicFile& of(const Item& item, const std::string& extension = "");
  void commit() { files_.commit(); }
  bool single() const { return single_; }

 private:
  fs::path file_of(const std::string& test);

  fs::path path_;
  std::string extension_;
  bool holds_tests_, single_;
  std::map<std::string, std::string> stems_;
  std::set<std::string> taken_, begun_;
  FileSet files_;
};

// A writer of one file per test.
class TestFileWriter : public ItemWriter {
 public:
  void commit() override { files_.commit(); }

 protected:
  TestFileWriter(const fs::path& path, std::string extension, bool holds_tests)
      : files_(path, std::move(extension), holds_tests) {}

  TestFiles files_;
  std::string line_;
};

// What most formats have for Format::read and Format::write.
template <class Items>
auto reads(std::vector<std::string> extensions) {
  return [extensions](const fs::path& path, const ReadOptions& options) {
    return read_files(files_under(path, extensions), options,
                      [](const fs::path& file) { return std::make_unique<Items>(file); });
  };
}
template <class Writer>
auto writes() {
  return [](const fs::path& path) { return std::make_unique<Writer>(path); };
}

// The grammatical and the ungrammatical sentence of a pair.
const Sentence& good_sentence(const Item& item);
const Sentence& bad_sentence(const Item& item);
// Why the item cannot stand where one good and one bad sentence are wanted; empty when it can.
std::string why_no_pair(const Item& item);
// The number of the whitespace-separated word that the locus is exactly, or -1.
long locus_word(const Sentence& sentence);
// As why_no_pair, where the locus must be one word, the same one in both. `index` gets its place.
std::string why_no_word_pair(const Item& item, size_t& index);
// The grammatical sentence with the word that the source showed there (a feature), if another.
std::string shown_text(const Item& item);

}  // namespace minpair::suite
