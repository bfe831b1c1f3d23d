// bert-syntax (Goldberg 2019). The stimuli: attractors, sentence, sentence with ***mask***, right
// and wrong form. The results: whether right won, attractors, right form and its logit, wrong form
// and its logit, and the masked sentence as Python prints bytes; lines that begin with "skipping"
// say what was left out.

#include <fmt/format.h>

#include <algorithm>

#include "base/rows.h"
#include "suite/formats/formats.h"
#include "suite/formats/support.h"

namespace minpair::suite {
namespace {

constexpr std::string_view kMask = "***mask***";

// False when the mask is not there exactly once.
bool fill_mask(Item& item, std::string_view masked, std::string_view good, std::string_view bad) {
  size_t at = masked.find(kMask);
  if (at == std::string_view::npos || masked.find(kMask, at + 1) != std::string_view::npos)
    return false;
  item.sentences.resize(2);
  for (size_t i = 0; i < 2; ++i) {
    Sentence& s = item.sentences[i];
    std::string_view form = i == 0 ? good : bad;
    s.text.assign(masked.substr(0, at)).append(form).append(masked.substr(at + kMask.size()));
    s.locus = {at, at + form.size()};
    s.grammatical = i == 0;
  }
  return true;
}

class BertSyntaxItems : public RowItemStream {
 public:
  explicit BertSyntaxItems(const fs::path& file)
      : RowItemStream(file, '\t', false), test_(file.stem().string()) {}

  bool next(Item& item) override {
    if (!rows_.next(fields_)) return false;
    if (fields_.size() != 5)
      throw bad_input("five columns are needed: attractors, sentence, masked, right, wrong form")
          .at(where());
    if (!fill_mask(item, fields_[2], fields_[3], fields_[4]))
      throw bad_input("the third column must have ***mask*** once").at(where());
    clear_item(item);
    item.test = test_;
    item.condition = fields_[0];
    item.id = number_id(test_, ++number_);
    add_feature(item, "attractors", fields_[0]);
    return true;
  }

 private:
  std::string test_;
  uint64_t number_ = 0;
};

class BertSyntaxWriter : public TestFileWriter {
 public:
  explicit BertSyntaxWriter(const fs::path& path) : TestFileWriter(path, ".tsv", false) {}

  std::string write(const Item& item) override {
    if (std::string why = why_no_pair(item); !why.empty()) return why;
    const Sentence &good = good_sentence(item), &bad = bad_sentence(item);
    std::string masked = masked_text(good, kMask);
    if (masked_text(bad, kMask) != masked) return "differs outside the locus";
    if (good.text.find(kMask) != std::string::npos) return "has ***mask*** in the text";
    std::string attractors = item.condition;
    if (attractors.empty()) attractors = feature_text(item, "attractors");
    std::vector<std::string> row = {attractors.empty() ? "0" : attractors, good.text, masked,
                                    std::string(slice(good.text, good.locus)),
                                    std::string(slice(bad.text, bad.locus))};
    for (const std::string& field : row)
      if (!fits_row(field, '\t')) return "a tab or a line end in the text";
    line_.clear();
    append_row(line_, row, '\t', false);
    files_.of(item).write(line_);
    return {};
  }
};

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// b'caf\xc3\xa9' -> café. False when it is not written so.
bool python_bytes(std::string_view literal, std::string& text) {
  if (literal.size() < 3 || literal[0] != 'b' || literal[1] != literal.back()) return false;
  literal = literal.substr(2, literal.size() - 3);
  text.clear();
  for (size_t i = 0; i < literal.size(); ++i) {
    if (literal[i] != '\\') {
      text += literal[i];
      continue;
    }
    if (++i == literal.size()) return false;
    switch (literal[i]) {
      case 'n':
        text += '\n';
        break;
      case 't':
        text += '\t';
        break;
      case 'r':
        text += '\r';
        break;
      case 'x': {
        if (i + 2 >= literal.size()) return false;
        int high = hex_digit(literal[i + 1]), low = hex_digit(literal[i + 2]);
        if (high < 0 || low < 0) return false;
        text += char(high * 16 + low);
        i += 2;
        break;
      }
      default:
        text += literal[i];
    }
  }
  return valid_utf8(text);
}

bool is_result(const std::vector<std::string>& fields) {
  return fields.size() == 7 && (fields[0] == "True" || fields[0] == "False");
}

class BertSyntaxResults : public RowItemStream {
 public:
  explicit BertSyntaxResults(const fs::path& file)
      : RowItemStream(file, '\t', false), test_(file.stem().string()) {
    scores_.what = "logit";
  }

  bool next(Item& item) override {
    for (;;) {
      if (!rows_.next(fields_)) return false;
      if (is_result(fields_)) break;
      if (fields_.size() != 1) throw bad_input("seven columns are needed").at(where());
      if (fields_[0] == "skipping is/are")
        skip("is or are");
      else if (fields_[0].starts_with("skipping "))
        skip("a form is not in the model's vocabulary");
    }
    if (!python_bytes(fields_[6], masked_) || !fill_mask(item, masked_, fields_[2], fields_[4]))
      throw bad_input("the last column must be b'...' with ***mask*** once").at(where());
    clear_item(item);
    item.test = test_;
    item.condition = fields_[1];
    item.id = number_id(test_, ++number_);
    add_feature(item, "attractors", fields_[1]);
    scores_.sentences = {number(fields_[3]), number(fields_[5])};
    return true;
  }

  const PublishedScores* published() const override { return &scores_; }

 private:
  std::string test_, masked_;
  uint64_t number_ = 0;
  PublishedScores scores_;
};

}  // namespace

Format bert_syntax_format() {
  return {"bert-syntax",
          "Goldberg 2019: attractors, sentence, sentence with ***mask***, right, wrong form",
          "pairs: test, condition (attractors), locus",
          {".tsv"},
          [](const FileHead& head) {
            return has_columns(head, 5) && head.lines[0].find(kMask) != std::string::npos;
          },
          reads<BertSyntaxItems>({".tsv"}),
          writes<BertSyntaxWriter>()};
}

Format bert_syntax_results_format() {
  return {"bert-syntax-results",
          "Goldberg 2019: what the released program printed, with the logits of both forms",
          "only read",
          {".txt"},
          [](const FileHead& head) {
            return std::any_of(head.lines.begin(), head.lines.end(), [](const std::string& line) {
              return is_result(split_row(line, '\t', false)) &&
                     line.find(kMask) != std::string::npos;
            });
          },
          reads<BertSyntaxResults>({".txt"}),
          nullptr};
}

}  // namespace minpair::suite
