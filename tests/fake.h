#pragma once
// A tokenizer and a model for tests: no weights, but the same answers every time. The logits are
// hashes of the whole input, so that any mistake in an input shows.

#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "query/logits.h"

namespace minpair::testing {

// Words at white space, punctuation on its own, words longer than four letters in pieces of four
// ("##" in front of all but the first). Every piece has an id: a hash. Words beginning with 'Q' are
// unknown.
class FakeTokenizer : public tokenizer::Tokenizer {
 public:
  static constexpr tokenizer::TokenId kPad = 0, kUnk = 1, kCls = 2, kSep = 3, kMask = 4,
                                      kVocabulary = 100000;

  FakeTokenizer() { special_ = {kUnk, kPad, kCls, kSep, kMask, -1, -1}; }

  tokenizer::Encoding encode(std::string_view text, bool with_special = true) const override {
    tokenizer::Encoding e;
    if (with_special) e.tokens.push_back({kCls, {}, true});
    for (size_t at = 0; at < text.size();) {
      if (text.substr(at).starts_with("[MASK]")) {
        e.tokens.push_back({kMask, {at, at + 6}, true});
        at += 6;
      } else if (std::isspace(uint8_t(text[at]))) {
        ++at;
      } else if (std::ispunct(uint8_t(text[at]))) {
        e.tokens.push_back({id_of(text.substr(at, 1)), {at, at + 1}, false});
        ++at;
      } else {
        at = word(text, at, e);
      }
    }
    if (with_special) e.tokens.push_back({kSep, {}, true});
    return e;
  }

  size_t vocabulary_size() const override { return kVocabulary; }
  std::string piece(tokenizer::TokenId id) const override {
    if (id == kMask) return "[MASK]";
    auto at = pieces_.find(id);
    return at == pieces_.end() ? "?" : at->second;
  }
  std::optional<tokenizer::TokenId> id(std::string_view piece) const override {
    return id_of(piece);
  }
  const tokenizer::SpecialIds& special() const override { return special_; }
  bool begins_word(tokenizer::TokenId id) const override { return !piece(id).starts_with("##"); }
  std::string kind() const override { return "fake"; }
  const std::string& fingerprint() const override { return fingerprint_; }

 private:
  tokenizer::TokenId id_of(std::string_view piece) const {
    tokenizer::TokenId id = tokenizer::TokenId(5 + hash128(piece).low % (kVocabulary - 5));
    pieces_.emplace(id, piece);
    return id;
  }

  size_t word(std::string_view text, size_t at, tokenizer::Encoding& e) const {
    size_t end = at;
    while (end < text.size() && !std::isspace(uint8_t(text[end])) &&
           !std::ispunct(uint8_t(text[end])))
      ++end;
    if (text[at] == 'Q') {
      e.tokens.push_back({kUnk, {at, end}, false});
      return end;
    }
    for (size_t from = at; from < end; from += 4) {
      Span span{from, std::min(end, from + 4)};
      std::string piece(slice(text, span));
      e.tokens.push_back({id_of(from == at ? piece : "##" + piece), span, false});
    }
    return end;
  }

  tokenizer::SpecialIds special_;
  std::string fingerprint_ = "fake tokenizer";
  mutable std::map<tokenizer::TokenId, std::string> pieces_;
};

class FakeModel : public query::Model {
 public:
  explicit FakeModel(uint64_t seed = 0) : seed_(seed) {
    info_.name = "fake";
    info_.architecture = "fake";
    info_.max_tokens = 64;
    info_.vocabulary = FakeTokenizer::kVocabulary;
    info_.fingerprint = "fake " + std::to_string(seed);
  }

  const query::ModelInfo& info() const override { return info_; }
  query::ModelInfo& info() { return info_; }
  const tokenizer::Tokenizer& tokenizer() const override { return tokenizer_; }

  std::vector<query::Answer> answer(std::span<const query::Query> queries) override {
    ++calls;
    return answer_by_logits(*this, queries, [&](std::span<const query::Input> inputs) {
      std::vector<std::vector<query::Logits>> all;
      for (const query::Input& input : inputs) {
        ++forward_passes;
        tokens += input.ids.size();
        all.push_back(logits_for(input));
      }
      return all;
    });
  }

  uint64_t calls = 0, forward_passes = 0, tokens = 0;

 private:
  double number(const query::Input& q, uint64_t position, uint64_t what) const {
    std::string_view ids(reinterpret_cast<const char*>(q.ids.data()), q.ids.size() * 4);
    return double(hash128(ids, seed_ * 1000003 + position * 7919 + what).low % 100000) / 10000;
  }

  std::vector<query::Logits> logits_for(const query::Input& q) const {
    std::vector<query::Logits> answer;
    for (const query::Read& r : q.reads) {
      query::Logits a;
      for (tokenizer::TokenId t : r.targets)
        a.logits.push_back(float(number(q, r.position, uint64_t(t)) - 5));
      if (r.normalized) a.log_sum_exp = 9 + number(q, r.position, uint64_t{1} << 40);
      answer.push_back(a);
    }
    return answer;
  }

  uint64_t seed_;
  query::ModelInfo info_;
  FakeTokenizer tokenizer_;
};

}  // namespace minpair::testing
