// The ids that other programs gave to the sentences of the reference models.

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>

#include "base/file.h"
#include "support.h"
#include "tokenizer/tokenizer.h"

namespace minpair::tokenizer {
namespace {

struct Reference {
  std::string text;
  std::vector<TokenId> ids;
};

std::vector<Reference> read_references(const fs::path& path) {
  std::vector<Reference> all;
  simdjson::dom::parser parser;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    simdjson::dom::element e = parser.parse(line.data(), line.size());
    Reference r{std::string(std::string_view(e["text"])), {}};
    for (int64_t id : simdjson::dom::array(e["ids"])) r.ids.push_back(TokenId(id));
    all.push_back(std::move(r));
  }
  return all;
}

// The folder with only these of its files, so that the loader must use them.
void check(const std::string& model, const std::vector<std::string>& files) {
  fs::path folder = testing::models_dir() / model;
  if (testing::models_dir().empty() || !fs::is_directory(folder))
    GTEST_SKIP() << testing::no_data();
  testing::TemporaryFolder only;
  for (const std::string& f : files) fs::create_symlink(fs::absolute(folder / f), only / f);
  std::vector<std::string> notes;
  auto tokenizer = load_tokenizer(only.path(), &notes);
  EXPECT_TRUE(notes.empty()) << notes[0];
  std::vector<Reference> references = read_references(folder / "reference.jsonl");
  EXPECT_EQ(references.size(), 40u);
  for (const Reference& r : references) {
    std::vector<TokenId> ids;
    size_t covered = 0;
    for (const Token& t : tokenizer->encode(r.text).tokens) {
      ids.push_back(t.id);
      EXPECT_LE(t.span.end, r.text.size());
      EXPECT_GE(t.span.end, covered) << "spans go from left to right";
      covered = t.span.end;
    }
    EXPECT_EQ(ids, r.ids) << r.text;
  }
}

TEST(Reference, MiniLmFromTokenizerJson) {
  check("minilm-l6", {"tokenizer.json", "tokenizer_config.json", "config.json"});
}
TEST(Reference, Stories260KFromTokenizerJson) {
  check("stories260K", {"tokenizer.json", "tokenizer_config.json", "config.json"});
}
TEST(Reference, Stories15MFromTokenizerJson) {
  check("stories15M", {"tokenizer.json", "tokenizer_config.json", "config.json"});
}

TEST(Reference, Stories260KFromSentencePiece) {
  check("stories260K", {"tokenizer.model", "tokenizer_config.json", "config.json"});
}
TEST(Reference, Stories15MFromSentencePiece) {
  check("stories15M", {"tokenizer.model", "tokenizer_config.json", "config.json"});
}

}  // namespace
}  // namespace minpair::tokenizer
