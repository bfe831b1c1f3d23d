// Marvin & Linzen 2018: a Python pickle per test, a dictionary from condition to a list of tuples:
// the grammatical sentence, then one or more ungrammatical ones.

#include <fmt/format.h>

#include <algorithm>

#include "checkpoint/pickle/pickle.h"
#include "suite/formats/formats.h"
#include "suite/formats/support.h"

namespace minpair::suite {
namespace {

using checkpoint::pickle::Value;

bool is_text(const Value& v) {
  return (v.kind == Value::Kind::string || v.kind == Value::Kind::bytes) && valid_utf8(v.text);
}

bool is_sequence(const Value& v) {
  return v.kind == Value::Kind::list || v.kind == Value::Kind::tuple;
}

class MarvinLinzenItems : public FileItemStream {
 public:
  explicit MarvinLinzenItems(const fs::path& file)
      : file_(file.string()), test_(file.stem().string()) {
    MappedFile bytes(file);
    root_ = checkpoint::pickle::read(bytes.bytes(), file_);
    if (root_->kind != Value::Kind::dict)
      throw bad_input("the pickle must hold a dictionary from condition to a list").at(file_);
  }

  bool next(Item& item) override {
    while (condition_ < root_->entries.size()) {
      const auto& [key, list] = root_->entries[condition_];
      if (!is_text(*key) || !is_sequence(*list))
        throw bad_input("every condition must be a string with a list").at(file_);
      if (tuple_ < list->items.size()) {
        fill(item, key->text, *list->items[tuple_++]);
        return true;
      }
      ++condition_;
      tuple_ = 0;
    }
    return false;
  }

  Where where() const override { return {file_, 0, 0, {}}; }

 private:
  void fill(Item& item, const std::string& condition, const Value& sentences) {
    std::vector<std::string_view> texts;
    if (is_sequence(sentences))
      for (const auto& s : sentences.items)
        if (is_text(*s) && !trim(s->text).empty()) texts.push_back(s->text);
    if (texts.size() < 2 || texts.size() != sentences.items.size())
      throw bad_input(
          fmt::format("entry {} of '{}' must be two or more sentences", tuple_, condition))
          .at(file_);
    clear_item(item);
    item.test = test_;
    item.condition = condition;
    item.id = fmt::format("{}/{}/{}", test_, condition, tuple_);
    set_sentences(item, texts);
  }

  std::string file_, test_;
  checkpoint::pickle::ValuePtr root_;
  size_t condition_ = 0, tuple_ = 0;
};

void append_little_endian(std::string& to, uint32_t n) {
  for (int i = 0; i < 4; ++i) to += char(n >> (8 * i) & 0xFF);
}

void append_pickled(std::string& to, std::string_view text) {
  to += 'X';  // BINUNICODE
  append_little_endian(to, uint32_t(text.size()));
  to += text;
}

// A pickle is one value, so a test is kept until the end.
class MarvinLinzenWriter : public ItemWriter {
 public:
  explicit MarvinLinzenWriter(const fs::path& path) : files_(path, ".pickle", false) {}

  std::string write(const Item& item) override {
    if (item.cloze) return "a cloze, not a pair";
    if (item.design) return "a design, not a pair";
    if (!item.sentences[0].grammatical) return "the first sentence is not the grammatical one";
    if (std::any_of(item.sentences.begin() + 1, item.sentences.end(),
                    [](const Sentence& s) { return s.grammatical; }))
      return "more than one grammatical sentence";
    Test& test = tests_[item.test];
    if (!test.file) test.file = &files_.of(item);
    auto [it, is_new] = test.place.try_emplace(item.condition, test.conditions.size());
    if (is_new) test.conditions.push_back({item.condition, {}});
    std::string& tuples = test.conditions[it->second].second;
    tuples += '(';  // MARK
    for (const Sentence& s : item.sentences) append_pickled(tuples, s.text);
    tuples += 't';  // TUPLE
    return {};
  }

  void commit() override {
    for (auto& [name, test] : tests_) {
      std::string bytes = "\x80\x02}(";  // PROTO 2, EMPTY_DICT, MARK
      for (const auto& [condition, tuples] : test.conditions) {
        append_pickled(bytes, condition);
        bytes += "](" + tuples + "e";  // EMPTY_LIST, MARK, ..., APPENDS
      }
      bytes += "u.";  // SETITEMS, STOP
      test.file->write(bytes);
    }
    files_.commit();
  }

 private:
  struct Test {
    AtomicFile* file = nullptr;
    std::map<std::string, size_t> place;
    std::vector<std::pair<std::string, std::string>> conditions;  // with their pickled tuples
  };

  TestFiles files_;
  std::map<std::string, Test> tests_;
};

}  // namespace

Format marvin_linzen_format() {
  return {"marvin-linzen",
          "Marvin & Linzen 2018: a Python pickle per test (read as data, nothing is run)",
          "sets with one grammatical sentence: test, condition, sentences",
          {".pickle", ".pkl"},
          [](const FileHead& head) {
            std::string extension = head.path.extension().string();
            return extension == ".pickle" || extension == ".pkl";
          },
          reads<MarvinLinzenItems>({".pickle", ".pkl"}),
          writes<MarvinLinzenWriter>()};
}

}  // namespace minpair::suite
