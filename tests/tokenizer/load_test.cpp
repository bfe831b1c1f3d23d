// Loading from the files that checkpoints have, and what is said when they are wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "checkpoint/checkpoint.h"
#include "support.h"
#include "tokenizer/make.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/tokenizer_json.h"

namespace minpair::tokenizer {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

json golden(const std::string& name) {
  return json::parse(
      read_file(testing::source_dir() / "tests/golden/tokenizer" / name / "tokenizer.json"));
}

std::vector<json> expected(const std::string& name) {
  std::vector<json> all;
  LineReader reader(testing::source_dir() / "tests/golden/tokenizer" / name / "expected.jsonl");
  for (std::string_view line; reader.next(line);) all.push_back(json::parse(line));
  return all;
}

std::vector<TokenId> ids_of(const Tokenizer& t, std::string_view text) {
  std::vector<TokenId> ids;
  for (const Token& token : t.encode(text).tokens) ids.push_back(token.id);
  return ids;
}

std::string message(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

// A piece is a text or bytes, as Python writes them.
TEST(Load, TheVocabularyOfRwkv) {
  TemporaryFolder folder;
  const std::filesystem::path file = folder / "rwkv_vocab_v20230424.txt";
  write_file(file,
             "1 'a' 1\n2 b'\\xc3' 1\n3 b'\\xbc' 1\n4 '\\xfc' 2\n5 ' a' 2\n6 \"'\" 1\n7 '\\n\\n' 2\n"
             "8 '\\u3000' 3\n9 '中' 3\n");
  std::unique_ptr<Tokenizer> t = load_tokenizer(folder.path());
  EXPECT_THAT(ids_of(*t, "a aü'\n\n\u3000中"), ElementsAre(1, 5, 4, 6, 7, 8, 9));
  EXPECT_EQ(t->vocabulary_size(), 10u);
  EXPECT_EQ(t->special().eos, 0);
  auto error_with = [&](const std::string& line) {
    write_file(file, "1 'a' 1\n" + line + "\n");
    return message([&] { load_tokenizer(folder.path()); });
  };
  EXPECT_THAT(error_with("3 'b' 1"), HasSubstr("rwkv_vocab_v20230424.txt:2: the id is 3, not 2"));
  EXPECT_THAT(error_with("2 'b' 4"), HasSubstr("the piece has 1 byte, not 4"));
  EXPECT_THAT(error_with("2 b 1"), HasSubstr("as Python writes it"));
  EXPECT_THAT(error_with("2 '\\q' 2"), HasSubstr("not written as Python writes"));
  EXPECT_THAT(error_with("2"), HasSubstr("as Python writes it"));
}

// The same pieces, a line for each.
TEST(Load, TheVocabularyOfTheClassRwkv5Tokenizer) {
  TemporaryFolder folder;
  const std::filesystem::path file = folder / "vocab.txt";
  write_file(folder / "tokenizer_config.json", R"({"tokenizer_class": "Rwkv5Tokenizer"})");
  write_file(file, "b'<s>'\nb'a'\nb'\\xc3'\nb'\\xbc'\nb'\\xc3\\xbc'\nb' a'\nb\"'\"\nb'\\n\\n'\n");
  std::unique_ptr<Tokenizer> t = load_tokenizer(folder.path());
  EXPECT_THAT(ids_of(*t, "a aü'\n\n"), ElementsAre(1, 5, 4, 6, 7));
  EXPECT_EQ(t->vocabulary_size(), 8u);
  EXPECT_EQ(t->special().bos, 0);
  auto error_with = [&](const std::string& lines) {
    write_file(file, lines);
    return message([&] { load_tokenizer(folder.path()); });
  };
  EXPECT_THAT(error_with(""), HasSubstr("there are no pieces"));
  EXPECT_THAT(error_with("b'a'\n"), HasSubstr("vocab.txt:1: the first piece is not '<s>'"));
  EXPECT_THAT(error_with("b'<s>'\nHaus\n"),
              HasSubstr("vocab.txt:2: this is not a piece as Python writes it"));
}

// As Hugging Face's ByT5Tokenizer (transformers 5.12) gives them.
TEST(Load, EveryByteIsATokenForByt5) {
  TemporaryFolder folder;
  write_file(folder / "tokenizer_config.json", R"({"tokenizer_class": "ByT5Tokenizer"})");
  std::unique_ptr<Tokenizer> t = load_tokenizer(folder.path());
  EXPECT_EQ(ids_of(*t, "Der Schüler lacht."),
            (std::vector<TokenId>{71,  104, 117, 35,  86,  102, 107, 198, 191, 111,
                                  104, 117, 35,  111, 100, 102, 107, 119, 49,  1}));
  EXPECT_THAT(ids_of(*t, " a\n"), ElementsAre(35, 100, 13, 1));
  EXPECT_THAT(ids_of(*t, "日本"), ElementsAre(233, 154, 168, 233, 159, 175, 1));
  EXPECT_THAT(ids_of(*t, "<extra_id_3> x</s>y"), ElementsAre(262, 35, 123, 1, 124, 1));
  EXPECT_EQ(t->vocabulary_size(), 384u);
  // It was trained with the last byte in place of a gap, not with what its vocabulary has for it.
  EXPECT_EQ(t->special().mask, 258);
  EXPECT_THAT(ids_of(*t, "a<gap>"), ElementsAre(100, 258, 1));
  // The space begins a word.
  EXPECT_TRUE(t->begins_word(35));
  EXPECT_FALSE(t->begins_word(71));
}

// vocab.json and merges.txt of a golden tokenizer.
void write_byte_level(const TemporaryFolder& folder, const std::string& name, const json& config) {
  json model = golden(name)["model"];
  write_file(folder / "vocab.json", model["vocab"].dump());
  std::string merges = "#version: 0.2\n";
  for (const json& m : model["merges"]) merges += m.get<std::string>() + "\n";
  write_file(folder / "merges.txt", merges);
  write_file(folder / "tokenizer_config.json", config.dump());
}

TEST(Load, ByteLevelFiles) {
  for (auto [name, type] :
       {std::pair("gpt2", "GPT2Tokenizer"), std::pair("roberta", "RobertaTokenizer")}) {
    TemporaryFolder folder;
    write_byte_level(folder, name, {{"tokenizer_class", type}});
    std::vector<std::string> notes;
    auto tokenizer = load_tokenizer(folder.path(), &notes);
    EXPECT_THAT(notes, ElementsAre());
    EXPECT_EQ(tokenizer->kind(), "byte-level BPE");
    for (const json& x : expected(name))
      EXPECT_EQ(ids_of(*tokenizer, x["text"].get<std::string>()),
                x["ids"].get<std::vector<TokenId>>())
          << x["text"];
  }
}

TEST(Load, ByteLevelFamilies) {
  TemporaryFolder folder;
  write_byte_level(folder, "roberta", json::object());
  auto guessed = load_tokenizer(folder.path());
  EXPECT_EQ(guessed->special().mask, *guessed->id("<mask>"));
  EXPECT_EQ(ids_of(*guessed, "").size(), 2u);
  EXPECT_TRUE(guessed->begins_word(*guessed->id("\u0120the")));
  EXPECT_FALSE(guessed->begins_word(*guessed->id("e")));
  json vocabulary = golden("roberta")["model"]["vocab"];
  for (auto [theirs, ours] :
       {std::pair("<s>", "[CLS]"), std::pair("</s>", "[SEP]"), std::pair("<mask>", "[MASK]")}) {
    vocabulary[ours] = vocabulary[theirs];
    vocabulary.erase(theirs);
  }
  write_file(folder / "vocab.json", vocabulary.dump());
  write_file(folder / "config.json", R"({"model_type": "deberta"})");
  auto deberta = load_tokenizer(folder.path());
  EXPECT_EQ(deberta->special().mask, *deberta->id("[MASK]"));
  EXPECT_THAT(ids_of(*deberta, ""), ElementsAre(*deberta->id("[CLS]"), *deberta->id("[SEP]")));
  write_file(folder / "tokenizer_config.json", R"({"tokenizer_class": "LukeTokenizer"})");
  EXPECT_THAT(message([&] { load_tokenizer(folder.path()); }),
              HasSubstr("'LukeTokenizer' is not supported"));
}

// A German GPT-2 named a first token that its vocabulary did not hold.
TEST(Load, SpecialTokensPastTheVocabulary) {
  TemporaryFolder folder;
  write_byte_level(folder, "gpt2",
                   {{"tokenizer_class", "GPT2Tokenizer"}, {"bos_token", "<anfang>"}});
  size_t size = golden("gpt2")["model"]["vocab"].size();
  write_file(folder / "config.json", json({{"vocab_size", size}, {"bos_token_id", 50265}}).dump());
  std::vector<std::string> notes;
  auto tokenizer = load_tokenizer(folder.path(), &notes);
  EXPECT_EQ(tokenizer->special().bos, -1);
  EXPECT_EQ(tokenizer->special().eos, TokenId(size) - 1);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("'<anfang>' is not in the vocabulary"),
                                 HasSubstr("the id 50265, past")));
  write_file(folder / "config.json", json({{"vocab_size", size - 1}}).dump());
  notes.clear();
  EXPECT_EQ(load_tokenizer(folder.path(), &notes)->special().eos, -1);
  EXPECT_THAT(notes.back(), HasSubstr("the model has only"));
}

