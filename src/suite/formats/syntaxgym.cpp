// SyntaxGym (Gauthier et al. 2020): a JSON file per suite. Items have conditions, which are
// sentences here, made of numbered regions; predictions are formulas over them.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/python_json.h"
#include "suite/formats/formats.h"
#include "suite/formats/support.h"
#include "suite/formula.h"

namespace minpair::suite {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLargest = size_t{1} << 26;

Json parsed(const fs::path& file) {
  std::string text = read_file(file, kLargest);
  check_json_depth(text, file.string());
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    throw bad_input(fmt::format("not JSON: {}", e.what())).at_byte(file.string(), e.byte);
  }
}

const Json& part(const Json& object, const char* key, Json::value_t type, const char* what) {
  auto found = object.is_object() ? object.find(key) : object.end();
  bool number = type == Json::value_t::number_unsigned;
  if (found == object.end() || !(number ? found->is_number_unsigned() : found->type() == type))
    throw bad_input(fmt::format("{} needs \"{}\"", what, key));
  return *found;
}

std::string text_in(const Json& object, const char* key, const char* what) {
  return part(object, key, Json::value_t::string, what).get<std::string>();
}

// Early files say a prediction in three parts.
std::string formula_of(const Json& prediction) {
  if (prediction.contains("formula")) return text_in(prediction, "formula", "a prediction");
  std::string relation = text_in(prediction, "relation", "a prediction");
  if (relation != "greaterthan" && relation != "lessthan" && relation != "equals")
    throw bad_input(fmt::format("a prediction's relation '{}' is not known", relation));
  const Json& region =
      part(prediction, "region_number", Json::value_t::number_unsigned, "a prediction");
  return fmt::format("({0};%{1}%) {2} ({0};%{3}%)", region.get<uint64_t>(),
                     text_in(prediction, "l_operand", "a prediction"),
                     relation == "greaterthan" ? ">"
                     : relation == "lessthan"  ? "<"
                                               : "=",
                     text_in(prediction, "r_operand", "a prediction"));
}

// What the suite is called: its own name, else its file's.
std::string test_of(const Json& root, const fs::path& file) {
  const Json& meta = part(root, "meta", Json::value_t::object, "a SyntaxGym suite");
  auto name = meta.find("name");
  return name != meta.end() && name->is_string() && !name->get<std::string>().empty()
             ? name->get<std::string>()
             : file.stem().string();
}

void add_suite(Manifest& manifest, const fs::path& file) try {
  Json root = parsed(file);
  std::string test = test_of(root, file);
  const Json& meta = root["meta"];
  manifest.tests.push_back({test, "", "", json_text(meta)});
  std::string metric = meta.value("metric", "sum");
  if (metric == "sum" || metric == "all") metric.clear();
  size_t number = 0;
  for (const Json& p : part(root, "predictions", Json::value_t::array, "a SyntaxGym suite")) {
    manifest.criteria.push_back({fmt::format("{}", ++number), test, formula_of(p), metric});
    parse_formula(manifest.criteria.back().formula, metric);
  }
} catch (Error& e) {
  throw e.at(file.string());
}

Manifest manifest_of(const fs::path& path) {
  Manifest manifest;
  for (const fs::path& file : files_under(path, {".json"})) add_suite(manifest, file);
  manifest.ties = "wrong";  // its < and > are strict
  return manifest;
}

// Where the words of a region are not what the sentence has there (spaces around them), the file's
// own are kept under this name.
std::string verbatim(const std::string& sentence, size_t region) {
  return fmt::format("verbatim {} {}", sentence, region);
}

class SyntaxGymItems : public FileItemStream {
 public:
  explicit SyntaxGymItems(const fs::path& file) : file_(file.string()), root_(parsed(file)) {
    try {
      test_ = test_of(root_, file);
      part(root_, "items", Json::value_t::array, "a SyntaxGym suite");
      if (auto names = root_.find("region_meta"); names != root_.end() && names->is_object())
        for (const auto& [number, name] : names->items())
          if (name.is_string()) names_[number] = name.get<std::string>();
    } catch (Error& e) {
      throw e.at(file_);
    }
  }

  bool next(Item& item) override {
    const Json& items = root_["items"];
    if (at_ == items.size()) return false;
    try {
      fill(item, items[at_++]);
    } catch (Error& e) {
      throw bad_input(fmt::format("item {}: {}", at_, e.message())).at(file_);
    }
    return true;
  }

  Where where() const override { return {file_, 0, 0, {}}; }

 private:
  void fill(Item& item, const Json& source) {
    clear_item(item);
    uint64_t number =
        part(source, "item_number", Json::value_t::number_unsigned, "an item").get<uint64_t>();
    item.test = test_;
    item.id = fmt::format("{}/{}", test_, number);
    item.design = true;
    item.features.emplace_back("item_number", double(number));
    const Json& conditions = part(source, "conditions", Json::value_t::array, "an item");
    item.sentences.assign(conditions.size(), {});
    for (size_t i = 0; i < conditions.size(); ++i) fill(item, item.sentences[i], conditions[i]);
    check_item(item);
  }

