// What a server on a shared machine meets: garbage, many clients at once, and slow ones.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <thread>

#include "base/random.h"
#include "client.h"
#include "fake.h"
#include "report/views.h"
#include "serve/serve.h"
#include "support.h"

namespace minpair::serve {
namespace {

using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;
using testing::ask;
using testing::Client;
using testing::get;
using testing::post;
using testing::status_of;

class Bench {
 public:
  explicit Bench(const ServeOptions& options = {}) {
    std::vector<std::unique_ptr<query::Model>> models;
    models.push_back(std::make_unique<testing::FakeModel>());
    explorer_ = std::make_unique<Explorer>(options, std::move(models));
    thread_ = std::thread([this] { explorer_->run(); });
  }
  ~Bench() {
    explorer_->stop();
    thread_.join();
  }
  int port() const { return explorer_->port(); }

 private:
  std::unique_ptr<Explorer> explorer_;
  std::thread thread_;
};

#define NEEDS_THE_PAGE() \
  if (!report::has_page()) GTEST_SKIP() << "built without npm: there is no page"

const std::string kScore = post("/score", R"({"models":[0],"texts":["Sie lacht ."]})");

size_t resident_bytes() {
  std::ifstream in("/proc/self/statm");
  size_t all = 0, resident = 0;
  in >> all >> resident;
  return resident * size_t(::sysconf(_SC_PAGESIZE));
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string random_bytes(Random& random, size_t n) {
  std::string bytes(n, '\0');
  for (char& c : bytes) c = char(random.below(256));
  return bytes;
}

// One of many ways to be wrong.
std::string malformed(Random& random) {
  std::string good = random.below(2) ? get("/") : kScore;
  switch (random.below(10)) {
    case 0:
      return random_bytes(random, 1 + random.below(2000));
    case 1:
      return good.substr(0, 1 + random.below(good.size() - 1));
    case 2: {
      good[random.below(good.find("\r\n\r\n"))] = char(1 + random.below(8));
      return good;
    }
    case 3:
      return get("/" + std::string(1 + random.below(40000), 'a'));
    case 4:
      return get("/", "X: " + std::string(17000 + random.below(20000), 'y') + "\r\n");
    case 5:
      return get("/../../../etc/passwd%00" + std::to_string(random.next()));
    case 6:
      return get("/", "Range: bytes=" + std::string(random.below(9000), '0') + "-,\r\n",
                 "evil.example");
    case 7:
      return post("/score", random_bytes(random, random.below(3000)));
    case 8:
      return post("/score", std::string(random.below(60000), '['));
    default:
      return "POST /score HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" +
             random_bytes(random, 50);
  }
}

TEST(Endurance, TenThousandMalformedRequests) {
  NEEDS_THE_PAGE();
  Bench bench;
  Random random(7);
  [[maybe_unused]] size_t before = 0;
  size_t answered = 0;
  for (int i = 0; i < 10000; ++i) {
    if (i == 2000) before = resident_bytes();
    Client client(bench.port());
    ASSERT_TRUE(client.connected()) << i;
    client.send(malformed(random));
    client.finish();
    int status = status_of(client.read_all());
    answered += status != 0;
    ASSERT_TRUE(status == 0 || (status >= 400 && status < 500)) << i << ": " << status;
    if (i % 1000 == 0) {
      ASSERT_EQ(status_of(ask(bench.port(), kScore)), 200) << i;
    }
  }
  EXPECT_EQ(answered, 10000u);
#ifndef MINPAIR_SANITIZED  // which keeps freed memory, or its shadow, for a while
  EXPECT_LT(resident_bytes(), before + (4u << 20));
#endif
  EXPECT_EQ(status_of(ask(bench.port(), get("/"))), 200);
}

TEST(Endurance, TwoHundredConnectionsLoseNothing) {
  NEEDS_THE_PAGE();
  Bench bench;
  std::string request = get("/version");
  std::vector<std::unique_ptr<Client>> held;
  for (int i = 0; i < 200; ++i) {
    held.push_back(std::make_unique<Client>(bench.port()));
    ASSERT_TRUE(held.back()->send(request.substr(0, 10)));
  }
  auto begin = Clock::now();
  EXPECT_EQ(status_of(ask(bench.port(), get("/"))), 200);
  EXPECT_EQ(status_of(ask(bench.port(), kScore)), 200);
  EXPECT_LT(seconds_since(begin), 3);
  for (auto& client : held) ASSERT_TRUE(client->send(request.substr(10)));
  for (auto& client : held) EXPECT_EQ(status_of(client->read_all()), 200);
}

TEST(Endurance, TwoHundredAtOnceAreAllAnswered) {
  NEEDS_THE_PAGE();
  Bench bench({.waiting = 200});
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 200; ++i) {
    clients.push_back(std::make_unique<Client>(bench.port()));
    ASSERT_TRUE(clients.back()->send(i % 2 ? kScore : get("/")));
  }
  for (auto& client : clients) EXPECT_EQ(status_of(client->read_all(30000)), 200);
}

TEST(Endurance, SurplusClientsGetRetryLater) {
  NEEDS_THE_PAGE();
  Bench bench({.connections = 4});
  std::vector<std::unique_ptr<Client>> held;
  for (int i = 0; i < 4; ++i) {
    held.push_back(std::make_unique<Client>(bench.port()));
    held.back()->send("GET ");
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(status_of(Client(bench.port()).read_all()), 503);
  held.clear();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(status_of(ask(bench.port(), get("/"))), 200);
}

TEST(Endurance, AClientThatTricklesIsCutOff) {
  NEEDS_THE_PAGE();
  Bench bench({.request_time = std::chrono::milliseconds(400)});
  Client slow(bench.port());
  slow.send("GET / HTTP/1.1\r\nX: ");
  auto begin = Clock::now();
  std::string answer;
  while (answer.empty() && seconds_since(begin) < 5 && slow.send("x")) answer = slow.read_all(50);
  EXPECT_EQ(status_of(answer), 408);
  EXPECT_LT(seconds_since(begin), 3);
}

TEST(Endurance, AClientThatDoesNotReadIsCutOff) {
  NEEDS_THE_PAGE();
  Bench bench({.connections = 1, .answer_time = std::chrono::milliseconds(400)});
  Client lazy(bench.port());
  // More answers than the two sockets' buffers hold.
  std::string many;
  for (int i = 0; i < 200; ++i) many += "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  lazy.send(many);
  auto begin = Clock::now();
  int status = 0;
  while (status != 200 && seconds_since(begin) < 10) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    status = status_of(ask(bench.port(), get("/version")));
  }
  EXPECT_EQ(status, 200);
}

TEST(Endurance, ALineThatNeverEndsIsCutOff) {
  NEEDS_THE_PAGE();
  Bench bench;
  Client endless(bench.port());
  auto begin = Clock::now();
  // It may be cut off while it still sends.
  for (int i = 0; i < 256 && endless.send(std::string(1024, 'x')); ++i) {
  }
  EXPECT_EQ(status_of(endless.read_all()), 431);
  EXPECT_LT(seconds_since(begin), 3);
}

TEST(Endurance, StopsAtOnceWhateverClientsDo) {
  NEEDS_THE_PAGE();
  auto bench = std::make_unique<Bench>();
  Client silent(bench->port()), half(bench->port());
  half.send("GET / HT");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  auto begin = Clock::now();
  bench.reset();
  EXPECT_LT(seconds_since(begin), 2);
}

}  // namespace
}  // namespace minpair::serve
