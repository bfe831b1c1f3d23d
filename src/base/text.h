#pragma once
// Unicode text. In memory every span counts bytes of UTF-8; on disk every span counts characters
// (code points), because that is what other programs and people count.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace minpair::inline base {

struct Span {
  size_t begin = 0, end = 0;
  size_t size() const { return end - begin; }
  bool empty() const { return begin == end; }
  bool operator==(const Span&) const = default;
};

inline std::string_view slice(std::string_view text, Span s) {
  return text.substr(s.begin, s.size());
}

bool valid_utf8(std::string_view text);

// Decodes the character at `at` and moves past it. Malformed bytes give U+FFFD, one byte at a time.
char32_t next_character(std::string_view text, size_t& at);
void append_utf8(std::string& to, char32_t c);
size_t count_characters(std::string_view text);

// Between bytes and characters. Offsets past the end clamp to it.
size_t byte_of_character(std::string_view text, size_t character);
size_t character_of_byte(std::string_view text, size_t byte);

bool is_space(char32_t c);        // White_Space
bool is_punctuation(char32_t c);  // general category P*
bool is_letter(char32_t c);
bool is_digit(char32_t c);

std::string nfc(std::string_view text);
bool is_nfc(std::string_view text);
std::string lower(std::string_view text);             // root locale
std::string capitalize_first(std::string_view text);  // first letter to upper (title) case

std::string_view trim(std::string_view text);  // ASCII white space
std::vector<std::string_view> split(std::string_view text, char separator);
std::vector<std::string_view> words(std::string_view text);  // on runs of ASCII white space
std::string join(const std::vector<std::string>& parts, std::string_view separator);

// Edit distance over bytes, for did-you-mean.
size_t edit_distance(std::string_view a, std::string_view b);
// The closest of `known` when it is close enough to be a typo, else "".
std::string closest(std::string_view word, const std::vector<std::string>& known);

}  // namespace minpair::inline base
