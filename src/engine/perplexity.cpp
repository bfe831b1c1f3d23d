#include "engine/perplexity.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/file.h"

namespace minpair::engine {
namespace {

constexpr uint32_t kWindow =
    1024;  // of models without a limit of their own: states are carried within it

// Tokens waiting to be scored, and those already scored that are their context.
class Windows {
 public:
  Windows(query::Model& model, const PerplexityOptions& options, Perplexity& result)
      : model_(model), result_(result) {
    const query::ModelInfo& info = model.info();
    size_ = info.max_tokens ? info.max_tokens : kWindow;
    overlap_ = options.overlap ? std::min(options.overlap, size_ - 1) : size_ / 2;
  }

  void add(tokenizer::TokenId id) {
    ids_.push_back(id);
    // One more than a window: the last one is only asked about.
    if (ids_.size() == size_ + 1) cut();
  }

  // Ends a text: what comes next has no context.
  void finish() {
    if (ids_.size() > std::max<size_t>(scored_, 1)) cut();
    ids_.clear();
    scored_ = 0;
  }

  void ask() {
    for (const query::Answer& answer : model_.answer(queries_))
      for (const query::Record& record : answer) {
        result_.log_probability += logits_of(record).logprob();
        ++result_.scored;
      }
    queries_.clear();
    tokens_ = 0;
  }

 private:
  void cut() {
    query::Query query;
    query.ids.assign(ids_.begin(), ids_.end() - 1);
    for (size_t i = std::max<size_t>(scored_, 1); i < ids_.size(); ++i)
      query.asks.push_back({uint32_t(i - 1), query::Targets{{ids_[i]}}});
    if (tokens_ + query.ids.size() > model_.info().batch_tokens) ask();
    tokens_ += query.ids.size();
    queries_.push_back(std::move(query));
    size_t keep = std::min<size_t>(overlap_ + 1, ids_.size());
    ids_.erase(ids_.begin(), ids_.end() - ptrdiff_t(keep));
    scored_ = ids_.size();
  }

  query::Model& model_;
  Perplexity& result_;
  uint32_t size_, overlap_;
  std::vector<tokenizer::TokenId> ids_;
  size_t scored_ = 0;  // how many of them need no score any more
  std::vector<query::Query> queries_;
  size_t tokens_ = 0;  // of them
};

}  // namespace

double Perplexity::per_token() const {
  return scored ? std::exp(-log_probability / double(scored)) : 0;
}
double Perplexity::per_word() const {
  return words ? std::exp(-log_probability / double(words)) : 0;
}

Perplexity perplexity(query::Model& model, const std::filesystem::path& file,
                      const PerplexityOptions& options,
                      const std::function<void(uint64_t tokens)>& tick) {
  const query::ModelInfo& info = model.info();
  if (info.kind == query::ModelInfo::Kind::masked)
    throw wrong_call("a masked model has no perplexity")
        .hint("pseudo-log-likelihoods of sentences are the method 'pll'");
  const tokenizer::Tokenizer& tokenizer = model.tokenizer();
  // Recurrent models read one text without end: a sentence ends with what the next one begins
  // after.
  bool carried = info.kind == query::ModelInfo::Kind::recurrent &&
                 info.end_from != query::EdgeFrom::end_option;
  tokenizer::TokenId end = info.end < 0 && carried ? info.start : info.end;
  Perplexity result;
  Windows windows(model, options, result);
  bool first = true;
  uint64_t tokens = 0;
  LineReader lines(file);
  for (std::string_view line; lines.next(line);) {
    if (trim(line).empty()) continue;
    ++result.lines;
    result.words += words(line).size() + (end >= 0 ? 1 : 0);
    bool alone = options.by_line || info.kind == query::ModelInfo::Kind::ngram;
    if ((first || alone) && info.start >= 0) windows.add(info.start);
    first = false;
    for (const tokenizer::Token& t : tokenizer.encode(line, false).tokens) {
      if (t.id == tokenizer.special().unk) ++result.unknown;
      windows.add(t.id);
      ++tokens;
    }
    if (end >= 0) windows.add(end);
    if (alone) windows.finish();
    if (tick) tick(tokens);
  }
  windows.finish();
  windows.ask();
  return result;
}

}  // namespace minpair::engine
