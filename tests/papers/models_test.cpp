// A paper's models run again, with a hub of our own on this machine that has one tiny BERT.

#include "papers/models.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "support.h"

namespace minpair::papers {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::string commit = "0123456789abcdef0123456789abcdef01234567";

class TinyHub {
 public:
  std::atomic<int> asked = 0;

  TinyHub() {
    for (const char* name :
         {"config.json", "model.safetensors", "tokenizer_config.json", "vocab.txt"})
      files_[name] = read_file(testing::source_dir() / "tests/model/golden/bert" / name);
    server_.Get("/api/models/org/tiny/revision/(.+)", [this](const auto&, auto& answer) {
      ++asked;
      nlohmann::json siblings = nlohmann::json::array();
      for (const auto& [name, content] : files_)
        siblings.push_back({{"rfilename", name}, {"size", content.size()}});
      answer.set_content(nlohmann::json{{"sha", commit}, {"siblings", siblings}}.dump(),
                         "application/json");
    });
    server_.Get("/org/tiny/resolve/[^/]+/(.+)", [this](const auto& request, auto& answer) {
      ++asked;
      const std::string& content = files_.at(request.matches[1]);
      answer.set_header("X-Repo-Commit", commit);
      answer.set_header("ETag", "\"" + sha256_hex(content) + "\"");
      answer.set_content(content, "application/octet-stream");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~TinyHub() {
    server_.stop();
    thread_.join();
  }
  std::string endpoint() const { return fmt::format("http://127.0.0.1:{}", port_); }

 private:
  std::map<std::string, std::string> files_;
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

class PapersModels : public ::testing::Test {
 protected:
  TinyHub hub;
  testing::TemporaryFolder folder;
  WithModels how;

  void SetUp() override {
    how.results = folder / "r.db";
    how.quiet = true;
    how.hub.endpoint = hub.endpoint();
    how.hub.cache = folder / "hub";
    how.hub.offline = false;
    how.hub.retry_milliseconds = 1;
    fs::create_directory(folder / "items");
    write("items/one.tsv", "good\tbad\nwort5 wort6\twort5 wort7\nwort8 wort6\twort8 wort9\n");
    write("items/two.tsv", "good\tbad\nwort11 wort12\twort11 wort13\n");
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
  }
  // The tables of a paper whose printed numbers are those given.
  Paper paper(const std::string& one, const std::string& two, const std::string& also = "") {
    write("paper.sql", fmt::format(R"(/*
title: P
*/
/* table: Table 1
needs: models
run: tiny | org/tiny | items | pll
run: elsewhere | org/tiny | not-here | pll
row: test
{}
| | tiny | pairs | elsewhere |
| One = one | {} | 2 | |
| Two = two | {} | 1 | 0.5 |
*/
)",
                                   also, one, two));
    return read_paper(folder / "paper.sql");
  }
  std::string error(const Paper& p) {
    try {
      answer(p, folder.path(), how);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
};

TEST_F(PapersModels, AreFetchedOnceAndRun) {
  std::vector<Answered> first = answer(paper("0.5", "0.5"), folder.path(), how);
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(first[0].row, "One");
  EXPECT_EQ(first[0].model, "org/tiny");
  EXPECT_EQ(first[0].items, 2u);
  EXPECT_EQ(first[1].items, 1u);
  EXPECT_TRUE(first[0].owns);
  EXPECT_TRUE(first[0].ours == 0 || first[0].ours == 0.5 || first[0].ours == 1);
  EXPECT_TRUE(std::isnan(first[2].ours));
  EXPECT_EQ(first[2].why, "not-here is not among the files");
  EXPECT_TRUE(fs::exists(folder / "hub/models--org--tiny/refs/main"));
  // What is in the cache and in the results is not asked for again.
  const int before = hub.asked;
  how.hub.offline = true;
  std::vector<Answered> second = answer(paper("0.5", "0.5"), folder.path(), how);
  EXPECT_EQ(hub.asked, before);
  EXPECT_EQ(second[0].ours, first[0].ours);
}

TEST_F(PapersModels, AreHeldToWhatIsPrinted) {
  std::vector<Answered> seen = answer(paper("0.5", "0.5"), folder.path(), how);
  auto printed = [](double ours) { return fmt::format("{:.2f}", ours); };
  std::vector<Answered> same =
      answer(paper(printed(seen[0].ours), printed(1 - seen[1].ours)), folder.path(), how);
  EXPECT_EQ(same[0].verdict, Answered::Verdict::same);
  // One item of one says little: 0 and 1 are 0.79 apart.
  EXPECT_EQ(same[1].verdict, Answered::Verdict::differs);
  EXPECT_EQ(
      answer(paper("0.5", printed(seen[1].ours > 0.5 ? 0.7 : 0.3)), folder.path(), how)[1].verdict,
      Answered::Verdict::within);
}

TEST_F(PapersModels, OthersStandBesideTheNumbersWithoutAVerdict) {
  how.models = {(testing::source_dir() / "tests/model/golden/bert").string()};
  how.hub.endpoint = "http://127.0.0.1:1";
  std::vector<Answered> all = answer(paper("0.9", "0.9"), folder.path(), how);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_FALSE(all[0].owns);
  EXPECT_EQ(all[0].verdict, Answered::Verdict::none);
  EXPECT_EQ(all[0].items, 2u);
}

TEST_F(PapersModels, OfflineNothingIsAsked) {
  how.hub.offline = true;
  EXPECT_THAT(error(paper("0.5", "0.5")), HasSubstr("'org/tiny' is not in the cache"));
  std::vector<Planned> offline = plan(paper("0.5", "0.5"), folder.path(), how);
  ASSERT_FALSE(offline.empty());
  EXPECT_EQ(offline[0].model, "org/tiny");
  EXPECT_FALSE(offline[0].here);
  EXPECT_FALSE(offline[0].bytes.has_value());  // nobody was asked
  EXPECT_EQ(hub.asked, 0);
}

TEST_F(PapersModels, OfflineReportsMissingModelsByRow) {
  how.hub.offline = true;
  how.skip_absent = true;
  const std::vector<Answered> all = answer(paper("0.5", "0.5"), folder.path(), how);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(std::isnan(all[0].ours));
  EXPECT_THAT(all[0].why, HasSubstr("org/tiny is not in the cache"));
  EXPECT_EQ(hub.asked, 0);
  EXPECT_FALSE(fs::exists(folder / "r.db"));
  EXPECT_FALSE(is_here("org/tiny", how));
  EXPECT_EQ(models_of(paper("0.5", "0.5")), std::vector<std::string>{"org/tiny"});
}

TEST_F(PapersModels, APlanFetchesNoWeightsAndWritesNothing) {
  std::vector<Planned> before = plan(paper("0.5", "0.5"), folder.path(), how);
  ASSERT_EQ(before.size(), 1u);
  EXPECT_FALSE(before[0].here);
  EXPECT_GT(before[0].bytes.value_or(0), 1000u);
  EXPECT_EQ(before[0].items, 3u);
  EXPECT_EQ(before[0].suite, "items");
  EXPECT_GT(before[0].seconds, 0);
  EXPECT_FALSE(fs::exists(folder / "r.db"));
  EXPECT_FALSE(fs::exists(folder / "hub/models--org--tiny/refs/main"));
  answer(paper("0.5", "0.5"), folder.path(), how);
  std::vector<Planned> after = plan(paper("0.5", "0.5"), folder.path(), how);
  ASSERT_EQ(after.size(), 1u);
  EXPECT_TRUE(after[0].here);
  EXPECT_EQ(after[0].items, 3u);
  EXPECT_EQ(after[0].bytes.value_or(0), 0u);
}

TEST_F(PapersModels, ThePolicyIsThePapers) {
  // The second sentence of pair two has another length: it does not count where lengths are equal.
  write("items/two.tsv", "good\tbad\nwort11 wort12\twort11 wort13 wort14\n");
  EXPECT_EQ(answer(paper("0.5", "0.5"), folder.path(), how)[1].items, 1u);
  Answered unequal = answer(paper("0.5", "0.5", "lengths: equal"), folder.path(), how)[1];
  EXPECT_EQ(unequal.items, 0u);
  EXPECT_EQ(unequal.why, "its only item does not count for this model");
}

TEST_F(PapersModels, RowsWithoutSentencesSaySo) {
  fs::remove(folder / "items/two.tsv");
  Answered absent = answer(paper("0.5", "0.5"), folder.path(), how)[1];
  EXPECT_TRUE(std::isnan(absent.ours));
  EXPECT_EQ(absent.why, "no such sentences among the files");
}

TEST_F(PapersModels, SayWhatIsWrong) {
  Paper none = paper("0.5", "0.5");
  for (Column& column : none.tables[0].columns) column.run.reset();
  EXPECT_THAT(error(none), HasSubstr("does not say how models answer such a table"));
  how.models = {"de-min"};
  EXPECT_THAT(error(paper("0.5", "0.5")), HasSubstr("de-min"));
  how.models.clear();
  write("wrong.sql",
        "/*\ntitle: P\n*/\n/* table: T\nneeds: m\nrun: b | m | s | lp\nrow: test\n| | a |\n*/\n");
  EXPECT_THROW(read_paper(folder / "wrong.sql"), Error);
}

}  // namespace
}  // namespace minpair::papers
