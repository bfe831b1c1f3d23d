// Two columns, nothing else: the good and the bad sentence. The file's name is the test.

#include "base/rows.h"
#include "suite/formats/formats.h"
#include "suite/formats/support.h"

namespace minpair::suite {
namespace {

// A first line that names the columns is no pair.
bool is_header(const std::vector<std::string>& fields) {
  std::string first = lower(fields[0]), second = lower(fields[1]);
  return (first == "good" && second == "bad") ||
         (first == "grammatical" && second == "ungrammatical") ||
         (first == "acceptable" && second == "unacceptable") ||
         (first == "correct" && second == "wrong");
}

class TsvItems : public RowItemStream {
 public:
  explicit TsvItems(const fs::path& file)
      : RowItemStream(file, '\t', false), test_(file == "-" ? "pairs" : file.stem().string()) {}

  bool next(Item& item) override {
    do {
      if (!rows_.next(fields_)) return false;
      if (fields_.size() != 2)
        throw bad_input("a line must have two columns: the good and the bad sentence").at(where());
    } while (number_ == 0 && is_header(fields_));
    if (trim(fields_[0]).empty() || trim(fields_[1]).empty())
      throw bad_input("a sentence is empty").at(where());
    clear_item(item);
    item.test = test_;
    item.id = number_id(test_, ++number_);
    set_sentences(item, {fields_[0], fields_[1]});
    return true;
  }

 private:
  std::string test_;
  uint64_t number_ = 0;
};

class TsvWriter : public TestFileWriter {
 public:
  explicit TsvWriter(const fs::path& path) : TestFileWriter(path, ".tsv", false) {}

  std::string write(const Item& item) override {
    if (std::string why = why_no_pair(item); !why.empty()) return why;
    const std::string &good = good_sentence(item).text, &bad = bad_sentence(item).text;
    if (!fits_row(good, '\t') || !fits_row(bad, '\t')) return "a tab or a line end in the text";
    files_.of(item).write(good + "\t" + bad + "\n");
    return {};
  }
};

}  // namespace

Format tsv_format() {
  return {"tsv",
          "two columns: good and bad sentence; the file's name is the test",
          "pairs: test, sentences",
          {".tsv", ".txt", ".tab"},
          [](const FileHead& head) { return has_columns(head, 2); },
          reads<TsvItems>({".tsv"}),
          writes<TsvWriter>()};
}

}  // namespace minpair::suite
