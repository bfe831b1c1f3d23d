// Linzen et al. 2016 as colorlessgreenRNNs has it: line-aligned files NAME.text (sentences) and
// NAME.gold (position of the target, its right and wrong form, number of attractors); NAME.eval
// repeats the positions. The file's name is the test, the number of attractors the condition.
// Gulordava et al. 2018 have such files, too, with twelve columns in NAME.gold and no attractors.

#include <fmt/format.h>

#include <charconv>

#include "base/rows.h"
#include "suite/formats/formats.h"
#include "suite/formats/support.h"

namespace minpair::suite {
namespace {

constexpr std::string_view kEnd = " <eos>";

class LinzenItems : public FileItemStream {
 public:
  explicit LinzenItems(const fs::path& file)
      : text_(fs::path(file).replace_extension(".text")),
        gold_(fs::path(file).replace_extension(".gold"), '\t', false),
        test_(file.stem().string()) {}

  bool next(Item& item) override {
    std::string_view text;
    bool has_gold = gold_.next(fields_), has_text = text_.next(text);
    if (!has_gold && !has_text) return false;
    if (has_gold != has_text)
      throw bad_input(
          fmt::format("there are more lines than in {}", has_gold ? text_.name() : gold_.name()))
          .at(has_gold ? where() : Where{text_.name(), text_.line_number(), 0, {}});
    if (fields_.size() != 4 && fields_.size() != 12)
      throw bad_input("four columns are needed: position, right form, wrong form, attractors")
          .at(where());
    gulordava_ = fields_;
    if (fields_.size() == 12) fields_ = {gulordava_[3], gulordava_[6], gulordava_[7], ""};
    if (text.ends_with(kEnd)) text.remove_suffix(kEnd.size());
    size_t index = 0;
    const std::string& at = fields_[0];
    auto [end, error] = std::from_chars(at.data(), at.data() + at.size(), index);
    if (error != std::errc() || end != at.data() + at.size() ||
        !set_word_pair(item, text, index, fields_[1], fields_[2]))
      throw bad_input(fmt::format("position '{}' is not a word of the sentence", at)).at(where());
    std::string_view shown = words(text)[index];
    clear_item(item);
    item.test = test_;
    item.condition = fields_[3];
    item.id = number_id(test_, ++number_);
    if (gulordava_.size() == 12)
      add_gulordava(item);
    else
      add_feature(item, "attractors", fields_[3]);
    if (shown != fields_[1]) item.features.emplace_back("shown", std::string(shown));
    return true;
  }

  Where where() const override { return {gold_.name(), gold_.line(), 0, {}}; }

 private:
  // As their tables have it: the sentence from the corpus is number 0, nonce ones come after it.
  void add_gulordava(Item& item) const {
    item.test = gulordava_[2] == "0" ? "original" : "generated";
    item.cluster = fmt::format("{}/{}", gulordava_[0], gulordava_[1]);
    const std::pair<const char*, size_t> columns[] = {{"pattern", 0},  {"constr_id", 1},
                                                      {"sent_id", 2},  {"pos", 4},
                                                      {"features", 5}, {"lemma", 8}};
    for (auto [name, column] : columns) add_feature(item, name, gulordava_[column]);
    const FeatureValue target = feature_value(gulordava_[3]), cue = feature_value(gulordava_[9]);
    if (std::holds_alternative<double>(target) && std::holds_alternative<double>(cue))
      item.features.emplace_back("len_context", std::get<double>(target) - std::get<double>(cue));
  }

  std::vector<std::string> gulordava_;
  LineReader text_;
  RowReader gold_;
  std::string test_;
  std::vector<std::string> fields_;
  uint64_t number_ = 0;
};

class LinzenWriter : public TestFileWriter {
 public:
  explicit LinzenWriter(const fs::path& path) : TestFileWriter(path, ".text", false) {}

  std::string write(const Item& item) override {
    size_t index;
    if (std::string why = why_no_word_pair(item, index); !why.empty()) return why;
    const Sentence &good = good_sentence(item), &bad = bad_sentence(item);
    if (!fits_row(good.text, '\t')) return "a tab or a line end in the text";
    std::string attractors = item.condition;
    if (attractors.empty()) attractors = feature_text(item, "attractors");
    if (!fits_row(attractors, '\t')) return "a tab or a line end in the condition";
    files_.of(item, ".text").write(shown_text(item) + std::string(kEnd) + "\n");
    files_.of(item, ".gold")
        .write(fmt::format("{}\t{}\t{}\t{}\n", index, slice(good.text, good.locus),
                           slice(bad.text, bad.locus), attractors.empty() ? "0" : attractors));
    files_.of(item, ".eval").write(fmt::format("{}\n", index));
    return {};
  }
};

}  // namespace

Format linzen_format() {
  return {"linzen",
          "Linzen et al. 2016 (and Gulordava et al. 2018): line-aligned NAME.text and NAME.gold",
          "pairs with a locus of one word: test, condition (attractors), locus",
          {".text", ".gold"},
          [](const FileHead& head) {
            std::string extension = head.path.extension().string();
            return (extension == ".gold" || extension == ".text") &&
                   fs::exists(fs::path(head.path).replace_extension(".gold")) &&
                   fs::exists(fs::path(head.path).replace_extension(".text"));
          },
          reads<LinzenItems>({".gold"}),
          writes<LinzenWriter>()};
}

}  // namespace minpair::suite
