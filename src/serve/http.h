#pragma once
// Requests and responses. Boost.Beast reads heads and bodies; what else is odd is refused before
// anything looks at it.

#include <functional>
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
  std::string body;
  bool close = false;  // the client wants no second request on this connection

  std::string header(std::string_view name) const;  // the only one of that name; "" when none
  std::string_view path() const;                    // the target up to its '?'
  std::string_view parameter(std::string_view name) const;  // as it was sent; "" when none
};

// Reads one request, as its bytes come.
class RequestReader {
 public:
  RequestReader();
  ~RequestReader();

  // Takes from the front of `bytes` what belongs to the request. `check` is asked once: before
  // anything of the body is taken.
  using Check = std::function<std::optional<Refusal>(const Request&)>;
  std::optional<Refusal> take(std::string& bytes, const Check& check);
  bool has_head() const;
  bool is_complete() const;

  Request request;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

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
