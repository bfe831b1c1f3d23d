#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "report/html_parts.h"

namespace minpair::report {
namespace {

using Json = nlohmann::ordered_json;

// Every distinct text once, and the place of each item's.
class Texts {
 public:
  void add(const std::string& text) {
    auto [at, added] = places_.try_emplace(text, texts_.size());
    if (added) texts_.push_back(text);
    at_.push_back(at->second);
  }
  Json json() const { return {{"texts", texts_}, {"at", at_}}; }

 private:
  std::map<std::string, size_t> places_;
  std::vector<std::string> texts_;
  std::vector<size_t> at_;
};

// 0 ungrammatical, 1 grammatical, 2 neither (of a design), 3 with a blank.
int kind_of(const suite::Item& item, const suite::Sentence& s) {
  return item.cloze ? 3 : item.design ? 2 : s.grammatical ? 1 : 0;
}

// Text, locus, kind; of designs and of sentences with a context also name, context, regions.
Json sentence_json(const suite::Item& item, const suite::Sentence& s) {
  Json out = {s.text, utf16_of_byte(s.text, s.locus.begin), utf16_of_byte(s.text, s.locus.end),
              kind_of(item, s)};
  if (!item.design && s.context.empty()) return out;
  Json regions = Json::array();
  for (const suite::Region& r : s.regions)
    regions.push_back(
        {r.name, utf16_of_byte(s.text, r.span.begin), utf16_of_byte(s.text, r.span.end)});
  out.insert(out.end(), {s.name, s.context, regions});
  return out;
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
Json features_json(const SuiteItems& suite) {
  std::map<std::string, Texts> features;
  for (const suite::Item& item : suite.items)
    for (const auto& [name, value] : item.features) features[name];
  Json all = Json::object();
  for (auto& [name, texts] : features) {
    for (const suite::Item& item : suite.items) texts.add(suite::feature_text(item, name));
    all[name] = texts.json();
  }
  return all;
}

}  // namespace

double rounded(double x) { return std::round(x * 1e4) / 1e4; }

size_t utf16_of_byte(std::string_view text, size_t byte) { return Utf16Places(text).at(byte); }

std::string items_json(const SuiteItems& suite) {
  Json ids = Json::array(), sentences = Json::array();
  Texts tests, conditions, languages;
  for (const suite::Item& item : suite.items) {
    ids.push_back(item.id);
    tests.add(item.test);
    conditions.add(item.condition);
    languages.add(item.language);
    Json& own = sentences.emplace_back(Json::array());
    for (const suite::Sentence& s : item.sentences) own.push_back(sentence_json(item, s));
  }
  return json_text(Json{{"ids", std::move(ids)},
                        {"tests", tests.json()},
                        {"conditions", conditions.json()},
                        {"languages", languages.json()},
                        {"sentences", std::move(sentences)},
                        {"features", features_json(suite)}});
}

std::string outcomes_json(const std::vector<Judged>& judged, const SuiteItems& suite, int scale) {
  // r right, w wrong, t tie, x excluded, - not in this run
  std::string outcomes(suite.items.size(), '-'), equal(suite.items.size(), '1');
  std::vector<const Judged*> at(suite.items.size());
  for (const Judged& j : judged) at[j.item] = &j;
  Json margins = Json::array();
  Texts reasons;
  for (size_t i = 0; i < at.size(); ++i) {
    const Judged* j = at[i];
    bool scored = j && j->excluded == judge::Reason::none;
    if (j) outcomes[i] = scored ? "wtr"[size_t(j->outcome)] : 'x';
    if (j && !j->equal_lengths) equal[i] = '0';
    reasons.add(j ? std::string(key_of(j->excluded)) : "");
    bool known = scored && std::isfinite(j->margin);
    margins.push_back(known ? Json(std::lround(double(j->margin) * scale)) : Json());
  }
  return json_text(Json{{"outcomes", outcomes},
                        {"equal", equal},
                        {"scale", scale},
                        {"margins", std::move(margins)},
                        {"reasons", reasons.json()}});
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
  std::vector<int64_t> gaps, lengths, flags;
  size_t count = 0, token = 0;
  for (uint32_t item : items_) {
    uint32_t sentences = counts_[count++];
    for (uint32_t s = 0; s < sentences; ++s) {
      const std::vector<suite::Sentence>& known = suite.items[item].sentences;
      Utf16Places places(s < known.size() ? std::string_view(known[s].text) : std::string_view());
      uint32_t tokens = counts_[count++];
      // Where tokens follow each other, numbers repeat.
      int64_t end = 0;
      for (uint32_t t = 0; t < tokens; ++t, ++token) {
        const auto begin = int64_t(places.at(spans_[token].begin));
        gaps.push_back(begin - end);
        end = int64_t(places.at(spans_[token].end));
        lengths.push_back(end - begin);
        flags.push_back(flags_[token]);
      }
    }
  }
  return json_text(Json{{"items", items_},
                        {"counts", counts_},
                        {"gaps", gaps},
                        {"lengths", lengths},
                        {"flags", flags}});
}

}  // namespace minpair::report