  void fill(Item& item, Sentence& sentence, const Json& condition) {
    sentence.name = text_in(condition, "condition_name", "a condition");
    std::vector<std::pair<std::string, std::string>> regions;
    for (const Json& r : part(condition, "regions", Json::value_t::array, "a condition")) {
      uint64_t number =
          part(r, "region_number", Json::value_t::number_unsigned, "a region").get<uint64_t>();
      std::string content = text_in(r, "content", "a region");
      if (number != regions.size() + 1)
        throw bad_input(
            fmt::format("region {} stands where region {} should be", number, regions.size() + 1));
      // As SyntaxGym joins them: what stands before a region's first word does not count.
      size_t first = content.find_first_not_of(" \t\n\r");
      std::string words = first == std::string::npos ? "" : content.substr(first);
      if (words != content)
        item.features.emplace_back(verbatim(sentence.name, regions.size() + 1), content);
      std::string key = std::to_string(number);
      auto name = names_.find(key);
      regions.emplace_back(name == names_.end() ? key : name->second, std::move(words));
    }
    set_regions(sentence, regions);
  }

  std::string file_, test_;
  Json root_;
  std::map<std::string, std::string> names_;
  size_t at_ = 0;
};

std::string why_no_design(const Item& item) {
  for (const Sentence& s : item.sentences) {
    if (s.name.empty()) return "a sentence without a name";
    if (s.regions.empty()) return "a sentence without regions";
    if (!s.context.empty()) return "a context";
  }
  return {};
}

Json condition_of(const Item& item, const Sentence& sentence) {
  Json regions = Json::array();
  for (size_t i = 0; i < sentence.regions.size(); ++i) {
    std::string content(slice(sentence.text, sentence.regions[i].span));
    if (std::string own = feature_text(item, verbatim(sentence.name, i + 1)); !own.empty())
      content = own;
    regions.push_back({{"region_number", i + 1}, {"content", content}});
  }
  return {{"condition_name", sentence.name}, {"regions", regions}};
}

class SyntaxGymWriter : public TestFileWriter {
 public:
  explicit SyntaxGymWriter(const fs::path& path) : TestFileWriter(path, ".json", false) {}

  void describe(const Manifest& manifest) override { manifest_ = manifest; }

  std::string write(const Item& item) override {
    if (std::string why = why_no_design(item); !why.empty()) return why;
    Json& suite = suites_[item.test];
    if (suite.is_null()) suite = head_of(item);
    const FeatureValue* stated = find_feature(item, "item_number");
    const double* number = stated ? std::get_if<double>(stated) : nullptr;
    bool counts = number && *number >= 0 && *number < 1e15;
    Json conditions = Json::array();
    for (const Sentence& s : item.sentences) conditions.push_back(condition_of(item, s));
    suite["items"].push_back(
        {{"item_number", counts ? uint64_t(*number) : suite["items"].size() + 1},
         {"conditions", conditions}});
    files_.of(item);
    first_.try_emplace(item.test, item);
    return {};
  }

  void commit() override {
    for (const auto& [test, suite] : suites_)
      files_.of(first_.at(test)).write(json_text(suite, 1, '\t') + "\n");
    TestFileWriter::commit();
  }

 private:
  Json head_of(const Item& item) const {
    const TestInfo* info = manifest_.find(item.test);
    Json meta = info && !info->meta.empty() ? Json::parse(info->meta)
                                            : Json{{"name", item.test}, {"metric", "sum"}};
    Json names = Json::object(), predictions = Json::array();
    const std::vector<Region>& regions = item.sentences[0].regions;
    for (size_t i = 0; i < regions.size(); ++i) names[std::to_string(i + 1)] = regions[i].name;
    for (const Criterion& c : manifest_.criteria)
      if (c.test.empty() || c.test == item.test) {
        predictions.push_back({{"type", "formula"}, {"formula", c.formula}});
        if (!c.metric.empty()) meta["metric"] = c.metric;
      }
    return {{"meta", meta},
            {"region_meta", names},
            {"predictions", predictions},
            {"items", Json::array()}};
  }

  Manifest manifest_;
  std::map<std::string, Json> suites_;
  std::map<std::string, Item> first_;  // names the test's file
};

bool recognised(const FileHead& head) {
  if (head.path.extension() != ".json" || head.lines.empty()) return false;
  if (!trim(head.lines[0]).starts_with("{")) return false;
  std::error_code ignored;
  if (fs::file_size(head.path, ignored) > kLargest) return false;
  const std::string text = read_file(head.path, kLargest);
  check_json_depth(text, head.path.string());
  Json root = Json::parse(text, nullptr, false);
  return root.is_object() && root.contains("meta") && root.contains("predictions") &&
         root.contains("items");
}

}  // namespace

Format syntaxgym_format() {
  return {"syntaxgym",
          "SyntaxGym: conditions, regions and predictions, one JSON file per suite",
          "sentences with names and regions, and criteria",
          {".json"},
          recognised,
          reads<SyntaxGymItems>({".json"}),
          writes<SyntaxGymWriter>(),
          manifest_of};
}

}  // namespace minpair::suite
