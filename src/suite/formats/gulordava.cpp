// Gulordava et al. 2018: a table in which two rows, "correct" and "wrong", are one pair. The target
// stands at word `len_prefix` of `sent`; in nonce sentences `sent` shows yet another word there.
// A last column with a model's name holds its log-probabilities.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/rows.h"
#include "suite/formats/formats.h"
#include "suite/formats/support.h"

namespace minpair::suite {
namespace {

const std::vector<std::string> kColumns = {
    "pattern", "constr_id", "sent_id", "correct_number", "form",        "class",      "type",
    "prefix",  "n_attr",    "punct",   "freq",           "len_context", "len_prefix", "sent"};
enum Column {
  pattern,
  constr_id,
  sent_id,
  correct_number,
  form,
  klass,
  type,
  prefix,
  n_attr,
  punct,
  freq,
  len_context,
  len_prefix,
  sent,
  score
};

constexpr std::string_view kEnd = " <eos>";

// What stands before the locus. (The published column has <unk> in it here and there.)
std::string prefix_of(const Sentence& s) {
  return std::string(trim(std::string_view(s.text).substr(0, s.locus.begin)));
}

class GulordavaItems : public RowItemStream {
 public:
  explicit GulordavaItems(const fs::path& file) : RowItemStream(file, '\t', true) {
    std::vector<std::string> header;
    if (!rows_.next(header) || header.size() < kColumns.size() ||
        !std::equal(kColumns.begin(), kColumns.end(), header.begin()))
      throw bad_input("the first line must name the columns pattern, constr_id, ..., sent")
          .at(where());
    columns_ = header.size();
    if (columns_ == kColumns.size() + 1) scores_.what = header.back();
  }

  bool next(Item& item) override {
    if (!next_row(good_, columns_)) return false;
    Where first = where();
    if (!next_row(bad_, columns_))
      throw bad_input("a correct row with no wrong row after it").at(first);
    if (good_[klass] != "correct" || bad_[klass] != "wrong" || good_[sent] != bad_[sent] ||
        good_[len_prefix] != bad_[len_prefix])
      throw bad_input("two rows, correct and wrong, of one sentence are needed").at(where());
    fill(item);
    read_scores();
    return true;
  }

  const PublishedScores* published() const override {
    return scores_.sentences.empty() ? nullptr : &scores_;
  }

 private:
  void fill(Item& item) {
    std::string_view text = good_[sent];
    if (text.ends_with(kEnd)) text.remove_suffix(kEnd.size());
    size_t index = 0;
    const std::string& at = good_[len_prefix];
    auto [end, error] = std::from_chars(at.data(), at.data() + at.size(), index);
    if (error != std::errc() || end != at.data() + at.size() ||
        !set_word_pair(item, text, index, good_[form], bad_[form]))
      throw bad_input(fmt::format("len_prefix is '{}', which is no word of the sentence", at))
          .at(where());
    clear_item(item);
    item.test = good_[type];
    item.condition = good_[n_attr];
    item.id = number_id(item.test, ++numbers_[item.test]);
    item.cluster = fmt::format("{}/{}", good_[pattern], good_[constr_id]);
    for (Column c : {pattern, constr_id, sent_id, correct_number, punct, len_context})
      add_feature(item, kColumns[c], good_[c]);
    add_feature(item, "attractors", good_[n_attr]);
    add_feature(item, "freq_good", good_[freq]);
    add_feature(item, "freq_bad", bad_[freq]);
    if (good_[prefix] != prefix_of(item.sentences[0]))
      item.features.emplace_back("prefix", good_[prefix]);
    std::string_view shown = words(text)[index];
    if (shown != good_[form]) item.features.emplace_back("shown", std::string(shown));
  }

  void read_scores() {
    scores_.sentences.clear();
    if (scores_.what.empty()) return;
    for (const auto* fields : {&good_, &bad_})
      scores_.sentences.push_back(number((*fields)[score]));
  }

  size_t columns_ = 0;
  std::vector<std::string> good_, bad_;
  std::map<std::string, uint64_t> numbers_;
  PublishedScores scores_;
};

class GulordavaWriter : public TestFileWriter {
 public:
  explicit GulordavaWriter(const fs::path& path) : TestFileWriter(path, ".tab", true) {}

  std::string write(const Item& item) override {
    size_t index;
    if (std::string why = why_no_word_pair(item, index); !why.empty()) return why;
    const Sentence &good = good_sentence(item), &bad = bad_sentence(item);
    line_.clear();
    if (files_.begins(item)) append_row(line_, kColumns, '\t', true);
    std::vector<std::string> row(kColumns.size());
    for (Column c : {pattern, constr_id, sent_id, correct_number, punct, len_context})
      row[c] = feature_text(item, kColumns[c]);
    row[type] = item.test;
    row[prefix] = feature_text(item, "prefix");
    if (row[prefix].empty()) row[prefix] = prefix_of(good);
    row[n_attr] = item.condition.empty() ? feature_text(item, "attractors") : item.condition;
    row[len_prefix] = std::to_string(index);
    row[sent] = shown_text(item).append(kEnd);
    for (bool is_good : {true, false}) {
      const Sentence& s = is_good ? good : bad;
      row[form] = slice(s.text, s.locus);
      row[klass] = is_good ? "correct" : "wrong";
      row[freq] = feature_text(item, is_good ? "freq_good" : "freq_bad");
      append_row(line_, row, '\t', true);
    }
    files_.of(item).write(line_);
    return {};
  }
};

}  // namespace

Format gulordava_format() {
  return {"gulordava",
          "Gulordava et al. 2018: a table with two rows, correct and wrong, per pair",
          "pairs with a locus of one word: test, condition (attractors), locus",
          {".tab"},
          [](const FileHead& head) {
            return !head.lines.empty() &&
                   head.lines[0].starts_with("pattern\tconstr_id\tsent_id\tcorrect_number\tform");
          },
          reads<GulordavaItems>({".tab"}),
          writes<GulordavaWriter>()};
}

}  // namespace minpair::suite
