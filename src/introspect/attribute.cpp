#include "introspect/attribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/query_batch.h"
#include "engine/selected.h"
#include "introspect/contrast.h"
#include "introspect/intervals.h"
#include "introspect/roles.h"
#include "introspect/summary.h"
#include "introspect/word.h"
#include "model/direct.h"
#include "report/rows.h"
#include "stats/stats.h"

namespace minpair::introspect {
namespace {

using Rows = std::vector<std::vector<report::GridValue>>;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double best_effect(const WordItem& item) {
  double best = -HUGE_VAL;
  for (const WordEffect& w : item.words)
    if (w.evidence) best = std::max(best, w.effect);
  return best;
}

// An item's question and its words, without effects yet; or why there are none.
struct Prepared {
  Contrast contrast;
  std::vector<Word> words;
  WordItem reading;
};

Prepared prepared(const suite::Item& item, const query::Model& model, const std::string& evidence) {
  Prepared p{contrast_of(item, model), {}, {}};
  p.reading.excluded = p.contrast.excluded;
  if (p.reading.excluded != Reason::none) return p;
  const std::vector<Span> spans = spans_of(item, p.contrast, model);
  const suite::Sentence& sentence = right_of(item);
  p.words = words_of(sentence, spans);
  if (spans.empty())
    p.reading.excluded = Reason::retokenized;
  else if (p.words.empty())
    p.reading.excluded = Reason::no_other_words;
  if (p.reading.excluded != Reason::none) return p;
  const Span decides = span_of_role(item, evidence);
  for (const Word& w : p.words)
    p.reading.words.push_back({w.span, std::string(slice(sentence.text, w.span)),
                               decides.begin < w.span.end && w.span.begin < decides.end, 0});
  return p;
}

const char* how_text(Words how) {
  switch (how) {
    case Words::masked:
      return "a word is masked";
    case Words::left_out:
      return "a word is left out, and the others are read without it";
    case Words::around_gap:
      return "a word is left out, and the gap is filled without it";
    case Words::alti:
      return "ALTI-Logit: what feed-forward layers add belongs to no word";
  }
  return "";
}

std::vector<report::GridValue> table_row(const WordReadings& read,
                                         const std::vector<size_t>& items) {
  std::vector<double> first, ranks, reciprocals, effects;
  std::vector<uint64_t> clusters;
  Chance chance;
  for (size_t i : items) {
    const WordItem& item = read.readings[i];
    first.push_back(item.rank == 1);
    ranks.push_back(item.rank);
    reciprocals.push_back(1 / item.rank);
    effects.push_back(best_effect(item));
    clusters.push_back(read.items.cluster[i]);
    const Chance one = chance_of(item.words);
    chance.first += one.first / double(items.size());
    chance.rank += one.rank / double(items.size());
    chance.reciprocal += one.reciprocal / double(items.size());
  }
  const stats::Estimate share = stats::clustered_share(stats::sum_by_cluster(first, clusters));
  const stats::Estimate effect =
      stats::clustered_difference(stats::sum_by_cluster(effects, clusters));
  const stats::Interval between = interval_of(effect);
  return {double(items.size()), share.value,        share.interval.low, share.interval.high,
          chance.first,         stats::mean(ranks), chance.rank,        stats::mean(reciprocals),
          chance.reciprocal,    effect.value,       between.low,        between.high};
}

}  // namespace

Chance chance_of(const std::vector<WordEffect>& words) {
  const auto n = double(words.size());
  const auto k =
      double(std::ranges::count_if(words, [](const WordEffect& w) { return w.evidence; }));
  Chance chance{k / n, 1 + (n - k) / (k + 1), 0};
  double share = k / n;  // of orders in which it has this rank
  for (size_t i = 1; double(i) <= n - k + 1; ++i) {
    const auto rank = double(i);
    chance.reciprocal += share / rank;
    share *= (n - rank - k + 1) / (n - rank);
  }
  return chance;
}

double rank_of_evidence(const std::vector<WordEffect>& words) {
  double best = -HUGE_VAL, above = 0, equal = 0;
  bool any = false;
  for (const WordEffect& w : words)
    if (w.evidence) best = std::max(best, w.effect), any = true;
  if (!any) return kNone;
  for (const WordEffect& w : words)
    if (!w.evidence) above += w.effect > best, equal += w.effect == best;
  return 1 + above + equal / 2;
}

Words erasure_of(const query::Model& model) {
  if (fills_gap(model)) return Words::around_gap;
  return stand_in(model) >= 0 ? Words::masked : Words::left_out;
}

WordReadings read_erasure(query::Model& model, const engine::SuiteSource& suite,
                          const engine::Selection& selection, const std::string& evidence,
                          const engine::Tick& tick) {
  check_role(evidence, suite, selection);
  WordReadings read{suite.manifest.name, model.info().name, evidence};
  read.how = erasure_of(model);
  engine::QueryBatch batch(model, tick);
  engine::each_selected(suite, selection, [&](uint64_t ordinal, const suite::Item& item) {
    read.items.add(ordinal, item);
    Prepared p = prepared(item, model, evidence);
    if (p.reading.excluded == Reason::none && p.words[0].positions.size() == p.contrast.ids.size())
      p.reading = {Reason::only_word, 0, {}, 0};
    read.readings.push_back(p.reading);
    if (p.reading.excluded != Reason::none) return;
    const size_t i = read.readings.size() - 1;
    batch.add(margin_question(p.contrast), [&read, i](const query::Answer& answer) {
      read.readings[i].margin = margin_of(answer);
    });
    for (uint32_t w = 0; w < p.words.size(); ++w)
      batch.add(without(p.words[w], p.contrast, stand_in(model)),
                [&read, i, w](const query::Answer& answer) {
                  WordItem& reading = read.readings[i];
                  reading.words[w].effect = reading.margin - margin_of(answer);
                });
  });
  batch.answer();
  for (WordItem& item : read.readings) item.rank = rank_of_evidence(item.words);
  return read;
}

WordReadings read_alti(query::Model& model, const engine::SuiteSource& suite,
                       const engine::Selection& selection, const std::string& evidence,
                       const engine::Tick& tick) {
  model::check_token_effects(model);
  check_role(evidence, suite, selection);
  WordReadings read{suite.manifest.name, model.info().name, evidence};
  read.how = Words::alti;
  engine::each_selected(suite, selection, [&](uint64_t ordinal, const suite::Item& item) {
    read.items.add(ordinal, item);
    Prepared p = prepared(item, model, evidence);
    if (p.reading.excluded == Reason::none) {
      const Contrast& c = p.contrast;
      const model::TokenEffects said =
          model::token_effects(model, c.ids, c.position, c.good, c.bad);
      p.reading.margin = std::accumulate(said.tokens.begin(), said.tokens.end(), said.rest);
      for (size_t w = 0; w < p.words.size(); ++w)
        for (uint32_t position : p.words[w].positions)
          p.reading.words[w].effect += said.tokens[position];
      p.reading.rank = rank_of_evidence(p.reading.words);
    }
    read.readings.push_back(std::move(p.reading));
    if (tick) tick(read.readings.size(), 0);
  });
  return read;
}

report::Grid word_table(const WordReadings& read, By by) {
  using Kind = report::GridColumn::Kind;
  report::Grid grid{
      .key = read.how == Words::alti ? "alti" : "erasure",
      .title = fmt::format("{} × {}: what the {} does", read.suite, read.model, read.evidence),
      .columns = {{"test", "test", Kind::text},
                  {"condition", "condition", Kind::text},
                  {"items", "items", Kind::count},
                  {"first", "first", Kind::share},
                  {"first_low", "from", Kind::share},
                  {"first_high", "to", Kind::share},
                  {"first_chance", "by chance", Kind::share},
                  {"rank", "rank", Kind::number},
                  {"rank_chance", "by chance", Kind::number},
                  {"reciprocal", "1/rank", Kind::share},
                  {"reciprocal_chance", "by chance", Kind::share},
                  {"effect", "effect", Kind::difference},
                  {"effect_low", "from", Kind::difference},
                  {"effect_high", "to", Kind::difference}}};
  keep_groups(grid.columns, by);
  std::vector<Reason> excluded = reasons_of(read.readings);
  for (size_t i = 0; i < excluded.size(); ++i)
    if (excluded[i] == Reason::none && std::isnan(read.readings[i].rank))
      excluded[i] = Reason::evidence_not_read;
  add_groups(grid, read.items, excluded, by, [&](const ItemGroup& group) {
    Rows rows{table_row(read, group.items)};
    rows[0].emplace_back(excluded_text(group));
    return rows;
  });
  const bool alti = read.how == Words::alti;
  grid.notes = {
      fmt::format("first: items in which the {} does more for the right form than any other word; "
                  "rank: its mean place, 1/rank: the mean reciprocal; effect: its best word's, {}",
                  read.evidence,
                  alti ? "what it adds to the margin by way of attention"
                       : "the margin minus the margin "
                         "without it"),
      how_text(read.how), "95 % intervals over clusters; " + report::clusters_text(read.items)};
  add_reasons(grid.notes, excluded, read.evidence);
  explain_dashes(grid);
  return grid;
}

}  // namespace minpair::introspect