TEST(Load, ATokenAroundEverySentenceNeedsARow) {
  TemporaryFolder folder;
  write_file(folder / "vocab.txt", "a\nb\n[UNK]\n[CLS]\n[SEP]\n");
  write_file(folder / "config.json", R"({"vocab_size": 4})");
  EXPECT_THAT(message([&] { load_tokenizer(folder.path()); }),
              AllOf(HasSubstr("'[SEP]'"), HasSubstr("only 4 rows")));
}

TEST(Load, TokenizerConfigOverridesLowerCase) {
  TemporaryFolder folder;
  write_file(folder / "tokenizer.json", golden("bert-cased").dump());
  std::vector<std::string> notes;
  auto cased = load_tokenizer(folder.path(), &notes);
  write_file(folder / "tokenizer_config.json",
             R"({"do_lower_case": true, "strip_accents": false})");
  auto uncased = load_tokenizer(folder.path(), &notes);
  EXPECT_NE(ids_of(*cased, "Kinder"), ids_of(*uncased, "Kinder"));
  EXPECT_EQ(ids_of(*cased, "kinder"), ids_of(*uncased, "Kinder"));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("disagree about lower case")));
  EXPECT_NE(cased->fingerprint(), uncased->fingerprint());
  // The same through the parts, which a token to be found in the normalised text asks for.
  fs::remove(folder / "tokenizer_config.json");
  write_file(folder / "tokenizer.json", golden("bert-added").dump());
  auto lower = load_tokenizer(folder.path());
  write_file(folder / "tokenizer_config.json", R"({"do_lower_case": false})");
  auto kept = load_tokenizer(folder.path());
  EXPECT_NE(ids_of(*lower, "Kinder"), ids_of(*kept, "Kinder"));
  EXPECT_NE(lower->fingerprint(), kept->fingerprint());
}

