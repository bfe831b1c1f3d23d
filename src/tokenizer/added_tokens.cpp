#include "tokenizer/added_tokens.h"

#include <algorithm>

#include "tokenizer/characters.h"

namespace minpair::tokenizer {
namespace {

char32_t character_before(std::string_view text, size_t at) {
  size_t i = at - 1;
  while (i > 0 && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) --i;
  return next_character(text, i);
}

char32_t character_at(std::string_view text, size_t at) { return next_character(text, at); }

// Does nothing outside [begin, end) with one of these classes touch it?
bool stands_free_of(uint8_t classes, std::string_view text, size_t begin, size_t end) {
  return (begin == 0 || !(class_of(character_before(text, begin)) & classes)) &&
         (end == text.size() || !(class_of(character_at(text, end)) & classes));
}

bool allowed(const AddedToken& t, std::string_view text, size_t begin, size_t end) {
  if (t.single_word && !stands_free_of(kWord, text, begin, end)) return false;
  if (t.between_spaces) {
    bool left = begin == 0 || (class_of(character_before(text, begin)) & kSpace);
    bool right = end == text.size() || (class_of(character_at(text, end)) & kSpace);
    return left && right;
  }
  return true;
}

size_t space_before(std::string_view text, size_t at) {
  while (at > 0 && (class_of(character_before(text, at)) & kSpace)) {
    --at;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  }
  return at;
}

size_t space_after(std::string_view text, size_t at) {
  for (size_t next = at; next < text.size(); at = next)
    if (!(class_of(next_character(text, next)) & kSpace)) break;
  return at;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::erase_if(tokens_, [](const AddedToken& t) { return t.content.empty(); });
  std::vector<Trie::Entry> entries;
  for (size_t i = 0; i < tokens_.size(); ++i) {
    entries.push_back({tokens_[i].content, int32_t(i)});
    begins_[static_cast<unsigned char>(tokens_[i].content[0])] = true;
  }
  trie_ = Trie(std::move(entries));
}

const AddedToken* AddedTokens::match(std::string_view text, size_t at, size_t& end) const {
  const AddedToken* longest = nullptr;
  uint32_t node = Trie::kRoot;
  for (size_t i = at; i < text.size(); ++i) {
    node = trie_.step(node, text[i]);
    if (node == Trie::kNone) break;
    if (int32_t t = trie_.value(node); t >= 0) {
      longest = &tokens_[size_t(t)];
      end = i + 1;
    }
  }
  return longest;
}

void AddedTokens::split(std::string_view text, const std::function<void(const Part&)>& part) const {
  size_t done = 0;
  for (size_t at = 0; at < text.size();) {
    if (!begins_[static_cast<unsigned char>(text[at])]) {
      ++at;
      continue;
    }
    size_t end = 0;
    const AddedToken* token = match(text, at, end);
    if (!token || at < done) {
      ++at;
      continue;
    }
    if (!allowed(*token, text, at, end)) {
      at = end;
      continue;
    }
    size_t begin = token->strip_left ? std::max(done, space_before(text, at)) : at;
    if (token->strip_right) end = space_after(text, end);
    if (done < begin) part({{done, begin}, nullptr});
    part({{begin, end}, token});
    done = at = end;
  }
  if (done < text.size()) part({{done, text.size()}, nullptr});
}

}  // namespace minpair::tokenizer
