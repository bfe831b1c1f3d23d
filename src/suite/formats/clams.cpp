// CLAMS (Mueller et al. 2020): a text file per test, "True<tab>sentence" followed by one or more
// "False<tab>sentence"; and the table for BERT: test, language, good, bad.
// Goldberg's table of Marvin & Linzen's stimuli has the condition where CLAMS has the language.

#include <fmt/format.h>

#include <algorithm>

#include "base/rows.h"
#include "suite/cells.h"
#include "suite/formats/formats.h"
#include "suite/formats/support.h"

namespace minpair::suite {
namespace {

class ClamsItems : public FileItemStream {
 public:
  explicit ClamsItems(const fs::path& file)
      : lines_(file), test_(file.stem().string()), language_(language_of_path(file)) {}

  bool next(Item& item) override {
    if (!ahead_ && !read_line()) return false;
    if (!grammatical_)
      throw bad_input("a False sentence with no True one before it").at(where_here());
    clear_item(item);
    where_ = where_here();
    sentences_.assign(1, text_);
    while ((ahead_ = read_line()) && !grammatical_) sentences_.push_back(text_);
    if (sentences_.size() < 2)
      throw bad_input("a True sentence with no False one after it").at(where_);
    item.test = test_;
    item.language = language_;
    item.id = number_id(test_, ++number_);
    set_sentences(item, {sentences_.begin(), sentences_.end()});
    return true;
  }

  Where where() const override { return where_; }

 private:
  Where where_here() const { return {lines_.name(), lines_.line_number(), 0, {}}; }

  bool read_line() {
    std::string_view line;
    do
      if (!lines_.next(line)) return false;
    while (trim(line).empty());
    size_t tab = line.find('\t');
    std::string_view label = line.substr(0, tab);
    if (tab == std::string_view::npos || (label != "True" && label != "False") ||
        trim(line.substr(tab + 1)).empty())
      throw bad_input("a line must be True or False, a tab and a sentence").at(where_here());
    grammatical_ = label == "True";
    text_ = line.substr(tab + 1);
    return true;
  }

  LineReader lines_;
  std::string test_, language_, text_;
  std::vector<std::string> sentences_;
  bool ahead_ = false, grammatical_ = false;
  uint64_t number_ = 0;
  Where where_;
};

class ClamsWriter : public TestFileWriter {
 public:
  explicit ClamsWriter(const fs::path& path) : TestFileWriter(path, ".txt", false) {}

  std::string write(const Item& item) override {
    if (item.cloze) return "a cloze, not a pair";
    if (item.design) return "a design, not a pair";
    auto good = [](const Sentence& s) { return s.grammatical; };
    size_t n = size_t(std::count_if(item.sentences.begin(), item.sentences.end(), good));
    if (n == item.sentences.size()) return "no ungrammatical sentence";
    if (n > 1) return "more than one grammatical sentence";
    for (const Sentence& s : item.sentences)
      if (!fits_row(s.text, '\t')) return "a tab or a line end in the text";
    AtomicFile& file = files_.of(item);
    for (bool label : {true, false})
      for (const Sentence& s : item.sentences)
        if (s.grammatical == label)
          file.write(fmt::format("{}\t{}\n", label ? "True" : "False", s.text));
    return {};
  }
};

// The second column is the language, unless it names numbers: sg is also a language.
bool names_language(std::string_view code) {
  return is_language(code) && code.find('-') == code.npos && code != "sg";
}

// Test and language have no spaces, sentences have some.
bool is_table_for_bert(const FileHead& head) {
  return has_columns(head, 4) &&
         std::all_of(head.lines.begin(), head.lines.end(), [](const std::string& line) {
           const std::vector<std::string_view> fields = split(line, '\t');
           const auto has_space = [&](size_t i) { return trim(fields[i]).find(' ') != line.npos; };
           return !has_space(0) && !has_space(1) && has_space(2) && has_space(3);
         });
}

class ClamsBertItems : public RowItemStream {
 public:
  explicit ClamsBertItems(const fs::path& file) : RowItemStream(file, '\t', false) {}

  bool next(Item& item) override {
    if (!rows_.next(fields_)) return false;
    if (fields_.size() != 4)
      throw bad_input("a line must have four columns: test, language, good and bad sentence")
          .at(where());
    clear_item(item);
    item.test = fields_[0];
    (names_language(fields_[1]) ? item.language : item.condition) = fields_[1];
    item.id = number_id(item.test, ++numbers_[item.test]);
    set_sentences(item, {fields_[2], fields_[3]});
    return true;
  }

 private:
  std::map<std::string, uint64_t> numbers_;
};

class ClamsBertWriter : public TestFileWriter {
 public:
  explicit ClamsBertWriter(const fs::path& path) : TestFileWriter(path, ".tsv", true) {}

  std::string write(const Item& item) override {
    if (std::string why = why_no_pair(item); !why.empty()) return why;
    if (!names_language(item.language)) return "no language of two or three letters";
    row_ = {item.test, item.language, good_sentence(item).text, bad_sentence(item).text};
    for (const std::string& field : row_)
      if (!fits_row(field, '\t')) return "a tab or a line end in the text";
    line_.clear();
    append_row(line_, row_, '\t', false);
    files_.of(item).write(line_);
    return {};
  }

 private:
  std::vector<std::string> row_;
};

}  // namespace

Format clams_format() {
  return {"clams",
          "Mueller et al. 2020: a text file per test, True or False, a tab, a sentence",
          "sets with one grammatical sentence: test, sentences",
          {".txt"},
          [](const FileHead& head) {
            return has_columns(head, 2) &&
                   std::all_of(head.lines.begin(), head.lines.end(), [](const std::string& line) {
                     return line.starts_with("True\t") || line.starts_with("False\t");
                   });
          },
          reads<ClamsItems>({".txt"}),
          writes<ClamsWriter>()};
}

Format clams_bert_format() {
  return {"clams-bert",
          "CLAMS's table for BERT: test, language (or condition), good, bad sentence",
          "pairs: test, language, sentences",
          {".tsv"},
          is_table_for_bert,
          reads<ClamsBertItems>({".tsv"}),
          writes<ClamsBertWriter>()};
}

}  // namespace minpair::suite
