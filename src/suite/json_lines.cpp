// Suite files: reading and writing items as JSON lines.

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/character_index.h"
#include "base/counts.h"
#include "base/names.h"
#include "base/outgoing.h"
#include "suite/formats/formats.h"
#include "suite/formats/support.h"
#include "suite/cells.h"
#include "suite/json_text.h"
#include "suite/suite.h"

namespace minpair::suite {

namespace fs = std::filesystem;

namespace {

using simdjson::dom::element;

// Everything that can be wrong with a line is thrown as this and gets its place at the top.
[[noreturn]] void wrong(std::string reason) { throw bad_input(std::move(reason)); }

std::string_view text_of(element value, std::string_view key) {
  std::string_view text;
  if (value.get(text)) wrong(fmt::format("\"{}\" must be a string", key));
  return text;
}

Span span_of(element first, element last, const CharacterIndex& text, const std::string& what,
             const char* rule) {
  uint64_t begin, end;
  if (first.get(begin) || last.get(end)) wrong(rule);
  const size_t characters = text.characters();
  if (begin > end) wrong(fmt::format("the {} [{}, {}] ends before it begins", what, begin, end));
  if (end > characters)
    wrong(fmt::format("the {} [{}, {}] is outside the sentence of {} {}", what, begin, end,
                      characters, plural(characters, "character")));
  return {text.byte(begin), text.byte(end)};
}

Span locus_of(element value, std::string_view text) {
  constexpr const char* rule = "\"locus\" must be [begin, end], counted in characters";
  simdjson::dom::array ends;
  if (value.get(ends) || ends.size() != 2) wrong(rule);
  return span_of(ends.at(0), ends.at(1), CharacterIndex(text), "locus", rule);
}

// [name, begin, end] in the text; where there is no text, [name, words] makes it.
void read_regions(element value, bool has_text, Sentence& sentence) {
  const char* rule = has_text
                         ? "a region must be [name, begin, end], counted in characters"
                         : "a sentence without \"text\" has its words in regions: [name, words]";
  simdjson::dom::array list;
  if (value.get(list)) wrong("\"regions\" must be a list");
  std::vector<std::pair<std::string, std::string>> written;
  const CharacterIndex all(sentence.text);
  for (element v : list) {
    simdjson::dom::array parts;
    std::string_view name, text;
    if (v.get(parts) || parts.size() != (has_text ? 3 : 2) || parts.at(0).get(name)) wrong(rule);
    if (has_text)
      sentence.regions.push_back(
          {std::string(name),
           span_of(parts.at(1), parts.at(2), all, fmt::format("region \"{}\"", name), rule)});
    else if (parts.at(1).get(text))
      wrong(rule);
    else
      written.emplace_back(name, text);
  }
  if (!has_text) set_regions(sentence, written);
}

// Remembers which keys were there, so that a repeated one is found.
class Keys {
 public:
  Keys(std::span<const std::string_view> known, std::string_view of) : known_(known), of_(of) {}
  void see(std::string_view key) {
    for (size_t i = 0; i < known_.size(); ++i)
      if (known_[i] == key) {
        if (seen_ >> i & 1) wrong(fmt::format("\"{}\" is given twice", key));
        seen_ |= 1u << i;
        return;
      }
    std::vector<std::string> names(known_.begin(), known_.end());
    std::string guess = closest(key, names);
    Error e = bad_input(fmt::format("{} has no \"{}\"", of_, key));
    e.hint(guess.empty() ? "data of your own goes into \"features\""
                         : fmt::format("did you mean \"{}\"?", guess));
    throw e;
  }
  bool has(std::string_view key) const {
    return seen_ >> (std::find(known_.begin(), known_.end(), key) - known_.begin()) & 1;
  }

