#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "report/html_parts.h"
#include "suite/json_text.h"

namespace minpair::report {
namespace {

void next(std::string& column, long value) {
  if (!column.empty()) column += ',';
  fmt::format_to(std::back_inserter(column), FMT_COMPILE("{}"), value);
}

// Every distinct text once, and the place of each item's.
struct Texts {
  std::map<std::string, size_t> places;
  std::vector<std::string> texts;
  std::string column;

  void add(const std::string& text) {
    auto [at, added] = places.try_emplace(text, texts.size());
    if (added) texts.push_back(text);
    next(column, long(at->second));
  }
  std::string json() const {
    std::string out = "{\"texts\":[";
    for (const std::string& t : texts) {
      if (&t != &texts.front()) out += ',';
      suite::append_json_string(out, t);
    }
    return out + "],\"at\":[" + column + "]}";
  }
};

// 0 ungrammatical, 1 grammatical, 2 neither (of a design), 3 with a blank.
int kind_of(const suite::Item& item, const suite::Sentence& s) {
  return item.cloze ? 3 : item.design ? 2 : s.grammatical ? 1 : 0;
}

// Text, locus, kind; of designs and of sentences with a context also name, context, regions.
void append_sentence(std::string& out, const suite::Item& item, const suite::Sentence& s) {
  out += '[';
  suite::append_json_string(out, s.text);
  fmt::format_to(std::back_inserter(out), FMT_COMPILE(",{},{},{}"),
                 utf16_of_byte(s.text, s.locus.begin), utf16_of_byte(s.text, s.locus.end),
                 kind_of(item, s));
  if (item.design || !s.context.empty()) {
    for (const std::string* text : {&s.name, &s.context}) {
      out += ',';
      suite::append_json_string(out, *text);
    }
    out += ",[";
    for (const suite::Region& r : s.regions) {
      out += &r == &s.regions.front() ? "[" : ",[";
      suite::append_json_string(out, r.name);
      fmt::format_to(std::back_inserter(out), FMT_COMPILE(",{},{}]"),
                     utf16_of_byte(s.text, r.span.begin), utf16_of_byte(s.text, r.span.end));
    }
    out += ']';
  }
  out += ']';
}

// Places in one text, mostly asked for from left to right.
class Utf16Places {
 public:
  explicit Utf16Places(std::string_view text) : text_(text) {}
  size_t at(size_t byte) {
    if (byte < byte_) byte_ = units_ = 0;
    for (; byte_ < byte && byte_ < text_.size(); ++byte_) {
      auto c = static_cast<unsigned char>(text_[byte_]);
      if ((c & 0xC0) != 0x80) units_ += c >= 0xF0 ? 2 : 1;
    }
    return units_;
  }

