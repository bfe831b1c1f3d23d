// Models: loading, cutting texts, scoring, predicting, looking inside.

#include <fmt/format.h>

#include "api/call.h"
#include "api/stream.h"
#include "base/character_index.h"
#include "base/paths.h"
#include "engine/query_batch.h"
#include "engine/texts.h"
#include "hub/hub.h"
#include "model/states.h"
#include "tidy/tidy.h"
#include "tokenizer/word_ends.h"

namespace minpair::api {
namespace {

using tidy::Field;
using tidy::Frame;
using tidy::Type;

constexpr Type text = Type::text, integer = Type::integer, number = Type::number,
               truth = Type::truth;

std::vector<std::string> texts_of(const char* const* texts, size_t count) {
  std::vector<std::string> all;
  if (count > 0) require(texts, "the list of texts");
  for (size_t i = 0; i < count; ++i) all.emplace_back(&require(texts[i], "a text"));
  return all;
}

std::string piece_of(const query::Model& model, tokenizer::TokenId id) {
  const tokenizer::Tokenizer& t = model.tokenizer();
  return id >= 0 && size_t(id) < t.vocabulary_size() ? t.piece(id) : "";
}

Frame about(const query::Model& model) {
  Frame f({{"name", text},
           {"kind", text},
           {"architecture", text},
           {"layers", integer},
           {"hidden", integer},
           {"heads", integer},
           {"vocabulary", integer},
           {"max_tokens", integer},
           {"parameters", integer},
           {"precision", text},
           {"fingerprint", text},
           {"mask", text},
           {"eos", text},
           {"start", text},
           {"start_from", text},
           {"end", text},
           {"method", text},
           {"notes", text}});
  const query::ModelInfo& info = model.info();
  f.text(info.name)
      .text(query::key_of(info.kind))
      .text(info.architecture)
      .integer(int64_t{info.layers});
  f.integer(int64_t{info.hidden}).integer(int64_t{info.heads}).integer(int64_t{info.vocabulary});
  f.integer(int64_t{info.max_tokens}).integer(int64_t(info.parameters)).text(info.precision);
  f.text(info.fingerprint).text_or_nothing(piece_of(model, model.tokenizer().special().mask));
  f.text_or_nothing(piece_of(model, model.tokenizer().special().eos));
  f.text_or_nothing(piece_of(model, info.start)).text_or_nothing(query::text(info.start_from));
  f.text_or_nothing(piece_of(model, info.end));
  f.text(method::default_method(info).name()).text_or_nothing(join(info.notes, "\n"));
  return f;
}

// Of a token, wherever one is shown.
std::vector<tidy::Field> token_fields(const std::vector<tidy::Field>& more = {}) {
  std::vector<tidy::Field> fields = {
      {"text", integer},  {"token", integer}, {"token_id", integer}, {"piece", text},
      {"begin", integer}, {"end", integer},   {"special", truth},    {"begins_word", truth}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

// Places count characters.
void put_span(Frame& f, const CharacterIndex& all, Span span) {
  f.integer(int64_t(all.character(span.begin))).integer(int64_t(all.character(span.end)));
}

void put_token(Frame& f, const query::Model& model, size_t number_of_text, size_t place,
               const CharacterIndex& all, tokenizer::TokenId id, Span span) {
  f.integer(int64_t(number_of_text)).integer(int64_t(place)).integer(int64_t{id});
  f.text(piece_of(model, id));
  put_span(f, all, span);
}

std::vector<suite::Text> with_contexts(std::vector<std::string> texts,
                                       const char* const* contexts) {
  std::vector<suite::Text> all;
  for (size_t i = 0; i < texts.size(); ++i)
    all.push_back({std::move(texts[i]), contexts ? text_or(contexts[i]) : ""});
  return all;
}

// What the tokenizer makes of texts, as `minpair tokenize` shows it; what the model reads of a text
// that it scores, minpair_score says.
Frame tokenized(const query::Model& model, const std::vector<std::string>& texts, bool special) {
  Frame f(token_fields());
  for (size_t i = 0; i < texts.size(); ++i) {
    tokenizer::Encoding encoding = model.tokenizer().encode(texts[i], special);
    const CharacterIndex all(texts[i]);
    for (size_t t = 0; t < encoding.tokens.size(); ++t) {
      const tokenizer::Token& token = encoding.tokens[t];
      put_token(f, model, i, t, all, token.id, token.span);
      const tokenizer::TokenId before = encoding.tokens[t ? t - 1 : t].id;
      f.truth(token.special);
      f.truth(t == 0 || encoding.tokens[t - 1].special
                  ? model.tokenizer().begins_word(token.id)
                  : tokenizer::begins_word_after(model.tokenizer(), before, token.id));
    }
  }
  return f;
}

Frame text_rows(const std::vector<engine::ScoredText>& scored, const judge::View& view) {
  Frame f({{"text", integer},
           {"score", number},
           {"sum", number},
           {"tokens", integer},
           {"words", integer},
           {"excluded", text}});
  for (size_t i = 0; i < scored.size(); ++i) {
    const engine::ScoredText& s = scored[i];
    f.integer(int64_t(i));
    if (s.has_score())
      f.number(s.score.value(view))
          .number(s.score.value({judge::Unit::sum}))
          .integer(int64_t{s.score.token_count()})
          .integer(int64_t{s.score.words});
    else
      f.nothing().nothing().nothing().nothing();
    f.text_or_nothing(key_of(s.excluded));
  }
  return f;
}

Frame token_rows(const query::Model& model, const std::vector<engine::ScoredText>& scored,
                 bool ranks) {
  std::vector<Field> more = {{"logprob", number}, {"surprisal", number}};
  if (ranks) more.push_back({"rank", integer});
  Frame f(token_fields(more));
  for (size_t i = 0; i < scored.size(); ++i) {
    const CharacterIndex all(scored[i].text.text);
    for (size_t t = 0; t < scored[i].score.tokens.size(); ++t) {
      const judge::TokenScore& token = scored[i].score.tokens[t];
      put_token(f, model, i, t, all, token.id, token.span);
      f.truth(token.special).truth(token.begins_word).number(token.logprob);
      f.number(judge::bits(token.logprob));
      if (ranks) f.integer(int64_t{scored[i].ranks[t]});
    }
  }
  return f;
}

Frame word_rows(const std::vector<engine::ScoredText>& scored, bool complete_too) {
  std::vector<Field> fields = {{"text", integer},   {"word", integer},   {"form", text},
                               {"begin", integer},  {"end", integer},    {"special", truth},
                               {"tokens", integer}, {"logprob", number}, {"surprisal", number}};
  if (complete_too) fields.push_back({"surprisal_complete", number});
  Frame f(fields);
  for (size_t i = 0; i < scored.size(); ++i) {
    const CharacterIndex all(scored[i].text.text);
    const std::vector<judge::ScoredWord> words = judge::words_of(scored[i].score.tokens);
    const std::vector<judge::ScoredWord> complete = judge::words_of(scored[i].complete);
    for (size_t w = 0; w < words.size(); ++w) {
      f.integer(int64_t(i)).integer(int64_t(w)).text(slice(all.text(), words[w].span));
      put_span(f, all, words[w].span);
      f.truth(words[w].special).integer(int64_t{words[w].tokens}).number(words[w].logprob);
      f.number(judge::bits(words[w].logprob));
      if (!complete_too) continue;
      if (w < complete.size())
        f.number(judge::bits(complete[w].logprob));
      else
        f.nothing();
    }
  }
  return f;
}

Frame scored_rows(minpair_model& model, std::vector<std::string> texts,
                  const minpair_score_options& options) {
  const method::Method& method = method::find_method(text_or(options.method), model.model->info());
  std::string level = text_or(options.level, "text");
  if (level != "text" && level != "word" && level != "token")
    throw wrong_call(fmt::format("there is no level '{}'", level)).hint("text, word, token");
  if (options.ranks && level != "token")
    throw wrong_call("only tokens have ranks").hint("the level must be 'token'");
  judge::View view = options.norm ? judge::find_view(options.norm) : method.view();
  if (!judge::same_family(view, method.view()))
    throw wrong_call(fmt::format("the method '{}' has no normalisation '{}'", method.name(),
                                 judge::name_of(view)));
  const std::vector<suite::Text> all = with_contexts(std::move(texts), options.contexts);
  std::lock_guard turn(model.turn);
  const std::vector<engine::ScoredText> scored =
      engine::score_texts(*model.model, method, all,
                          {.ranks = options.ranks != 0,
                           .words = level == "word",
                           .tick = ticking(options.progress, options.user)})
          .texts;
  if (level == "token") return token_rows(*model.model, scored, options.ranks != 0);
  return level == "word" ? word_rows(scored, method.name() == "lp") : text_rows(scored, view);
}

Frame predictions(minpair_model& model, const std::vector<suite::Text>& texts, uint32_t best,
                  const std::function<void(uint64_t, uint64_t)>& tick) {
  Frame f({{"text", integer},
           {"gap", integer},
           {"rank", integer},
           {"token_id", integer},
           {"piece", text},
           {"logprob", number}});
  std::lock_guard turn(model.turn);
  const std::vector<engine::Predictions> all = engine::predictions(*model.model, texts, best, tick);
  for (size_t place = 0; place < all.size(); ++place) {
    const auto& gaps = all[place].gaps;
    for (size_t gap = 0; gap < gaps.size(); ++gap)
      for (size_t rank = 0; rank < gaps[gap].size(); ++rank) {
        const engine::Prediction& p = gaps[gap][rank];
        f.integer(int64_t(place)).integer(int64_t(gap)).integer(int64_t(rank + 1));
        f.integer(int64_t{p.id}).text(p.piece).number(p.logprob);
      }
  }
  return f;
}

Frame states(minpair_model& model, const std::vector<suite::Text>& texts, int layer,
             const std::function<void(uint64_t, uint64_t)>& tick) {
  if (texts.empty()) throw wrong_call("there are no texts");
  const query::ModelInfo& info = model.model->info();
  const int64_t asked = layer < 0 ? int64_t{info.layers} + 1 + layer : layer;
  if (asked < 0 || asked > info.layers)
    throw wrong_call(fmt::format("'{}' has no layer {}", info.name, layer))
        .hint(fmt::format("layers are 0 to {}, or -1 to -{} from the last", info.layers,
                          info.layers + 1));
  Frame f;
  std::lock_guard turn(model.turn);
  engine::QueryStream stream(*model.model);
  engine::each_text(texts, [&](const suite::Text& one, size_t place) {
    method::Encoded read = method::encoded(one, model.model->tokenizer(), info, {.end = false});
    query::Query question = model::states_question(*model.model, read.ids, {{uint32_t(asked)}});
    stream.add(std::move(question), [&, place, read = std::move(read)](query::Answer&& answer) {
      const model::States values = model::states_of(answer, 1)[0];
      if (f.fields().empty())
        f = Frame({{"text", integer},
                   {"token", integer},
                   {"token_id", integer},
                   {"piece", text},
                   {"begin", integer},
                   {"end", integer},
                   {"state", Type::vector, "", uint32_t(values.width)}});
      const CharacterIndex all(texts[place].text);
      for (size_t t = 0; t < read.tokens.size(); ++t) {
        put_token(f, *model.model, place, t, all, read.ids[t], read.tokens[t].span);
        f.vector(values.values.data() + t * values.width);
      }
      if (tick) tick(place + 1, texts.size());
    });
  });
  stream.finish();
  return f;
}

Frame listed(const std::string& what) {
  Frame f({{"name", text}, {"title", text}});
  if (what == "methods")
    for (const method::Method* m : method::all_methods()) f.text(m->name()).text(m->explanation());
  else if (what == "suites")
    for (const suite::Suite& s : suite::shipped_suites())
      f.text(s.manifest.name).text(s.manifest.title);
  else if (what == "models")
    for (const auto& known : {hub::shipped_models(), hub::cached_models()})
      for (const hub::Known& m : known) f.text(m.name).text(m.kind);
  else
    throw wrong_call(fmt::format("there is no list of '{}'", what)).hint("suites, models, methods");
  return f;
}

}  // namespace
}  // namespace minpair::api

using namespace minpair;
using namespace minpair::api;

extern "C" {

const char* minpair_version(void) {
  static const std::string own = version();
  return own.c_str();
}

int minpair_api(void) { return 2; }

minpair_status minpair_add_home(const char* folder) {
  return call([&] { add_home(&require(folder, "the folder")); });
}

minpair_status minpair_list(const char* what, struct ArrowArrayStream* out) {
  return call([&] { give_stream(listed(text_or(what)), &require(out, "the stream")); });
}

minpair_status minpair_load(const char* name, const minpair_load_options* given,
                            minpair_model** out) {
  return call([&] {
    minpair_load_options o = read_options(given);
    auto handle = std::make_unique<minpair_model>();
    handle->load = {o.threads,
                    text_or(o.precision, "fp32"),
                    text_or(o.vocabulary),
                    text_or(o.start, "auto"),
                    text_or(o.end, "auto"),
                    text_or(o.read_as, "auto")};
    handle->model = model::load_model(&require(name, "the model's name"), handle->load);
    require(out, "the place for the model") = handle.release();
  });
}

void minpair_free_model(minpair_model* model) {
  if (model && model->process == ::getpid()) delete model;  // else its threads cannot be waited for
}

minpair_status minpair_about(minpair_model* model, struct ArrowArrayStream* out) {
  return call([&] { give_stream(about(*usable(model).model), &require(out, "the stream")); });
}

minpair_status minpair_tokenize(minpair_model* model, const char* const* texts, size_t count,
                                int with_special, struct ArrowArrayStream* out) {
  return call([&] {
    give_stream(tokenized(*usable(model).model, texts_of(texts, count), with_special != 0),
                &require(out, "the stream"));
  });
}

minpair_status minpair_score(minpair_model* model, const char* const* texts, size_t count,
                             const minpair_score_options* options, struct ArrowArrayStream* out) {
  return call([&] {
    give_stream(scored_rows(usable(model), texts_of(texts, count), read_options(options)),
                &require(out, "the stream"));
  });
}

minpair_status minpair_predict(minpair_model* model, const char* const* texts,
                               const char* const* contexts, size_t count, uint32_t best,
                               minpair_progress progress, void* user,
                               struct ArrowArrayStream* out) {
  return call([&] {
    give_stream(predictions(usable(model), with_contexts(texts_of(texts, count), contexts), best,
                            ticking(progress, user)),
                &require(out, "the stream"));
  });
}

minpair_status minpair_states(minpair_model* model, const char* const* texts, size_t count,
                              int layer, minpair_progress progress, void* user,
                              struct ArrowArrayStream* out) {
  return call([&] {
    give_stream(states(usable(model), with_contexts(texts_of(texts, count), nullptr), layer,
                       ticking(progress, user)),
                &require(out, "the stream"));
  });
}

}  // extern "C"
