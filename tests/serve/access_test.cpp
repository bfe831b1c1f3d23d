#include "serve/access.h"

#include <gtest/gtest.h>

namespace minpair::serve {
namespace {

int refused(const std::string& head) {
  RequestReader reader;
  std::string bytes = head + "\r\n\r\n";
  auto refusal = reader.take(bytes, [](const Request&) { return std::nullopt; });
  EXPECT_TRUE(refusal || reader.has_head()) << head;
  return refusal ? refusal->status : 200;
}

TEST(Access, HeadsAreReadStrictly) {
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nHost: localhost"), 200);
  EXPECT_EQ(refused("GET / HTTP/1.0"), 200);
  EXPECT_EQ(refused("POST /score HTTP/1.1\r\nContent-Length: 10"), 200);
  for (const char* odd : {"",
                          "GET",
                          "GET /",
                          "GET  HTTP/1.1",
                          "GET / HTTP/2",
                          "GET / FTP/1.1",
                          "GET x HTTP/1.1",
                          "GET http://other/ HTTP/1.1",
                          "GET /a b HTTP/1.1",
                          "GET /\x01 HTTP/1.1",
                          "GET / HTTP/1.1\r\nHost",
                          "GET / HTTP/1.1\r\n: x",
                          "GET / HTTP/1.1\r\nHo st: x",
                          "GET / HTTP/1.1\r\n folded: x",
                          "GET / HTTP/1.1\r\nA: \x01",
                          "GET / HTTP/1.1\r\nHost: a\r\nhost: b",
                          "POST / HTTP/1.1\r\nContent-Length: -1",
                          "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2",
                          "GET / HTTP/1.1\r\nContent-Length: 5",
                          "GET / HTTP/1.1\nHost: a"})
    EXPECT_EQ(refused(odd), 400) << odd;
  EXPECT_EQ(refused("DELETE / HTTP/1.1"), 405);
  EXPECT_EQ(refused("POST / HTTP/1.1"), 411);
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nTransfer-Encoding: chunked"), 411);
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Encoding: gzip"), 411);
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nContent-Length: 65537"), 413);
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nContent-Length: 999999999999999999"), 413);
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999"), 400);
}

int checked(const Access& access, const std::string& headers, const std::string& target = "/") {
  RequestReader reader;
  std::string bytes = "GET " + target + " HTTP/1.1\r\n" + headers + "\r\n\r\n";
  auto refusal = reader.take(bytes, [&](const Request& r) { return access.check(r); });
  return refusal ? refusal->status : 200;
}

TEST(Access, ANameThatIsNotOursIsRefused) {
  Access here("127.0.0.1", 8017, "");
  for (const char* ours : {"localhost", "localhost:8017", "LOCALHOST", "127.0.0.1:8017", "[::1]:1"})
    EXPECT_EQ(checked(here, std::string("Host: ") + ours), 200) << ours;
  for (const char* other : {"evil.example", "127.evil.example", "localhost.evil.example", "",
                            "10.0.0.1", "[::2]", "[", "localhost@evil.example",
                            "127.0.0.1:1@evil.example", "[::1]x"})
    EXPECT_EQ(checked(here, std::string("Host: ") + other), 403) << other;
  EXPECT_EQ(checked(here, "Accept: x"), 403);
  EXPECT_EQ(checked(here, "Host: localhost\r\nOrigin: http://localhost"), 200);
  EXPECT_EQ(checked(here, "Host: localhost\r\nOrigin: http://evil.example"), 403);
  EXPECT_EQ(checked(here, "Host: localhost\r\nOrigin: null"), 403);
}

TEST(Access, ATokenOpensAndNothingElse) {
  Access access("0.0.0.0", 80, "0123456789abcdef");
  const std::string host = "Host: 10.0.0.1:80\r\n";
  EXPECT_EQ(checked(access, host + "A: b"), 401);
  EXPECT_EQ(checked(access, host + "Authorization: Bearer 0123456789abcdef"), 200);
  EXPECT_EQ(checked(access, host + "Authorization: Bearer 0123456789abcdee"), 401);
  EXPECT_EQ(checked(access, host + "Authorization: Bearer 0123456789abcdef0"), 401);
  EXPECT_EQ(checked(access, host + "Authorization: Bearer "), 401);
  EXPECT_EQ(checked(access, host + "Cookie: a=b; minpair-80=0123456789abcdef"), 200);
  EXPECT_EQ(checked(access, host + "Cookie: minpair-81=0123456789abcdef"), 401);
  EXPECT_EQ(checked(access, host + "A: b", "/?token=0123456789abcdef"), 200);
  EXPECT_EQ(checked(access, host + "A: b", "/?token=0123"), 401);
  EXPECT_EQ(checked(access, host + "A: b", "/data/main?token=0123456789abcdef"), 401);
  EXPECT_EQ(checked(access, "Host: evil.example\r\nAuthorization: Bearer 0123456789abcdef"), 403);
}

TEST(Access, TargetsAreTakenApart) {
  auto of = [](const char* target) {
    Request request;
    request.target = target;
    return std::string(request.path()) + " " + std::string(request.parameter("v"));
  };
  EXPECT_EQ(of("/"), "/ ");
  EXPECT_EQ(of("/data/a?v=1"), "/data/a 1");
  EXPECT_EQ(of("/data/a?w=2&v=1&v=3"), "/data/a 1");
  EXPECT_EQ(of("/?"), "/ ");
  EXPECT_EQ(of("/?v"), "/ ");
  EXPECT_EQ(of("/?vv=1"), "/ ");
  EXPECT_EQ(of("/v=1"), "/v=1 ");
}

TEST(Access, SecretsAreEqualOnlyWhenEqual) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  for (const char* guess : {"", "a", "ab", "abd", "abcabc", "abcd"})
    EXPECT_FALSE(same_secret(guess, "abc")) << guess;
}

}  // namespace
}  // namespace minpair::serve