 private:
  std::string_view text_;
  size_t byte_ = 0, units_ = 0;
};

// Every feature as texts, a place per item.
std::string features_json(const SuiteItems& suite) {
  std::map<std::string, Texts> features;
  for (const suite::Item& item : suite.items)
    for (const auto& [name, value] : item.features) features[name];
  std::string out;
  for (auto& [name, texts] : features) {
    for (const suite::Item& item : suite.items) {
      const suite::FeatureValue* value = suite::find_feature(item, name);
      const double* number = value ? std::get_if<double>(value) : nullptr;
      texts.add(number ? fmt::format("{}", *number) : suite::feature_text(item, name));
    }
    out += out.empty() ? "" : ",";
    suite::append_json_string(out, name);
    out += ":" + texts.json();
  }
  return "{" + out + "}";
}

}  // namespace

size_t utf16_of_byte(std::string_view text, size_t byte) { return Utf16Places(text).at(byte); }

std::string items_json(const SuiteItems& suite) {
  std::string ids, sentences;
  Texts tests, conditions, languages;
  for (const suite::Item& item : suite.items) {
    if (!ids.empty()) ids += ',', sentences += ',';
    suite::append_json_string(ids, item.id);
    tests.add(item.test);
    conditions.add(item.condition);
    languages.add(item.language);
    sentences += '[';
    for (const suite::Sentence& s : item.sentences) {
      if (&s != &item.sentences.front()) sentences += ',';
      append_sentence(sentences, item, s);
    }
    sentences += ']';
  }
  return fmt::format(
      "{{\"ids\":[{}],\"tests\":{},\"conditions\":{},\"languages\":{},\"sentences\":[{}],"
      "\"features\":{}}}",
      ids, tests.json(), conditions.json(), languages.json(), sentences, features_json(suite));
}

std::string outcomes_json(const std::vector<Judged>& judged, const SuiteItems& suite, int scale) {
  // r right, w wrong, t tie, x excluded, - not in this run
  std::string outcomes(suite.items.size(), '-'), margins, equal(suite.items.size(), '1');
  std::vector<const Judged*> at(suite.items.size());
  for (const Judged& j : judged) at[j.item] = &j;
  Texts reasons;
  for (size_t i = 0; i < at.size(); ++i) {
    const Judged* j = at[i];
    bool scored = j && j->excluded == judge::Reason::none;
    if (j) outcomes[i] = scored ? "wtr"[size_t(j->outcome)] : 'x';
    if (j && !j->equal_lengths) equal[i] = '0';
    reasons.add(j ? std::string(key_of(j->excluded)) : "");
    if (i > 0) margins += ',';
    bool known = scored && std::isfinite(j->margin);
    margins += known ? std::to_string(std::lround(double(j->margin) * scale)) : "null";
  }
  return fmt::format(
      "{{\"outcomes\":\"{}\",\"equal\":\"{}\",\"scale\":{},\"margins\":[{}],\"reasons\":{}}}",
      outcomes, equal, scale, margins, reasons.json());
}

void TokenColumns::add(uint32_t item, const std::vector<judge::SentenceScore>& sentences) {
  items_.push_back(item);
  counts_.push_back(uint32_t(sentences.size()));
  for (const judge::SentenceScore& s : sentences) {
    counts_.push_back(uint32_t(s.tokens.size()));
    std::vector<uint16_t> now;
    for (const judge::TokenScore& t : s.tokens) {
      spans_.push_back(t.span);
      flags_ += char((t.special ? 1 : 0) + (t.in_locus ? 2 : 0));
      double hundredths = std::isfinite(t.logprob) ? 10000 - std::round(t.logprob * 100) : 65535;
      now.push_back(uint16_t(std::clamp(hundredths, 1.0, 65535.0)));
      // Sentences begin alike, and causal models then say the same of them.
      const size_t i = now.size() - 1;
      const uint16_t stored = i < before_.size() && before_[i] == now[i] ? 0 : now[i];
      low_ += char(stored & 255);
      high_ += char(stored >> 8);
    }
    before_ = std::move(now);
  }
}

bool TokenColumns::same_shape(const TokenColumns& other) const {
  return items_ == other.items_ && counts_ == other.counts_ && flags_ == other.flags_ &&
         spans_ == other.spans_;
}

std::string TokenColumns::shape(const SuiteItems& suite) const {
  std::string items, counts, gaps, lengths, flags;
  size_t count = 0, token = 0;
  for (uint32_t item : items_) {
    next(items, long(item));
    uint32_t sentences = counts_[count++];
    next(counts, long(sentences));
    for (uint32_t s = 0; s < sentences; ++s) {
      const std::vector<suite::Sentence>& known = suite.items[item].sentences;
      Utf16Places places(s < known.size() ? std::string_view(known[s].text) : std::string_view());
      uint32_t tokens = counts_[count++];
      next(counts, long(tokens));
      // Where tokens follow each other, numbers repeat.
      size_t end = 0;
      for (uint32_t t = 0; t < tokens; ++t, ++token) {
        size_t begin = places.at(spans_[token].begin);
        next(gaps, long(begin) - long(end));
        end = places.at(spans_[token].end);
        next(lengths, long(end) - long(begin));
        next(flags, long(flags_[token]));
      }
    }
  }
  return fmt::format(
      "{{\"items\":[{}],\"counts\":[{}],\"gaps\":[{}],\"lengths\":[{}],\"flags\":[{}]}}", items,
      counts, gaps, lengths, flags);
}

}  // namespace minpair::report
