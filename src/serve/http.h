#pragma once
// HTTP/1.1, as much of it as is served here. Heads are read strictly: what is odd is refused before
// anything else looks at it.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minpair::serve {

constexpr size_t kHeadLimit = 16 << 10;
constexpr size_t kBodyLimit = 64 << 10;

struct Refusal {
  int status = 400;
  std::string why;
};

std::string ascii_lower(std::string_view text);

struct Request {
  std::string method, target;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  size_t length = 0;                                         // of the body
  std::string body;
  bool close = false;  // the client wants no second request on this connection

  std::string header(std::string_view name) const;  // the only one of that name; "" when none
  std::string_view path() const;                    // the target up to its '?'
  std::string_view parameter(std::string_view name) const;  // as it was sent; "" when none
};

// `text` ends with the empty line. Reads everything but the body.
std::optional<Refusal> parse_head(std::string_view text, Request& request);

struct Response {
  int status = 200;
  const char* type = "application/json";
  // Shared, so that it lives as long as somebody reads it, without a copy per client.
  std::shared_ptr<const std::string> body;
  std::string headers;  // further lines
};

Response text_response(std::string body, int status = 200);
Response error_response(const Refusal& refusal);  // {"error": "why"}
std::string head_of(const Response& response, bool close);

}  // namespace minpair::serve
