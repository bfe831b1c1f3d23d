#include "store/pack.h"

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "suite/json_text.h"

namespace minpair::store {
namespace {

constexpr auto put = append_number;
constexpr auto get = take_number;
constexpr auto put_double = append_raw<double>;
constexpr auto get_double = take_raw<double>;
constexpr auto put_float = append_raw<float>;
constexpr auto get_float = take_raw<float>;

constexpr size_t kLongestText = size_t{1} << 40;

Error broken() { return bad_input("a stored score is damaged"); }

// Spans mostly follow each other; where they do not (bytes of one character), the step is negative.
uint64_t fold(int64_t x) { return uint64_t(x) << 1 ^ uint64_t(x >> 63); }
int64_t unfold(uint64_t x) { return int64_t(x >> 1) ^ -int64_t(x & 1); }

void put_token(std::string& to, const judge::TokenScore& t, size_t& end) {
  put(to, uint32_t(t.id));
  uint64_t flags = (t.special ? 1 : 0) | (t.in_locus ? 2 : 0) | (t.begins_word ? 4 : 0);
  put(to, uint64_t(t.span.size()) << 3 | flags);
  if (!t.span.empty()) {
    put(to, fold(int64_t(t.span.begin) - int64_t(end)));
    end = t.span.end;
  }
  put_double(to, t.logprob);
}

judge::TokenScore get_token(std::string_view& from, size_t& end) {
  judge::TokenScore t;
  t.id = tokenizer::TokenId(uint32_t(get(from)));
  uint64_t size_and_flags = get(from);
  t.special = size_and_flags & 1;
  t.in_locus = size_and_flags & 2;
  t.begins_word = size_and_flags & 4;
  if (size_t size = size_and_flags >> 3) {
    t.span.begin = end + size_t(unfold(get(from)));
    t.span.end = end = t.span.begin + size;
    if (t.span.begin > kLongestText || size > kLongestText) throw broken();
  }
  t.logprob = get_double(from);
  return t;
}

void put_sentence(std::string& to, const judge::SentenceScore& s) {
  put(to, s.words);
  put(to, s.characters);
  put(to, s.bytes);
  put(to, uint64_t{s.token_count()} << 1 | (s.total ? 1 : 0));
  if (s.total) return put_double(to, s.total->logprob);
  size_t end = 0;
  for (const judge::TokenScore& t : s.tokens) put_token(to, t, end);
}

judge::SentenceScore get_sentence(std::string_view& from) {
  judge::SentenceScore s;
  s.words = uint32_t(get(from));
  s.characters = uint32_t(get(from));
  s.bytes = uint32_t(get(from));
  uint64_t count = get(from);
  if (count & 1) {
    s.total = judge::SentenceScore::Total{uint32_t(count >> 1), get_double(from)};
    return s;
  }
  if ((count >> 1) > from.size()) throw broken();
  size_t end = 0;
  for (uint64_t i = 0; i < count >> 1; ++i) s.tokens.push_back(get_token(from, end));
  return s;
}

void put_words(std::string& to, const judge::WordScore& w) {
  put(to, uint64_t(w.kind));
  put(to, w.count);
  for (float view : w.views) put_float(to, view);
  put(to, w.best.size());
  for (const judge::WordScore::Best& b : w.best) {
    put(to, b.form.size());
    to += b.form;
    put_float(to, b.logprob);
  }
}

judge::WordScore get_words(std::string_view& from) {
  judge::WordScore w;
  uint64_t kind = get(from);
  if (kind > uint64_t(judge::WordScore::Kind::lemmas)) throw broken();
  w.kind = judge::WordScore::Kind(kind);
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
bool plain(const std::vector<judge::SentenceScore>& sentences, std::optional<uint32_t> distance) {
  return !distance && !sentences.empty() &&
         std::none_of(sentences.begin(), sentences.end(),
                      [](const judge::SentenceScore& s) { return s.cloze.has_value(); });
}

}  // namespace

std::string pack_scores(const std::vector<judge::SentenceScore>& sentences,
                        std::optional<uint32_t> distance) {
  std::string bytes;
  bool more = !plain(sentences, distance);
  if (more) {
    put(bytes, 0);
    put(bytes, distance ? uint64_t{*distance} + 1 : 0);
  }
  put(bytes, sentences.size());
  for (const judge::SentenceScore& s : sentences) {
    if (more) put(bytes, s.cloze ? 1 : 0);
    put_sentence(bytes, s);
    if (s.cloze) put_words(bytes, *s.cloze);
  }
  return bytes;
}

std::vector<judge::SentenceScore> unpack_scores(std::string_view bytes) try {
  uint64_t count = get(bytes);
  bool more = count == 0;
  if (more) {
    get(bytes);
    count = get(bytes);
  }
  if (count > bytes.size()) throw broken();
  std::vector<judge::SentenceScore> sentences;
  for (uint64_t i = 0; i < count; ++i) {
    bool words_follow = more && get(bytes) != 0;
    sentences.push_back(get_sentence(bytes));
    if (words_follow) sentences.back().cloze = get_words(bytes);
  }
  if (!bytes.empty()) throw broken();
  return sentences;
} catch (const Error&) {
  throw broken();  // which number was cut off tells nobody anything
}

std::optional<uint32_t> unpack_distance(std::string_view bytes) {
  if (bytes.empty() || get(bytes) != 0) return {};
  uint64_t distance = get(bytes);
  if (distance == 0) return {};
  return uint32_t(distance - 1);
}

uint32_t pack_outcomes(const Verdicts& verdicts, const std::vector<judge::View>& views) {
  uint32_t packed = 0;
  for (const judge::View& view : views)
    packed |= uint32_t(verdicts[index_of(view)].outcome) << (2 * index_of(view));
  return packed;
}

judge::Outcome unpack_outcome(uint32_t packed, const judge::View& view) {
  return judge::Outcome(packed >> (2 * index_of(view)) & 3);
}

namespace {

void write_value(suite::JsonWriter& json, std::optional<double> value) {
  value&& std::isfinite(*value) ? json.number(*value) : json.json("null");
}

std::string by_region(const suite::Item& item, const std::vector<judge::SentenceScore>& sentences,
                      const judge::View& view) {
  bool any = false;
  for (const suite::Sentence& s : item.sentences) any |= !s.regions.empty();
  if (!any || sentences.size() != item.sentences.size()) return "";
  std::string all;
  suite::JsonWriter json(all);
  json.open('[');
  for (size_t s = 0; s < sentences.size(); ++s) {
    json.open('[');
    for (size_t r = 1; r <= item.sentences[s].regions.size(); ++r)
      write_value(json, judge::region_surprisal(item.sentences[s], sentences[s], std::to_string(r),
                                                suite::Metric::sum, view));
    json.close(']');
  }
  json.close(']');
  return all;
}

}  // namespace

Shown shown_by_views(const judge::Judge& judge, const suite::Item& item,
                     const std::vector<judge::SentenceScore>& sentences, const judge::View& view) {
  Shown shown;
  judge::Verdict verdict = judge.verdict(item, sentences, view);
  if (verdict.outcome != judge::Outcome::undefined) shown.margin = verdict.margin;
  suite::JsonWriter json(shown.by_sentence);
  json.open('[');
  for (const judge::SentenceScore& sentence : sentences) write_value(json, sentence.value(view));
  json.close(']');
  shown.by_region = by_region(item, sentences, view);
  return shown;
}

}  // namespace minpair::store
