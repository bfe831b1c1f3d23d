// A hub of our own on this machine: the protocol with its redirects and hashes, and the accidents.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "hub/hub.h"
#include "support.h"

namespace minpair::hub {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

const std::string commit = "0123456789abcdef0123456789abcdef01234567";
const std::string hello_hash = "ce013625030ba8dba906f756967f9e9ca394464a";  // git's of "hello\n"

class TestHub {
 public:
  struct File {
    std::string content, hash;
    bool large = false;
  };
  std::map<std::string, File> files;
  std::string token;                  // when set, nobody may read without it
  std::atomic<int> cuts = 0;          // how many answers to break off in the middle
  std::atomic<int> busy = 0;          // how many requests to refuse for now
  std::atomic<bool> corrupt = false;  // flip a byte on the way
  std::atomic<bool> ranges = true;
  std::atomic<bool> wrong_ranges = false;  // answers another range than was asked for
  std::atomic<size_t> too_much = 0;        // bytes after the end
  std::string gated;                       // the error that a refusal names
  std::vector<std::string> log;

  TestHub() {
    add_small("config.json", "hello\n", hello_hash);
    std::string weights(300'000, 'w');
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = char(i * 7919 >> 3);
    add_large("model.safetensors", weights);
    server_.Get("/api/models/org/name/revision/(.+)",
                [this](const auto& q, auto& r) { api(q, r); });
    server_.Get("/org/name/resolve/([^/]+)/(.+)",
                [this](const auto& q, auto& r) { resolve(q, r); });
    server_.Get("/cdn/(.+)", [this](const auto& q, auto& r) { cdn(q, r); });
    server_.Get("/deep/(.+)", [](const auto&, auto& r) {
      r.set_content(std::string(1'000'000, '['), "application/json");
    });
    server_.Get("/other/(.+)", [](const auto&, auto& r) { r.set_content("<html>", "text/html"); });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~TestHub() {
    server_.stop();
    thread_.join();
  }

  void add_small(const std::string& name, const std::string& content, const std::string& hash) {
    files[name] = {content, hash, false};
  }
  void add_large(const std::string& name, const std::string& content) {
    files[name] = {content, sha256_hex(content), true};
  }
  std::string endpoint() const { return fmt::format("http://127.0.0.1:{}", port_); }
  int downloads(const std::string& name) {
    std::lock_guard lock(mutex_);
    return int(std::count(log.begin(), log.end(), "GET " + name));
  }

 private:
  using Request = httplib::Request;
  using Answer = httplib::Response;

  void note(const std::string& line) {
    std::lock_guard lock(mutex_);
    log.push_back(line);
  }
  bool refused(const Request& q, Answer& r) {
    if (busy > 0) {
      --busy;
      r.status = 503;
      return true;
    }
    if (!token.empty() && q.get_header_value("Authorization") != "Bearer " + token) {
      r.status = 401;
      if (!gated.empty()) r.set_header("X-Error-Code", gated);
      return true;
    }
    return false;
  }
  void api(const Request& q, Answer& r) {
    if (refused(q, r)) return;
    if (q.matches[1] != "main" && q.matches[1] != commit && q.matches[1] != "v1") {
      r.status = 404;
      return;
    }
    nlohmann::json siblings = nlohmann::json::array();
    for (const auto& [name, f] : files)
      siblings.push_back({{"rfilename", name}, {"size", f.content.size()}});
    r.set_content(nlohmann::json{{"sha", commit}, {"siblings", siblings}}.dump(),
                  "application/json");
  }
  void resolve(const Request& q, Answer& r) {
    if (refused(q, r)) return;
    std::string name = q.matches[2];
    auto found = files.find(name);
    if (found == files.end() || q.matches[1] != commit) {
      r.status = 404;
      return;
    }
    const File& f = found->second;
    r.set_header("X-Repo-Commit", commit);
    if (f.large) {
      r.status = 302;
      r.set_header("Location", endpoint() + "/cdn/" + name);
      r.set_header("X-Linked-Etag", "\"" + f.hash + "\"");
      r.set_header("X-Linked-Size", std::to_string(f.content.size()));
      r.set_header("ETag", "\"something else\"");
      return;
    }
    note(q.method + " " + name);
    r.set_header("ETag", "W/\"" + f.hash + "\"");
    r.set_content(f.content, "text/plain");
  }
  void cdn(const Request& q, Answer& r) {
    note(q.method + " " + std::string(q.matches[1]));
    std::string content = files.at(q.matches[1]).content;
    if (corrupt) content[content.size() / 2] ^= 1;
    content += std::string(too_much, 'x');
    size_t begin = 0;
    if (ranges && q.has_header("Range")) {
      begin = std::stoul(q.get_header_value("Range").substr(6));
      r.set_header("Content-Range", fmt::format("bytes {}-{}/{}", wrong_ranges ? begin + 1 : begin,
                                                content.size() - 1, content.size()));
    }
    bool cut = cuts > 0 && cuts-- > 0;
    std::string rest = content.substr(begin);
    // Not httplib's own ranges, so that an answer can stop in the middle of one.
    const_cast<Request&>(q).ranges.clear();
    r.status = begin > 0 ? 206 : 200;
    r.set_content_provider(rest.size(), "application/octet-stream",
                           [rest, cut](size_t offset, size_t length, httplib::DataSink& sink) {
                             size_t n = std::min<size_t>({length, 64 << 10, rest.size() - offset});
                             if (cut && offset > 0) return false;
                             return sink.write(rest.data() + offset, n);
                           });
  }

  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
  std::mutex mutex_;
};

class Pull : public ::testing::Test {
 protected:
  Pull() {
    settings_.endpoint = hub_.endpoint();
    settings_.cache = folder_.path() / "hub";
    settings_.retry_milliseconds = 1;
    options_.quiet = true;
  }
  Pulled run() { return pull("org/name", options_, settings_); }
  std::string error() {
    try {
      run();
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }
  fs::path repository() const { return settings_.cache / "models--org--name"; }
  std::string weights() {
    return read_file(repository() / "snapshots" / commit / "model.safetensors");
  }

  TestHub hub_;
  testing::TemporaryFolder folder_;
  Settings settings_;
  PullOptions options_;
};

TEST_F(Pull, UsualCacheLayout) {
  Pulled p = run();
  EXPECT_EQ(p.commit, commit);
  EXPECT_EQ(p.folder, repository() / "snapshots" / commit);
  EXPECT_EQ(p.bytes, 300'006u);
  EXPECT_EQ(p.fetched, 300'006u);
  EXPECT_EQ(read_file(repository() / "refs/main"), commit);
  EXPECT_EQ(fs::read_symlink(p.folder / "config.json"), fs::path("../../blobs") / hello_hash);
  EXPECT_EQ(fs::read_symlink(p.folder / "model.safetensors"),
            fs::path("../../blobs") / hub_.files["model.safetensors"].hash);
  EXPECT_EQ(weights(), hub_.files["model.safetensors"].content);
  EXPECT_EQ(locate("org/name", settings_), p.folder);
  EXPECT_EQ(locate("org/name@" + commit, settings_), p.folder);
  EXPECT_EQ(locate("org/other", settings_), "");
  EXPECT_EQ(locate("org/name@v9", settings_), "");
  EXPECT_EQ(locate("../../name", settings_), "");
}

TEST_F(Pull, NothingTwice) {
  run();
  EXPECT_EQ(run().fetched, 0u);
  EXPECT_EQ(hub_.downloads("model.safetensors"), 1);
  // The blob is there, only the link is not.
  fs::remove(repository() / "snapshots" / commit / "model.safetensors");
  EXPECT_EQ(run().fetched, 0u);
  EXPECT_EQ(weights().size(), 300'000u);
}

TEST_F(Pull, CutConnectionsAreContinued) {
  hub_.cuts = 3;
  EXPECT_EQ(run().fetched, 300'000u + 6u);  // no byte twice
  EXPECT_EQ(hub_.downloads("model.safetensors"), 4);
  EXPECT_EQ(weights(), hub_.files["model.safetensors"].content);
}

TEST_F(Pull, AnEarlierCallIsContinued) {
  const auto& f = hub_.files["model.safetensors"];
  fs::create_directories(repository() / "blobs");
  write_file(repository() / "blobs" / (f.hash + ".incomplete"), f.content.substr(0, 200'000));
  EXPECT_EQ(run().fetched, 100'006u);
  EXPECT_EQ(weights(), f.content);
}

TEST_F(Pull, ServersWithoutRangesBeginAgain) {
  const auto& f = hub_.files["model.safetensors"];
  fs::create_directories(repository() / "blobs");
  write_file(repository() / "blobs" / (f.hash + ".incomplete"), f.content.substr(0, 200'000));
  hub_.ranges = false;
  run();
  EXPECT_EQ(weights(), f.content);
}

TEST_F(Pull, DamagedPartIsFetchedAgain) {
  const auto& f = hub_.files["model.safetensors"];
  fs::create_directories(repository() / "blobs");
  for (size_t size : {200'000u, 300'000u, 400'000u}) {
    fs::remove_all(repository() / "snapshots");
    fs::remove(repository() / "blobs" / f.hash);
    write_file(repository() / "blobs" / (f.hash + ".incomplete"), std::string(size, 'x'));
    run();
    EXPECT_EQ(weights(), f.content);
  }
}

TEST_F(Pull, WrongHashIsNeverKept) {
  hub_.corrupt = true;
  EXPECT_THAT(error(), HasSubstr("does not have the hash " + hub_.files["model.safetensors"].hash));
  EXPECT_FALSE(fs::exists(repository() / "snapshots" / commit / "model.safetensors"));
  EXPECT_FALSE(fs::exists(repository() / "refs/main"));
  EXPECT_EQ(locate("org/name", settings_), "");
  hub_.corrupt = false;
  EXPECT_EQ(error(), "no error");
}

TEST_F(Pull, WrongGitHashIsNeverKept) {
  hub_.files["config.json"].content = "hello!\n";
  EXPECT_THAT(error(), HasSubstr("does not have the hash " + hello_hash));
}

TEST_F(Pull, ServerThatKeepsFailing) {
  hub_.busy = 3;
  EXPECT_EQ(error(), "no error");
  fs::remove_all(settings_.cache);
  hub_.busy = 1000;
  EXPECT_THAT(error(), HasSubstr("answers 503"));
}

TEST_F(Pull, OnlyWhatIsNeeded) {
  hub_.add_large("pytorch_model.bin", "never");
  hub_.add_large("tf_model.h5", "never");
  hub_.add_large("onnx/model.onnx", "never");
  hub_.add_small("README.md", "hello\n", hello_hash);
  hub_.add_small("vocab.txt", "hello\n", hello_hash);
  hub_.add_large("spiece.model", "pieces");
  EXPECT_THAT(run().files,
              ElementsAre("config.json", "model.safetensors", "spiece.model", "vocab.txt"));
  EXPECT_EQ(hub_.downloads("pytorch_model.bin"), 0);
}

TEST_F(Pull, ADryRunOnlyAsks) {
  options_.dry_run = true;
  Pulled p = run();
  EXPECT_THAT(p.files, ElementsAre("config.json", "model.safetensors"));
  EXPECT_THAT(p.sizes, ElementsAre(6, 300'000));
  EXPECT_EQ(hub_.downloads("model.safetensors"), 0);
  EXPECT_FALSE(fs::exists(p.folder));
}

// What cannot be used need not be fetched.
TEST_F(Pull, TheConfigurationIsLookedAtFirst) {
  std::string seen;
  options_.look = [&](const std::string& config) {
    seen = config;
    throw bad_input("not this one");
  };
  EXPECT_EQ(error(), "not this one");
  EXPECT_EQ(seen, "hello\n");
  EXPECT_EQ(hub_.downloads("model.safetensors"), 0);
  EXPECT_FALSE(fs::exists(repository()));
  options_.dry_run = true;
  EXPECT_EQ(error(), "not this one");
  options_.files = {"model.safetensors"};
  EXPECT_EQ(error(), "no error");
}

TEST_F(Pull, ShardsOfTheSecondFormat) {
  hub_.files.erase("model.safetensors");
  hub_.add_small("pytorch_model.bin.index.json", "hello\n", hello_hash);
  hub_.add_large("pytorch_model-00001-of-00002.bin", "one");
  hub_.add_large("pytorch_model-00002-of-00002.bin", "two");
  EXPECT_THAT(run().files,
              ElementsAre("config.json", "pytorch_model-00001-of-00002.bin",
                          "pytorch_model-00002-of-00002.bin", "pytorch_model.bin.index.json"));
}

TEST_F(Pull, ModelsWithoutReadableWeights) {
  hub_.files.erase("model.safetensors");
  EXPECT_THAT(error(), HasSubstr("neither model.safetensors nor pytorch_model.bin"));
  hub_.add_large("model.Q4_K_M.gguf", "GGUF");
  EXPECT_THAT(error(), HasSubstr("it has model.Q4_K_M.gguf; --file NAME"));
  options_.files = {"model.Q4_K_M.gguf"};
  EXPECT_THAT(run().files, ElementsAre("model.Q4_K_M.gguf"));
  options_.files = {"absent.gguf"};
  EXPECT_THAT(error(), HasSubstr("no file 'absent.gguf'"));
}

TEST_F(Pull, FilesInFoldersAndHostileNames) {
  hub_.add_small("a b/config.json", "hello\n", hello_hash);
  hub_.add_small("../../evil", "hello\n", hello_hash);
  options_.files = {"a b/config.json"};
  fs::path folder = run().folder;
  EXPECT_EQ(fs::read_symlink(folder / "a b/config.json"), fs::path("../../../blobs") / hello_hash);
  options_.files = {"../../evil"};
  EXPECT_THAT(error(), HasSubstr("has no file"));
}

TEST_F(Pull, Revisions) {
  options_.revision = "v1";
  run();
  EXPECT_EQ(read_file(repository() / "refs/v1"), commit);
  EXPECT_FALSE(locate("org/name@v1", settings_).empty());
  EXPECT_EQ(locate("org/name", settings_), "");
  options_.revision = commit;
  run();
  EXPECT_FALSE(fs::exists(repository() / "refs" / commit));
  options_.revision = "v2";
  EXPECT_THAT(error(), HasSubstr("answers 404"));
  options_.revision = "../v2";
  EXPECT_THAT(error(), HasSubstr("not a revision"));
}

TEST_F(Pull, Tokens) {
  hub_.token = "secret";
  EXPECT_THAT(error(), HasSubstr("set HF_TOKEN"));
  settings_.token = "wrong";
  EXPECT_THAT(error(), HasSubstr("may not read this model"));
  hub_.gated = "GatedRepo";
  EXPECT_THAT(error(), HasSubstr("accept the model's terms"));
  settings_.token.clear();
  EXPECT_THAT(error(), HasSubstr("terms must be accepted on its page first"));
  settings_.token = "secret";
  EXPECT_EQ(error(), "no error");
}

TEST_F(Pull, AServerThatMistakesRangesIsAskedForTheWhole) {
  hub_.wrong_ranges = true;
  hub_.cuts = 1;
  EXPECT_EQ(error(), "no error");
  EXPECT_EQ(weights(), hub_.files["model.safetensors"].content);
}

TEST_F(Pull, MoreThanWasNamedIsRefused) {
  hub_.too_much = 50'000'000;
  EXPECT_THAT(error(), HasSubstr("answers with more than 300000 bytes"));
  for (const auto& entry : fs::directory_iterator(repository() / "blobs"))
    EXPECT_LE(fs::file_size(entry.path()), 300'000u) << entry.path();
  hub_.too_much = 0;
  EXPECT_EQ(error(), "no error");
}

TEST_F(Pull, AFolderInTheWayIsNamed) {
  fs::create_directories(repository() / "blobs" / hub_.files["model.safetensors"].hash);
  EXPECT_THAT(error(), HasSubstr("in the way"));
}

TEST_F(Pull, OfflineSaysSoAtOnce) {
  auto start = std::chrono::steady_clock::now();
  settings_.offline = true;
  EXPECT_THAT(error(), HasSubstr("HF_HUB_OFFLINE"));
  settings_.offline = false;
  settings_.endpoint = "http://127.0.0.1:1";
  settings_.retry_milliseconds = 10'000;
  EXPECT_THAT(error(), HasSubstr("offline"));
  settings_.endpoint = "http://no-such-host.invalid";
  EXPECT_THAT(error(), HasSubstr("offline"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8));
  EXPECT_FALSE(fs::exists(settings_.cache));
}

TEST_F(Pull, NotAHub) {
  settings_.endpoint = hub_.endpoint() + "/other";
  EXPECT_THAT(error(), HasSubstr("does not answer as a Hugging Face hub"));
  options_.revision = "main";
  EXPECT_THROW(pull("no name", options_, settings_), Error);
  EXPECT_THROW(pull("a/b/c", options_, settings_), Error);
}

TEST_F(Pull, AnAnswerIsNotNestedWithoutEnd) {
  settings_.endpoint = hub_.endpoint() + "/deep";
  EXPECT_THAT(error(), HasSubstr("nested more than"));
}

TEST_F(Pull, FilesWhoseNamesATerminalWouldObeyAreNotThere) {
  hub_.add_small("\x1b]0;x.model", "hello\n", hello_hash);
  EXPECT_EQ(error(), "no error");
  for (const auto& entry : fs::recursive_directory_iterator(settings_.cache))
    EXPECT_EQ(entry.path().string().find('\x1b'), std::string::npos);
}

TEST_F(Pull, CachedModelsAreListed) {
  hub_.files["config.json"] = {R"({"architectures":["BertForMaskedLM"]})",
                               "71f3c4c5b1d0f0e6f7b3e0d1b8c8a8a5c8f7e6d5", false};
  EXPECT_THAT(error(), HasSubstr("hash"));  // not the right one
  EXPECT_TRUE(cached_models(settings_).empty());
  fs::path folder = repository() / "snapshots" / commit;
  fs::create_directories(folder);
  fs::create_directories(repository() / "refs");
  write_file(repository() / "refs/main", commit);
  write_file(folder / "config.json", hub_.files["config.json"].content);
  EXPECT_TRUE(cached_models(settings_).empty());
  write_file(folder / "model.safetensors", "1234");
  std::vector<Known> all = cached_models(settings_);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "org/name");
  EXPECT_EQ(all[0].kind, "BertForMaskedLM");
  EXPECT_EQ(all[0].bytes, hub_.files["config.json"].content.size() + 4);
  // Checkpoints: revisions beside main, and commits without a name; each folder once.
  auto names = [&] {
    std::vector<std::string> found;
    for (const Known& k : cached_models(settings_)) found.push_back(k.name);
    return found;
  };
  write_file(repository() / "refs/v1", commit);
  const std::string other(40, 'b'), third(40, 'c');
  for (const std::string& c : {other, third}) {
    fs::create_directories(repository() / "snapshots" / c);
    write_file(repository() / "snapshots" / c / "model.safetensors", "1234");
  }
  write_file(repository() / "refs/step1000", other);
  EXPECT_THAT(names(), ElementsAre("org/name", "org/name@" + third, "org/name@step1000"));
}

TEST(Settings, FromTheEnvironment) {
  for (const char* name : {"HF_HUB_CACHE", "HF_HOME", "HF_ENDPOINT", "HF_TOKEN", "HF_HUB_OFFLINE",
                           "XDG_CACHE_HOME", "HF_TOKEN_PATH", "HUGGING_FACE_HUB_TOKEN"})
    ::unsetenv(name);
  ::setenv("HOME", "/home/x", 1);
  EXPECT_EQ(settings().cache, "/home/x/.cache/huggingface/hub");
  EXPECT_EQ(settings().endpoint, "https://huggingface.co");
  EXPECT_FALSE(settings().offline);
  ::setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(settings().cache, "/xdg/huggingface/hub");
  ::setenv("HF_HOME", "/hf", 1);
  EXPECT_EQ(settings().cache, "/hf/hub");
  ::setenv("HF_HUB_CACHE", "/direct", 1);
  EXPECT_EQ(settings().cache, "/direct");
  ::setenv("HF_ENDPOINT", "http://mirror/", 1);
  EXPECT_EQ(settings().endpoint, "http://mirror");
  EXPECT_EQ(settings().token, "");
  testing::TemporaryFolder login;
  write_file(login / "token", "from-a-login\n");
  ::setenv("HF_HOME", login.path().c_str(), 1);
  EXPECT_EQ(settings().token, "from-a-login");
  write_file(login / "another", "from-elsewhere");
  ::setenv("HF_TOKEN_PATH", (login / "another").c_str(), 1);
  EXPECT_EQ(settings().token, "from-elsewhere");
  ::setenv("HF_TOKEN", "t", 1);
  EXPECT_EQ(settings().token, "t");
  ::setenv("HF_HUB_OFFLINE", "1", 1);
  EXPECT_TRUE(settings().offline);
}

}  // namespace
}  // namespace minpair::hub
