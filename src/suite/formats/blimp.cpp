// BLiMP (Warstadt et al. 2020) and its relatives. They differ in what they call things and in
// whether a line is JSON or a row; what is what is told by the keys, so one reader serves all.
// What has no place in the item stays as its features and is written back.

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/rows.h"
#include "suite/formats/formats.h"
#include "suite/formats/list.h"
#include "suite/formats/support.h"
#include "suite/json_text.h"

namespace minpair::suite {
namespace {

struct Dialect {
  const char* name;
  const char* description;
  char separator;  // 0: JSON Lines
  const char* extension;
  const char* good;
  const char* bad;
  const char* test;
  const char* id;
  const char* language;                 // of the published data
  std::vector<std::string> signature;   // keys that only this dialect has
  std::vector<std::string> other_keys;  // written even when the item has no such feature
};

const std::vector<Dialect>& dialects() {
  static const std::vector<Dialect> all = {
      {"blimp",
       "BLiMP, Warstadt et al. 2020: JSON Lines",
       0,
       ".jsonl",
       "sentence_good",
       "sentence_bad",
       "UID",
       "pairID",
       "en",
       {"linguistics_term", "simple_LM_method"},
       {"field", "linguistics_term", "simple_LM_method", "one_prefix_method", "two_prefix_method",
        "lexically_identical"}},
      {"sling",
       "SLING, Song et al. 2022: JSON Lines",
       0,
       ".jsonl",
       "sentence_good",
       "sentence_bad",
       "paradigm",
       "pair_ID",
       "zh",
       {"paradigm", "phenomenon"},
       {"phenomenon", "field"}},
      {"zhoblimp",
       "ZhoBLiMP, Liu et al. 2024: JSON Lines",
       0,
       ".jsonl",
       "sentence_good",
       "sentence_bad",
       "UID",
       "pairID",
       "zh",
       {"UID", "phenomenon"},
       {"phenomenon"}},
      {"jblimp",
       "JBLiMP, Someya & Oseki 2023: JSON Lines or CSV",
       0,
       ".jsonl",
       "good_sentence",
       "bad_sentence",
       "paradigm",
       "ID",
       "ja",
       {"phenomenon-2"},
       {"type", "phenomenon", "phenomenon-2"}},
      {"blimp-nl",
       "BLiMP-NL, Suijkerbuijk et al. 2025: JSON Lines or CSV",
       0,
       ".jsonl",
       "sentence_good",
       "sentence_bad",
       "paradigm",
       "",
       "nl",
       {"linguistic_phenomenon"},
       {"linguistic_phenomenon"}},
      {"rublimp",
       "RuBLiMP, Taktasheva et al. 2024: CSV",
       ',',
       ".csv",
       "source_sentence",
       "target_sentence",
       "PID",
       "id",
       "ru",
       {"PID", "source_word"},
       {"source_word", "target_word", "level", "phenomenon", "subtype", "domain", "tree_depth"}},
      {"turblimp",
       "TurBLiMP, Basar et al. 2025: CSV",
       ';',
       ".csv",
       "good_sentence",
       "bad_sentence",
       "phenomenon",
       "",
       "tr",
       {"good_cue", "bad_cue"},
       {"good_cue", "bad_cue", "critical_region"}},
      {"multiblimp",
       "MultiBLiMP, Jumelet et al. 2025: TSV",
       '\t',
       ".tsv",
       "sen",
       "wrong_sen",
       "phenomenon",
       "",
       "",
       {"sen", "wrong_sen"},
       {"prefix", "verb", "swap_head", "distance", "num_attractors", "feature_vals"}},
  };
  return all;
}

// The first dialect all of whose keys are there, or nullptr.
template <class Has>
const Dialect* dialect_of(Has has) {
  for (const Dialect& d : dialects())
    if (has(d.good) && has(d.bad) &&
        std::all_of(d.signature.begin(), d.signature.end(),
                    [&](const std::string& key) { return has(key.c_str()); }))
      return &d;
  return nullptr;
}

// What items have and the published data has not.
const std::vector<std::string> kOurs = {"item_id", "condition", "language", "cluster"};

const char* const kTestKeys[] = {"UID", "PID", "paradigm", "phenomenon", "test"};
const char* const kIdKeys[] = {"pairID", "pair_ID", "pair_id", "ID", "id"};
const std::pair<const char*, const char*> kPairKeys[] = {{"sentence_good", "sentence_bad"},
                                                         {"good_sentence", "bad_sentence"},
                                                         {"source_sentence", "target_sentence"},
                                                         {"acceptable_sent", "unacceptable_sent"},
                                                         {"sen", "wrong_sen"},
                                                         {"good", "bad"},
                                                         {"grammatical", "ungrammatical"},
                                                         {"acceptable", "unacceptable"},
                                                         {"correct", "incorrect"},
                                                         {"correct", "wrong"}};

// What BLiMP's own keys are when an item says nothing about them. Not kept as features: they come
// back when written.
std::string usual_value(std::string_view key, std::string_view test) {
  if (key == "linguistics_term") return std::string(test);
  if (key == "simple_LM_method") return "true";
  if (key == "one_prefix_method" || key == "two_prefix_method" || key == "lexically_identical")
    return "false";
  return {};
}

bool is_flag(std::string_view key) {
  return key == "simple_LM_method" || key == "one_prefix_method" || key == "two_prefix_method" ||
         key == "lexically_identical";
}

bool contains(const std::vector<std::string>& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// One line or row, whatever it was written in.
using Fields = std::vector<std::pair<std::string, FeatureValue>>;

std::string as_text(const FeatureValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return fmt::format("{}", std::get<double>(value));
}

// Turns the fields into an item: takes out what it knows, leaves the rest as features.
class FieldsToItem {
 public:
  FieldsToItem(std::string file_stem) : file_stem_(std::move(file_stem)) {}

  void operator()(Fields& fields, Item& item) {
    clear_item(item);
    set_language(fields, item);  // while all keys are there
    set_pair(fields, item);
    for (const char* key : kTestKeys)
      if (item.test.empty()) item.test = take(fields, key);
    if (item.test.empty()) item.test = file_stem_;
    set_id(fields, item);
    item.condition = take(fields, "condition");
    item.cluster = take(fields, "cluster");
    for (auto& [key, value] : fields)
      if (as_text(value) != usual_value(key, item.test))
        item.features.emplace_back(std::move(key), std::move(value));
  }

 private:
  // The value of a key, taken out; empty when there is none.
  static std::string take(Fields& fields, std::string_view key) {
    auto it = std::find_if(fields.begin(), fields.end(), [&](auto& f) { return f.first == key; });
    if (it == fields.end()) return {};
    std::string text = as_text(it->second);
    fields.erase(it);
    return text;
  }

  static bool has(const Fields& fields, std::string_view key) {
    return std::any_of(fields.begin(), fields.end(), [&](auto& f) { return f.first == key; });
  }

  static void set_pair(Fields& fields, Item& item) {
    for (auto [good_key, bad_key] : kPairKeys)
      if (has(fields, good_key) && has(fields, bad_key)) {
        std::string good = take(fields, good_key), bad = take(fields, bad_key);
        if (trim(good).empty() || trim(bad).empty()) throw bad_input("a sentence is empty");
        if (!valid_utf8(good) || !valid_utf8(bad)) throw bad_input("a sentence is not UTF-8");
        set_sentences(item, {good, bad});
        return;
      }
    throw bad_input(
        "no good and bad sentence (sentence_good and sentence_bad, sen and wrong_sen, "
        "...)");
  }

  void set_id(Fields& fields, Item& item) {
    std::string number;
    for (const char* key : kIdKeys)
      if (number.empty()) number = take(fields, key);
    item.id = take(fields, "item_id");
    // BLiMP-NL numbers the items of each paradigm.
    if (dialect_ && dialect_->name == std::string_view("blimp-nl") &&
        item.id.find('/') == item.id.npos)
      number = std::exchange(item.id, {});
    if (item.id.empty())
      item.id = number.empty() ? number_id(item.test, ++numbers_[item.test])
                               : fmt::format("{}/{}", item.test, number);
  }

  void set_language(Fields& fields, Item& item) {
    dialect_ = dialect_of([&](const char* key) { return has(fields, key); });
    if (dialect_) item.language = dialect_->language;
    for (const char* key : {"language", "lang"})
      if (has(fields, key)) item.language = take(fields, key);
  }

  std::string file_stem_;
  const Dialect* dialect_ = nullptr;
  std::map<std::string, uint64_t> numbers_;
};

// "locus": [[4, 9], [4, 10]] in characters, where it is not what aligning finds.
void read_loci(simdjson::dom::element value, Item& item) {
  simdjson::dom::array loci;
  if (value.get(loci) || loci.size() != item.sentences.size())
    throw bad_input("\"locus\" must be two pairs of numbers");
  for (size_t i = 0; i < loci.size(); ++i) {
    uint64_t begin, end;
    Sentence& s = item.sentences[i];
    if (loci.at(i).at(0).get(begin) || loci.at(i).at(1).get(end) || begin > end ||
        end > count_characters(s.text))
      throw bad_input("\"locus\" is outside the sentence");
    s.locus = {byte_of_character(s.text, begin), byte_of_character(s.text, end)};
  }
}

class JsonItems : public FileItemStream {
 public:
  explicit JsonItems(const fs::path& file) : lines_(file), convert_(file.stem().string()) {}

  bool next(Item& item) override {
    std::string_view line;
    do
      if (!lines_.next(line)) return false;
    while (trim(line).empty());
    try {
      read(line, item);
    } catch (Error& e) {
      throw e.at(where());
    }
    return true;
  }

  Where where() const override { return {lines_.name(), lines_.line_number(), 0, {}}; }

 private:
  void read(std::string_view line, Item& item) {
    simdjson::dom::object object;
    if (auto error = parser_.parse(line.data(), line.size(), true).get(object))
      throw not_json(simdjson::error_message(error));
    fields_.clear();
    simdjson::dom::element locus;
    bool has_locus = false;
    for (auto [key, value] : object) {
      if (std::any_of(fields_.begin(), fields_.end(),
                      [k = key](const auto& f) { return f.first == k; }))
        throw bad_input(fmt::format("\"{}\" is given twice", key));
      std::string_view text;
      double number;
      bool flag;
      if (key == "locus") {
        locus = value;
        has_locus = true;
      } else if (!value.get(text)) {
        fields_.emplace_back(key, std::string(text));
      } else if (!value.get(number)) {
        fields_.emplace_back(key, number);
      } else if (!value.get(flag)) {
        fields_.emplace_back(key, std::string(flag ? "true" : "false"));
      } else {
        fields_.emplace_back(key, value.is_null() ? "" : simdjson::minify(value));
      }
    }
    convert_(fields_, item);
    if (has_locus) read_loci(locus, item);
  }

  LineReader lines_;
  simdjson::dom::parser parser_;
  FieldsToItem convert_;
  Fields fields_;
};

class TableItems : public RowItemStream {
 public:
  TableItems(const fs::path& file, char separator)
      : RowItemStream(file, separator, true), convert_(file.stem().string()) {
    rows_.next(header_);
    for (size_t i = 0; i < header_.size(); ++i)
      if (std::find(header_.begin(), header_.begin() + long(i), header_[i]) !=
          header_.begin() + long(i))
        throw bad_input(fmt::format("two columns are called '{}'", header_[i])).at(where());
  }

  bool next(Item& item) override {
    if (!next_row(fields_, header_.size())) return false;
    named_.clear();
    for (size_t i = 0; i < fields_.size(); ++i)
      if (!fields_[i].empty() || header_[i] == "language")
        named_.emplace_back(header_[i], feature_value(fields_[i]));
    try {
      convert_(named_, item);
    } catch (Error& e) {
      throw e.at(where());
    }
    return true;
  }

 private:
  FieldsToItem convert_;
  std::vector<std::string> header_;
  Fields named_;
};

// --- writing ---

// The item's id without its test, when the reader can put it together again; else empty.
std::string short_id(const Item& item, const Dialect& dialect) {
  std::string prefix = item.test + "/";
  if (!*dialect.id || !item.id.starts_with(prefix) || item.id.size() == prefix.size()) return {};
  return item.id.substr(prefix.size());
}

std::string value_of(const Item& item, const std::string& key) {
  std::string value = feature_text(item, key);
  return value.empty() ? usual_value(key, item.test) : value;
}

class BlimpWriter : public TestFileWriter {
 public:
  BlimpWriter(const fs::path& path, const Dialect& dialect)
      : TestFileWriter(path, dialect.extension, true), dialect_(dialect) {}

  std::string write(const Item& item) override {
    if (std::string why = why_no_pair(item); !why.empty()) return why;
    for (const auto& [key, value] : item.features)
      if (is_ours(key))
        return fmt::format("a feature is called '{}', which means something else there", key);
    line_.clear();
    if (dialect_.separator)
      append_table_row(item);
    else
      append_json(item);
    files_.of(item).write(line_);
    return {};
  }

 private:
  // Would the reader take the key for something else than a feature?
  bool is_ours(std::string_view key) const {
    if (contains(kOurs, key) || key == "locus" || key == "lang") return true;
    for (auto [good, bad] : kPairKeys)
      if (key == good || key == bad) return true;
    for (const char* id : kIdKeys)
      if (key == id) return true;
    for (const char* test : kTestKeys) {
      if (key == test) return true;
      if (test == std::string_view(dialect_.test)) break;
    }
    return false;
  }

  void value_field(JsonWriter& json, const std::string& key, const Item& item) {
    const FeatureValue* value = find_feature(item, key);
    std::string text = value_of(item, key);
    const bool number = value && std::holds_alternative<double>(*value);
    const bool flag = is_flag(key) && (text == "true" || text == "false");
    json.key(key);
    number || flag ? json.json(text) : json.text(text);
  }

  void append_json(const Item& item) {
    JsonWriter json(line_, true);
    auto field = [&](std::string_view key, std::string_view text) { json.key(key).text(text); };
    std::string number = short_id(item, dialect_);
    json.open('{');
    field(dialect_.good, good_sentence(item).text);
    field(dialect_.bad, bad_sentence(item).text);
    for (const std::string& key : dialect_.other_keys) value_field(json, key, item);
    field(dialect_.test, item.test);
    number.empty() ? field("item_id", item.id) : field(dialect_.id, number);
    if (!item.condition.empty()) field("condition", item.condition);
    field("language", item.language);  // even when empty: the keys must not tell another
    if (!item.cluster.empty()) field("cluster", item.cluster);
    write_loci(json, item);
    for (const auto& [key, value] : item.features)
      if (!contains(dialect_.other_keys, key)) value_field(json, key, item);
    json.close('}');
    line_ += '\n';
  }

  void write_loci(JsonWriter& json, const Item& item) {
    std::vector<Sentence> aligned = {good_sentence(item), bad_sentence(item)};
    align_loci(aligned);
    if (aligned[0] == good_sentence(item) && aligned[1] == bad_sentence(item)) return;
    json.key("locus").open('[');
    for (const Sentence* s : {&good_sentence(item), &bad_sentence(item)})
      json.open('[')
          .whole(character_of_byte(s->text, s->locus.begin))
          .whole(character_of_byte(s->text, s->locus.end))
          .close(']');
    json.close(']');
  }

  std::vector<std::string> header() const {
    std::vector<std::string> names = {dialect_.good, dialect_.bad, dialect_.test};
    if (*dialect_.id) names.insert(names.begin(), dialect_.id);
    names.insert(names.end(), dialect_.other_keys.begin(), dialect_.other_keys.end());
    names.insert(names.end(), kOurs.begin(), kOurs.end());
    return names;
  }

  void append_table_row(const Item& item) {
    if (files_.begins(item)) append_row(line_, header(), dialect_.separator, true);
    std::string number = short_id(item, dialect_);
    std::vector<std::string> row = {good_sentence(item).text, bad_sentence(item).text, item.test};
    if (*dialect_.id) row.insert(row.begin(), number);
    for (const std::string& key : dialect_.other_keys) row.push_back(value_of(item, key));
    row.push_back(number.empty() ? item.id : "");
    for (const std::string* value : {&item.condition, &item.language, &item.cluster})
      row.push_back(*value);
    append_row(line_, row, dialect_.separator, true);
  }

  const Dialect& dialect_;
};

// --- the table ---

std::vector<std::string> keys_of(const FileHead& head, char separator) {
  if (!separator || head.lines.empty()) return head.keys;
  return split_row(head.lines[0], separator, true);
}

char separator_of(const fs::path& file) {
  LineReader lines(file);
  std::string_view line;
  while (lines.next(line))
    if (!trim(line).empty()) break;
  size_t most = 0;
  char separator = ',';
  for (char c : {',', ';', '\t'})
    if (size_t n = size_t(std::count(line.begin(), line.end(), c)); n > most) {
      most = n;
      separator = c;
    }
  return separator;
}

// Is the first line an object?
bool is_json(const fs::path& file) {
  LineReader lines(file);
  std::string_view line;
  while (lines.next(line))
    if (!trim(line).empty()) break;
  return trim(line).starts_with("{");
}

std::unique_ptr<ItemStream> open_pairs(const fs::path& file) {
  if (is_json(file)) return std::make_unique<JsonItems>(file);
  return std::make_unique<TableItems>(file, separator_of(file));
}

std::unique_ptr<ItemStream> read_pairs(const fs::path& path, const ReadOptions& options) {
  return read_files(files_under(path, {".jsonl", ".csv", ".tsv"}), options, open_pairs);
}

// Whether some way to cut the first line gives the names that are looked for.
bool any_keys(const FileHead& head,
              const std::function<bool(const std::vector<std::string>& keys)>& known) {
  for (char separator : {'\0', ',', ';', '\t'})
    if (known(keys_of(head, separator))) return true;
  return false;
}

Format format_of(const Dialect& d) {
  return {d.name,
          d.description,
          d.separator ? "pairs: id, test, condition, language, cluster, sentences, its own columns"
                      : "pairs: everything",
          {".jsonl", ".csv", ".tsv"},
          [&d](const FileHead& head) {
            return any_keys(head, [&](const std::vector<std::string>& keys) {
              return dialect_of([&](const char* key) { return contains(keys, key); }) == &d;
            });
          },
          read_pairs,
          [&d](const fs::path& path) { return std::make_unique<BlimpWriter>(path, d); }};
}

}  // namespace

// Any other table or JSON with a good and a bad sentence.
Format pairs_format() {
  const std::vector<std::string> extensions = {".jsonl", ".csv", ".tsv", ".xlsx", ".ods"};
  return {
      "pairs",
      "a list: CSV, TSV, .xlsx, .ods or JSON Lines with columns like good and bad, or like item, "
      "sentence and grammatical",
      "only read",
      extensions,
      [](const FileHead& head) {
        return std::any_of(std::begin(kPairKeys), std::end(kPairKeys),
                           [&](const auto& pair) {
                             return has_keys(head, {pair.first, pair.second});
                           }) ||
               (head.keys.empty() && is_list(head));
      },
      [extensions](const fs::path& path, const ReadOptions& options) {
        return read_files(files_under(path, extensions), options,
                          [columns = options.columns](const fs::path& file) {
                            if (!is_spreadsheet(file) && is_json(file)) return open_pairs(file);
                            return read_list(file, columns);
                          });
      },
      nullptr};
}

std::vector<Format> blimp_formats() {
  std::vector<Format> formats;
  for (const Dialect& d : dialects()) formats.push_back(format_of(d));
  return formats;
}

}  // namespace minpair::suite
