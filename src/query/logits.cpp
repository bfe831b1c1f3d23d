#include "query/logits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace minpair::query {
namespace {

using tokenizer::TokenId;

bool better(const std::vector<float>& logits, TokenId a, TokenId b) {
  float x = logits[size_t(a)], y = logits[size_t(b)];
  return x != y ? x > y : a < b;
}

Ranked rank_of(TokenId id, const Logits& all) {
  uint32_t rank = 1;
  for (TokenId other = 0; size_t(other) < all.logits.size(); ++other)
    rank += better(all.logits, other, id);
  return {rank};
}

// Four sums, because a single one waits for itself. A logit of minus infinity has no share.
Nats entropy_of(const Logits& all) {
  double sums[4] = {};
  for (size_t id = 0; id < all.logits.size(); ++id)
    if (const double logprob = all.logprob(id); logprob > -745)
      sums[id % 4] -= std::exp(logprob) * logprob;
  return {(sums[0] + sums[1]) + (sums[2] + sums[3])};
}

BestTokens best_of(size_t k, const Logits& all) {
  std::vector<TokenId> order(all.logits.size());
  std::iota(order.begin(), order.end(), 0);
  k = std::min(k, order.size());
  std::partial_sort(order.begin(), order.begin() + ptrdiff_t(k), order.end(),
                    [&](TokenId a, TokenId b) { return better(all.logits, a, b); });
  BestTokens best;
  for (size_t i = 0; i < k; ++i) best.tokens.push_back({order[i], all.logprob(size_t(order[i]))});
  return best;
}

// What was asked for, made from the logits that read_for wanted.
Record record_of(const What& what, Logits&& logits) {
  if (const auto* classes = std::get_if<Classes>(&what))
    return classes->reducer->reduce(logits.logits);
  if (const auto* rank = std::get_if<Rank>(&what)) return rank_of(rank->id, logits);
  if (std::holds_alternative<Entropy>(what)) return entropy_of(logits);
  if (std::holds_alternative<Hidden>(what)) return State{std::move(logits.logits)};
  if (const auto* best = std::get_if<Best>(&what)) return best_of(best->k, logits);
  return std::move(logits);
}

Read read_for(const Ask& ask, std::span<const TokenId> vocabulary) {
  if (const auto* t = std::get_if<Targets>(&ask.what)) return {ask.position, t->ids, t->normalized};
  if (const auto* c = std::get_if<Classes>(&ask.what))
    return {ask.position, c->reducer->ids(), false};
  if (const auto* h = std::get_if<Hidden>(&ask.what))
    return {ask.position, {}, false, h->layer, h->site};
  if (const auto* l = std::get_if<Lens>(&ask.what)) return {ask.position, l->ids, false, l->layer};
  return {ask.position, vocabulary, !std::holds_alternative<Rank>(ask.what)};
}

bool of_all_tokens(const Ask& ask) {
  return std::holds_alternative<Rank>(ask.what) || std::holds_alternative<Entropy>(ask.what) ||
         std::holds_alternative<Best>(ask.what);
}

// Beyond this, neighbouring numbers are so far apart that all tokens seem to have the
// probability 1.
constexpr double kLargestSum = 1e9;

// A probability may be zero; a broken weight gives NaN or infinity.
void check_numbers(const Logits& numbers, const Ask& ask, const Query& query, const Model& model) {
  bool fine = std::fabs(numbers.log_sum_exp) < kLargestSum;
  for (float x : numbers.logits) fine &= x < HUGE_VALF;
  if (fine) return;
  std::string text;
  for (size_t i = 0; i < query.ids.size() && i < 40; ++i)
    text += (i ? " " : "") + model.tokenizer().piece(query.ids[i]);
  throw bad_input(fmt::format("{} answers with what is not a number, at token {} of \"{}\"",
                              model.info().name, ask.position + 1, text))
      .hint("its weights are damaged, or too large for this arithmetic; nothing was scored");
}

}  // namespace

std::vector<Answer> answer_by_logits(const Model& model, std::span<const Query> queries,
                                     const Compute& compute) {
  std::vector<TokenId> vocabulary;
  for (const Query& query : queries) {
    check(query, model);
    if (vocabulary.empty() && std::any_of(query.asks.begin(), query.asks.end(), of_all_tokens)) {
      vocabulary.resize(model.info().vocabulary);
      std::iota(vocabulary.begin(), vocabulary.end(), 0);
    }
  }
  std::vector<Input> inputs;
  inputs.reserve(queries.size());
  for (const Query& query : queries) {
    Input& input = inputs.emplace_back(Input{query.ids, {}, query.changes});
    for (const Ask& ask : query.asks) input.reads.push_back(read_for(ask, vocabulary));
  }
  if (inputs.empty()) return {};
  std::vector<std::vector<Logits>> numbers = compute(inputs);
  std::vector<Answer> answers(queries.size());
  for (size_t q = 0; q < queries.size(); ++q)
    for (size_t a = 0; a < queries[q].asks.size(); ++a) {
      check_numbers(numbers[q][a], queries[q].asks[a], queries[q], model);
      answers[q].push_back(record_of(queries[q].asks[a].what, std::move(numbers[q][a])));
    }
  return answers;
}

}  // namespace minpair::query
