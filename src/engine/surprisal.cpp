#include "engine/surprisal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "base/error.h"
#include "engine/engine.h"
#include "engine/running_text.h"
#include "tokenizer/word_ends.h"

namespace minpair::engine {
namespace {

const double kUnknown = std::nan("");

// The word that each token is of, by its first character; -1: none.
std::vector<int> words_of_tokens(std::string_view text, const std::vector<std::string_view>& words,
                                 const std::vector<judge::TokenScore>& tokens) {
  std::vector<int> places;
  size_t word = 0;
  for (const judge::TokenScore& token : tokens) {
    const Span span = token.span;
    auto end = [&] { return size_t(words[word].data() - text.data()) + words[word].size(); };
    while (word < words.size() && end() <= span.begin) ++word;
    places.push_back(word < words.size() && !span.empty() ? int(word) : -1);
  }
  return places;
}

}  // namespace

// Takes texts in, and gives words out in their order.
class Surprisal::Reader {
 public:
  Reader(query::Model& model, const SurprisalOptions& options, Give give)
      : model_(model), tokenizer_(model.tokenizer()), options_(options), give_(std::move(give)) {}
  virtual ~Reader() = default;

  void add(std::string_view text) {
    ++texts_;
    std::vector<std::string_view> words = minpair::words(text);
    if (words.empty()) return;
    words_ += words.size();
    read(text, words);
  }
  virtual void finish() = 0;
  uint64_t words() const { return words_; }

 protected:
  virtual void read(std::string_view text, const std::vector<std::string_view>& words) = 0;

  struct Waiting {
    WordSurprisal word;
    uint32_t missing = 0;  // pieces without an answer
    bool ended = false;    // it is known what came behind it
  };
  Waiting word_at(const std::vector<std::string_view>& words, size_t i) const {
    Waiting w;
    w.word.text = texts_;
    w.word.position = uint32_t(i + 1);
    w.word.word = words[i];
    w.word.entropy = kUnknown;
    return w;
  }

  query::Model& model_;
  const tokenizer::Tokenizer& tokenizer_;
  SurprisalOptions options_;
  Give give_;
  uint64_t texts_ = 0, words_ = 0;
};

namespace {

// Models that read from left to right.
class InOrder : public Surprisal::Reader {
 public:
  InOrder(query::Model& model, const SurprisalOptions& options, Surprisal::Give give)
      : Reader(model, options, std::move(give)),
        running_(model, options.by_line),
        windows_(model, options.overlap,
                 [this](std::span<const query::Record> records) { take(records); }) {
    const query::ModelInfo& info = model.info();
    if (running_.alone() && info.end_from == query::EdgeFrom::end_option)
      throw wrong_call("--end has no effect on texts that are read each on its own")
          .hint("what follows the last word changes no word before it");
    // Where no piece goes on with a word, every word is complete.
    corrects_ = tokenizer::word_ends(tokenizer_, info.vocabulary).size() <
                std::min<size_t>(info.vocabulary, tokenizer_.vocabulary_size());
  }

  void finish() override {
    end_text();
    windows_.ask();
    give_ready();
  }

 protected:
  void read(std::string_view text, const std::vector<std::string_view>& words) override {
    const method::Encoded e = running_.next(text, windows_);
    std::vector<int> places = words_of_tokens(text, words, e.tokens);
    size_t next = 0;  // the first word that is not waiting yet
    for (size_t i = 0; i < e.tokens.size(); ++i) {
      bool begins = places[i] >= 0 && (i == 0 || places[i] != places[i - 1]);
      for (; places[i] >= int(next); ++next) waiting_.push_back(word_at(words, next));
      add_piece(e.tokens[i].id, begins, places[i] >= 0);
    }
    for (; next < words.size(); ++next) waiting_.push_back(word_at(words, next));
    if (running_.end() >= 0) behind_word(running_.end());
    if (running_.alone()) end_text();
    give_ready();
  }

 private:
  // What the answers to a token are for; places count from the first word of all.
  struct Tag {
    int64_t word = -1, before = -1;  // its own; the one that it ends
    bool complete = false;           // with the probability that a word was complete
  };

  bool ends_words(tokenizer::TokenId id) const {
    return corrects_ && (id == query::kWordEnd || tokenizer::completes_word(tokenizer_, id));
  }

  void add_piece(tokenizer::TokenId id, bool begins, bool wanted) {
    if (!wanted) return windows_.add(id, {});
    Waiting& own = waiting_.back();
    ++own.word.pieces;
    own.word.unknown |= id == tokenizer_.special().unk;
    if (windows_.at_start()) {
      own.word.surprisal = own.word.corrected = kUnknown;
      return windows_.add(id, {});
    }
    ++own.missing;
    Tag tag{given_ + int64_t(waiting_.size()) - 1, -1, begins && ends_words(id)};
    if (begins && tag.word - 1 != closed_) tag.before = tag.word - 1;
    query::Targets targets{{id}};
    if (tag.complete) targets.ids.push_back(query::kWordEnd);
    std::vector<query::What> asked = {targets};
    if (begins && options_.entropy) asked.push_back(query::Entropy{});
    if (begins && options_.rank) asked.push_back(query::Rank{id});
    tags_.push_back(tag);
    windows_.add(id, std::move(asked));
  }

  // What stands behind the last word says whether that was complete.
  void behind_word(tokenizer::TokenId id) {
    closed_ = given_ + int64_t(waiting_.size()) - 1;
    bool asked = corrects_ && ends_words(id) && !waiting_.empty();
    if (asked) tags_.push_back({-1, closed_, true});
    if (!asked && !waiting_.empty()) waiting_.back().ended = true;
    query::Targets targets{{query::kWordEnd}};
    windows_.add(id, asked ? std::vector<query::What>{targets} : std::vector<query::What>{});
  }

