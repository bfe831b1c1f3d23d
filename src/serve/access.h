#pragma once
// Who may ask for what. Every request's head is read here first, strictly; what is odd is refused
// before anything else looks at it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minpair::serve {

struct Refusal {
  int status = 400;
  std::string why;
};

// The request line and the headers, names in lower case.
struct RequestHead {
  std::string method, target;
  std::vector<std::pair<std::string, std::string>> headers;
  uint64_t body = 0;   // its length
  bool close = false;  // the client wants no second request on this connection

  std::string header(std::string_view name) const;  // the only one of that name; "" when none
};

constexpr size_t kHeadLimit = 16 << 10;
constexpr size_t kBodyLimit = 64 << 10;

// `text` ends with the empty line.
std::optional<Refusal> parse_head(std::string_view text, RequestHead& head);

bool is_loopback(const std::string& address);

// Takes as long whatever the guess is.
bool same_secret(std::string_view guess, std::string_view secret);

class Access {
 public:
  // Without a token only this machine may be served.
  Access(std::string address, int port, std::string token);

  // Other sites must not reach the server through a visitor's browser: the name in Host must be
  // this machine's (they can point a name of theirs here), and Origin the page's own.
  std::optional<Refusal> check(const RequestHead& head) const;
  // "/?token=..." is answered with this cookie.
  std::string cookie() const;
  bool opens_with_token(const RequestHead& head) const;

 private:
  bool host_is_ours(const std::string& host) const;
  bool has_token(const RequestHead& head) const;

  std::string address_, token_, cookie_name_, machine_;
};

}  // namespace minpair::serve
