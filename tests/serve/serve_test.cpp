#include "serve/serve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "client.h"
#include "engine/texts.h"
#include "fake.h"
#include "report/results.h"
#include "report/views.h"

namespace minpair::serve {
namespace {

using testing::ask;
using testing::body_of;
using testing::get;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::post;
using testing::status_of;

std::vector<std::unique_ptr<query::Model>> fakes(size_t n) {
  std::vector<std::unique_ptr<query::Model>> models;
  for (size_t i = 0; i < n; ++i) models.push_back(std::make_unique<testing::FakeModel>(i));
  return models;
}

// A served results file with one run; stopped at the end.
class Served {
 public:
  explicit Served(ServeOptions options = {},
                  std::vector<std::unique_ptr<query::Model>> models = fakes(2)) {
    results = folder / "r.db";
    add("A");
    options.results = results;
    explorer = std::make_unique<Explorer>(options, std::move(models));
    thread_ = std::thread([this] { explorer->run(); });
  }
  ~Served() {
    explorer->stop();
    thread_.join();
  }
  void add(const std::string& model) {
    store::Store store(results, store::Store::Mode::write);
    testing::add_run_of(store, "s", model, "masked",
                        {{"easy", "sg", "c", -1, -2.5, ""}, {"easy", "pl", "c", -3, -2, ""}});
  }
  int port() const { return explorer->port(); }

  testing::TemporaryFolder folder;
  std::filesystem::path results;
  std::unique_ptr<Explorer> explorer;

