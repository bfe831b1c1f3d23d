// Megabytes of text a second on one core: bench_tokenizer [TEXT [MODEL_FOLDER]]
// Without a folder: WordPiece with a vocabulary of 31,000 pieces made from the text itself. Without
// a text: German-like words made up from syllables.

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <unordered_map>

#include "base/file.h"
#include "base/random.h"
#include "tokenizer/make.h"
#include "tokenizer/tokenizer.h"

namespace {

using namespace minpair;
namespace fs = std::filesystem;

std::vector<std::string> made_up_sentences(size_t bytes) {
  static const char* const onsets[] = {"sch", "k", "b", "st", "gr", "v", "t",
                                       "m",   "n", "w", "fr", "z",  ""};
  static const char* const rhymes[] = {"ein", "ä",   "ung", "er",  "en", "oll",
                                       "ü",   "ach", "um",  "eit", "öß", "a"};
  Random random(7);
  auto word = [&] {
    std::string w;
    for (uint64_t n = 1 + random.below(4); n > 0; --n) {
      w += onsets[random.below(std::size(onsets))];
      w += rhymes[random.below(std::size(rhymes))];
    }
    return random.below(3) == 0 ? capitalize_first(w) : w;
  };
  std::vector<std::string> lines;
  for (size_t made = 0; made < bytes; made += lines.back().size()) {
    std::string line;
    for (uint64_t n = 6 + random.below(12); n > 0; --n)
      line += word() + (n == 1 ? "." : n == 4 ? ", " : " ");
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> read_lines(const fs::path& path, size_t bytes) {
  std::vector<std::string> lines;
  LineReader reader(path);
  size_t total = 0;
  for (std::string_view line; total < bytes && reader.next(line); total += line.size())
    lines.emplace_back(line);
  return lines;
}

// The most frequent beginnings and continuations of words, and every character as both.
std::vector<std::string> make_vocabulary(const std::vector<std::string>& lines, size_t size) {
  std::unordered_map<std::string, size_t> counts;
  for (size_t i = 0; i < lines.size() && i < 20000; ++i)
    for (std::string_view w : words(lines[i]))
      for (size_t begin = 0, characters = 0; begin < w.size() && characters < 12; ++characters) {
        std::string prefix = begin > 0 ? "##" : "";
        size_t end = begin, n = 0;
        while (end < w.size() && n++ < 12) {
          next_character(w, end);
          ++counts[prefix + std::string(w.substr(begin, end - begin))];
        }
        next_character(w, begin);
      }
  std::vector<std::pair<size_t, std::string>> ranked;
  for (auto& [piece, n] : counts)
    ranked.push_back({count_characters(piece) <= 3 ? n + 1000000 : n, piece});
  std::sort(ranked.rbegin(), ranked.rend());
  std::vector<std::string> pieces = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ","};
  for (auto& [n, piece] : ranked)
    if (pieces.size() < size) pieces.push_back(piece);
  return pieces;
}

// Of this thread: what else the machine does must not count.
double processor_seconds() {
  timespec t;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

void measure(const char* name, const tokenizer::Tokenizer& tokenizer,
             const std::vector<std::string>& lines) {
  size_t bytes = 0, tokens = 0, unknown = 0;
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    bytes = tokens = unknown = 0;
    double begin = processor_seconds();
    for (const std::string& line : lines) {
      tokenizer::Encoding e = tokenizer.encode(line);
      bytes += line.size() + 1;
      tokens += e.tokens.size();
      for (const tokenizer::Token& t : e.tokens) unknown += t.id == tokenizer.special().unk;
    }
    best = std::min(best, processor_seconds() - begin);
  }
  fmt::print(
      "{:<24} {:>8.1f} MB/s  {:>6.1f} M tokens/s  {:.2f} bytes a token, {:.2f} % "
      "unknown\n",
      name, double(bytes) / best / 1e6, double(tokens) / best / 1e6, double(bytes) / double(tokens),
      100.0 * double(unknown) / double(tokens));
}

}  // namespace

int main(int argc, char** argv) {
  constexpr size_t kBytes = 20 << 20;
  std::vector<std::string> lines =
      argc > 1 ? read_lines(argv[1], kBytes) : made_up_sentences(kBytes);
  if (argc > 2) {
    auto tokenizer = tokenizer::load_tokenizer(argv[2]);
    measure(tokenizer->kind().c_str(), *tokenizer, lines);
    return 0;
  }
  std::vector<std::string> pieces = make_vocabulary(lines, 31000);
  fmt::print("{} lines, {} pieces\n", lines.size(), pieces.size());
  measure("WordPiece, cased", *tokenizer::make_wordpiece(pieces, {}), lines);
  tokenizer::WordPieceOptions uncased;
  uncased.lowercase = true;
  measure("WordPiece, uncased", *tokenizer::make_wordpiece(pieces, uncased), lines);
}
