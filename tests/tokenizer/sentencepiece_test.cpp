// SentencePiece's own library as the judge of our reading of its files.

#include <gtest/gtest.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>
#include <simdjson.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "support.h"
#include "tokenizer/make.h"
#include "tokenizer/tokenizer.h"

namespace minpair::tokenizer {
namespace {

std::vector<std::string> golden_texts() {
  std::vector<std::string> texts;
  simdjson::dom::parser parser;
  LineReader reader(testing::source_dir() / "tests/golden/tokenizer/gpt2/expected.jsonl");
  for (std::string_view line; reader.next(line);) {
    simdjson::dom::element e = parser.parse(line.data(), line.size());
    texts.emplace_back(std::string_view(e["text"]));
  }
  return texts;
}

std::vector<std::string> treebank_texts() {
  std::vector<std::string> texts;
  if (testing::data_dir().empty()) return texts;
  for (const char* name :
       {"UD_German-PUD/de_pud-ud-test.conllu", "UD_Hebrew-HTB/he_htb-ud-dev.conllu"}) {
    LineReader reader(testing::data_dir() / "ud-2.4" / name);
    for (std::string_view line; reader.next(line);)
      if (line.starts_with("# text = ")) texts.emplace_back(line.substr(9));
  }
  return texts;
}

// Trains on the golden texts with these flags: FOLDER/name.model.
void train(const testing::TemporaryFolder& folder, const std::string& name,
           const std::string& flags) {
  std::string corpus;
  for (std::string text : golden_texts()) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
    corpus += text + "\n";
  }
  write_file(folder / "corpus.txt", corpus);
  auto trained = sentencepiece::SentencePieceTrainer::Train(
      "--minloglevel=3 --hard_vocab_limit=false --input=" + (folder / "corpus.txt").string() +
      " --model_prefix=" + (folder / name).string() + " " + flags);
  ASSERT_TRUE(trained.ok()) << trained.ToString();
}

// Compares everything the library gives.
void check(const std::string& flags) {
  testing::TemporaryFolder folder;
  train(folder, "spm", flags);
  fs::path path = folder / "spm.model";
  sentencepiece::SentencePieceProcessor theirs;
  ASSERT_TRUE(theirs.Load(path.string()).ok());
  auto ours = make_sentencepiece(parse_sentencepiece(read_file(path), path.string()), {});
  ASSERT_EQ(int(ours->vocabulary_size()), theirs.GetPieceSize());
  std::vector<std::string> texts = golden_texts();
  for (std::string& t : treebank_texts()) texts.push_back(std::move(t));
  for (const std::string& text : texts) {
    // What is written like a control piece is one for us, and text for the library.
    if (text.find("<s>") != std::string::npos || text.find("<unk>") != std::string::npos) continue;
    std::vector<int> ids;
    ASSERT_TRUE(theirs.Encode(text, &ids).ok());
    std::vector<int> found;
    for (const Token& t : ours->encode(text).tokens) found.push_back(t.id);
    EXPECT_EQ(found, ids) << text;
  }
}

TEST(SentencePiece, Unigram) { check("--model_type=unigram --vocab_size=500"); }
TEST(SentencePiece, UnigramWithBytes) {
  check(
      "--model_type=unigram --vocab_size=700 --byte_fallback=true "
      "--normalization_rule_name=identity "
      "--character_coverage=0.98");
}
TEST(SentencePiece, UnigramCaseFoldedWithSymbols) {
  check(
      "--model_type=unigram --vocab_size=520 --normalization_rule_name=nmt_nfkc_cf "
      "--user_defined_symbols=Kinder,sch,<mask>,\u2581");
}
TEST(SentencePiece, Bpe) { check("--model_type=bpe --vocab_size=900"); }
TEST(SentencePiece, BpeLikeLlama) {
  check(
      "--model_type=bpe --vocab_size=1000 --byte_fallback=true --normalization_rule_name=identity "
      "--remove_extra_whitespaces=false --split_digits=true --character_coverage=0.98");
}
TEST(SentencePiece, BpeWithSymbols) {
  check(
      "--model_type=bpe --vocab_size=900 --user_defined_symbols=Kinder,sch "
      "--add_dummy_prefix=false");
}
TEST(SentencePiece, BpeWithSuffixes) {
  check("--model_type=bpe --vocab_size=900 --treat_whitespace_as_suffix=true");
}

// The ids that each family makes of the file's own.
TEST(SentencePiece, FamiliesCountDifferently) {
  testing::TemporaryFolder folder;
  train(folder, "sentencepiece.bpe", "--model_type=unigram --vocab_size=500");
  sentencepiece::SentencePieceProcessor theirs;
  ASSERT_TRUE(theirs.Load((folder / "sentencepiece.bpe.model").string()).ok());
  std::string text = "Die Kinder singen \U0001F600 im Garten.";
  std::vector<int> raw;
  ASSERT_TRUE(theirs.Encode(text, &raw).ok());
  int n = theirs.GetPieceSize();
  auto ids = [&](const char* config, const std::string& sentence) {
    write_file(folder / "config.json", config);
    std::vector<int> found;
    for (const Token& t : load_tokenizer(folder.path())->encode(sentence).tokens)
      found.push_back(t.id);
    return found;
  };
  auto shifted = [&](int by, int first, int last) {
    std::vector<int> all{first};
    for (int id : raw) all.push_back(id == 0 ? 3 : id + by);
    all.push_back(last);
    return all;
  };
  EXPECT_EQ(ids(R"({"model_type": "xlm-roberta"})", text), shifted(1, 0, 2));
  EXPECT_EQ(ids(R"({"model_type": "xlm-roberta"})", " <mask>"), (std::vector{0, n + 1, 2}));
  EXPECT_EQ(ids(R"({"model_type": "camembert"})", text), shifted(4, 5, 6));
  EXPECT_EQ(ids(R"({"model_type": "camembert"})", "<mask>"), (std::vector{5, n + 4, 6}));
  raw.insert(raw.begin(), 1);
  EXPECT_EQ(ids(R"({"model_type": "llama"})", text), raw);
  fs::remove(folder / "config.json");
  EXPECT_THROW(load_tokenizer(folder.path()), Error) << "nothing says which family it is";
}

TEST(SentencePiece, DebertaGetsAMaskAndT5Sentinels) {
  testing::TemporaryFolder folder;
  train(folder, "spm",
        "--model_type=unigram --vocab_size=500 --pad_id=0 --eos_id=1 --unk_id=2 --bos_id=-1");
  sentencepiece::SentencePieceProcessor theirs;
  ASSERT_TRUE(theirs.Load((folder / "spm.model").string()).ok());
  const int n = theirs.GetPieceSize();
  write_file(folder / "config.json", R"({"model_type": "t5"})");
  auto t5 = load_tokenizer(folder.path());
  std::vector<int> raw, ours;
  ASSERT_TRUE(theirs.Encode("Die Kinder singen.", &raw).ok());
  raw.push_back(1);
  for (const Token& t : t5->encode("Die Kinder singen.").tokens) ours.push_back(t.id);
  EXPECT_EQ(ours, raw);
  EXPECT_EQ(t5->special().mask, n + 99) << "<extra_id_0> is the last";
  EXPECT_EQ(t5->piece(n), "<extra_id_99>");

  train(folder, "spm",
        "--model_type=unigram --vocab_size=500 --pad_id=0 --pad_piece=[PAD] --bos_id=1 "
        "--bos_piece=[CLS] --eos_id=2 --eos_piece=[SEP] --unk_id=3 --unk_piece=[UNK]");
  write_file(folder / "config.json", R"({"model_type": "deberta-v2"})");
  auto deberta = load_tokenizer(folder.path());
  std::vector<Token> tokens = deberta->encode("Die Kinder [MASK].").tokens;
  EXPECT_EQ(tokens.front().id, 1);
  EXPECT_EQ(tokens.back().id, 2);
  EXPECT_EQ(deberta->special().mask, n);
  EXPECT_EQ(std::ranges::count(tokens, n, &Token::id), 1);
}

TEST(SentencePiece, AlbertCleansFirst) {
  testing::TemporaryFolder folder;
  train(folder, "spiece",
        "--model_type=unigram --vocab_size=500 --pad_id=0 --unk_id=1 --bos_id=-1 "
        "--eos_id=-1 --control_symbols=[CLS],[SEP],[MASK]");
  write_file(folder / "config.json", R"({"model_type": "albert"})");
  auto albert = load_tokenizer(folder.path());
  auto ids = [&](const std::string& text) {
    std::vector<int> found;
    for (const Token& t : albert->encode(text).tokens) found.push_back(t.id);
    return found;
  };
  EXPECT_EQ(ids("``K\u00CCNDER''"), ids("\"kinder\""));
  EXPECT_EQ(ids("").size(), 2u);
  EXPECT_EQ(albert->special().cls, 2);
  EXPECT_EQ(albert->special().mask, 4);
}

TEST(SentencePiece, BadFiles) {
  EXPECT_THROW(parse_sentencepiece("", "x"), Error);
  EXPECT_THROW(parse_sentencepiece("\x0a\xff\xff\xff\xff\x0f", "x"), Error);
  EXPECT_THROW(parse_sentencepiece("not a model at all", "x"), Error);
  // A piece whose score is not a number.
  std::string nan(
      "\x0a\x08\x0a\x01"
      "a"
      "\x15\x00\x00\xc0\x7f",
      10);
  EXPECT_THROW(parse_sentencepiece(nan, "x"), Error);
  EXPECT_THROW(make_sentencepiece({}, {}), Error);
}

}  // namespace
}  // namespace minpair::tokenizer
