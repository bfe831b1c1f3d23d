// N-gram models with back-off, in the ARPA format that KenLM, SRILM and IRSTLM write: the papers'
// baseline.

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <unordered_map>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "model/causal.h"
#include "model/edges.h"
#include "tokenizer/make.h"

namespace minpair::model {
namespace {

struct Entry {
  float logprob = 0, backoff = 0;  // base 10, as in the file
};

constexpr double kLn10 = 2.302585092994045684;

class Arpa {
 public:
  explicit Arpa(const std::filesystem::path& path) : lines_(path) {
    read_counts();
    for (size_t n = 1; n <= orders_; ++n) read_grams(n);
    if (line_ != "\\end\\") throw bad("\\end\\ is missing: the file is cut off");
  }

  std::vector<std::string> words;
  std::unordered_map<Hash128, Entry> grams;
  size_t orders_ = 0;
  Hash128 content;

  static Hash128 key(const tokenizer::TokenId* ids, size_t n) {
    return hash128({reinterpret_cast<const char*>(ids), n * sizeof(tokenizer::TokenId)}, n);
  }

 private:
  Error bad(std::string what) {
    return bad_input(std::move(what))
        .at(lines_.name(), lines_.line_number())
        .hint("an ARPA file is expected: \\data\\, \\1-grams:, ..., \\end\\");
  }

  bool next() {
    std::string_view view;
    do {
      if (!lines_.next(view)) return false;
      content = fingerprint128(view, content.low ^ (content.high * 31));
      line_ = trim(view);
    } while (line_.empty());
    return true;
  }

  void read_counts() {
    while (next() && line_ != "\\data\\") {
    }
    while (next() && line_.starts_with("ngram ")) ++orders_;
    if (orders_ == 0 || orders_ > 20) throw bad("no n-gram counts are here");
  }

  float number(std::string_view text) {
    float value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || std::isnan(value))
      throw bad(fmt::format("'{}' is not a number", text));
    return value;
  }

  void read_grams(size_t n) {
    if (line_ != fmt::format("\\{}-grams:", n)) throw bad(fmt::format("\\{}-grams: is missing", n));
    std::vector<tokenizer::TokenId> ids(n);
    while (next() && line_[0] != '\\') {
      std::vector<std::string_view> columns = minpair::words(line_);
      if (columns.size() != n + 1 && columns.size() != n + 2)
        throw bad(fmt::format("this is not a {}-gram", n));
      for (size_t i = 0; i < n; ++i) ids[i] = id_of(columns[i + 1], n == 1);
      grams[key(ids.data(), n)] = {number(columns[0]),
                                   columns.size() == n + 2 ? number(columns[n + 1]) : 0};
    }
  }

  tokenizer::TokenId id_of(std::string_view word, bool add) {
    auto found = ids_.find(std::string(word));
    if (found != ids_.end()) return found->second;
    if (!add) throw bad(fmt::format("'{}' is not among the 1-grams", word));
    words.emplace_back(word);
    ids_.emplace(word, tokenizer::TokenId(words.size() - 1));
    return tokenizer::TokenId(words.size() - 1);
  }

  LineReader lines_;
  std::string line_;
  std::unordered_map<std::string, tokenizer::TokenId> ids_;
};

class Ngram : public query::Model {
 public:
  explicit Ngram(const Source& source) : arpa_(source.path), info_(source.known) {
    tokenizer::WordsOptions options;
    options.around.names = {"<unk>", "", "", "", "", "<s>", "</s>"};
    options.around.before = {};
    tokenizer_ = tokenizer::make_words(arpa_.words, options);
    info_.architecture = fmt::format("{}-gram", arpa_.orders_);
    info_.vocabulary = uint32_t(arpa_.words.size());
    info_.parameters = arpa_.grams.size();
    info_.fingerprint = sha256_hex(hex_of(arpa_.content));
    set_edges(info_, *tokenizer_, source.options,
              {tokenizer_->special().bos, query::EdgeFrom::arpa},
              {tokenizer_->special().eos, query::EdgeFrom::arpa});
    if (tokenizer_->special().unk < 0)
      info_.notes.push_back(
          "the model has no <unk>: sentences with unknown words cannot be scored");
  }

  const query::ModelInfo& info() const override { return info_; }
  const tokenizer::Tokenizer& tokenizer() const override { return *tokenizer_; }

  std::vector<query::Answer> answer(std::span<const query::Query> queries) override {
    return answer_by_logits(*this, queries, [&](std::span<const Input> inputs) {
      std::vector<std::vector<Logits>> all(inputs.size());
      for (size_t i = 0; i < inputs.size(); ++i)
        for (const Read& read : inputs[i].reads) {
          Logits& logits = all[i].emplace_back();
          for (tokenizer::TokenId target : read.targets) {
            // Every word is complete before every other.
            bool end = target == query::kWordEnd;
            logits.logits.push_back(end ? 0
                                        : float(logprob(inputs[i].ids, read.position + 1, target)));
          }
        }
      return all;
    });
  }

 private:
  // Natural logarithm of P(target | the last words before `end`), backing off to shorter histories.
  double logprob(std::span<const tokenizer::TokenId> ids, size_t end,
                 tokenizer::TokenId target) const {
    size_t history = std::min(end, arpa_.orders_ - 1);
    double backoff = 0;
    std::vector<tokenizer::TokenId> gram;
    for (;; --history) {
      gram.assign(ids.begin() + ptrdiff_t(end - history), ids.begin() + ptrdiff_t(end));
      gram.push_back(target);
      if (auto found = arpa_.grams.find(Arpa::key(gram.data(), gram.size()));
          found != arpa_.grams.end())
        return (double(found->second.logprob) + backoff) * kLn10;
      if (history == 0) return -HUGE_VAL;
      if (auto found = arpa_.grams.find(Arpa::key(gram.data(), history));
          found != arpa_.grams.end())
        backoff += double(found->second.backoff);
    }
  }

  Arpa arpa_;
  query::ModelInfo info_;
  std::unique_ptr<tokenizer::Tokenizer> tokenizer_;
};

}  // namespace

std::unique_ptr<query::Model> load_ngram(const Source& source) {
  return std::make_unique<Ngram>(source);
}

}  // namespace minpair::model
