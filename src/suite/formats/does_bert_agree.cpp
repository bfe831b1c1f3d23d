// does-bert-agree (Bacon & Regier 2019): a CSV of clozes: the sentence with [MASK], the features of
// the word that was there (not the word itself), and the type of agreement. Each becomes a cloze
// item; whole classes of words are judged in the blank.

#include <unicode/locid.h>

#include <fmt/format.h>

#include <algorithm>

#include "base/rows.h"
#include "suite/formats/formats.h"
#include "suite/formats/support.h"

namespace minpair::suite {
namespace {

constexpr std::string_view kMask = "[MASK]";

// The file's name is the language's code in ISO 639-3; items have the shorter one where there is
// one ("deu" is "de"), as lexicons do.
std::string language_of(const fs::path& file) {
  std::string stem = file.stem().string();
  bool is_code = (stem.size() == 2 || stem.size() == 3) &&
                 std::all_of(stem.begin(), stem.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return is_code ? icu::Locale(stem.c_str()).getLanguage() : "";
}

class DoesBertAgreeItems : public RowItemStream {
 public:
  explicit DoesBertAgreeItems(const fs::path& file)
      : RowItemStream(file, ',', true), language_(language_of(file)) {
    rows_.next(header_);
    auto find = [&](std::string_view name) {
      auto it = std::find(header_.begin(), header_.end(), name);
      if (it == header_.end())
        throw bad_input(fmt::format("the first line names no column '{}'", name)).at(where());
      return size_t(it - header_.begin());
    };
    masked_ = find("masked");
    type_ = find("type");
  }

  bool next(Item& item) override {
    size_t at;
    do {
      if (!next_row(fields_, header_.size())) return false;
      at = fields_[masked_].find(kMask);
      if (at == std::string::npos) skip("no [MASK] in the sentence");
    } while (at == std::string::npos);
    clear_item(item);
    item.test = fields_[type_];
    item.language = language_;
    item.id = number_id(item.test, ++numbers_[item.test]);
    item.cloze = true;
    item.sentences.resize(1);
    item.sentences[0] = {{fields_[masked_]}, {at, at + kMask.size()}, true};
    for (size_t i = 0; i < fields_.size(); ++i)
      if (i != masked_ && i != type_ && !fields_[i].empty())
        add_feature(item, header_[i], fields_[i]);
    return true;
  }

 private:
  std::string language_;
  std::vector<std::string> header_;
  size_t masked_ = 0, type_ = 0;
  std::map<std::string, uint64_t> numbers_;
};

const std::vector<std::string> kColumns = {
    "uid",    "lemma",  "type",         "pos",         "number",           "gender",         "case",
    "person", "masked", "other_masked", "other_lemma", "intervening_noun", "num_distractors"};

class DoesBertAgreeWriter : public TestFileWriter {
 public:
  explicit DoesBertAgreeWriter(const fs::path& path) : TestFileWriter(path, ".csv", true) {}

  std::string write(const Item& item) override {
    if (!item.cloze) return "not a cloze";
    line_.clear();
    if (files_.begins(item)) append_row(line_, kColumns, ',', true);
    std::vector<std::string> row;
    for (const std::string& column : kColumns)
      row.push_back(column == "type"     ? item.test
                    : column == "masked" ? masked_text(item.sentences[0], kMask)
                                         : feature_text(item, column));
    append_row(line_, row, ',', true);
    files_.of(item).write(line_);
    return {};
  }
};

}  // namespace

Format does_bert_agree_format() {
  return {"does-bert-agree",
          "Bacon & Regier 2019: a CSV of clozes with the features of the masked word",
          "clozes: test, locus, the features it has columns for",
          {".csv"},
          [](const FileHead& head) {
            if (head.lines.empty()) return false;
            std::vector<std::string> header = split_row(head.lines[0], ',', true);
            auto has = [&](std::string_view name) {
              return std::find(header.begin(), header.end(), name) != header.end();
            };
            return has("masked") && has("other_masked") && has("type");
          },
          reads<DoesBertAgreeItems>({".csv"}),
          writes<DoesBertAgreeWriter>()};
}

}  // namespace minpair::suite
