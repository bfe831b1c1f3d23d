#include "judge/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"

namespace minpair::judge {
namespace {

constexpr const char* kNormNames[] = {"sum",         "mean",  "word",         "char",        "byte",
                                      "probability", "logit", "equal-weight", "model-weight"};
constexpr size_t kSentenceNorms = 5;  // each with and without special tokens
constexpr std::string_view kNoSpecial = "-no-special";

void put(std::string& to, uint64_t n) {
  while (n >= 0x80) {
    to.push_back(char(n | 0x80));
    n >>= 7;
  }
  to.push_back(char(n));
}

void put_double(std::string& to, double x) {
  to.append(reinterpret_cast<const char*>(&x), sizeof x);
}

Error broken() { return bad_input("a stored score is damaged"); }

uint64_t get(std::string_view& from) {
  uint64_t n = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (from.empty()) throw broken();
    uint8_t byte = uint8_t(from.front());
    from.remove_prefix(1);
    n |= uint64_t(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return n;
  }
  throw broken();
}

double get_double(std::string_view& from) {
  double x;
  if (from.size() < sizeof x) throw broken();
  std::memcpy(&x, from.data(), sizeof x);
  from.remove_prefix(sizeof x);
  return x;
}

// Spans mostly follow each other; where they do not (bytes of one character), the step is negative.
uint64_t fold(int64_t x) { return uint64_t(x) << 1 ^ uint64_t(x >> 63); }
int64_t unfold(uint64_t x) { return int64_t(x >> 1) ^ -int64_t(x & 1); }

void put_token(std::string& to, const TokenScore& t, size_t& end) {
  put(to, uint32_t(t.id));
  uint64_t flags = (t.special ? 1 : 0) | (t.in_locus ? 2 : 0) | (t.begins_word ? 4 : 0);
  put(to, uint64_t(t.span.size()) << 3 | flags);
  if (!t.span.empty()) {
    put(to, fold(int64_t(t.span.begin) - int64_t(end)));
    end = t.span.end;
  }
  put_double(to, t.logprob);
}

TokenScore get_token(std::string_view& from, size_t& end) {
  TokenScore t;
  t.id = tokenizer::TokenId(uint32_t(get(from)));
  uint64_t size_and_flags = get(from);
  t.special = size_and_flags & 1;
  t.in_locus = size_and_flags & 2;
  t.begins_word = size_and_flags & 4;
  if (size_t size = size_and_flags >> 3) {
    t.span.begin = size_t(int64_t(end) + unfold(get(from)));
    t.span.end = end = t.span.begin + size;
  }
  t.logprob = get_double(from);
  return t;
}

void put_sentence(std::string& to, const StoredSentence& s) {
  put(to, s.words);
  put(to, s.characters);
  put(to, s.bytes);
  put(to, uint64_t{s.token_count()} << 1 | (s.total ? 1 : 0));
  if (s.total) return put_double(to, s.total->logprob);
  size_t end = 0;
  for (const TokenScore& t : s.tokens) put_token(to, t, end);
}

StoredSentence get_sentence(std::string_view& from) {
  StoredSentence s;
  s.words = uint32_t(get(from));
  s.characters = uint32_t(get(from));
  s.bytes = uint32_t(get(from));
  uint64_t count = get(from);
  if (count & 1) {
    s.total = StoredSentence::Total{uint32_t(count >> 1), get_double(from)};
    return s;
  }
  if ((count >> 1) > from.size()) throw broken();
  size_t end = 0;
  for (uint64_t i = 0; i < count >> 1; ++i) s.tokens.push_back(get_token(from, end));
  return s;
}

void put_float(std::string& to, float x) { to.append(reinterpret_cast<const char*>(&x), sizeof x); }

float get_float(std::string_view& from) {
  float x;
  if (from.size() < sizeof x) throw broken();
  std::memcpy(&x, from.data(), sizeof x);
  from.remove_prefix(sizeof x);
  return x;
}

void put_words(std::string& to, const WordScore& w) {
  put(to, uint64_t(w.kind));
  put(to, w.count);
  for (float view : w.views) put_float(to, view);
  put(to, w.best.size());
  for (const WordScore::Best& b : w.best) {
    put(to, b.form.size());
    to += b.form;
    put_float(to, b.logprob);
  }
}

WordScore get_words(std::string_view& from) {
  WordScore w;
  uint64_t kind = get(from);
  if (kind > uint64_t(WordScore::Kind::lemmas)) throw broken();
  w.kind = WordScore::Kind(kind);
  w.count = uint32_t(get(from));
  for (float& view : w.views) view = get_float(from);
  uint64_t best = get(from);
  if (best > from.size()) throw broken();
  for (uint64_t i = 0; i < best; ++i) {
    uint64_t size = get(from);
    if (size > from.size()) throw broken();
    w.best.push_back({std::string(from.substr(0, size)), 0});
    from.remove_prefix(size);
    w.best.back().logprob = get_float(from);
  }
  return w;
}

// Records with more than sentences begin with a zero, where others have their number of sentences;
// then the distance, and before every sentence whether words follow it.
bool plain(const std::vector<StoredSentence>& sentences, std::optional<uint32_t> distance) {
  return !distance && !sentences.empty() &&
         std::none_of(sentences.begin(), sentences.end(),
                      [](const StoredSentence& s) { return s.cloze.has_value(); });
}

double divisor(const StoredSentence& s, Norm::By by, uint32_t tokens) {
  switch (by) {
    case Norm::By::sum:
      return 1;
    case Norm::By::mean:
      return tokens;
    case Norm::By::word:
      return s.words;
    case Norm::By::character:
      return s.characters;
    case Norm::By::byte:
      return s.bytes;
    default:
      return 0;
  }
}

std::optional<double> view_of(const WordScore& words, Norm::By by) {
  using Kind = WordScore::Kind;
  switch (by) {
    case Norm::By::probability:
      return words.kind == Kind::features ? std::optional<double>(words.views[0]) : std::nullopt;
    case Norm::By::logit:
      return words.kind == Kind::features ? std::optional<double>(words.views[1]) : std::nullopt;
    case Norm::By::model_weight:
      return words.kind == Kind::lemmas ? std::optional<double>(words.views[0]) : std::nullopt;
    case Norm::By::equal_weight:
      return words.kind == Kind::lemmas ? std::optional<double>(words.views[1]) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

size_t index_of(const Norm& norm) {
  size_t by = size_t(norm.by);
  return by >= kSentenceNorms || !norm.special ? by + kSentenceNorms : by;
}

Norm norm_at(size_t index) {
  if (index >= 2 * kSentenceNorms) return {Norm::By(index - kSentenceNorms), true};
  return {Norm::By(index % kSentenceNorms), index < kSentenceNorms};
}

std::vector<Norm> family_of(const Norm& norm) {
  using By = Norm::By;
  if (norm.by == By::probability || norm.by == By::logit) return {{By::probability}, {By::logit}};
  if (graded(norm)) return {{By::equal_weight}, {By::model_weight}};
  std::vector<Norm> all;
  for (size_t i = 0; i < 2 * kSentenceNorms; ++i) all.push_back(norm_at(i));
  return all;
}

bool graded(const Norm& norm) {
  return norm.by == Norm::By::equal_weight || norm.by == Norm::By::model_weight;
}

std::string norm_name(const Norm& norm) {
  return std::string(kNormNames[size_t(norm.by)]) + (norm.special ? "" : std::string(kNoSpecial));
}

Norm find_norm(std::string_view name) {
  std::vector<std::string> known;
  for (size_t i = 0; i < kNorms; ++i) {
    if (norm_name(norm_at(i)) == name) return norm_at(i);
    known.push_back(norm_name(norm_at(i)));
  }
  std::string guess = closest(name, known);
  throw wrong_call(fmt::format("there is no normalisation '{}'", name))
      .hint(guess.empty()
                ? "there are sum, mean, word, char, byte, each also with '-no-special'; for "
                  "clozes probability, logit, equal-weight, model-weight"
                : fmt::format("did you mean '{}'?", guess));
}

std::optional<double> StoredSentence::value(const Norm& norm) const {
  if (cloze && cloze->kind != WordScore::Kind::form) return view_of(*cloze, norm.by);
  if (total && !norm.special) return std::nullopt;
  double sum = total ? total->logprob : 0;
  uint32_t count = total ? total->tokens : 0;
  for (const TokenScore& t : tokens)
    if (norm.special || !t.special) {
      sum += t.logprob;
      ++count;
    }
  double by = divisor(*this, norm.by, count);
  if (by == 0) return std::nullopt;
  return sum / by;
}

std::vector<StoredSentence> to_store(const suite::Item& item, MethodInfo::Scope scope,
                                     std::vector<SentenceScore> scores) {
  std::vector<StoredSentence> stored;
  for (size_t i = 0; i < scores.size(); ++i) {
    StoredSentence s;
    const suite::Sentence& sentence = item.sentences[std::min(i, item.sentences.size() - 1)];
    std::string_view text = sentence.text;
    if (scope == MethodInfo::Scope::locus) text = slice(text, sentence.locus);
    s.words = uint32_t(words(text).size());
    s.characters = uint32_t(count_characters(text));
    s.bytes = uint32_t(text.size());
    s.tokens = std::move(scores[i].tokens);
    s.cloze = std::move(scores[i].cloze);
    stored.push_back(std::move(s));
  }
  return stored;
}

std::string pack_scores(const std::vector<StoredSentence>& sentences,
                        std::optional<uint32_t> distance) {
  std::string bytes;
  bool more = !plain(sentences, distance);
  if (more) {
    put(bytes, 0);
    put(bytes, distance ? uint64_t{*distance} + 1 : 0);
  }
  put(bytes, sentences.size());
  for (const StoredSentence& s : sentences) {
    if (more) put(bytes, s.cloze ? 1 : 0);
    put_sentence(bytes, s);
    if (s.cloze) put_words(bytes, *s.cloze);
  }
  return bytes;
}

std::vector<StoredSentence> unpack_scores(std::string_view bytes) {
  uint64_t count = get(bytes);
  bool more = count == 0;
  if (more) {
    get(bytes);
    count = get(bytes);
  }
  if (count > bytes.size()) throw broken();
  std::vector<StoredSentence> sentences;
  for (uint64_t i = 0; i < count; ++i) {
    bool words_follow = more && get(bytes) != 0;
    sentences.push_back(get_sentence(bytes));
    if (words_follow) sentences.back().cloze = get_words(bytes);
  }
  if (!bytes.empty()) throw broken();
  return sentences;
}

std::optional<uint32_t> unpack_distance(std::string_view bytes) {
  if (bytes.empty() || get(bytes) != 0) return {};
  uint64_t distance = get(bytes);
  if (distance == 0) return {};
  return uint32_t(distance - 1);
}

std::vector<bool> grammatical_of(const suite::Item& item, size_t scored) {
  std::vector<bool> grammatical;
  for (const suite::Sentence& s : item.sentences) grammatical.push_back(s.grammatical);
  if (grammatical.size() == scored) return grammatical;
  grammatical.assign(scored, false);
  if (scored > 0) grammatical[0] = true;
  return grammatical;
}

Verdict judge(const std::vector<StoredSentence>& sentences, const std::vector<bool>& grammatical,
              const Norm& norm) {
  std::vector<double> good, bad;
  for (size_t i = 0; i < sentences.size(); ++i) {
    std::optional<double> value = sentences[i].value(norm);
    if (!value || std::isnan(*value)) return {};
    (grammatical[i] ? good : bad).push_back(*value);
  }
  if (good.empty() || bad.empty()) return {};
  double best_good = *std::max_element(good.begin(), good.end());
  double best_bad = *std::max_element(bad.begin(), bad.end());
  Verdict v;
  v.outcome = best_good > best_bad    ? Outcome::right
              : best_good == best_bad ? Outcome::tie
                                      : Outcome::wrong;
  v.margin = best_good - best_bad;
  size_t right = 0, tied = 0;
  for (double g : good)
    for (double b : bad) {
      right += g > b;
      tied += g == b;
    }
  double pairs = double(good.size() * bad.size());
  v.pairs_right = double(right) / pairs;
  v.pairs_tied = double(tied) / pairs;
  if (norm.by == Norm::By::equal_weight) {
    v.pairs_right = best_good;
    v.pairs_tied = std::max(0.0, 1 - best_good - best_bad);
  } else if (norm.by == Norm::By::model_weight) {
    v.pairs_right = std::exp(best_good);
    v.pairs_tied = 0;
  }
  return v;
}

uint32_t pack_outcomes(const std::array<Verdict, kNorms>& verdicts,
                       const std::vector<Norm>& views) {
  uint32_t packed = 0;
  for (const Norm& view : views)
    packed |= uint32_t(verdicts[index_of(view)].outcome) << (2 * index_of(view));
  return packed;
}

Outcome outcome_in(uint32_t packed, size_t norm_index) {
  return Outcome(packed >> (2 * norm_index) & 3);
}

bool equal_lengths(const std::vector<StoredSentence>& sentences) {
  for (const StoredSentence& s : sentences)
    if (s.token_count() != sentences.front().token_count()) return false;
  return true;
}

}  // namespace minpair::judge