TEST(Load, OtherClassesWithAVocabTxt) {
  TemporaryFolder folder;
  write_file(folder / "vocab.txt", "a\n[UNK]\n[CLS]\n[SEP]\n");
  write_file(folder / "tokenizer_config.json", R"({"tokenizer_class": "BertJapaneseTokenizer"})");
  EXPECT_THAT(message([&] { load_tokenizer(folder.path()); }),
              HasSubstr("'BertJapaneseTokenizer' is not supported"));
}

TEST(Load, LlamaSettingsRemakeTheTemplate) {
  TemporaryFolder folder;
  write_file(folder / "tokenizer.json", golden("llama-2").dump());
  EXPECT_THAT(ids_of(*load_tokenizer(folder.path()), ""), ElementsAre(1));
  write_file(
      folder / "tokenizer_config.json",
      R"({"tokenizer_class": "LlamaTokenizerFast", "add_bos_token": false, "add_eos_token": true})");
  EXPECT_THAT(ids_of(*load_tokenizer(folder.path()), ""), ElementsAre(2));
}

TEST(Load, TruncationAndPaddingAreIgnored) {
  json t = golden("bert-cased");
  t["truncation"] = {{"max_length", 4}, {"strategy", "LongestFirst"}, {"stride", 0}};
  t["padding"] = {{"strategy", {{"Fixed", 128}}}, {"pad_id", 0}};
  auto tokenizer = parse_tokenizer_json(t.dump(), "t");
  EXPECT_EQ(ids_of(*tokenizer, ". . . . . .").size(), 8u);
}

