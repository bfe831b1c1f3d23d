#include "judge/verdict.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace minpair::judge {
namespace {

// Every grammatical sentence against every other.
void count_pairs(Verdict& v, const std::vector<double>& good, const std::vector<double>& bad) {
  size_t right = 0, tied = 0;
  for (double g : good)
    for (double b : bad) {
      right += g > b;
      tied += g == b;
    }
  double pairs = double(good.size() * bad.size());
  v.pairs_right = double(right) / pairs;
  v.pairs_tied = double(tied) / pairs;
}

}  // namespace

std::vector<bool> grammatical_of(const suite::Item& item, size_t scored) {
  std::vector<bool> grammatical;
  for (const suite::Sentence& s : item.sentences) grammatical.push_back(s.grammatical);
  if (grammatical.size() == scored) return grammatical;
  grammatical.assign(scored, false);
  if (scored > 0) grammatical[0] = true;
  return grammatical;
}

Verdict judge(const std::vector<SentenceScore>& sentences, const std::vector<bool>& grammatical,
              const View& view) {
  std::vector<double> good, bad;
  for (size_t i = 0; i < sentences.size(); ++i) {
    std::optional<double> value = sentences[i].value(view);
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
  v.graded = graded(view);
  if (view.unit == Unit::equal_weight) {
    v.pairs_right = best_good;
    v.pairs_tied = std::max(0.0, 1 - best_good - best_bad);
  } else if (view.unit == Unit::model_weight) {
    v.pairs_right = std::exp(best_good);
  } else {
    count_pairs(v, good, bad);
  }
  return v;
}

Verdict judge(const suite::Item& item, const std::vector<SentenceScore>& sentences,
              const View& view) {
  return judge(sentences, grammatical_of(item, sentences.size()), view);
}

Preference preference(const std::vector<std::optional<double>>& values) {
  std::optional<size_t> first, second;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i] || std::isnan(*values[i])) continue;
    if (!first || *values[i] > *values[*first])
      second = std::exchange(first, i);
    else if (!second || *values[i] > *values[*second])
      second = i;
  }
  if (!second || *values[*first] == *values[*second]) return {};
  return {first, *values[*first] - *values[*second]};
}

void Counts::add(const Verdict& v) {
  ++items;
  right += v.outcome == Outcome::right;
  ties += v.outcome == Outcome::tie;
  undefined += v.outcome == Outcome::undefined;
  pairs_right += v.pairs_right;
  pairs_tied += v.pairs_tied;
  graded |= v.graded;
}

void Counts::add(const Counts& other) {
  items += other.items;
  right += other.right;
  ties += other.ties;
  undefined += other.undefined;
  pairs_right += other.pairs_right;
  pairs_tied += other.pairs_tied;
  graded |= other.graded;
}

}  // namespace minpair::judge