 private:
  std::thread thread_;
};

#define NEEDS_THE_PAGE() \
  if (!report::has_page()) GTEST_SKIP() << "built without npm: there is no page"

std::string version_of(int port) {
  return nlohmann::json::parse(body_of(ask(port, get("/version"))))["version"];
}

TEST(Serve, GivesThePageAndItsData) {
  NEEDS_THE_PAGE();
  Served served;
  std::string page = ask(served.port(), get("/"));
  EXPECT_EQ(status_of(page), 200);
  EXPECT_THAT(page, HasSubstr("id=\"live\""));
  EXPECT_THAT(page, HasSubstr("connect-src 'self'"));
  EXPECT_THAT(page, HasSubstr("X-Content-Type-Options: nosniff"));
  std::string v = version_of(served.port());
  store::Store store(served.results, store::Store::Mode::read);
  for (const report::PageBlock& block : report::page_blocks(store, {}))
    EXPECT_EQ(body_of(ask(served.port(), get("/data/" + block.id + "?v=" + v))), block.bytes);
  EXPECT_EQ(status_of(ask(served.port(), get("/data/main?v=old"))), 410);
}

TEST(Serve, FollowsTheResultsFile) {
  NEEDS_THE_PAGE();
  Served served;
  std::string before = version_of(served.port());
  served.add("B");
  std::string after = version_of(served.port());
  EXPECT_NE(before, after);
  EXPECT_EQ(status_of(ask(served.port(), get("/data/logprobs-1?v=" + after))), 200);
  EXPECT_EQ(status_of(ask(served.port(), get("/data/logprobs-1?v=" + before))), 404);
  EXPECT_EQ(status_of(ask(served.port(), get("/data/main?v=" + before))), 200);
}

TEST(Serve, AResultsFileThatIsGoneIsSaidOnce) {
  NEEDS_THE_PAGE();
  Served served;
  EXPECT_EQ(status_of(ask(served.port(), get("/"))), 200);
  std::filesystem::remove(served.results);
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(status_of(ask(served.port(), get("/"))), 200);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find("note: the page stays as it was"), 0u) << said;
  EXPECT_EQ(said.find("note:", 1), said.npos) << said;
}

TEST(Serve, ReadsNoOtherFile) {
  NEEDS_THE_PAGE();
  Served served;
  std::string v = version_of(served.port());
  for (const std::string& path :
       {std::string("/r.db"), std::string("/../r.db"), std::string("/etc/passwd"),
        std::string("/data/../r.db?v=") + v, std::string("/data/%2e%2e/r.db?v=") + v,
        std::string("/data/..%2f..%2fetc%2fpasswd?v=") + v, std::string("//etc/passwd"),
        std::string("/data/?v=") + v, std::string("/%00")})
    EXPECT_EQ(status_of(ask(served.port(), get(path))), 404) << path;
}

TEST(Serve, AConnectionServesSeveralRequests) {
  NEEDS_THE_PAGE();
  Served served;
  testing::Client client(served.port());
  std::string head = " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  std::string scored = post("/score", "{}");
  scored.replace(scored.find("close"), 5, "keep-alive");
  client.send("GET /version" + head + "HEAD /version" + head + scored + get("/no"));
  std::string all = client.read_all();
  std::vector<int> statuses;
  for (size_t at = 0; (at = all.find("HTTP/1.1 ", at)) != all.npos; ++at)
    statuses.push_back(status_of(all.substr(at)));
  EXPECT_THAT(statuses, ::testing::ElementsAre(200, 200, 400, 404));
  // What HEAD is told is what GET would be, without it.
  std::string version = body_of(ask(served.port(), get("/version")));
  EXPECT_EQ(all.find(version), all.rfind(version));
}

TEST(Serve, ABodyThatIsAskedForComes) {
  NEEDS_THE_PAGE();
  Served served;
  testing::Client client(served.port());
  std::string request = post("/score", "{}", "Expect: 100-continue\r\n");
  client.send(request.substr(0, request.size() - 2));
  EXPECT_EQ(client.read_all(300), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("{}");
  EXPECT_EQ(status_of(client.read_all()), 400);
}

TEST(Serve, ScoresAPairAsScoreDoes) {
  NEEDS_THE_PAGE();
  Served served;
  std::string body = R"({"models":[0,1],"texts":["Sie lacht .","Sie lachen ."],"method":"pll"})";
  auto answer = nlohmann::json::parse(body_of(ask(served.port(), post("/score", body))));
  ASSERT_EQ(answer["models"].size(), 2u);
  for (size_t m = 0; m < 2; ++m) {
    testing::FakeModel model(m);
    const method::Method& pll = method::find_method("pll");
    auto expected = engine::score_texts(model, pll, {{"Sie lacht ."}, {"Sie lachen ."}}).texts;
    auto one = answer["models"][m];
    for (size_t s = 0; s < 2; ++s) {
      EXPECT_EQ(one["sentences"][s]["sum"], expected[s].score.value(pll.view()));
      EXPECT_EQ(one["sentences"][s]["tokens"].size(), expected[s].score.tokens.size());
    }
    EXPECT_EQ(one["preferred"], engine::preference(expected, pll).first.value());
  }
}

TEST(Serve, SaysWhyASentenceHasNoScore) {
  NEEDS_THE_PAGE();
  Served served;
  std::string body = R"({"models":[0],"texts":["Sie lacht .","Qsie Qlacht"],"method":"pll"})";
  auto one = nlohmann::json::parse(body_of(ask(served.port(), post("/score", body))))["models"][0];
  EXPECT_EQ(one["sentences"][1]["explanation"], "the model knows none of these words");
  EXPECT_FALSE(one["sentences"][1].contains("sum"));
  EXPECT_TRUE(one["preferred"].is_null());
}

TEST(Serve, GuessesWhatIsMasked) {
  NEEDS_THE_PAGE();
  Served served;
  std::string body = R"({"models":[0],"texts":["Sie [MASK] und [MASK] ."],"top":3})";
  auto answer = nlohmann::json::parse(body_of(ask(served.port(), post("/score", body))));
  auto gaps = answer["models"][0]["predictions"][0]["gaps"];
  ASSERT_EQ(gaps.size(), 2u);
  ASSERT_EQ(gaps[1].size(), 3u);
  EXPECT_GE(gaps[0][0]["logprob"], gaps[0][1]["logprob"]);
}

TEST(Serve, UnscorableSentencesAreReported) {
  NEEDS_THE_PAGE();
  Served served;
  auto asked = [&](const std::string& body) { return ask(served.port(), post("/score", body)); };
  std::string too_long(1001, 'x');
  for (const std::string& body :
       {std::string("{"), std::string("[]"), std::string("{}"), std::string("\xff\xfe"),
        std::string(60000, '['), std::string(R"({"models":[7],"texts":["a"]})"),
        std::string(R"({"models":[-1],"texts":["a"]})"),
        std::string(R"({"models":[0.5],"texts":["a"]})"),
        std::string(R"({"models":[99999999999999999999],"texts":["a"]})"),
        std::string(R"({"models":[],"texts":["a"]})"), std::string(R"({"models":[0],"texts":[]})"),
        std::string(R"({"models":[0],"texts":["  "]})"),
        std::string(R"({"models":[0],"texts":["a"],"top":100000})"),
        std::string(R"({"models":[0],"texts":["a"],"top":18446744073709551616})"),
        std::string(R"({"models":[0],"texts":["a"],"top":-1})"),
        std::string(R"({"models":[0],"texts":[")") + too_long + "\"]}"})
    EXPECT_EQ(status_of(asked(body)), 400) << body.substr(0, 80);
  // The model is asked, and says why not.
  EXPECT_THAT(asked(R"({"models":[0],"texts":["a"],"method":"lp"})"),
              HasSubstr("is not for masked models"));
  EXPECT_THAT(asked(R"({"models":[0],"texts":["a"],"method":"magic"})"), HasSubstr("\"error\""));
  std::string words;
  for (int i = 0; i < 200; ++i) words += "ab ";
  EXPECT_THAT(asked(R"({"models":[0],"texts":[")" + words + "\"]}"), HasSubstr("too_long"));
  EXPECT_EQ(status_of(ask(served.port(), post("/other", "{}"))), 404);
}

TEST(Serve, OtherAddressesNeedAToken) {
  NEEDS_THE_PAGE();
  EXPECT_THROW(Explorer({.address = "0.0.0.0"}, {}), Error);
  Served served({.address = "0.0.0.0", .token = "0123456789abcdef"});
  EXPECT_EQ(status_of(ask(served.port(), get("/"))), 401);
  EXPECT_EQ(status_of(ask(served.port(), get("/data/main?v=none"))), 401);
  EXPECT_EQ(status_of(ask(served.port(), post("/score", "{}"))), 401);
  EXPECT_THAT(served.explorer->url(), HasSubstr("?token=0123456789abcdef"));
  std::string opened = ask(served.port(), get("/?token=0123456789abcdef"));
  EXPECT_EQ(status_of(opened), 302);
  EXPECT_THAT(opened, HasSubstr("HttpOnly; SameSite=Strict"));
  std::string cookie = "Cookie: minpair-" + std::to_string(served.port()) + "=0123456789abcdef\r\n";
  EXPECT_EQ(status_of(ask(served.port(), get("/", cookie))), 200);
  EXPECT_EQ(status_of(ask(served.port(), get("/", cookie, "evil.example"))), 403);
}

// Does not answer before it is told to.
class SlowModel : public testing::FakeModel {
 public:
  std::vector<query::Answer> answer(std::span<const query::Query> queries) override {
    std::unique_lock lock(mutex);
    ++begun;
    changed.notify_all();
    changed.wait(lock, [&] { return open; });
    return FakeModel::answer(queries);
  }
  std::mutex mutex;
  std::condition_variable changed;
  int begun = 0;
  bool open = false;
};

TEST(Serve, ScoresOneAtATimeAndRefusesALongQueue) {
  NEEDS_THE_PAGE();
  auto model = std::make_unique<SlowModel>();
  SlowModel& slow = *model;
  std::vector<std::unique_ptr<query::Model>> models;
  models.push_back(std::move(model));
  Served served({.waiting = 1}, std::move(models));
  std::string request = post("/score", R"({"models":[0],"texts":["Sie lacht ."]})");
  testing::Client first(served.port()), second(served.port()), third(served.port());
  first.send(request);
  {
    std::unique_lock lock(slow.mutex);
    ASSERT_TRUE(
        slow.changed.wait_for(lock, std::chrono::seconds(20), [&] { return slow.begun > 0; }));
  }
  second.send(request);
  third.send(request);
  // One of the two waits; the other is refused at once.
  std::string a = second.read_all(1000), b = third.read_all(a.empty() ? 10000 : 1000);
  EXPECT_EQ(status_of(a) + status_of(b), 503) << a << b;
  EXPECT_THAT(a + b, HasSubstr("Retry-After"));
  EXPECT_EQ(slow.begun, 1);
  {
    std::lock_guard lock(slow.mutex);
    slow.open = true;
  }
  slow.changed.notify_all();
  EXPECT_EQ(status_of(first.read_all()), 200);
  EXPECT_EQ(status_of((a.empty() ? second : third).read_all()), 200);
}

TEST(Serve, ASignalStopsTheProgram) {
  NEEDS_THE_PAGE();
  testing::TemporaryFolder folder;
  for (const char* signal : {"INT", "TERM"}) {
    std::string out = "'" + (folder / "out").string() + "'";
    testing::Ran ran = testing::run_command(
        "rm -f " + out + "; '" + testing::minpair_program().string() +
        "' serve -m de-mini --port 0 > " + out + " & pid=$!; for i in $(seq 200); do [ -s " + out +
        " ] && break; sleep 0.1; done; kill -" + signal + " $pid; wait $pid");
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("stopped"));
    EXPECT_THAT(read_file(folder / "out"), HasSubstr("http://127.0.0.1:"));
  }
}