TEST(Load, UnsupportedTokenizersAreNamed) {
  auto changed = [](const char* part, json value) {
    json t = golden("llama-2");
    t[part] = std::move(value);
    return message([&] { parse_tokenizer_json(t.dump(), "t.json"); });
  };
  EXPECT_THAT(changed("normalizer", {{"type", "Frobnicate"}}),
              HasSubstr("t.json: the normalizer 'Frobnicate' is not supported"));
  EXPECT_THAT(changed("pre_tokenizer", {{"type", "UnicodeScripts"}}),
              HasSubstr("the pre-tokenizer 'UnicodeScripts'"));
  EXPECT_THAT(changed("post_processor", {{"type", "Magic"}}),
              HasSubstr("the post-processor 'Magic'"));
  EXPECT_THAT(changed("model", {{"type", "Morfessor"}, {"vocab", {{"a", 0}}}}),
              HasSubstr("the model 'Morfessor'"));
}

TEST(Load, DamagedTokenizerJson) {
  auto changed = [](const std::function<void(json&)>& change) {
    json t = golden("llama-2");
    change(t);
    return message([&] { parse_tokenizer_json(t.dump(), "t.json"); });
  };
  EXPECT_THAT(changed([](json& t) { t["model"]["vocab"]["\u2581der"] = 100000; }),
              HasSubstr("hole"));
  EXPECT_THAT(changed([](json& t) { t["model"]["vocab"]["zzz"] = -1; }),
              HasSubstr("impossible id -1"));
  EXPECT_THAT(changed([](json& t) { t["model"]["vocab"]["zzz"] = 1; }),
              HasSubstr("both have the id 1"));
  EXPECT_THAT(changed([](json& t) { t["model"]["vocab"]["zzz"] = "x"; }), HasSubstr("has no id"));
  EXPECT_THAT(changed([](json& t) { t["model"]["merges"][3] = "nur eins zwei"; }),
              HasSubstr("merge 3 is not two pieces"));
  EXPECT_THAT(changed([](json& t) { t["model"]["merges"][3] = "foo bar"; }),
              HasSubstr("not all three are in the vocabulary"));
  EXPECT_THAT(changed([](json& t) { t["model"]["unk_token"] = "<nope>"; }), HasSubstr("'<nope>'"));
  EXPECT_THAT(changed([](json& t) { t.erase("model"); }), HasSubstr("there is no 'model'"));
  EXPECT_THAT(changed([](json& t) {
                t["added_tokens"][0]["id"] = 9;
                t["added_tokens"][0]["content"] = "<x>";
              }),
              HasSubstr("has the id 9 of the piece"));
  EXPECT_THAT(
      changed([](json& t) { t["post_processor"]["special_tokens"]["<s>"]["ids"][0] = 77777; }),
      HasSubstr("past the vocabulary"));
  EXPECT_THAT(
      changed([](json& t) {
        t["normalizer"] = {{"type", "Replace"}, {"pattern", {{"Regex", "("}}}, {"content", ""}};
      }),
      HasSubstr("the pattern '(' cannot be used"));
  EXPECT_THAT(changed([](json& t) {
                t["normalizer"] = {{"type", "Precompiled"}, {"precompiled_charsmap", "AAAA"}};
              }),
              HasSubstr("character map is broken"));
  EXPECT_THAT(message([] { parse_tokenizer_json("{\"model\":", "t"); }),
              HasSubstr("not valid JSON"));
  EXPECT_THAT(message([] { parse_tokenizer_json(std::string(100000, '['), "t"); }),
              HasSubstr("not valid JSON"));
}

