#include "introspect/contrast.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "method/method.h"

namespace minpair::introspect {
namespace {

Contrast excluded(Reason why) { return {{}, 0, 0, 0, why}; }

// What the model reads up to where a token is asked for; masked models read all of it.
struct Asked {
  std::vector<tokenizer::TokenId> ids;
  uint32_t position = 0;
};

Asked asked_for(const method::Questions& questions, size_t sentence, size_t token, bool masked) {
  const method::Asked& at = questions.sentences[sentence].asked[token];
  Asked asked{questions.queries[at.query].ids, questions.queries[at.query].asks[at.ask].position};
  if (!masked) asked.ids.resize(asked.position + 1);
  return asked;
}

}  // namespace

void check_layers(const query::Model& model) {
  if (!model.asks().test(query::What(query::Hidden{}).index()))
    throw wrong_call(fmt::format("'{}' has no layers to look into", model.info().name))
        .hint("transformers and recurrent models have them");
}

Contrast contrast_of(const suite::Item& item, const query::Model& model) {
  if (item.cloze) return excluded(reason_of(judge::Reason::cloze));
  if (item.design || !suite::is_pair(item)) return excluded(Reason::not_a_pair);
  const bool masked = model.info().kind == query::ModelInfo::Kind::masked;
  // These methods know how pieces are revealed, one after the other.
  const method::Method& method = method::find_method(masked ? "masked-word-l2r" : "word-lp");
  const method::Questions questions = method.ask(item, {model.tokenizer(), model.info()});
  if (questions.excluded != judge::Reason::none) return excluded(reason_of(questions.excluded));

  const size_t good = item.sentences[0].grammatical ? 0 : 1, bad = 1 - good;
  const auto& right = questions.sentences[good].tokens;
  const auto& wrong = questions.sentences[bad].tokens;
  const size_t both = std::min(right.size(), wrong.size());
  size_t first = 0;
  while (first < both && right[first].id == wrong[first].id) ++first;
  if (first == both) return excluded(Reason::one_begins_with_other);
  Asked here = asked_for(questions, good, first, masked);
  Asked there = asked_for(questions, bad, first, masked);
  if (masked && here.ids.size() != there.ids.size()) return excluded(Reason::different_pieces);
  if (here.ids != there.ids || here.position != there.position)
    return excluded(Reason::differ_elsewhere);
  return {std::move(here.ids), here.position, right[first].id, wrong[first].id};
}

query::Query margin_question(const Contrast& contrast) {
  return {contrast.ids,
          {{contrast.position, query::Targets{{contrast.good, contrast.bad}, false}}},
          {}};
}

double margin_of(const query::Answer& answer) {
  const std::vector<float>& logits = query::logits_of(answer[0]).logits;
  return double(logits[0]) - double(logits[1]);
}

query::Query lens_question(const Contrast& contrast, uint32_t layers) {
  query::Query query{contrast.ids, {}, {}};
  for (uint32_t l = 0; l <= layers; ++l)
    query.asks.push_back(
        {contrast.position, query::Lens{uint16_t(l), {contrast.good, contrast.bad}}});
  return query;
}

std::vector<double> lens_margins(const query::Answer& answer) {
  std::vector<double> margins;
  for (const query::Record& record : answer) {
    const std::vector<float>& logits = query::logits_of(record).logits;
    margins.push_back(logits.empty() ? std::numeric_limits<double>::quiet_NaN()
                                     : double(logits[0]) - double(logits[1]));
  }
  return margins;
}

}  // namespace minpair::introspect