  void end_text() {
    if (running_.end() < 0 && !windows_.at_start()) behind_word(query::kWordEnd);
    windows_.finish();
  }

  Waiting* waiting_at(int64_t word) {
    return word >= given_ && word < given_ + int64_t(waiting_.size())
               ? &waiting_[size_t(word - given_)]
               : nullptr;
  }

  void take(std::span<const query::Record> records) {
    Tag tag = tags_.front();
    tags_.pop_front();
    const query::Logits& logits = logits_of(records[0]);
    double complete = tag.complete ? logits.logprob(logits.logits.size() - 1) : 0;
    if (Waiting* before = waiting_at(tag.before)) before->word.corrected -= complete;
    // Words without a piece of their own end with the one that has it.
    for (int64_t word = tag.before; waiting_at(word) && !waiting_at(word)->ended; --word)
      waiting_at(word)->ended = true;
    if (Waiting* own = waiting_at(tag.word)) {
      own->word.surprisal -= logits.logprob();
      own->word.corrected -= logits.logprob() - complete;
      for (const query::Record& r : records) {
        if (const auto* nats = std::get_if<query::Nats>(&r)) own->word.entropy = nats->entropy;
        if (const auto* ranked = std::get_if<query::Ranked>(&r)) own->word.rank = ranked->rank;
      }
      --own->missing;
    }
  }

  void give_ready() {
    while (!waiting_.empty() && waiting_.front().missing == 0 &&
           (waiting_.front().ended || !corrects_)) {
      give_(waiting_.front().word);
      waiting_.pop_front();
      ++given_;
    }
  }

  RunningText running_;
  Windows windows_;
  bool corrects_ = true;
  std::deque<Waiting> waiting_;
  int64_t given_ = 0;    // how many words were in front of the first that waits
  int64_t closed_ = -1;  // the last one behind which a text ended
  std::deque<Tag> tags_;
};

// Masked models: every text on its own, each word masked in turn.
class OneByOne : public Surprisal::Reader {
 public:
  OneByOne(query::Model& model, const SurprisalOptions& options, Surprisal::Give give)
      : Reader(model, options, std::move(give)),
        method_(method::find_method(options.method.empty() ? "pll-word-l2r" : options.method,
                                    model.info())) {
    if (method_.info().cloze || method_.info().scope == judge::Scope::locus)
      throw wrong_call(
          fmt::format("the method '{}' does not score every word of a text", method_.name()))
          .hint(fmt::format("'{}' does", method::default_method(model.info()).name()));
  }

  void finish() override {
    std::vector<std::vector<ItemScores>> scores = score_items(model_, {&method_}, items_);
    for (size_t i = 0; i < items_.size(); ++i) give(items_[i], text_numbers_[i], scores[i][0]);
    items_.clear();
    text_numbers_.clear();
    tokens_ = 0;
  }

 protected:
  void read(std::string_view text, const std::vector<std::string_view>& words) override {
    suite::Item& item = items_.emplace_back();
    item.sentences.push_back({{std::string(text)}, {}, false});
    text_numbers_.push_back(texts_);
    tokens_ += words.size() * words.size();  // every word is a pass over all
    if (tokens_ > 8 * size_t(model_.info().batch_tokens)) finish();
  }

 private:
  void give(const suite::Item& item, uint64_t number, const ItemScores& scores) {
    const std::string& text = item.sentences[0].text;
    std::vector<std::string_view> words = minpair::words(text);
    std::vector<WordSurprisal> all;
    bool scored = scores.excluded == judge::Reason::none;
    for (size_t i = 0; i < words.size(); ++i) {
      WordSurprisal w = word_at(words, i).word;
      w.text = number;
      if (!scored) w.surprisal = kUnknown;
      w.unknown = scores.excluded == judge::Reason::unknown_text;
      w.corrected = kUnknown;
      all.push_back(std::move(w));
    }
    std::vector<int> places;
    if (scored) places = words_of_tokens(text, words, scores.sentences[0].tokens);
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i] < 0) continue;
      const judge::TokenScore& t = scores.sentences[0].tokens[i];
      WordSurprisal& w = all[size_t(places[i])];
      ++w.pieces;
      w.surprisal -= t.logprob;
      w.unknown |= t.id == tokenizer_.special().unk;
    }
    for (const WordSurprisal& w : all) give_(w);
  }

  const method::Method& method_;
  std::vector<suite::Item> items_;
  std::vector<uint64_t> text_numbers_;
  size_t tokens_ = 0;
};

}  // namespace

Surprisal::Surprisal(query::Model& model, const SurprisalOptions& options, Give give) {
  bool masked = model.info().kind == query::ModelInfo::Kind::masked;
  if (masked && (options.entropy || options.rank))
    throw wrong_call("entropies and ranks are only for models that read from left to right");
  if (!masked && !options.method.empty())
    throw wrong_call("--method is for masked models; others read from left to right");
  if (masked)
    reader_ = std::make_unique<OneByOne>(model, options, std::move(give));
  else
    reader_ = std::make_unique<InOrder>(model, options, std::move(give));
}

Surprisal::~Surprisal() = default;
void Surprisal::add(std::string_view text) { reader_->add(text); }
void Surprisal::finish() { reader_->finish(); }
uint64_t Surprisal::words() const { return reader_->words(); }

}  // namespace minpair::engine
