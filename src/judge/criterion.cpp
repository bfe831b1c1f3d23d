#include "judge/criterion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace minpair::judge {
namespace {

using suite::Metric;
using Kind = suite::Formula::Kind;

size_t skip_spaces(std::string_view text, size_t at) {
  while (at < text.size() && (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r'))) ++at;
  return at;
}

int region_at(const suite::Sentence& sentence, size_t byte) {
  for (size_t i = 0; i < sentence.regions.size(); ++i)
    if (sentence.regions[i].span.begin <= byte && byte < sentence.regions[i].span.end)
      return int(i);
  return -1;
}

std::optional<double> measured(std::vector<double> bits, Metric metric) {
  double sum = 0;
  for (double b : bits) sum += b;
  if (metric == Metric::sum) return sum;
  if (bits.empty()) return {};
  std::sort(bits.begin(), bits.end());
  size_t half = bits.size() / 2;
  switch (metric) {
    case Metric::mean:
      return sum / double(bits.size());
    case Metric::median:
      return bits.size() % 2 ? bits[half] : (bits[half - 1] + bits[half]) / 2;
    case Metric::range:
      return bits.back() - bits.front();
    case Metric::max:
      return bits.back();
    default:
      return bits.front();
  }
}

std::optional<double> per_unit(double sum, Unit unit, size_t tokens, std::string_view text) {
  double by = unit == Unit::token  ? double(tokens)
              : unit == Unit::word ? double(words(text).size())
              : unit == Unit::byte ? double(text.size())
                                   : double(count_characters(text));
  if (by == 0) return {};
  return sum / by;
}

double bits_of(double logprob) { return -logprob / std::numbers::ln2; }

Verdict compared(double margin) {
  Verdict v;
  v.outcome = margin > 0 ? Outcome::right : margin == 0 ? Outcome::tie : Outcome::wrong;
  v.margin = margin;
  v.pairs_right = v.outcome == Outcome::right;
  v.pairs_tied = v.outcome == Outcome::tie;
  return v;
}

// SyntaxGym's "=", as NumPy's isclose was called there.
Verdict close(double a, double b) {
  double margin = 1e-3 + 1e-5 * std::fabs(b) - std::fabs(a - b);
  Verdict v = compared(margin);
  if (v.outcome == Outcome::tie) v = compared(std::numeric_limits<double>::min());
  return v;
}

Verdict joined(const Verdict& a, const Verdict& b, bool all) {
  if (a.outcome == Outcome::undefined || b.outcome == Outcome::undefined) return {};
  return compared(all ? std::min(a.margin, b.margin) : std::max(a.margin, b.margin));
}

}  // namespace

std::vector<int> regions_of(const suite::Sentence& sentence,
                            const std::vector<TokenScore>& tokens) {
  std::vector<int> regions;
  bool before_text = true;
  for (const TokenScore& t : tokens) {
    if (!t.span.empty()) {
      regions.push_back(region_at(sentence, skip_spaces(sentence.text, t.span.begin)));
      before_text = false;
    } else if (!t.special && !regions.empty()) {
      regions.push_back(regions.back());
    } else {
      size_t last = sentence.text.find_last_not_of(" \t\n\r");
      regions.push_back(region_at(sentence, before_text ? skip_spaces(sentence.text, 0) : last));
    }
  }
  return regions;
}

std::optional<double> region_surprisal(const suite::Sentence& sentence, const SentenceScore& score,
                                       std::string_view region, Metric metric, const View& view) {
  bool whole = region == "*";
  const suite::Region* found = whole ? nullptr : suite::find_region(sentence, region);
  if (!whole && !found) return {};
  if (score.cloze) return {};
  if (score.total) {
    bool known = whole && view == View{Unit::sum} && metric == Metric::sum;
    return known ? std::optional(bits_of(score.total->logprob)) : std::nullopt;
  }
  std::vector<int> places = regions_of(sentence, score.tokens);
  std::vector<double> bits;
  for (size_t i = 0; i < score.tokens.size(); ++i)
    if ((whole || places[i] == found - sentence.regions.data()) &&
        (view.special || !score.tokens[i].special))
      bits.push_back(bits_of(score.tokens[i].logprob));
  if (view.unit == Unit::sum) return measured(std::move(bits), metric);
  size_t tokens = bits.size();
  return per_unit(*measured(std::move(bits), Metric::sum), view.unit, tokens,
                  whole ? std::string_view(sentence.text) : slice(sentence.text, found->span));
}

Criterion::Criterion(const suite::Criterion& written)
    : name_(written.name),
      test_(written.test),
      formula_(suite::parse_formula(written.formula, written.metric)) {}

Verdict Criterion::judge(const RegionScores& scores) const {
  std::vector<double> numbers(formula_.nodes.size());
  std::vector<Verdict> verdicts(formula_.nodes.size());
  for (size_t i = 0; i < formula_.nodes.size(); ++i) {
    const suite::Formula::Node& n = formula_.nodes[i];
    double a = numbers[n.left], b = numbers[n.right];
    if (n.kind == Kind::number) numbers[i] = n.number;
    if (n.kind == Kind::score)
      numbers[i] = scores(n.sentence, n.region, n.metric).value_or(std::nan(""));
    if (n.kind == Kind::plus) numbers[i] = a + b;
    if (n.kind == Kind::minus) numbers[i] = a - b;
    bool known = !std::isnan(a) && !std::isnan(b);
    // Two impossible things are equally impossible: infinity minus itself is no number.
    double more = a == b ? 0 : a - b;
    if (n.kind == Kind::less && known) verdicts[i] = compared(-more);
    if (n.kind == Kind::greater && known) verdicts[i] = compared(more);
    if (n.kind == Kind::close && known) verdicts[i] = close(a, b);
    if (n.kind == Kind::both) verdicts[i] = both(verdicts[n.left], verdicts[n.right]);
    if (n.kind == Kind::either) verdicts[i] = joined(verdicts[n.left], verdicts[n.right], false);
  }
  return verdicts.back();
}

Verdict Criterion::judge(const suite::Item& item, const std::vector<SentenceScore>& scores,
                         const View& view) const {
  if (scores.size() != item.sentences.size()) return {};
  return judge([&](const std::string& name, const std::string& region,
                   Metric metric) -> std::optional<double> {
    const suite::Sentence* s = suite::find_sentence(item, name);
    if (!s) return {};
    return region_surprisal(*s, scores[size_t(s - item.sentences.data())], region, metric, view);
  });
}

Judge::Judge(const suite::Manifest& manifest) {
  for (const suite::Criterion& c : manifest.criteria) criteria_.emplace_back(c);
}

std::vector<const Criterion*> Judge::criteria_of(const suite::Item& item) const {
  std::vector<const Criterion*> own;
  for (const Criterion& c : criteria_)
    if (c.judges(item)) own.push_back(&c);
  return own;
}

Verdict Judge::verdict(const suite::Item& item, const std::vector<SentenceScore>& scores,
                       const View& view) const {
  std::optional<Verdict> all;
  for (const Criterion& c : criteria_) {
    if (!c.judges(item)) continue;
    Verdict one = c.judge(item, scores, view);
    all = all ? both(*all, one) : one;
  }
  return all ? *all : judge::judge(item, scores, view);
}

Verdict both(const Verdict& a, const Verdict& b) { return joined(a, b, true); }

}  // namespace minpair::judge
