// Lakretz et al. 2019: number-agreement tasks, and what the LSTM of Gulordava et al. gave for one
// of them. The scores are Python pickles, read as data.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "checkpoint/pickle/pickle.h"
#include "suite/formats/formats.h"
#include "suite/formats/support.h"

namespace minpair::suite {
namespace {

using checkpoint::pickle::Value;

std::shared_ptr<Value> pickled(const fs::path& file) {
  MappedFile bytes(file);
  return checkpoint::pickle::read(bytes.bytes(), file.string());
}

// A NumPy array of doubles: its state is (version, shape, type, order, bytes).
std::vector<double> doubles(const Value& dict, const char* key, const std::string& file) {
  auto array = checkpoint::pickle::get(dict, key);
  auto fail = [&](const char* why) {
    return bad_input(fmt::format("\"{}\" {}", key, why)).at(file);
  };
  if (!array || array->kind != Value::Kind::object || !array->state ||
      array->state->items.size() != 5)
    throw fail("is not a NumPy array");
  const Value &type = *array->state->items[2], &bytes = *array->state->items[4];
  if (type.items.empty() || type.items[0]->text != "f8" || bytes.kind != Value::Kind::bytes)
    throw fail("is not an array of doubles");
  std::vector<double> numbers(bytes.text.size() / sizeof(double));
  std::memcpy(numbers.data(), bytes.text.data(), numbers.size() * sizeof(double));
  return numbers;
}

// NAME.text, NAME.gold, NAME.info and NAME.abl, line by line.
class LakretzItems : public FileItemStream {
 public:
  explicit LakretzItems(const fs::path& file)
      : file_(file.string()),
        text_(fs::path(file).replace_extension(".text")),
        gold_(fs::path(file).replace_extension(".gold"), '\t', false),
        test_(file.stem().string()),
        info_(pickled(fs::path(file).replace_extension(".info"))) {
    std::shared_ptr<Value> scores = pickled(file);
    right_ = doubles(*scores, "log_p_targets_correct", file_);
    wrong_ = doubles(*scores, "log_p_targets_wrong", file_);
    if (right_.size() != wrong_.size() || info_->items.size() != right_.size())
      throw bad_input("the scores and NAME.info are of different lengths").at(file_);
  }

  bool next(Item& item) override {
    std::string_view text;
    if (!gold_.next(fields_) || !text_.next(text)) return false;
    size_t index = 0;
    if (fields_.size() != 4 || number_ >= right_.size())
      throw bad_input("four columns are needed, and as many lines as there are scores").at(where());
    std::from_chars(fields_[0].data(), fields_[0].data() + fields_[0].size(), index);
    clear_item(item);
    if (!set_word_pair(item, text, index, fields_[1], fields_[2]))
      throw bad_input(fmt::format("position '{}' is not a word of the sentence", fields_[0]))
          .at(where());
    item.test = test_;
    item.language = "en";
    for (const char* key : {"number_1", "number_2"})
      if (auto number = checkpoint::pickle::get(*info_->items[number_], key))
        item.condition += (item.condition.empty() ? "" : "_") + number->text;
    scores_ = {{right_[number_], wrong_[number_]}, true, "log-probability of the word", {}};
    item.id = number_id(test_, ++number_);
    return true;
  }

  Where where() const override { return {gold_.name(), gold_.line(), 0, {}}; }
  const PublishedScores* published() const override { return &scores_; }

 private:
  std::string file_;
  LineReader text_;
  RowReader gold_;
  std::string test_;
  std::shared_ptr<Value> info_;
  std::vector<double> right_, wrong_;
  std::vector<std::string> fields_;
  size_t number_ = 0;
  PublishedScores scores_;
};

// Two lines an item: sentence, numbers, correct or wrong, id.
class LakretzTaskItems : public RowItemStream {
 public:
  explicit LakretzTaskItems(const fs::path& file)
      : RowItemStream(file, '\t', false), test_(file.stem().string()) {}

  bool next(Item& item) override {
    if (!rows_.next(fields_)) return false;
    std::vector<std::string> wrong;
    if (fields_.size() != 4 || fields_[2] != "correct" || !rows_.next(wrong) || wrong.size() != 4 ||
        wrong[2] != "wrong" || wrong[3] != fields_[3])
      throw bad_input("an item is two lines: sentence, numbers, correct or wrong, id").at(where());
    clear_item(item);
    set_sentences(item, {trim(fields_[0]), trim(wrong[0])});
    item.test = test_;
    item.language = "en";
    item.condition = fields_[1];
    item.id = test_ + "/" + fields_[3];
    return true;
  }

 private:
  std::string test_;
};

}  // namespace

Format lakretz_format() {
  return {"lakretz",
          "Lakretz et al. 2019: NAME.text, .gold, .info, and the scores of NAME.abl",
          "",
          {".abl"},
          [](const FileHead& head) { return head.path.extension() == ".abl"; },
          reads<LakretzItems>({".abl"}),
          nullptr};
}

Format lakretz_tasks_format() {
  return {"lakretz-tasks",
          "its number-agreement tasks: sentence, numbers, correct or wrong, id",
          "",
          {".txt"},
          [](const FileHead& head) {
            if (!has_columns(head, 4) || head.lines.size() < 2) return false;
            return split(head.lines[0], '\t')[2] == "correct" &&
                   split(head.lines[1], '\t')[2] == "wrong";
          },
          reads<LakretzTaskItems>({".txt"}),
          nullptr};
}

}  // namespace minpair::suite
