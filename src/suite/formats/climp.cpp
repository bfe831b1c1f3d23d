// CLiMP (Xiang et al. 2021): tables as pandas writes them, whose columns have numbers for names:
// phenomenon, paradigm, sentence, and 1 or 0; a good sentence and then its bad one. The file of the
// ba construction has neither a header nor judgments: its sentences come last, in the same order.

#include <fmt/format.h>

#include <algorithm>

#include "suite/formats/formats.h"
#include "suite/formats/support.h"

namespace minpair::suite {
namespace {

constexpr std::string_view kSuffix = "_1000";  // every published file has 1,000 pairs

bool is_header(const std::vector<std::string>& fields) {
  const auto has = [&](std::string_view name) {
    return std::find(fields.begin(), fields.end(), name) != fields.end();
  };
  return has("0") && has("1") && has("2") && has("3");
}

bool is_chinese(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; });
}

class ClimpItems : public RowItemStream {
 public:
  explicit ClimpItems(const fs::path& file)
      : RowItemStream(file, ',', true), test_(file.stem().string()) {
    if (test_.ends_with(kSuffix)) test_.resize(test_.size() - kSuffix.size());
    if (!rows_.next(fields_)) throw bad_input("the file is empty").at(where());
    columns_ = fields_.size();
    sentence_ = columns_ - 1;
    if (!is_header(fields_)) {
      waits_ = true;
      return;
    }
    const auto column = [&](std::string_view name) {
      return size_t(std::find(fields_.begin(), fields_.end(), name) - fields_.begin());
    };
    phenomenon_ = column("0");
    sentence_ = column("2");
    judgment_ = column("3");
  }

  bool next(Item& item) override {
    std::string first, second, phenomenon;
    bool first_is_good = true, second_is_good = false;
    if (!row(first, first_is_good)) return false;
    if (judgment_ != kNone) phenomenon = fields_[phenomenon_];
    if (!row(second, second_is_good))
      throw bad_input("a sentence without the other one of its pair").at(where());
    if (first_is_good == second_is_good)
      throw bad_input(fmt::format("both sentences of this pair are judged {}", int(first_is_good)))
          .at(where())
          .hint("rows come in twos: a good sentence and the bad one");
    clear_item(item);
    set_sentences(item, first_is_good ? std::vector<std::string_view>{first, second}
                                      : std::vector<std::string_view>{second, first});
    item.test = test_;
    item.language = "zh";
    item.id = number_id(test_, ++number_);
    if (!phenomenon.empty()) add_feature(item, "phenomenon", phenomenon);
    return true;
  }

 private:
  static constexpr size_t kNone = size_t(-1);

  // The next sentence and whether it is good, where the file says so.
  bool row(std::string& sentence, bool& good) {
    if (!waits_ && !next_row(fields_, columns_)) return false;
    waits_ = false;
    sentence = trim(fields_[sentence_]);
    if (sentence.empty()) throw bad_input("there is no sentence").at(where());
    if (judgment_ == kNone) return true;
    const std::string_view said = trim(fields_[judgment_]);
    if (said != "0" && said != "1")
      throw bad_input(fmt::format("'{}' is not a judgment: 1 is good, 0 is bad", said)).at(where());
    good = said == "1";
    return true;
  }

  std::string test_;
  size_t columns_ = 0, phenomenon_ = 0, sentence_ = 0, judgment_ = kNone;
  bool waits_ = false;  // a first row that is no header is in fields_
  uint64_t number_ = 0;
};

bool is_climp(const FileHead& head) {
  if (head.path.extension() != ".csv" || head.lines.size() < 2) return false;
  const auto first = split_row(without_mark(head.lines[0]), ',', true);
  const auto second = split_row(head.lines[1], ',', true);
  if (first.size() != second.size()) return false;
  if (is_header(first)) return true;
  return head.path.stem().string().ends_with(kSuffix) && is_chinese(first.back()) &&
         is_chinese(second.back());
}

}  // namespace

Format climp_format() {
  return {"climp",     "CLiMP, Xiang et al. 2021: CSV, a sentence and its judgment a row",
          "only read", {".csv"},
          is_climp,    reads<ClimpItems>({".csv"}),
          nullptr};
}

}  // namespace minpair::suite
