// Gulordava et al. 2018: a table in which two rows, "correct" and "wrong", are one pair. The target
// stands at word `len_prefix` of `sent`; in nonce sentences `sent` shows yet another word there.
// Columns are found by their names. A further one with numbers has the name of a model and holds
// its log-probabilities; others, such as Italian's full_id, are features.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

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
  sent
};

constexpr std::string_view kEnd = " <eos>";

// What stands before the locus. (The published column has <unk> in it here and there.)
std::string prefix_of(const Sentence& s) {
  return std::string(trim(std::string_view(s.text).substr(0, s.locus.begin)));
}

class GulordavaItems : public RowItemStream {
 public:
  explicit GulordavaItems(const fs::path& file) : RowItemStream(file, '\t', true) {
    if (!rows_.next(header_)) header_.clear();
    for (const std::string& name : kColumns) {
      auto found = std::find(header_.begin(), header_.end(), name);
      if (found == header_.end())
        throw bad_input(fmt::format("there is no column '{}'", name))
            .at(where())
            .hint("the first line must name the columns pattern, constr_id, ..., sent");
      places_.push_back(size_t(found - header_.begin()));
    }
    for (size_t i = 0; i < header_.size(); ++i)
      if (std::find(places_.begin(), places_.end(), i) == places_.end()) further_.push_back(i);
  }

  bool next(Item& item) override {
    if (!read_row(good_)) return false;
    if (score_ == 0) find_score();
    Where first = where();
    if (!read_row(bad_)) throw bad_input("a correct row with no wrong row after it").at(first);
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
      throw bad_input(fmt::format("len_prefix is '{}', which is not a word of the sentence", at))
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
    for (size_t i = 0; i < further_.size(); ++i) {
      const size_t at_column = kColumns.size() + i;
      const std::string& name = header_[further_[i]];
      if (at_column == score_) continue;
      const bool same = good_[at_column] == bad_[at_column];
      add_feature(item, same ? name : name + "_good", good_[at_column]);
      if (!same) add_feature(item, name + "_bad", bad_[at_column]);
    }
  }

  // The fields in the order of kColumns, further ones after them.
  bool read_row(std::vector<std::string>& row) {
    if (!next_row(fields_, header_.size())) return false;
    row.clear();
    for (size_t i : places_) row.push_back(fields_[i]);
    for (size_t i : further_) row.push_back(fields_[i]);
    return true;
  }

  // One model's numbers are its scores; of several, none is the one.
  void find_score() {
    std::vector<size_t> numeric;
    for (size_t i = kColumns.size(); i < good_.size(); ++i)
      if (std::holds_alternative<double>(feature_value(good_[i])) ||
          good_[i].find_first_not_of("-.0123456789") == std::string::npos)
        numeric.push_back(i);
    score_ = numeric.size() == 1 ? numeric[0] : SIZE_MAX;
    if (score_ != SIZE_MAX)
      scores_.what = fmt::format("log-probability of the word, {}",
                                 header_[further_[score_ - kColumns.size()]]);
  }

  void read_scores() {
    scores_.sentences.clear();
    if (scores_.what.empty()) return;
    for (const auto* fields : {&good_, &bad_})
      scores_.sentences.push_back(number((*fields)[score_]));
  }

  std::vector<std::string> header_;
  std::vector<size_t> places_, further_;
  size_t score_ = 0;
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
            if (head.lines.empty()) return false;
            std::vector<std::string> header = split_row(head.lines[0], '\t', true);
            return std::all_of(kColumns.begin(), kColumns.end(), [&](const std::string& name) {
              return std::find(header.begin(), header.end(), name) != header.end();
            });
          },
          reads<GulordavaItems>({".tab"}),
          writes<GulordavaWriter>()};
}

}  // namespace minpair::suite
