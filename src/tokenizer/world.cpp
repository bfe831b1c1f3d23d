// RWKV's vocabulary, as its folders have it: in each line an id, what Python writes for the piece
// (a text, or bytes), and how many bytes it has; or the piece alone, the number of the line being
// the id.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/counts.h"
#include "base/error.h"
#include "base/file.h"
#include "tokenizer/characters.h"
#include "tokenizer/loaders.h"
#include "tokenizer/make.h"
#include "tokenizer/normalizer.h"

namespace minpair::tokenizer {

std::string python_bytes(std::string_view written, bool of_text) {
  std::string bytes;
  for (size_t i = 0; i < written.size(); ++i) {
    if (written[i] != '\\') {
      bytes.push_back(written[i]);
      continue;
    }
    const char kind = ++i < written.size() ? written[i] : '\0';
    const size_t length = kind == 'x'              ? 2
                          : kind == 'u' && of_text ? 4
                          : kind == 'U' && of_text ? 8
                                                   : 0;
    const std::string_view digits = written.substr(std::min(i + 1, written.size()), length);
    uint32_t value = 0;
    if (kind == 't' || kind == 'n' || kind == 'r') {
      bytes.push_back(kind == 't' ? '\t' : kind == 'n' ? '\n' : '\r');
    } else if (kind == '\\' || kind == '\'' || kind == '"') {
      bytes.push_back(kind);
    } else if (auto [end, error] = std::from_chars(digits.begin(), digits.end(), value, 16);
               length > 0 && digits.size() == length && end == digits.end() &&
               error == std::errc() && value <= 0x10ffff) {
      if (of_text)
        append_utf8(bytes, char32_t(value));
      else
        bytes.push_back(char(value));
      i += length;
    } else {
      throw bad_input(fmt::format("the piece '{}' is not written as Python writes bytes", written));
    }
  }
  return bytes;
}

std::string byte_level_piece(std::string_view bytes) {
  std::string piece;
  for (char byte : bytes) append_utf8(piece, byte_level_character(uint8_t(byte)));
  return piece;
}

namespace {

// What stands in quotes; empty: it does not.
std::optional<std::string> bytes_of_literal(std::string_view literal) {
  const bool of_text = !literal.starts_with('b');
  if (!of_text) literal.remove_prefix(1);
  if (literal.size() < 2 || literal.front() != literal.back() ||
      (literal.front() != '\'' && literal.front() != '"'))
    return std::nullopt;
  return python_bytes(literal.substr(1, literal.size() - 2), of_text);
}

struct Entry {
  size_t id = 0;
  std::string bytes;
};

Entry entry_of(std::string_view line) {
  Entry entry;
  size_t stated = 0;
  const size_t first = line.find(' '), last = line.rfind(' ');
  auto number = [](std::string_view digits, size_t& value) {
    auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
    return error == std::errc() && end == digits.end();
  };
  const bool whole = first != line.npos && last > first &&
                     number(line.substr(0, first), entry.id) &&
                     number(line.substr(last + 1), stated);
  std::optional<std::string> bytes =
      bytes_of_literal(whole ? line.substr(first + 1, last - first - 1) : "");
  if (!bytes) throw bad_input("this is not an id, a piece as Python writes it, and its length");
  entry.bytes = std::move(*bytes);
  if (entry.bytes.size() != stated)
    throw bad_input(fmt::format("the piece has {} {}, not {}", entry.bytes.size(),
                                plural(entry.bytes.size(), "byte"), stated));
  return entry;
}

// The first id is the end of a text, which is also what comes before one.
constexpr const char* kEnd = "<s>";

std::unique_ptr<Tokenizer> make_world(const std::vector<std::string>& pieces) {
  Surroundings around;
  around.names.bos = around.names.eos = kEnd;
  AddedToken token{kEnd, 0};
  token.special = true;
  around.added = {token};
  return make_byte_level_longest(pieces, around);
}

// `piece_of(line, id)` gives the piece in a line.
template <class PieceOf>
std::unique_ptr<Tokenizer> load_lines(const fs::path& path, std::vector<std::string> pieces,
                                      const PieceOf& piece_of) {
  LineReader reader(path, size_t{1} << 20);
  for (std::string_view line; reader.next(line);) try {
      if (line.ends_with('\r')) line.remove_suffix(1);
      pieces.push_back(piece_of(line, pieces.size()));
      if (pieces.size() > Vocabulary::kMaxPieces)
        throw bad_input(fmt::format("more than {} pieces", Vocabulary::kMaxPieces));
    } catch (Error& e) {
      throw e.at(path.string(), reader.line_number());
    }
  if (pieces.empty()) throw bad_input("there are no pieces").at(path.string());
  return make_world(pieces);
}

}  // namespace

std::unique_ptr<Tokenizer> load_world(const fs::path& path) {
  return load_lines(path, {kEnd}, [](std::string_view line, size_t id) {
    const Entry entry = entry_of(line);
    if (entry.id != id) throw bad_input(fmt::format("the id is {}, not {}", entry.id, id));
    return byte_level_piece(entry.bytes);
  });
}

std::unique_ptr<Tokenizer> load_world_pieces(const fs::path& path) {
  return load_lines(path, {}, [](std::string_view line, size_t id) -> std::string {
    const std::optional<std::string> bytes = bytes_of_literal(line);
    if (!bytes) throw bad_input("this is not a piece as Python writes it");
    if (id > 0) return byte_level_piece(*bytes);
    if (*bytes != kEnd) throw bad_input(fmt::format("the first piece is not '{}'", kEnd));
    return kEnd;
  });
}

}  // namespace minpair::tokenizer
