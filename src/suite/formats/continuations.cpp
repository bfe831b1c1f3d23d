// A text and what may come after it: Basque, Hindi and Swahili suites (Kryvosheieva & Levy 2025),
// the stimuli of feature-circuits (Marks et al. 2024), and the templates of CausalGym (Arora et al.
// 2024).

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/python_json.h"
#include "suite/formats/formats.h"
#include "suite/formats/support.h"

namespace minpair::suite {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLargest = size_t{1} << 26;

Json parsed(const std::string& text, const std::string& name, uint64_t line = 0) {
  check_json_depth(text, name, line);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    throw bad_input(fmt::format("not JSON: {}", e.what())).at(name, line);
  }
}

bool begins_with(const fs::path& file, std::string_view what) {
  std::error_code ignored;
  if (file.extension() != ".json" || fs::file_size(file, ignored) > kLargest || ignored)
    return false;
  std::string text = read_file(file, kLargest), packed;
  for (char c : std::string_view(text).substr(text.starts_with("\xEF\xBB\xBF") ? 3 : 0, 4096))
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') packed += c;
  return packed.starts_with(what);
}

// --- a context and two continuations: [[prefix, prefix], [good, bad]] ---

class BhsItems : public FileItemStream {
 public:
  explicit BhsItems(const fs::path& file)
      : file_(file.string()),
        test_(file.stem().string()),
        items_(parsed(read_file(file, kLargest), file_)) {
    if (!items_.is_array()) throw fail("the file must be a list");
    for (auto [name, code] : {std::pair{"basque", "eu"}, {"hindi", "hi"}, {"swahili", "sw"}})
      if (test_.starts_with(name)) language_ = code;
  }

  bool next(Item& item) override {
    if (number_ == items_.size()) return false;
    const Json& one = items_[number_++];
    if (!is_two_lists(one) || one[0][0] != one[0][1])
      throw fail("an item must be [[context, the same], [good, bad]]");
    clear_item(item);
    set_sentences(
        item, {one[1][0].get_ref<const std::string&>(), one[1][1].get_ref<const std::string&>()});
    for (Sentence& s : item.sentences) s.context = one[0][0].get<std::string>();
    item.test = test_;
    item.language = language_;
    item.id = number_id(test_, number_);
    return true;
  }

  Where where() const override { return {file_, 0, 0, {}}; }

 private:
  Error fail(const char* why) const {
    return bad_input(why).at(file_).hint(number_ ? fmt::format("it is item {}", number_) : "");
  }

  static bool is_two_lists(const Json& one) {
    if (!one.is_array() || one.size() != 2) return false;
    return std::all_of(one.begin(), one.end(), [](const Json& list) {
      return list.is_array() && list.size() == 2 && list[0].is_string() && list[1].is_string();
    });
  }

  std::string file_, test_, language_;
  Json items_;
  size_t number_ = 0;
};

// --- an object a line ---

class ObjectLines : public FileItemStream {
 public:
  explicit ObjectLines(const fs::path& file) : lines_(file), test_(file.stem().string()) {}

  Where where() const override { return {lines_.name(), lines_.line_number(), 0, {}}; }

 protected:
  bool read(Json& one) {
    std::string_view line;
    do
      if (!lines_.next(line)) return false;
    while (trim(line).empty());
    one = parsed(std::string(line), lines_.name(), lines_.line_number());
    return true;
  }

  std::string text(const Json& one, const char* key) const {
    auto found = one.is_object() ? one.find(key) : one.end();
    if (found == one.end() || !found->is_string())
      throw bad_input(fmt::format("there is no \"{}\"", key)).at(where());
    return found->get<std::string>();
  }

  void name(Item& item) {
    item.test = test_;
    item.language = "en";
    item.id = number_id(test_, ++number_);
  }

 private:
  LineReader lines_;
  std::string test_;
  uint64_t number_ = 0;
};

