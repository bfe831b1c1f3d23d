#include "tokenizer/common.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/hash.h"
#include "tokenizer/characters.h"

namespace minpair::tokenizer {
namespace {

constexpr size_t kLongestText = size_t{1} << 30;

size_t first_invalid_byte(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    size_t begin = at;
    if (next_character(text, at) == 0xFFFD && text.substr(begin, at - begin) != "\uFFFD")
      return begin;
  }
  return at;
}

TokenId required(const Vocabulary& vocabulary, const std::string& name) {
  TokenId id = vocabulary.find(name);
  if (id < 0)
    throw bad_input(fmt::format("the vocabulary lacks the special token '{}'", name))
        .hint("does the vocabulary belong to this model?");
  return id;
}

void hash_text(Sha256& hash, std::string_view text) {
  hash.add(fmt::format("{}:", text.size())).add(text);
}

}  // namespace

Span trimmed_span(std::string_view text, Span span) {
  Span kept = span;
  bool started = false;
  for (size_t at = span.begin; at < span.end;) {
    size_t begin = at;
    if (class_of(next_character(text, at)) & kSpace) continue;
    if (!started) kept.begin = begin;
    started = true;
    kept.end = at;
  }
  return started ? kept : span;
}

CommonTokenizer::CommonTokenizer(const std::vector<std::string>& pieces, const Surroundings& around)
    : vocabulary_(pieces) {
  if (pieces.empty()) throw bad_input("the vocabulary is empty");
  const SpecialNames& names = around.names;
  special_ = {vocabulary_.find(names.unk),  vocabulary_.find(names.pad),
              vocabulary_.find(names.cls),  vocabulary_.find(names.sep),
              vocabulary_.find(names.mask), vocabulary_.find(names.bos),
              vocabulary_.find(names.eos)};
  for (const std::string& name : around.before) before_.push_back(required(vocabulary_, name));
  for (const std::string& name : around.after) after_.push_back(required(vocabulary_, name));

  std::vector<AddedToken> added = around.added;
  for (const AddedToken& t : added)
    if (!vocabulary_.contains(t.id))
      throw bad_input(fmt::format("the added token '{}' has the id {}, past the vocabulary of {}",
                                  t.content, t.id, vocabulary_.size()));
  auto known = [&](TokenId id) {
    return std::any_of(added.begin(), added.end(),
                       [&](const AddedToken& t) { return t.content == vocabulary_.piece(id); });
  };
  for (TokenId id : {special_.unk, special_.pad, special_.cls, special_.sep, special_.mask,
                     special_.bos, special_.eos})
    if (around.names_are_added && id >= 0 && !known(id))
      added.push_back({std::string(vocabulary_.piece(id)), id});
  special_flags_.resize(vocabulary_.size());
  for (const AddedToken& t : added)
    if (t.special) special_flags_[size_t(t.id)] = true;
  for (TokenId id : before_) special_flags_[size_t(id)] = true;
  for (TokenId id : after_) special_flags_[size_t(id)] = true;
  all_added_ = added;
  std::erase_if(added, [](const AddedToken& t) { return t.normalized; });
  added_ = AddedTokens(std::move(added));
}

Encoding CommonTokenizer::encode(std::string_view text, bool with_special) const {
  if (!valid_utf8(text))
    throw bad_input(
        fmt::format("the text is not UTF-8: byte {} begins no character", first_invalid_byte(text)))
        .hint("convert it, for example with iconv -f LATIN1 -t UTF-8");
  if (text.size() > kLongestText)
    throw bad_input(fmt::format("a text of {} bytes is too long", text.size()))
        .hint("give one sentence or paragraph at a time");
  Encoding encoding;
  encoding.tokens.reserve(text.size() / 4 + 4);
  if (with_special)
    for (TokenId id : before_) encoding.tokens.push_back({id, {0, 0}, true});
  added_.split(text, [&](const AddedTokens::Part& part) {
    if (!part.token)
      encode_part(text, part.span, encoding.tokens);
    else
      encoding.tokens.push_back(
          {part.token->id, trimmed_span(text, part.span), part.token->special});
  });
  if (with_special)
    for (TokenId id : after_) encoding.tokens.push_back({id, {text.size(), text.size()}, true});
  return encoding;
}

std::string CommonTokenizer::piece(TokenId id) const {
  if (!vocabulary_.contains(id))
    throw bad_input(
        fmt::format("the id {} is past the vocabulary of {} pieces", id, vocabulary_.size()));
  return std::string(vocabulary_.piece(id));
}

std::optional<TokenId> CommonTokenizer::id(std::string_view piece) const {
  TokenId found = vocabulary_.find(piece);
  return found < 0 ? std::nullopt : std::optional(found);
}

bool CommonTokenizer::is_special(TokenId id) const {
  return vocabulary_.contains(id) && special_flags_[size_t(id)];
}

void CommonTokenizer::set_fingerprint(std::string_view options) {
  Sha256 hash;
  hash_text(hash, kind());
  hash_text(hash, options);
  for (size_t i = 0; i < vocabulary_.size(); ++i) hash_text(hash, vocabulary_.piece(TokenId(i)));
  for (TokenId id : before_) hash.add(fmt::format("<{}", id));
  for (TokenId id : after_) hash.add(fmt::format(">{}", id));
  for (const AddedToken& t : all_added_) {
    hash_text(hash, t.content);
    hash.add(fmt::format("{} {}{}{}{}{}{}", t.id, t.special, t.normalized, t.single_word,
                         t.strip_left, t.strip_right, t.between_spaces));
  }
  const SpecialIds& s = special_;
  hash.add(fmt::format("{} {} {} {} {} {} {}", s.unk, s.pad, s.cls, s.sep, s.mask, s.bos, s.eos));
  fingerprint_ = hash.hex();
}

}  // namespace minpair::tokenizer
