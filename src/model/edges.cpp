#include "model/edges.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/hash.h"

namespace minpair::model {
namespace {

bool usable(int64_t id, const query::ModelInfo& info) { return id >= 0 && id < info.vocabulary; }

std::string named(const tokenizer::Tokenizer& tokenizer, int64_t id) {
  bool known = id >= 0 && uint64_t(id) < tokenizer.vocabulary_size();
  return known ? fmt::format("{} ('{}')", id, tokenizer.piece(tokenizer::TokenId(id)))
               : std::to_string(id);
}

// Written in a text it would be one token that is no text.
bool is_special(const tokenizer::Tokenizer& tokenizer, tokenizer::TokenId id) {
  const tokenizer::SpecialIds& s = tokenizer.special();
  for (tokenizer::TokenId known : {s.bos, s.eos, s.cls, s.sep, s.pad})
    if (id == known) return true;
  if (size_t(id) >= tokenizer.vocabulary_size()) return false;
  std::vector<tokenizer::Token> tokens = tokenizer.encode(tokenizer.piece(id), false).tokens;
  return tokens.size() == 1 && tokens[0].id == id && tokens[0].special;
}

Edge asked_for(query::EdgeFrom option, const std::string& value, Edge own,
               const query::ModelInfo& info, const tokenizer::Tokenizer& tokenizer) {
  if (value.empty() || value == "auto") return own;
  if (value == "none") return {-1, option};
  std::optional<tokenizer::TokenId> id = tokenizer.id(value);
  if (!id || !usable(*id, info))
    throw wrong_call(fmt::format("{}: the model has no token '{}'", text(option), value))
        .hint("a token as the vocabulary writes it, 'none', or 'auto' for the model's own");
  return {*id, option};
}

}  // namespace

Edge start_of_text(const Config& config, const tokenizer::Tokenizer& tokenizer,
                   query::ModelInfo& info) {
  const tokenizer::SpecialIds& special = tokenizer.special();
  const tokenizer::TokenId own = special.bos >= 0 ? special.bos : special.cls;
  const int64_t stated = config.integer("bos_token_id", -1);
  auto note = [&](std::string text) { info.notes.push_back(std::move(text)); };
  if (stated >= 0 && !usable(stated, info))
    note(
        fmt::format("config.json's bos_token_id {} is outside the vocabulary of {}; it is not used",
                    stated, info.vocabulary));
  else if (stated >= 0 && usable(own, info) && stated != own)
    note(fmt::format(
        "config.json's bos_token_id is {}, but the tokenizer's files name {} as what begins a "
        "text, which is used",
        named(tokenizer, stated), named(tokenizer, own)));
  if (own >= 0 && !usable(own, info))
    note(
        fmt::format("the tokenizer's files name {} as what begins a text, which is outside the "
                    "vocabulary of {}; it is not used",
                    named(tokenizer, own), info.vocabulary));
  if (usable(own, info))
    return {own,
            special.bos >= 0 ? query::EdgeFrom::tokenizer_bos : query::EdgeFrom::tokenizer_cls};
  if (usable(stated, info)) {
    if (is_special(tokenizer, tokenizer::TokenId(stated)))
      return {tokenizer::TokenId(stated), query::EdgeFrom::config_bos};
    note(fmt::format("config.json's bos_token_id is {}, an ordinary piece of text; it is not used",
                     named(tokenizer, stated)));
  }
  if (usable(special.eos, info)) return {special.eos, query::EdgeFrom::tokenizer_eos};
  note("the model has no beginning-of-text token: the first token of a sentence is not scored");
  return {-1, query::EdgeFrom::tokenizer_none};
}

void set_edges(query::ModelInfo& info, const tokenizer::Tokenizer& tokenizer,
               const LoadOptions& options, Edge start, Edge end) {
  start = asked_for(query::EdgeFrom::start_option, options.start, start, info, tokenizer);
  end = asked_for(query::EdgeFrom::end_option, options.end, end, info, tokenizer);
  info.start = start.id;
  info.end = end.id;
  info.start_from = start.from;
  info.end_from = end.from;
  info.fingerprint =
      Sha256().add(info.fingerprint).add(fmt::format("\nstart {} end {}", start.id, end.id)).hex();
}

}  // namespace minpair::model
