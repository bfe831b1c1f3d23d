// Goldberg's criterion in a cloze: the word that was masked against the other forms of its lemma.

#include <algorithm>

#include "method/cloze.h"
#include "method/methods.h"
#include "method/tokens.h"

namespace minpair::method {
namespace {

// The casing of `word` that looks like `like`; -1 where the vocabulary has none.
tokenizer::TokenId piece_cased_like(const VocabularyWord& word, std::string_view like,
                                    const tokenizer::Tokenizer& tokenizer) {
  std::string low = lower(like);
  std::string form = low == like ? word.form : capitalize_first(word.form);
  tokenizer::Encoding e = tokenizer.encode("a " + form, false);
  tokenizer::TokenId piece = e.tokens.size() == 2 ? e.tokens[1].id : -1;
  bool known = std::find(word.pieces.begin(), word.pieces.end(), piece) != word.pieces.end();
  return known ? piece : -1;
}

struct Form {
  std::string form;
  tokenizer::TokenId piece;
};

// The masked word first, then the lemma's forms that cannot have its features.
std::vector<Form> forms_of(const suite::Item& item, const MaskedSentence& m,
                           const MethodContext& context) {
  std::string_view own = slice(item.sentences[0].text, item.sentences[0].locus);
  const WordsOfPart* part = context.words->part(item.language, m.pos);
  if (!part) return {};
  auto lemma = part->lemmas.find(suite::feature_text(item, "lemma"));
  if (lemma == part->lemmas.end()) return {};
  std::vector<Form> forms;
  for (uint32_t w : lemma->second) {
    const VocabularyWord& word = part->words[w];
    tokenizer::TokenId piece = piece_cased_like(word, own, context.tokenizer);
    if (piece < 0) continue;
    if (word.form == lower(own))
      forms.insert(forms.begin(), {word.form, piece});
    else if (!std::binary_search(word.bundles.begin(), word.bundles.end(), m.bundle))
      forms.push_back({word.form, piece});
  }
  if (!forms.empty() && forms[0].form != lower(own)) return {};
  return forms;
}

judge::Reads lemma_reads() {
  judge::Reads reads = cloze_reads();
  reads.features.emplace_back("lemma");
  return reads;
}

class LemmaForms : public Method {
 public:
  const judge::MethodInfo& info() const override {
    static const judge::MethodInfo info{
        "lemma-forms",
        "a cloze: the masked word against the other forms of its lemma",
        "Goldberg 2019, Assessing BERT's Syntactic Abilities",
        {judge::Unit::sum},
        judge::Ties::wrong,
        judge::MethodInfo::Scope::locus,
        true,
        lemma_reads()};
    return info;
  }
  bool supports(const query::ModelInfo& model) const override {
    return model.kind == query::ModelInfo::Kind::masked;
  }

  Questions questions(const suite::Item& item, std::vector<SentenceTokens>,
                      const MethodContext& context) const override {
    MaskedSentence m = masked_sentence(item, context);
    if (m.excluded != Reason::none) return excluded(m.excluded);
    std::vector<Form> forms = forms_of(item, m, context);
    if (forms.empty()) return excluded(Reason::locus_not_single_token);
    if (forms.size() == 1) return excluded(Reason::no_other_form);
    Questions questions;
    query::Targets targets;
    for (const Form& form : forms) {
      judge::TokenScore token;
      token.id = form.piece;
      token.span = item.sentences[0].locus;
      token.in_locus = token.begins_word = true;
      questions.sentences.push_back({{token}, {{0, 0, uint32_t(targets.ids.size())}}, form.form});
      targets.ids.push_back(form.piece);
    }
    m.query.asks.push_back({m.mask, std::move(targets)});
    questions.queries.push_back(std::move(m.query));
    return questions;
  }

  std::vector<judge::SentenceScore> score(
      const Questions& questions, const std::vector<const query::Answer*>& answers) const override {
    std::vector<judge::SentenceScore> scores = Method::score(questions, answers);
    for (size_t i = 0; i < scores.size(); ++i) {
      judge::WordScore::Best named{questions.sentences[i].form, float(scores[i].tokens[0].logprob)};
      scores[i].cloze = judge::WordScore{judge::WordScore::Kind::form, 1, {0, 0}, {named}};
    }
    return scores;
  }
};

}  // namespace

MINPAIR_METHOD(lemma_forms, LemmaForms)

}  // namespace minpair::method
