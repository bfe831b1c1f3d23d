// Published data by name, from a server on this machine.

#include "hub/sources.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <map>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "support.h"

namespace minpair::hub {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class Sources : public ::testing::Test {
 protected:
  std::map<std::string, std::string> files{{"a b.txt", "eins\n"},
                                           {"deep/c.txt", std::string(200'000, 'x')}};
  std::atomic<int> asked = 0;
  httplib::Server server;
  std::thread thread;
  testing::TemporaryFolder folder;
  Settings settings;
  PullOptions options;
  Source source;

  void SetUp() override {
    server.Get("/data/(.+)", [this](const auto& request, auto& answer) {
      ++asked;
      auto at = files.find(request.matches[1]);
      if (at == files.end())
        answer.status = 404;
      else
        answer.set_content(at->second, "text/plain");
    });
    const int port = server.bind_to_any_port("127.0.0.1");
    thread = std::thread([this] { server.listen_after_bind(); });
    while (!server.is_running()) std::this_thread::yield();
    settings.offline = false;
    settings.retry_milliseconds = 1;
    options.quiet = true;
    source = {"set/one", "t", "c", "l", fmt::format("http://127.0.0.1:{}/data/", port), {}};
    source.files = {{"a.txt", "a b.txt", sha256_hex(files["a b.txt"]), 5},
                    {"deep/c.txt", "deep/c.txt", sha256_hex(files["deep/c.txt"]), 200'000}};
  }
  void TearDown() override {
    server.stop();
    thread.join();
  }
  PulledSource run() { return pull_source(source, options, settings, folder / "cache"); }
  fs::path at(const std::string& name) const { return folder / "cache/set/one" / name; }
  std::string error() {
    try {
      run();
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
  // Everything below the cache but the locks.
  size_t written() const {
    size_t n = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
      n += entry.is_regular_file() && entry.path().extension() != ".lock";
    return n;
  }
};

TEST_F(Sources, AreFetchedOnceAndChecked) {
  PulledSource first = run();
  EXPECT_EQ(first.folder, folder / "cache/set/one");
  EXPECT_EQ(first.fetched, 200'005u);
  EXPECT_EQ(read_file(at("a.txt")), "eins\n");
  EXPECT_EQ(read_file(at("deep/c.txt")).size(), 200'000u);
  EXPECT_EQ(written(), 2u);
  const int before = asked;
  EXPECT_EQ(run().fetched, 0u);
  EXPECT_EQ(asked, before);
  write_file(at("a.txt"), "zwei\n");  // somebody's hand
  EXPECT_EQ(run().fetched, 5u);
  EXPECT_EQ(read_file(at("a.txt")), "eins\n");
}

TEST_F(Sources, AnotherHashIsRefusedAndNotKept) {
  files["a b.txt"] = "EINS\n";
  EXPECT_THAT(error(), HasSubstr("that is known of set/one"));
  EXPECT_FALSE(fs::exists(at("a.txt")));
  EXPECT_EQ(written(), 0u);
  files["a b.txt"] = "eins und mehr\n";  // longer than is known
  EXPECT_NE(error(), "");
  EXPECT_FALSE(fs::exists(at("a.txt")));
}

TEST_F(Sources, ADownloadThatWasCutOffIsContinued) {
  fs::create_directories(at("deep"));
  write_file(at("deep/c.txt.incomplete"), std::string(150'000, 'x'));
  EXPECT_EQ(run().fetched, 50'005u);
  EXPECT_EQ(read_file(at("deep/c.txt")), files["deep/c.txt"]);
}

TEST_F(Sources, FilesWithoutHashesAreNamed) {
  source.files[0].sha256 = "";
  EXPECT_EQ(source.unchecked(), 1u);
  EXPECT_THAT(run().unchecked, ElementsAre("a.txt"));
  EXPECT_EQ(read_file(at("a.txt")), "eins\n");
}

TEST_F(Sources, DryRunAndOfflineContactNoServer) {
  options.dry_run = true;
  PulledSource p = run();
  EXPECT_EQ(p.absent, 2u);
  EXPECT_EQ(p.missing, 200'005u);
  options.dry_run = false;
  settings.offline = true;
  EXPECT_THAT(error(), HasSubstr("2 files of 'set/one' are not here"));
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(written(), 0u);
}

TEST_F(Sources, NothingIsWrittenOutsideTheCache) {
  auto listed = [&](const std::string& name, const std::string& path) {
    write_file(folder / "s.json",
               fmt::format(R"json({{"sources": [{{"name": "{}", "title": "t", "citation": "c",
      "licence": "l", "address": "http://x/", "files": [{{"path": "{}"}}]}}]}})json",
                           name, path));
    return read_sources(folder / "s.json");
  };
  EXPECT_EQ(listed("a/b", "c/d.txt").size(), 1u);
  EXPECT_THROW(listed("../a", "b"), Error);
  EXPECT_THROW(listed("/a", "b"), Error);
  EXPECT_THROW(listed("a", "../b"), Error);
  EXPECT_THROW(listed("a", "/etc/passwd"), Error);
  write_file(folder / "s.json", "{\"sources\": 1");
  EXPECT_THROW(read_sources(folder / "s.json"), Error);
}

// The hashes are those of the files as they were published, where these are here.
TEST(KnownSources, AreWhatIsHere) {
  if (testing::data_dir().empty()) GTEST_SKIP() << testing::no_data();
  const std::map<std::string, std::string> kept = {{"blimp", "blimp"},
                                                   {"clams", "clams"},
                                                   {"linzen", "linzen"},
                                                   {"marvin-linzen", "syneval"},
                                                   {"syntaxgym", "syntaxgym/suites"},
                                                   {"zorro", "zorro/sentences"}};
  size_t checked = 0;
  for (const Source& source : all_sources()) {
    auto at = kept.find(source.name);
    const fs::path folder = testing::data_dir() / (at == kept.end() ? source.name : at->second);
    for (const SourceFile& file : source.files)
      if (fs::path here = folder / file.path; !file.sha256.empty() && fs::is_regular_file(here)) {
        EXPECT_EQ(sha256_hex(read_file(here)), file.sha256) << source.name << " " << file.path;
        ++checked;
      }
  }
  EXPECT_GT(checked, 150u);
}

}  // namespace
}  // namespace minpair::hub
