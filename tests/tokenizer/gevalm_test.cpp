// The segmentation that the authors published with their results, sentence for sentence.

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <set>

#include "base/file.h"
#include "support.h"
#include "tokenizer/make.h"
#include "tokenizer/tokenizer.h"

namespace minpair::tokenizer {
namespace {

struct Published {
  std::string text;
  std::vector<std::string> pieces;
};

// Each line holds one sentence with the right form, and both segmentations.
std::vector<Published> read_published(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Published> all;
  simdjson::dom::parser parser;
  for (const fs::path& file : files) {
    LineReader reader(file);
    for (std::string_view line; reader.next(line);) {
      simdjson::dom::element e = parser.parse(line.data(), line.size());
      std::string masked{std::string_view(e["text_masked"])};
      size_t mask = masked.find("[MASK]");
      for (size_t i = 0; i < 2; ++i) {
        Published p;
        p.text = masked;
        p.text.replace(mask, 6, std::string_view(e["candidates"].at(i)));
        for (simdjson::dom::element piece : simdjson::dom::array(e["tokenized"].at(i).at(0)))
          p.pieces.emplace_back(std::string_view(piece));
        all.push_back(std::move(p));
      }
    }
  }
  return all;
}

TEST(PublishedSegmentation, EveryGermanSentence) {
  fs::path folder = testing::data_dir() / "gevalm/output/bert-base-german-dbmdz-cased";
  if (testing::data_dir().empty() || !fs::is_directory(folder)) GTEST_SKIP() << testing::no_data();
  std::vector<Published> published = read_published(folder);
  EXPECT_EQ(published.size(), 36460u);
  std::set<std::string> distinct{"[UNK]"};
  for (const Published& p : published) distinct.insert(p.pieces.begin(), p.pieces.end());
  auto tokenizer = make_wordpiece({distinct.begin(), distinct.end()}, {});
  size_t different = 0;
  for (const Published& p : published) {
    std::vector<std::string> pieces;
    for (const Token& t : tokenizer->encode(p.text).tokens)
      pieces.push_back(tokenizer->piece(t.id));
    if (pieces != p.pieces && different++ < 5) ADD_FAILURE() << p.text;
  }
  EXPECT_EQ(different, 0u);
}

}  // namespace
}  // namespace minpair::tokenizer