// web/test/serve.mjs says what is looked at.
TEST(Serve, WorksInABrowser) {
  NEEDS_THE_PAGE();
  if (!std::filesystem::exists("/usr/bin/chromium"))
    GTEST_SKIP() << "there is no chromium (tools/bootstrap.sh browser)";
  Served served({.token = "0123456789abcdef"});
  store::Store store(served.results, store::Store::Mode::read);
  write_file(served.folder / "r.json", report::json_tables(report::make_tables(store, {})));
  testing::Ran ran =
      testing::run_in_browser("serve.mjs", "'" + served.explorer->url() + "' '" +
                                               (served.folder / "r.json").string() + "'");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

TEST(Serve, LooksIntoAPair) {
  NEEDS_THE_PAGE();
  std::vector<std::unique_ptr<query::Model>> models;
  models.push_back(model::load_model((testing::source_dir() / "tests/model/golden/bert").string()));
  models.push_back(std::make_unique<testing::FakeModel>(0));
  Served served({}, std::move(models));
  auto look = [&](const std::string& texts) {
    return ask(served.port(), post("/inside", R"({"models":[0,1],"texts":[)" + texts + "]}"));
  };
  const std::string pair = R"("wort10 wort24 wort7 wort9","wort10 wort24 wort8 wort9")";
  auto answer = nlohmann::json::parse(body_of(look(pair)));
  ASSERT_EQ(answer["models"].size(), 2u);
  EXPECT_EQ(answer["models"][0]["lens"].back(), answer["models"][0]["margin"]);
  EXPECT_EQ(answer["models"][0]["patch"]["names"].size(), 3u);
  // A model without layers says so, and the other one is answered all the same.
  EXPECT_THAT(answer["models"][1]["error"].get<std::string>(), HasSubstr("no layers"));
  const std::string other = look(pair + R"(,"wort11 wort24 wort8 wort9")");
  EXPECT_THAT(body_of(other), HasSubstr("\"total\":"));
  for (const auto& [texts, why] :
       {std::pair<std::string, std::string>{R"("wort10 wort7")", "a right sentence, a wrong one"},
        {pair + "," + pair, "a right sentence, a wrong one"},
        {R"("wort10 [MASK]","wort10 wort7")", "no [MASK]"},
        {"\"" + std::string(2000, 'x') + "\",\"a\"", "characters"}}) {
    EXPECT_EQ(status_of(look(texts)), 400) << texts;
    EXPECT_THAT(body_of(look(texts)), HasSubstr(why));
  }
}

// web/test/look.mjs says what is looked at.
TEST(Serve, LooksInsideInABrowser) {
  NEEDS_THE_PAGE();
  if (!std::filesystem::exists("/usr/bin/chromium"))
    GTEST_SKIP() << "there is no chromium (tools/bootstrap.sh browser)";
  std::vector<std::unique_ptr<query::Model>> models;
  for (const char* name : {"de-mini", "de-lstm"})
    models.push_back(model::load_model((testing::source_dir() / "models" / name).string()));
  Served served({}, std::move(models));
  testing::Ran ran = testing::run_in_browser("look.mjs", "'" + served.explorer->url() + "'");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

}  // namespace
}  // namespace minpair::serve