 private:
  std::span<const std::string_view> known_;
  std::string_view of_;
  unsigned seen_ = 0;
};

struct Stated {
  size_t locus = 0, grammatical = 0;  // how many sentences state it
};

void read_sentence(element value, Sentence& sentence, Stated& stated) {
  simdjson::dom::object object;
  if (value.get(object)) wrong("a sentence must be an object with \"text\" and \"grammatical\"");
  static constexpr std::string_view known[] = {"name",    "context", "text",
                                               "regions", "locus",   "grammatical"};
  Keys keys(known, "a sentence");
  element locus, regions;
  for (auto [key, v] : object) {
    keys.see(key);
    if (key == "text")
      sentence.text = text_of(v, key);
    else if (key == "name")
      sentence.name = text_of(v, key);
    else if (key == "context")
      sentence.context = text_of(v, key);
    else if (key == "locus")
      locus = v;
    else if (key == "regions")
      regions = v;
    else if (v.get(sentence.grammatical))
      wrong("\"grammatical\" must be true or false");
  }
  if (!keys.has("text") && !keys.has("regions")) wrong("a sentence has no \"text\"");
  if (keys.has("regions")) read_regions(regions, keys.has("text"), sentence);
  sentence.locus = keys.has("locus") ? locus_of(locus, sentence.text) : Span{};
  stated.locus += keys.has("locus");
  stated.grammatical += keys.has("grammatical");
}

void read_sentences(element value, Item& item) {
  simdjson::dom::array array;
  if (value.get(array)) wrong("\"sentences\" must be a list");
  size_t n = 0;
  Stated stated;
  item.sentences.resize(array.size());
  for (element v : array) read_sentence(v, item.sentences[n++], stated);
  item.design = n > 0 && stated.grammatical == 0;
  if (item.design && item.sentences[0].name.empty())
    wrong("a sentence has no \"grammatical\"; in a design it has a \"name\" instead");
  if (!item.design && stated.grammatical != n) wrong("a sentence has no \"grammatical\"");
  if (stated.locus == 0 && !item.design) align_loci(item.sentences);
  item.cloze = n == 1 && stated.locus == 1 && !item.design;
  if (stated.locus != 0 && stated.locus != n)
    wrong("some sentences have a \"locus\" and some have none; give it to all or to none");
}

void read_features(element value, Item& item) {
  simdjson::dom::object object;
  if (value.get(object)) wrong("\"features\" must be an object");
  for (auto [key, v] : object) {
    double number;
    std::string_view text;
    if (!v.get(text))
      item.features.emplace_back(std::string(key), std::string(text));
    else if (!v.get(number))
      item.features.emplace_back(std::string(key), number);
    else
      wrong(fmt::format("the feature \"{}\" must be a string or a number", key));
  }
}

void read_item(element root, Item& item) {
  simdjson::dom::object object;
  if (root.get(object)) wrong("a line must be one JSON object");
  static constexpr std::string_view known[] = {"id",      "test",      "condition", "language",
                                               "cluster", "sentences", "features"};
  Keys keys(known, "an item");
  const std::pair<std::string_view, std::string*> texts[] = {{"id", &item.id},
                                                             {"test", &item.test},
                                                             {"condition", &item.condition},
                                                             {"language", &item.language},
                                                             {"cluster", &item.cluster}};
  for (auto [key, v] : object) {
    keys.see(key);
    for (auto [name, text] : texts)
      if (key == name) *text = text_of(v, key);
    if (key == "sentences") read_sentences(v, item);
    if (key == "features") read_features(v, item);
  }
}

bool inside_character(std::string_view text, size_t byte) {
  return byte < text.size() && (static_cast<unsigned char>(text[byte]) & 0xC0) == 0x80;
}

// simdjson chooses its instructions when it is first used, and ends the program where there is no
// memory for that: so before main().
[[maybe_unused]] const bool simdjson_has_chosen = simdjson::validate_utf8("", 0);

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

std::string why_no_feature(const std::pair<std::string, FeatureValue>& feature) {
  const auto& [name, value] = feature;
  if (!is_utf8(name)) return "a feature's name is not UTF-8";
  if (const double* number = std::get_if<double>(&value))
    return std::isfinite(*number) ? ""
                                  : fmt::format("the feature \"{}\" is not a finite number", name);
  return is_utf8(std::get<std::string>(value))
             ? ""
             : fmt::format("the feature \"{}\" is not UTF-8", name);
}

void write_span(JsonWriter& json, const CharacterIndex& text, Span span) {
  json.whole(text.character(span.begin)).whole(text.character(span.end)).close(']');
}

void write_sentence(JsonWriter& json, const Sentence& s, bool design) {
  json.open('{');
  if (!s.name.empty()) json.key("name").text(s.name);
  if (!s.context.empty()) json.key("context").text(s.context);
  json.key("text").text(s.text);
  const CharacterIndex text(s.text);
  if (!s.regions.empty()) {
    json.key("regions").open('[');
    for (const Region& r : s.regions) write_span(json.open('[').text(r.name), text, r.span);
    json.close(']');
  }
  if (!design || !s.locus.empty()) write_span(json.key("locus").open('['), text, s.locus);
  if (!design) json.key("grammatical").boolean(s.grammatical);
  json.close('}');
}

// "" where the names and regions of a sentence can be told apart.
std::string why_no_design(const Item& item) {
  for (const Sentence& s : item.sentences) {
    if (item.design && s.name.empty()) return "a sentence of a design needs a \"name\"";
    if (!is_utf8(s.name) || !is_utf8(s.context)) return "a sentence's name or context is not UTF-8";
    size_t end = 0;
    for (const Region& r : s.regions) {
      if (!is_utf8(r.name)) return "a region's name is not UTF-8";
      if (r.span.begin > r.span.end || r.span.end > s.text.size())
        return fmt::format("the region \"{}\" is outside its sentence", r.name);
      if (inside_character(s.text, r.span.begin) || inside_character(s.text, r.span.end))
        return fmt::format("the region \"{}\" begins or ends inside a character", r.name);
      if (r.span.begin < end)
        return fmt::format("the region \"{}\" begins before the one before it ends", r.name);
      end = r.span.end;
    }
  }
  std::vector<std::string_view> names;
  for (const Sentence& s : item.sentences)
    if (!s.name.empty()) names.push_back(s.name);
  const size_t again = first_repeated(names.size(), [&](size_t i) { return names[i]; });
  return again < names.size() ? fmt::format("two sentences are named \"{}\"", names[again]) : "";
}

// One file of our own.
class SuiteFileItems : public ItemStream {
 public:
  explicit SuiteFileItems(const fs::path& file) : lines_(file) { where_.file = lines_.name(); }