// --- feature-circuits: a clean and a patched prefix with their answers ---

class FeatureCircuitItems : public ObjectLines {
 public:
  using ObjectLines::ObjectLines;

  bool next(Item& item) override {
    Json one;
    if (!read(one)) return false;
    const std::string prefix = text(one, "clean_prefix");
    clear_item(item);
    set_sentences(item, {prefix + text(one, "clean_answer"), prefix + text(one, "patch_answer")});
    name(item);
    item.condition = text(one, "case");
    item.features.emplace_back("patch_prefix", text(one, "patch_prefix"));
    return true;
  }
};

// --- COMPS: a property after a concept that has it, and after one that has not ---

class CompsItems : public ObjectLines {
 public:
  using ObjectLines::ObjectLines;

  bool next(Item& item) override {
    Json one;
    if (!read(one)) return false;
    clear_item(item);
    const std::string property = text(one, "property_phrase");
    set_sentences(item, {property, property});
    item.sentences[0].context = text(one, "prefix_acceptable");
    item.sentences[1].context = text(one, "prefix_unacceptable");
    name(item);
    for (const char* used : {"property_phrase", "prefix_acceptable", "prefix_unacceptable", "id"})
      one.erase(used);
    for (const auto& [key, value] : one.items())
      add_feature(item, key, value.is_string() ? value.get<std::string>() : json_text(value));
    return true;
  }
};

// --- CausalGym: templates with slots; a label decides what comes next ---

// Item k of a template fills each slot with the k-th of its words, so that every word is used and
// the labels have the same words beside the one that decides.
class CausalGymItems : public FileItemStream {
 public:
  explicit CausalGymItems(const fs::path& file)
      : file_(file.string()), tasks_(parsed(read_file(file, kLargest), file_)) {
    if (!tasks_.is_object() || tasks_.empty()) throw bad_input("there is no task").at(file_);
    task_ = tasks_.begin();
    begin_task();
  }

  bool next(Item& item) override try {
    while (number_ == count_) {
      number_ = 0;
      if (++label_ < labels().size()) continue;
      label_ = 0;
      if (++template_ < templates().size()) {
        begin_template();
        continue;
      }
      if (++task_ == tasks_.end()) return false;
      begin_task();
    }
    fill(item);
    ++number_;
    return true;
  } catch (const Json::exception& e) {
    throw bad_input(fmt::format("the task '{}' is not one of CausalGym's: {}",
                                task_ == tasks_.end() ? "" : task_.key(), e.what()))
        .at(file_);
  }

  Where where() const override { return {file_, 0, 0, {}}; }

 private:
  static constexpr size_t kMostItems = 100'000;

  const Json& task() const { return task_.value(); }
  const Json& templates() const { return task().at("templates"); }
  const Json& labels() const { return task().at("labels"); }
  std::string label(size_t i) const { return std::next(labels().begin(), long(i)).key(); }

  void begin_task() try {
    template_ = label_ = 0;
    if (!templates().is_array() || templates().empty() || !labels().is_object() ||
        labels().size() < 2)
      throw bad_input(fmt::format("the task '{}' needs templates and labels", task_.key()))
          .at(file_);
    begin_template();
  } catch (const Json::exception& e) {
    throw bad_input(
        fmt::format("the task '{}' is not one of CausalGym's: {}", task_.key(), e.what()))
        .at(file_);
  }

  // The words of a slot, for a label where they depend on it.
  const Json& words_of(const std::string& slot, const std::string& of_label) const {
    const Json& words = task().at("variables").at(slot);
    const Json& list = words.is_object() ? words.at(of_label) : words;
    if (!list.is_array() || list.empty())
      throw bad_input(fmt::format("the slot '{}' of '{}' has no words", slot, task_.key()))
          .at(file_);
    return list;
  }

