#include "query/query.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counts.h"
#include "base/error.h"

namespace minpair::query {
namespace {

constexpr std::string_view kAsked[] = {
    "logits",           "ranks",         "entropies", "the best tokens",
    "classes of words", "hidden states", "lenses"};
constexpr std::string_view kNames[] = {
    "residual stream", "attention",    "heads",        "feed-forward layers", "neurons",
    "units",           "memory",       "own states",   "input gates",         "forget gates",
    "candidates",      "output gates", "update gates", "reset gates"};
static_assert(std::size(kNames) == kSites);

void check_ids(std::span<const tokenizer::TokenId> ids, const ModelInfo& info) {
  for (tokenizer::TokenId id : ids)
    if ((id < 0 || uint32_t(id) >= info.vocabulary) && id != kWordEnd)
      throw bad_input(fmt::format("target id {} is outside the vocabulary", id));
}

void check_layer(uint16_t layer, const ModelInfo& info, Site site = Site::residual) {
  if (layer == 0 && site != Site::residual)
    throw wrong_call("the embeddings have no heads, neurons or units")
        .hint("layers count from 1 there");
  if (layer > info.layers)
    throw wrong_call(
        fmt::format("{} has {}, not {}", info.name, counted(info.layers, "layer"), layer))
        .hint("0 is the embeddings");
}

void check_input(const std::vector<tokenizer::TokenId>& ids, const ModelInfo& info) {
  if (ids.empty()) throw bad_input("an empty input cannot be scored");
  if (info.max_tokens && ids.size() > info.max_tokens)
    throw bad_input(fmt::format("{} tokens are too many: the model reads at most {}", ids.size(),
                                info.max_tokens))
        .hint("shorten the sentence");
  for (tokenizer::TokenId id : ids)
    if (id < 0 || uint32_t(id) >= info.vocabulary)
      throw bad_input(
          fmt::format("token id {} is outside the model's vocabulary of {}", id, info.vocabulary))
          .hint("the tokenizer and the weights must come from the same model");
}

void check_site(Site site, const Model& model) {
  if (!model.sites().test(size_t(site)))
    throw wrong_call(fmt::format("{} has no {} that can be looked at or changed", model.info().name,
                                 kNames[size_t(site)]))
        .hint("another kind of model may have them");
}

void check_hidden(const Hidden& hidden, const Model& model) {
  if (hidden.site != Site::residual) check_site(hidden.site, model);
  check_layer(hidden.layer, model.info(), hidden.site);
}

void check_positions(std::span<const uint32_t> positions, size_t tokens) {
  for (uint32_t position : positions)
    if (position >= tokens)
      throw bad_input(
          fmt::format("position {} of {} was to be changed", position, counted(tokens, "token")));
}

void check_change(const Change& change, size_t tokens, const Model& model) {
  const ModelInfo& info = model.info();
  const Place& at = change.at;
  check_site(at.site, model);
  check_layer(at.layer, info, at.site);
  if (at.site == Site::head && at.index != kAll && at.index >= info.heads_in(at.layer))
    throw wrong_call(fmt::format("{} has {}, not a number {}", info.name,
                                 counted(info.heads_in(at.layer), "head"), at.index))
        .hint("0 is the first");
  if (at.position != kEverywhere) check_positions({&at.position, 1}, tokens);
  const auto* from = std::get_if<From>(&change.how);
  if (!from) return;
  check_input(from->ids, info);
  check_positions(from->positions, from->ids.size());
  if (from->positions.empty() || at.position == kEverywhere)
    throw wrong_call("what comes from another input has a position there and here");
}

}  // namespace

bool Classes::operator==(const Classes& other) const {
  return reducer == other.reducer ||
         (reducer && other.reducer && reducer->identity() == other.reducer->identity());
}

std::string_view key_of(ModelInfo::Kind kind) {
  static constexpr std::string_view keys[] = {"masked", "causal", "recurrent", "ngram"};
  return keys[size_t(kind)];
}

std::string_view text(EdgeFrom from) {
  switch (from) {
    case EdgeFrom::nobody:
      return "";
    case EdgeFrom::start_option:
      return "--start";
    case EdgeFrom::end_option:
      return "--end";
    case EdgeFrom::tokenizer_bos:
      return "the tokenizer's beginning of text";
    case EdgeFrom::tokenizer_cls:
      return "the tokenizer's beginning of a sentence";
    case EdgeFrom::tokenizer_eos:
      return "the tokenizer's end of text, for want of a beginning";
    case EdgeFrom::tokenizer_none:
      return "the tokenizer has no such token";
    case EdgeFrom::config_bos:
      return "bos_token_id of config.json";
    case EdgeFrom::config_score_end:
      return "score_end of config.json";
    case EdgeFrom::transformers:
      return "the default of transformers";
    case EdgeFrom::recurrent_start:
      return "recurrent models read on after the last sentence's end";
    case EdgeFrom::recurrent_end:
      return "the default of recurrent models";
    case EdgeFrom::vocabulary_none:
      return "the vocabulary has no <eos>";
    case EdgeFrom::arpa:
      return "the ARPA file";
  }
  return "";
}

void check(const Query& query, const Model& model) {
  const ModelInfo& info = model.info();
  const AskSet known = model.asks();
  check_input(query.ids, info);
  for (const Ask& ask : query.asks) {
    if (ask.position >= query.ids.size())
      throw bad_input(fmt::format("position {} of {} was asked for", ask.position,
                                  counted(query.ids.size(), "token")));
    if (!known.test(ask.what.index()))
      throw wrong_call(
          fmt::format("{} cannot be asked for {}", info.name, kAsked[ask.what.index()]))
          .hint("another kind of model may know them");
    if (const auto* t = std::get_if<Targets>(&ask.what)) check_ids(t->ids, info);
    if (const auto* r = std::get_if<Rank>(&ask.what)) check_ids({&r->id, 1}, info);
    if (const auto* c = std::get_if<Classes>(&ask.what)) check_ids(c->reducer->ids(), info);
    if (const auto* h = std::get_if<Hidden>(&ask.what)) check_hidden(*h, model);
    if (const auto* l = std::get_if<Lens>(&ask.what)) {
      check_layer(l->layer, info);
      check_ids(l->ids, info);
      if (std::ranges::count(l->ids, kWordEnd))
        throw wrong_call("a lens reads single tokens, not whether a word is complete");
    }
  }
  for (const Change& change : query.changes) check_change(change, query.ids.size(), model);
}

uint64_t width(const What& what, const ModelInfo& info) {
  if (const auto* targets = std::get_if<Targets>(&what)) return targets->ids.size();
  if (const auto* classes = std::get_if<Classes>(&what)) return classes->reducer->ids().size();
  if (const auto* lens = std::get_if<Lens>(&what)) return lens->ids.size();
  return std::holds_alternative<Hidden>(what) ? info.hidden : info.vocabulary;
}

}  // namespace minpair::query
