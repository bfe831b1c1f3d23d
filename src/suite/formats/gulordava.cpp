// Gulordava et al. 2018: a table in which two rows, "correct" and "wrong", are one pair. The target
// stands at word `len_prefix` of `sent`; in nonce sentences `sent` shows yet another word there.
// A last column with a model's name holds its log-probabilities.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "suite/formats/formats.h"
#include "suite/formats/support.h"
#include "suite/rows.h"

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

class GulordavaItems : public FileItemStream {
 public:
  explicit GulordavaItems(const fs::path& file) : rows_(file, '\t', true) {
    std::vector<std::string> header;
    if (!rows_.next(header) || header.size() < kColumns.size() ||
        !std::equal(kColumns.begin(), kColumns.end(), header.begin()))
      throw bad_input("the first line must name the columns pattern, constr_id, ..., sent")
          .at(where());
    columns_ = header.size();
    if (columns_ == kColumns.size() + 1) scores_.what = header.back();
  }

  bool next(Item& item) override {
    if (!row(good_)) return false;
    Where first = where();
    if (!row(bad_)) throw bad_input("a correct row with no wrong row after it").at(first);
    if (good_[klass] != "correct" || bad_[klass] != "wrong" || good_[sent] != bad_[sent] ||
        good_[len_prefix] != bad_[len_prefix])
      throw bad_input("two rows, correct and wrong, of one sentence are needed").at(where());
    fill(item);
    read_scores();
    return true;
  }

  Where where() const override { return {rows_.name(), rows_.line(), 0, {}}; }
  const PublishedScores* published() const override {
    return scores_.sentences.empty() ? nullptr : &scores_;
  }

 private:
  bool row(std::vector<std::string>& fields) {
    if (!rows_.next(fields)) return false;
    if (fields.size() != columns_)
      throw bad_input(
          fmt::format("{} columns where the first line has {}", fields.size(), columns_))
          .at(where());
    return true;
  }

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
    for (const auto* fields : {&good_, &bad_}) {
      const std::string& text = (*fields)[score];
      double value = 0;
      auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc() || end != text.data() + text.size())
        throw bad_input(fmt::format("'{}' is no number", text)).at(where());
      scores_.sentences.push_back(value);
    }
  }

  RowReader rows_;
  size_t columns_ = 0;
  std::vector<std::string> good_, bad_;
  std::map<std::string, uint64_t> numbers_;
  PublishedScores scores_;
};

class GulordavaWriter : public ItemWriter {
 public:
  explicit GulordavaWriter(const fs::path& path) : files_(path, ".tab", true) {}

  std::string write(const Item& item) override {
    if (std::string why = why_no_pair(item); !why.empty()) return why;
    const Sentence &good = good_sentence(item), &bad = bad_sentence(item);
    long index = locus_word(good);
    if (index < 0 || locus_word(bad) != index) return "the locus is not one word";
    if (masked_text(good, "") != masked_text(bad, "")) return "differs outside the locus";
    line_.clear();
    if (files_.begins(item)) append_row(line_, kColumns, '\t', true);
    std::string shown = feature_text(item, "shown");
    std::string whole =
        masked_text(good, shown.empty() ? slice(good.text, good.locus) : std::string_view(shown));
    std::vector<std::string> row(kColumns.size());
    for (Column c : {pattern, constr_id, sent_id, correct_number, punct, len_context})
      row[c] = feature_text(item, kColumns[c]);
    row[type] = item.test;
    row[prefix] = feature_text(item, "prefix");
    if (row[prefix].empty()) row[prefix] = prefix_of(good);
    row[n_attr] = item.condition.empty() ? feature_text(item, "attractors") : item.condition;
    row[len_prefix] = std::to_string(index);
    row[sent] = whole.append(kEnd);
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

  void commit() override { files_.commit(); }

 private:
  TestFiles files_;
  std::string line_;
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
          [](const fs::path& path, const ReadOptions& options) {
            return read_files(files_under(path, {".tab"}), options, [](const fs::path& file) {
              return std::make_unique<GulordavaItems>(file);
            });
          },
          [](const fs::path& path) -> std::unique_ptr<ItemWriter> {
            return std::make_unique<GulordavaWriter>(path);
          }};
}

}  // namespace minpair::suite
