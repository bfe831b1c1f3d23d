#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "support.h"
#include "tokenizer/make.h"
#include "tokenizer/tokenizer.h"

namespace minpair::tokenizer {
namespace {

using testing::TemporaryFolder;

const std::vector<std::string> kPieces = {
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "der",  "Der",  "Autor", "lach",
    "##t",   "##en",  ".",     "größe", "grosse", "gro",  "##ße", "中",    "##中",
    "i",     "hallo", "-",     "Gro",   "über",   "uber", "e",    "##e"};

std::string show(const Tokenizer& t, std::string_view text, bool with_special = false) {
  std::string s;
  for (const Token& token : t.encode(text, with_special).tokens) {
    if (!s.empty()) s += ' ';
    s += t.piece(token.id) + "@" + std::to_string(token.span.begin) + "-" +
         std::to_string(token.span.end) + (token.special ? "!" : "");
  }
  return s;
}

WordPieceOptions cased() { return {}; }
WordPieceOptions uncased() {
  WordPieceOptions options;
  options.lowercase = true;
  return options;
}

TEST(WordPiece, CutsGreedilyAndKeepsSpans) {
  auto t = make_wordpiece(kPieces, cased());
  EXPECT_EQ(show(*t, "Der Autor lachen.", true),
            "[CLS]@0-0! Der@0-3 Autor@4-9 lach@10-14 ##en@14-16 .@16-17 [SEP]@17-17!");
  EXPECT_EQ(show(*t, ""), "");
  EXPECT_EQ(show(*t, "  \t\n"), "");
  EXPECT_EQ(show(*t, "Der xyz."), "Der@0-3 [UNK]@4-7 .@7-8");
  EXPECT_EQ(t->kind(), "WordPiece");
}

TEST(WordPiece, AWordThatCannotBeFinishedIsUnknownAsAWhole) {
  auto t = make_wordpiece(kPieces, cased());
  EXPECT_EQ(show(*t, "lachx"), "[UNK]@0-5");
}

TEST(WordPiece, VocabulariesAreCountedOverTheWordsThatItCuts) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(word_cutter({})("U-Boot, geht’s\t$5\u200b"),
            (Words{"U", "-", "Boot", ",", "geht", "’", "s", "$", "5"}));
  EXPECT_EQ(word_cutter(uncased())("Größe中x"), (Words{"große", "中", "x"}));
}

TEST(WordPiece, LowerCaseStripsAccents) {
  auto t = make_wordpiece(kPieces, uncased());
  EXPECT_EQ(show(*t, "DER"), "der@0-3");
  EXPECT_EQ(show(*t, "Über"), "uber@0-5");
  EXPECT_EQ(show(*t, "U\u0308ber"), "uber@0-6");
  EXPECT_EQ(show(*t, "\u0130"), "i@0-2");
  WordPieceOptions keep = uncased();
  keep.strip_accents = false;
  EXPECT_EQ(show(*make_wordpiece(kPieces, keep), "ÜBER"), "über@0-5");
}

TEST(WordPiece, ChineseControlAndInvisibleCharacters) {
  auto t = make_wordpiece(kPieces, cased());
  EXPECT_EQ(show(*t, "Der中中"), "Der@0-3 中@3-6 中@6-9");
  EXPECT_EQ(show(*t, "D\u200Ber"), "Der@0-6") << "a zero-width space vanishes inside a word";
  EXPECT_EQ(show(*t, std::string_view("De\0r", 4)), "Der@0-4");
  EXPECT_EQ(show(*t, "Der\u00A0Autor\u3000."), "Der@0-3 Autor@5-10 .@13-14");
  WordPieceOptions joined = cased();
  joined.split_cjk = false;
  EXPECT_EQ(show(*make_wordpiece(kPieces, joined), "中中"), "中@0-3 ##中@3-6");
}

TEST(WordPiece, LongWordsAreUnknown) {
  auto t = make_wordpiece(kPieces, cased());
  EXPECT_EQ(t->encode(std::string(100, 'e'), false).tokens.size(), 100u);
  EXPECT_EQ(show(*t, std::string(101, 'e')), "[UNK]@0-101");
}

TEST(WordPiece, SpecialTokensInTheText) {
  auto t = make_wordpiece(kPieces, uncased());
  EXPECT_EQ(show(*t, "der [MASK]."), "der@0-3 [MASK]@4-10! .@10-11");
  EXPECT_EQ(show(*t, "der[MASK][SEP]"), "der@0-3 [MASK]@3-9! [SEP]@9-14!");
  EXPECT_EQ(t->special().mask, 4);
  EXPECT_EQ(t->special().bos, -1);
}

TEST(WordPiece, NeverSplit) {
  WordPieceOptions options = uncased();
  options.never_split = {"Der", "a-b"};
  auto t = make_wordpiece(kPieces, options);
  EXPECT_EQ(show(*t, "Der der Der. a-b"), "Der@0-3 der@4-7 der@8-11 .@11-12 [UNK]@13-16");
}

TEST(WordPiece, BeginsWord) {
  auto t = make_wordpiece(kPieces, cased());
  EXPECT_TRUE(t->begins_word(*t->id("lach")));
  EXPECT_FALSE(t->begins_word(*t->id("##t")));
  EXPECT_FALSE(t->id("nowhere").has_value());
}

TEST(WordPiece, FingerprintFollowsWhatDecidesAboutIds) {
  std::string f = make_wordpiece(kPieces, cased())->fingerprint();
  EXPECT_EQ(f.size(), 64u);
  EXPECT_EQ(f, make_wordpiece(kPieces, cased())->fingerprint());
  EXPECT_NE(f, make_wordpiece(kPieces, uncased())->fingerprint());
  std::vector<std::string> other = kPieces;
  std::swap(other[5], other[6]);
  EXPECT_NE(f, make_wordpiece(other, cased())->fingerprint());
}

TEST(WordPiece, BadInput) {
  auto t = make_wordpiece(kPieces, cased());
  EXPECT_THROW(t->encode("der \xff"), Error);
  EXPECT_THROW(t->piece(-1), Error);
  EXPECT_THROW(t->piece(1000), Error);
  EXPECT_THROW(make_wordpiece({"a", "[CLS]", "[SEP]"}, cased()), Error) << "no [UNK]";
  EXPECT_THROW(make_wordpiece({"[UNK]", "a"}, cased()), Error) << "no [CLS]";
  EXPECT_THROW(make_wordpiece({}, cased()), Error);
}

TEST(WordPiece, FromAFolder) {
  TemporaryFolder folder;
  std::string lines;
  for (const std::string& p : kPieces) lines += p + "\n";
  write_file(folder / "vocab.txt", lines);
  std::vector<std::string> notes;
  EXPECT_EQ(show(*load_tokenizer(folder.path(), &notes), "DER Der"), "[UNK]@0-3 Der@4-7");
  ASSERT_EQ(notes.size(), 1u) << "cased was guessed from the vocabulary";
  write_file(folder / "tokenizer_config.json", R"({"do_lower_case": true})");
  notes.clear();
  auto uncased = load_tokenizer(folder.path(), &notes);
  EXPECT_EQ(show(*uncased, "DER"), "der@0-3");
  EXPECT_TRUE(notes.empty());
  write_file(folder / "added_tokens.json", R"({"<neu>": 26})");
  EXPECT_EQ(show(*load_tokenizer(folder.path()), "der<neu>"), "der@0-3 <neu>@3-8");
  write_file(folder / "added_tokens.json", R"({"<neu>": 99999})");
  EXPECT_THROW(load_tokenizer(folder.path()), Error) << "a hole in the vocabulary";
}

}  // namespace
}  // namespace minpair::tokenizer