  // The template's parts: text, slot, text, slot, ..., text.
  std::vector<std::string> parts() const {
    std::string text = templates().at(template_).get<std::string>();
    std::vector<std::string> all;
    for (size_t at = 0;;) {
      size_t open = text.find('{', at), close = text.find('}', open);
      all.push_back(text.substr(at, open - at));
      if (open == text.npos || close == text.npos) return all;
      all.push_back(text.substr(open + 1, close - open - 1));
      at = close + 1;
    }
  }

  void begin_template() {
    number_ = 0;
    count_ = 1;
    const std::vector<std::string> all = parts();
    for (size_t i = 1; i < all.size(); i += 2)
      for (size_t l = 0; l < labels().size(); ++l)
        count_ = std::max(count_, words_of(all[i], label(l)).size());
    count_ = std::min(count_, kMostItems);
  }

  std::string answer(const std::string& of_label) const {
    const Json& list = labels().at(of_label);
    const Json& word = list.is_array() ? list.at(number_ % list.size()) : list;
    const bool space = task().value("result_prepend_space", true);
    return (space ? " " : "") + word.get<std::string>();
  }

  void fill(Item& item) const {
    clear_item(item);
    item.test = task_.key();
    item.condition = label(label_);
    std::string prefix;
    const std::vector<std::string> all = parts();
    for (size_t i = 0; i < all.size(); ++i) {
      if (i % 2 == 0) {
        prefix += all[i];
        continue;
      }
      const Json& list = words_of(all[i], item.condition);
      const std::string word = list[number_ % list.size()].get<std::string>();
      prefix += word;
      item.features.emplace_back(all[i], word);
    }
    std::vector<std::string> texts = {prefix + answer(item.condition)};
    for (size_t l = 0; l < labels().size(); ++l)
      if (l != label_) texts.push_back(prefix + answer(label(l)));
    set_sentences(item, {texts.begin(), texts.end()});
    item.language = "en";
    item.cluster = fmt::format("{}/{}/{}", item.test, template_ + 1, number_ + 1);
    item.id = fmt::format("{}/{}", item.cluster, item.condition);
  }

  std::string file_;
  Json tasks_;
  Json::const_iterator task_;
  size_t template_ = 0, label_ = 0, number_ = 0, count_ = 0;
};

}  // namespace

Format bhs_format() {
  return {"bhs",
          "Kryvosheieva & Levy 2025: a JSON list of a context, a good and a bad continuation",
          "only read",
          {".json"},
          [](const FileHead& head) { return begins_with(head.path, "[[[\""); },
          reads<BhsItems>({".json"}),
          nullptr};
}

Format feature_circuits_format() {
  return {"feature-circuits",
          "Marks et al. 2024: JSON Lines with a clean and a patched prefix and their answers",
          "only read",
          {".json", ".jsonl"},
          [](const FileHead& head) {
            return has_keys(head, {"clean_prefix", "patch_prefix", "clean_answer", "patch_answer"});
          },
          reads<FeatureCircuitItems>({".json", ".jsonl"}),
          nullptr};
}

Format comps_format() {
  return {"comps",
          "COMPS, Misra et al. 2023: JSON Lines, a property after two concepts",
          "only read",
          {".jsonl", ".json"},
          [](const FileHead& head) {
            return has_keys(head, {"prefix_acceptable", "prefix_unacceptable", "property_phrase"});
          },
          reads<CompsItems>({".jsonl", ".json"}),
          nullptr};
}

Format causalgym_format() {
  return {"causalgym",
          "CausalGym, Arora et al. 2024: templates with slots; each word of a slot is used once",
          "only read",
          {".json"},
          [](const FileHead& head) {
            if (head.path.extension() != ".json" || head.lines.empty()) return false;
            std::string all;
            for (const std::string& line : head.lines) all += line;
            return all.find("\"templates\"") != all.npos && all.find("\"label\"") != all.npos;
          },
          reads<CausalGymItems>({".json"}),
          nullptr};
}

}  // namespace minpair::suite
