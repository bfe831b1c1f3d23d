#include "serve/access.h"

#include <gtest/gtest.h>
#include <httplib.h>

namespace minpair::serve {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

int checked(const Access& access, const Headers& headers, const std::string& target = "/",
            const std::string& method = "GET") {
  httplib::Request request;
  request.method = method;
  request.target = target;
  for (const auto& [name, value] : headers) request.headers.emplace(name, value);
  auto refusal = access.check(request);
  return refusal ? refusal->status : 200;
}

TEST(Access, BodiesHaveALength) {
  Access here("127.0.0.1", 8017, "");
  auto posted = [&](const Headers& more) {
    Headers headers = {{"Host", "localhost"}, {"Content-Type", "application/json"}};
    headers.insert(headers.end(), more.begin(), more.end());
    return checked(here, headers, "/score", "POST");
  };
  EXPECT_EQ(posted({{"Content-Length", "10"}}), 200);
  EXPECT_EQ(posted({{"content-length", "65536"}}), 200);
  EXPECT_EQ(posted({}), 411);
  EXPECT_EQ(posted({{"Transfer-Encoding", "chunked"}}), 411);
  EXPECT_EQ(posted({{"Content-Length", "3"}, {"Content-Encoding", "gzip"}}), 411);
  EXPECT_EQ(posted({{"Content-Length", "65537"}}), 413);
  EXPECT_EQ(posted({{"Content-Length", "99999999999999999999"}}), 413);
  EXPECT_EQ(posted({{"Content-Length", "-1"}}), 400);
  EXPECT_EQ(posted({{"Content-Length", "1"}, {"Content-Length", "2"}}), 400);
  EXPECT_EQ(checked(here, {{"Host", "localhost"}, {"Content-Length", "5"}}), 400);
  EXPECT_EQ(checked(here, {{"Host", "localhost"}, {"host", "localhost"}}), 400);
  EXPECT_EQ(checked(here, {{"Host", "localhost"}}, "/", "DELETE"), 405);
  EXPECT_EQ(checked(here, {{"Host", "localhost"}, {"Content-Length", "2"}}, "/score", "POST"), 415);
}

TEST(Access, ANameThatIsNotOursIsRefused) {
  Access here("127.0.0.1", 8017, "");
  for (const char* ours : {"localhost", "localhost:8017", "LOCALHOST", "127.0.0.1:8017", "[::1]:1"})
    EXPECT_EQ(checked(here, {{"Host", ours}}), 200) << ours;
  for (const char* other : {"evil.example", "127.evil.example", "localhost.evil.example", "",
                            "10.0.0.1", "[::2]", "[", "localhost@evil.example"})
    EXPECT_EQ(checked(here, {{"Host", other}}), 403) << other;
  EXPECT_EQ(checked(here, {{"Accept", "x"}}), 403);
  EXPECT_EQ(checked(here, {{"Host", "localhost"}, {"Origin", "http://localhost"}}), 200);
  EXPECT_EQ(checked(here, {{"Host", "localhost"}, {"Origin", "http://evil.example"}}), 403);
  EXPECT_EQ(checked(here, {{"Host", "localhost"}, {"Origin", "null"}}), 403);
}

TEST(Access, ATokenOpensAndNothingElse) {
  Access access("0.0.0.0", 80, "0123456789abcdef");
  const std::pair<std::string, std::string> host = {"Host", "10.0.0.1:80"};
  EXPECT_EQ(checked(access, {host, {"A", "b"}}), 401);
  EXPECT_EQ(checked(access, {host, {"Authorization", "Bearer 0123456789abcdef"}}), 200);
  EXPECT_EQ(checked(access, {host, {"Authorization", "Bearer 0123456789abcdee"}}), 401);
  EXPECT_EQ(checked(access, {host, {"Authorization", "Bearer 0123456789abcdef0"}}), 401);
  EXPECT_EQ(checked(access, {host, {"Authorization", "Bearer "}}), 401);
  EXPECT_EQ(checked(access, {host, {"Cookie", "a=b; minpair-80=0123456789abcdef"}}), 200);
  EXPECT_EQ(checked(access, {host, {"Cookie", "minpair-81=0123456789abcdef"}}), 401);
  EXPECT_EQ(checked(access, {host, {"A", "b"}}, "/?token=0123456789abcdef"), 200);
  EXPECT_EQ(checked(access, {host, {"A", "b"}}, "/?token=0123"), 401);
  EXPECT_EQ(checked(access, {host, {"A", "b"}}, "/data/main?token=0123456789abcdef"), 401);
  EXPECT_EQ(
      checked(access, {{"Host", "evil.example"}, {"Authorization", "Bearer 0123456789abcdef"}}),
      403);
}

TEST(Access, SecretsAreEqualOnlyWhenEqual) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  for (const char* guess : {"", "a", "ab", "abd", "abcabc", "abcd"})
    EXPECT_FALSE(same_secret(guess, "abc")) << guess;
}

}  // namespace
}  // namespace minpair::serve