  bool next(Item& item) override {
    std::string_view line;
    do
      if (!lines_.next(line)) return false;
    while (trim(line).empty());
    where_.line = lines_.line_number();
    parser_.parse(line, where_, item);
    return true;
  }

  Where where() const override { return where_; }

 private:
  LineReader lines_;
  ItemParser parser_;
  Where where_;
};

}  // namespace

struct ItemParser::Impl {
  simdjson::dom::parser parser;
  std::string padded;
};

ItemParser::ItemParser() : impl_(std::make_unique<Impl>()) {}
ItemParser::~ItemParser() = default;

void ItemParser::parse(std::string_view line, const Where& where, Item& item) {
  std::string& padded = impl_->padded;
  if (padded.size() < line.size() + simdjson::SIMDJSON_PADDING)
    padded.resize(2 * line.size() + simdjson::SIMDJSON_PADDING);
  std::copy(line.begin(), line.end(), padded.begin());
  try {
    element root;
    if (auto error = impl_->parser.parse(padded.data(), line.size(), false).get(root))
      throw not_json(simdjson::error_message(error));
    clear_item(item);
    item.sentences.clear();
    read_item(root, item);
    check_item(item);
  } catch (Error& e) {
    throw e.at(where);
  }
}

void check_item(const Item& item, const Where& where) {
  auto fail = [&](std::string reason) { throw bad_input(std::move(reason)).at(where); };
  if (item.id.empty()) fail("an item needs an \"id\"");
  if (item.test.empty()) fail("an item needs a \"test\"");
  if (item.sentences.empty()) fail("an item needs \"sentences\"");
  if (item.cloze ? item.sentences.size() > 1 : item.sentences.size() == 1 && !item.design)
    fail(item.cloze ? "a cloze has one sentence"
                    : "a single sentence is a cloze and needs a \"locus\"");
  if (item.cloze && item.sentences[0].locus.empty())
    fail("a single sentence is a cloze and needs a \"locus\"");
  bool any_grammatical = false;
  for (const Sentence& s : item.sentences) {
    any_grammatical |= s.grammatical;
    if (std::string why = why_no_sentence(s.text); !why.empty()) fail(std::move(why));
    if (!is_utf8(s.text)) fail("a sentence is not UTF-8");
    if (s.locus.begin > s.locus.end || s.locus.end > s.text.size())
      fail("a locus is outside its sentence");
    if (inside_character(s.text, s.locus.begin) || inside_character(s.text, s.locus.end))
      fail("a locus begins or ends inside a character");
  }
  if (!any_grammatical && !item.design) fail("no sentence of the item is grammatical");
  if (any_grammatical && item.design) fail("in a design no sentence is called grammatical");
  if (std::string why = why_no_design(item); !why.empty()) fail(std::move(why));
  for (const std::string* text :
       {&item.id, &item.test, &item.condition, &item.language, &item.cluster})
    if (!is_utf8(*text))
      fail("an item's names are not UTF-8");
    else if (has_control(*text))
      fail("an item's names have a control character");
  const auto feature_name = [&](size_t i) -> std::string_view { return item.features[i].first; };
  const size_t again = first_repeated(item.features.size(), feature_name);
  if (again < item.features.size())
    fail(fmt::format("the feature \"{}\" is given twice", feature_name(again)));
  for (const auto& feature : item.features)
    if (std::string why = why_no_feature(feature); !why.empty()) fail(std::move(why));
}

void append_json_line(std::string& to, const Item& item) {
  JsonWriter json(to);
  json.open('{').key("id").text(item.id).key("test").text(item.test);
  if (!item.condition.empty()) json.key("condition").text(item.condition);
  if (!item.language.empty()) json.key("language").text(item.language);
  if (!item.cluster.empty()) json.key("cluster").text(item.cluster);
  json.key("sentences").open('[');
  for (const Sentence& s : item.sentences) write_sentence(json, s, item.design);
  json.close(']');
  if (!item.features.empty()) {
    json.key("features").open('{');
    for (const auto& [name, value] : item.features) {
      json.key(name);
      const auto* text = std::get_if<std::string>(&value);
      text ? json.text(*text) : json.number(std::get<double>(value));
    }
    json.close('}');
  }
  json.close('}');
  to += '\n';
}

std::unique_ptr<ItemStream> read_suite_file(const fs::path& file) {
  return std::make_unique<SuiteFileItems>(file);
}

SuiteWriter::SuiteWriter(const fs::path& path) : file_(path) {}

void SuiteWriter::write(const Item& item) {
  check_item(item);
  buffer_.clear();
  append_json_line(buffer_, item);
  file_.write(buffer_);
  ++count_;
}

void SuiteWriter::commit() { file_.commit(); }

}  // namespace minpair::suite