// The vocabularies of GPT-4o and Phi-4-mini have ids without a piece.
TEST(Load, HolesInAVocabularyAreNoted) {
  json t = golden("gpt2");
  const size_t size = t["model"]["vocab"].size();
  t["model"]["vocab"]["zzz"] = size + 2;
  std::vector<std::string> notes;
  auto tokenizer = parse_tokenizer_json(t.dump(), "t.json", {}, &notes);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("t.json: no piece has the id " + std::to_string(size) +
                                           ", nor 1 others")));
  EXPECT_EQ(tokenizer->vocabulary_size(), size + 3);
  EXPECT_EQ(tokenizer->piece(TokenId(size)), "");
  EXPECT_EQ(tokenizer->id(""), std::nullopt);
}

TEST(Load, HostilePatternsEnd) {
  json t = golden("llama-3");
  t["pre_tokenizer"] = {{"type", "Split"},
                        {"pattern", {{"Regex", "(a*)*b"}}},
                        {"behavior", "Isolated"},
                        {"invert", false}};
  auto tokenizer = parse_tokenizer_json(t.dump(), "t");
  EXPECT_THAT(message([&] { tokenizer->encode(std::string(60, 'a')); }),
              HasSubstr("cannot be used"));
}

TEST(Load, GgufVocabularies) {
  for (const char* name : {"stories260K", "stories15M"}) {
    fs::path folder = testing::models_dir() / name;
    if (testing::models_dir().empty() || !fs::is_directory(folder))
      GTEST_SKIP() << testing::no_data();
    auto checkpoint = checkpoint::open_checkpoint(folder / (std::string(name) + ".gguf"));
    std::vector<std::string> notes;
    auto tokenizer = make_gguf_tokenizer(checkpoint->metadata(), &notes);
    EXPECT_THAT(notes, ElementsAre());
    size_t checked = 0;
    LineReader reader(folder / "reference.jsonl");
    for (std::string_view line; reader.next(line); ++checked) {
      json x = json::parse(line);
      EXPECT_EQ(ids_of(*tokenizer, x["text"].get<std::string>()),
                x["ids"].get<std::vector<TokenId>>())
          << x["text"];
    }
    EXPECT_EQ(checked, 40u);
  }
}

TEST(Words, WordsAreWords) {
  std::vector<std::string> list = {"<unk>", "<eos>", "der", "autor", "lacht", ".", "Der"};
  auto t = make_words(list);
  EXPECT_THAT(ids_of(*t, "Der autor  lacht ."), ElementsAre(1, 6, 3, 4, 5));
  EXPECT_THAT(ids_of(*t, "der autor lacht."), ElementsAre(1, 2, 3, 0));
  EXPECT_EQ(t->encode("der  xyz").tokens[2].span, (Span{5, 8}));
  EXPECT_TRUE(t->begins_word(3));
  WordsOptions options;
  options.lowercase = options.split_punctuation = true;
  EXPECT_THAT(ids_of(*make_words(list, options), "DER AUTOR LACHT."), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THROW(make_words({"a", "<eos>"}), Error);
  TemporaryFolder folder;
  write_file(folder / "vocab.txt", "<unk>\n<eos>\nder\n");
  EXPECT_EQ(load_tokenizer(folder.path())->kind(), "words");
}

}  // namespace
}  // namespace minpair::tokenizer
