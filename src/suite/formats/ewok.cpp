// EWoK (Ivanova et al. 2024): two contexts and two targets a row; each target fits one of the
// contexts. So a row is two items: a target after its own context and after the other one, which is
// what the paper compares. JSON Lines, or CSV with or without the line that says whose data it is;
// the released results are such tables with a model's log-probabilities.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/counts.h"
#include "base/json.h"
#include "suite/formats/formats.h"
#include "suite/formats/support.h"

namespace minpair::suite {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::pair<std::string, std::string>>;  // names and what they are

constexpr std::string_view kTexts[] = {"Context1", "Context2", "Target1", "Target2"};

class EwokItems : public FileItemStream {
 public:
  explicit EwokItems(const fs::path& file) : name_(file.stem().string()) {}

  bool next(Item& item) override {
    if (target_ == 2) {
      do
        if (!next_row(row_)) return false;
      while (row_.empty());
      target_ = 0;
      ++number_;
    }
    ++target_;
    make(item);
    return true;
  }

  const PublishedScores* published() const override {
    return scores_.sentences.empty() ? nullptr : &scores_;
  }

 protected:
  virtual bool next_row(Row& row) = 0;

 private:
  const std::string* find(std::string_view name) const {
    for (const auto& [key, value] : row_)
      if (key == name) return &value;
    return nullptr;
  }

  const std::string& text(std::string_view name) const {
    const std::string* found = find(name);
    if (!found || found->empty()) throw bad_input(fmt::format("there is no {}", name)).at(where());
    return *found;
  }

  // Target 1 belongs to context 1, target 2 to context 2.
  void make(Item& item) {
    const int other = 3 - target_;
    clear_item(item);
    const std::string& target = text(fmt::format("Target{}", target_));
    set_sentences(item, {target, target});
    item.sentences[0].context = text(fmt::format("Context{}", target_));
    item.sentences[1].context = text(fmt::format("Context{}", other));
    item.test = text("Domain");
    item.language = "en";
    item.condition = fmt::format("target {}", target_);
    if (const std::string* a = find("ConceptA"), *b = find("ConceptB"); a && b)
      item.cluster = fmt::format("{}/{}/{}", item.test, *a, *b);
    item.id = fmt::format("{}/{}", number_id(name_, number_), target_);
    scores_ = {};
    for (int context : {target_, other}) {
      const std::string* score = find(fmt::format("logp_target{}_context{}", target_, context));
      double value = 0;
      if (score &&
          std::from_chars(score->data(), score->data() + score->size(), value).ec == std::errc())
        scores_.sentences.push_back(value);
    }
    scores_.what = "log-probability";
    if (scores_.sentences.size() != 2) scores_.sentences.clear();
    for (const auto& [key, value] : row_)
      if (!key.empty() && key != "Domain" && !key.starts_with("logp_") && !value.empty() &&
          std::find(std::begin(kTexts), std::end(kTexts), key) == std::end(kTexts))
        add_feature(item, key, value);
  }

  std::string name_;
  Row row_;
  int target_ = 2;  // the one that was last
  uint64_t number_ = 0;
  PublishedScores scores_;
};

class EwokTable : public EwokItems {
 public:
  explicit EwokTable(const fs::path& file) : EwokItems(file), rows_(file, ',', true) {
    do
      if (!rows_.next(header_)) throw bad_input("there is no row of names").at(rows_.name());
    while (header_[0].starts_with('#'));
  }

  Where where() const override { return {rows_.name(), rows_.line(), 0, {}}; }

 protected:
  bool next_row(Row& row) override {
    std::vector<std::string> fields;
    if (!rows_.next(fields)) return false;
    if (fields.size() != header_.size())
      throw bad_input(fmt::format("{} where the row of names has {}",
                                  counted(fields.size(), "column"), header_.size()))
          .at(where());
    row.clear();
    for (size_t i = 0; i < fields.size(); ++i) row.emplace_back(header_[i], fields[i]);
    return true;
  }

 private:
  RowReader rows_;
  std::vector<std::string> header_;
};

class EwokLines : public EwokItems {
 public:
  explicit EwokLines(const fs::path& file) : EwokItems(file), lines_(file) {}

  Where where() const override { return {lines_.name(), lines_.line_number(), 0, {}}; }

 protected:
  bool next_row(Row& row) override {
    std::string_view line;
    if (!lines_.next(line)) return false;
    row.clear();
    line = trim(without_mark(line));
    if (line.empty()) return true;
    Json one;
    try {
      one = Json::parse(line);
    } catch (const Json::parse_error& e) {
      throw bad_input(fmt::format("not JSON: {}", e.what())).at(where());
    }
    if (!one.is_object()) throw bad_input("a line must be an object").at(where());
    for (const auto& [key, value] : one.items())
      row.emplace_back(key, value.is_string() ? value.get<std::string>()
                            : value.is_null() ? std::string()
                                              : json_text(value));
    return true;
  }

 private:
  LineReader lines_;
};

bool is_table(const fs::path& file) { return lower(file.extension().string()) == ".csv"; }

bool is_ewok(const FileHead& head) {
  std::vector<std::string> names = head.keys;
  if (is_table(head.path))
    for (const std::string& line : head.lines)
      if (names = split_row(without_mark(line), ',', true); !names[0].starts_with('#')) break;
  return std::all_of(std::begin(kTexts), std::end(kTexts), [&](std::string_view text) {
    return std::find(names.begin(), names.end(), text) != names.end();
  });
}

}  // namespace

Format ewok_format() {
  const std::vector<std::string> extensions = {".csv", ".jsonl", ".json"};
  return {"ewok",
          "EWoK, Ivanova et al. 2024: CSV or JSON Lines, two targets after two contexts",
          "only read",
          extensions,
          is_ewok,
          [extensions](const fs::path& path, const ReadOptions& options) {
            return read_files(files_under(path, extensions), options,
                              [](const fs::path& file) -> std::unique_ptr<ItemStream> {
                                if (is_table(file)) return std::make_unique<EwokTable>(file);
                                return std::make_unique<EwokLines>(file);
                              });
          },
          nullptr};
}

}  // namespace minpair::suite
