#include "method/methods.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "method/tokens.h"

namespace minpair::method {

const std::vector<const Method*>& all_methods() {
#define MINPAIR_LISTED(name) &name(),
  static const std::vector<const Method*> all = {MINPAIR_METHODS(MINPAIR_LISTED)};
#undef MINPAIR_LISTED
  return all;
}

const Method& find_method(const std::string& name) {
  std::vector<std::string> known;
  for (const Method* m : all_methods()) {
    if (m->name() == name) return *m;
    known.push_back(m->name());
  }
  constexpr std::string_view kCut = "lemma-pairs:";
  if (name.starts_with(kCut)) return lemma_pairs_within(std::string_view(name).substr(kCut.size()));
  std::string guess = closest(name, known);
  throw wrong_call(fmt::format("there is no method '{}'", name))
      .hint(guess.empty() ? "'minpair list methods' shows what there is"
                          : fmt::format("did you mean '{}'?", guess));
}

// Not the first of the list for masked models, whose order is that of the papers: hiding a word's
// later pieces as well is what studies of scoring settled on (Kauf and Ivanova 2023).
const Method& default_method(const query::ModelInfo& model) {
  if (model.kind == query::ModelInfo::Kind::masked) return pseudo_likelihood_word_left_to_right();
  for (const Method* m : all_methods())
    if (m->supports(model)) return *m;
  throw wrong_call("no method fits this kind of model");
}

namespace {

std::string kind_of(const query::ModelInfo& model) {
  if (model.fills_gaps) return "models that fill gaps";
  if (model.answers_only_masks()) return "models that answer only about masks";
  if (model.kind == query::ModelInfo::Kind::ngram) return "n-gram models";
  return fmt::format("{} models", query::key_of(model.kind));
}

std::vector<std::string> names_for(const query::ModelInfo& model) {
  std::vector<std::string> names;
  for (const Method* m : all_methods())
    if (m->supports(model)) names.push_back(m->name());
  return names;
}

}  // namespace

const Method& find_method(const std::string& name, const query::ModelInfo& model) {
  if (name.empty()) return default_method(model);
  const Method& method = find_method(name);
  if (!method.supports(model))
    throw wrong_call(fmt::format("the method '{}' is not for {}", name, kind_of(model)))
        .hint(fmt::format("these are: {}", join(names_for(model), ", ")));
  return method;
}

std::vector<const Method*> find_methods(const std::string& names, const query::ModelInfo& model) {
  std::vector<const Method*> chosen;
  if (names == "all") {
    for (const Method* m : all_methods())
      if (m->supports(model)) chosen.push_back(m);
    return chosen;
  }
  for (std::string_view name : split(names, ',')) {
    const Method& method = find_method(std::string(trim(name)), model);
    if (std::find(chosen.begin(), chosen.end(), &method) == chosen.end()) chosen.push_back(&method);
  }
  return chosen;
}

std::vector<const Method*> methods_for(const suite::Manifest& manifest, const std::string& asked,
                                       bool clozes, const query::ModelInfo& model) {
  if (asked.empty()) {
    if (!manifest.method.empty() && find_method(manifest.method).supports(model))
      return {&find_method(manifest.method)};
    return {&default_method(model)};
  }
  std::vector<const Method*> chosen = find_methods(asked, model);
  if (asked == "all")
    std::erase_if(chosen, [&](const Method* m) { return m->info().cloze != clozes; });
  return chosen;
}

std::vector<FittingMethods> fitting_methods(const std::string& names,
                                            const std::vector<query::ModelInfo>& models) {
  std::vector<FittingMethods> all(models.size());
  if (names.empty() || names == "all") {
    for (FittingMethods& of_model : all) of_model.names = names;
    return all;
  }
  std::vector<const Method*> named;
  for (std::string_view name : split(names, ','))
    named.push_back(&find_method(std::string(trim(name))));
  for (size_t i = 0; i < models.size(); ++i) {
    std::vector<std::string> fitting;
    for (const Method* m : named)
      (m->supports(models[i]) ? fitting : all[i].left_out).push_back(m->name());
    all[i].names = join(fitting, ",");
    if (all[i].left_out.empty() || (models.size() > 1 && !fitting.empty())) continue;
    try {
      find_method(all[i].left_out.front(), models[i]);
    } catch (Error& e) {
      throw e.at(models[i].name);
    }
  }
  for (const Method* m : named)
    if (std::ranges::none_of(models, [&](const query::ModelInfo& i) { return m->supports(i); }))
      throw wrong_call(fmt::format("the method '{}' is for none of these models", m->name()))
          .hint("'minpair list methods' says what each is for");
  return all;
}

void check_manifest(const suite::Manifest& manifest, const std::string& file) {
  try {
    const Method* method = manifest.method.empty() ? nullptr : &find_method(manifest.method);
    if (manifest.norm.empty()) return;
    judge::View view = judge::find_view(manifest.norm);
    if (method && !judge::same_family(view, method->view()))
      throw wrong_call(
          fmt::format("the method '{}' has no normalisation '{}'", manifest.method, manifest.norm))
          .hint(fmt::format("its own is '{}'", judge::name_of(method->view())));
  } catch (const Error& e) {
    throw bad_input(e.message()).at(file).hint(e.next());
  }
}

Questions Method::ask(const suite::Item& item, const MethodContext& context) const {
  if (item.cloze && !info().cloze) return excluded(Reason::cloze);
  std::vector<SentenceTokens> sentences;
  for (const suite::Sentence& sentence : item.sentences) {
    sentences.push_back(tokens_of(sentence, context));
    if (sentences.back().problem != Reason::none) return excluded(sentences.back().problem);
  }
  return questions(item, std::move(sentences), context);
}

std::vector<judge::SentenceScore> Method::score(
    const Questions& questions, const std::vector<const query::Answer*>& answers) const {
  std::vector<judge::SentenceScore> scores;
  scores.reserve(questions.sentences.size());
  for (const SentenceQuestions& sentence : questions.sentences) {
    judge::SentenceScore score{sentence.tokens, {}};
    for (size_t i = 0; i < score.tokens.size(); ++i) {
      const Asked& asked = sentence.asked[i];
      const query::Logits& logits = logits_of((*answers[asked.query])[asked.ask]);
      score.tokens[i].logit = logits.logits[asked.target];
      score.tokens[i].logprob = logits.logprob(asked.target);
    }
    scores.push_back(std::move(score));
  }
  return scores;
}

}  // namespace minpair::method
